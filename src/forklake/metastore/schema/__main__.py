"""Writes the schema files from the description, or checks them with ``--check``.

The check lists the files that differ from what the description gives.
"""

from __future__ import annotations

import sys
from pathlib import Path

from forklake.metastore.schema.products import PRODUCTS
from forklake.metastore.schema.write import write


def main(arguments: list[str], directory: Path) -> int:
    """Write the files of a directory, or compare them; return how many differ."""
    stale = 0
    for product in PRODUCTS:
        path = directory / f"{product.name}.sql"
        if arguments != ["--check"]:
            path.write_text(write(product), encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != write(product):
            stale += 1
            sys.stderr.write(f"{path} is not what the description of the tables makes: run `make schema`.\n")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], Path(__file__).parent))
