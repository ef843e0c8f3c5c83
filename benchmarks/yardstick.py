"""DuckLake's own test suite, run on forklake: the table of `docs/yardstick.md`.

The runner (`slt`) and a copy of DuckLake's repository are named on the command line; neither is part of this project.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.yardstick_reasons import group_failures

COMMIT = "d8a1881e"
"""The commit of DuckLake whose suite is the yardstick: that of the release that the interop tests read with."""
_PLACES = re.compile(r"/[^\s\"']*/[^\s\"']*")
"""Paths, which are different in each run."""
_PAGE = Path(__file__).parents[1] / "docs" / "yardstick.md"
_HEAD = f"""# The yardstick

DuckLake's own test suite at commit `{COMMIT}`, run through `forklake.connect()`. A file passes if all its records do; a
record is one statement or query. The runner gives each `ATTACH` what DuckLake's suite leaves out and forklake asks for
(a catalog name, its place, leave to create it), and each session DuckLake's limit for inlining as its default.
`require httpfs` and `require sqlite_scanner` are met: encrypted files and metadata in SQLite need neither here. Nothing
else is changed (`benchmarks/yardstick_engine.py`).

    make yardstick DUCKLAKE=path/to/ducklake SLT=path/to/the/runner

"""


def main() -> None:
    """Run the suite, or read what an earlier run wrote, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ducklake", type=Path, help="a copy of the repository duckdb/ducklake, bare or not")
    parser.add_argument("--slt", type=Path, help="the directory that holds the package slt")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--match", default="*", help="only files of such paths; then no page is written")
    parser.add_argument(
        "--results",
        type=Path,
        help="write the page from this file of an earlier run; what it has as `note` is said below the totals",
    )
    arguments = parser.parse_args()
    if arguments.results is None and not (arguments.slt and (arguments.slt / "slt" / "__main__.py").is_file()):
        parser.error(
            f"--slt names the directory that holds the package slt, and {arguments.slt} does not; nothing was run"
        )
    results = arguments.results or _run(arguments)
    document = json.loads(results.read_text())
    if arguments.match == "*":
        _PAGE.write_text(_HEAD + _tables(document))
    print(json.dumps(document["total"], indent=1))


def _run(arguments: argparse.Namespace) -> Path:
    results = Path(tempfile.gettempdir()) / "forklake-yardstick.json"
    command = [
        sys.executable, "-m", "slt", "--engine", "benchmarks.yardstick_engine:engine",
        "--keep-going", "--timeout", "300",
        "--suite", f"{arguments.ducklake}:test/sql", "--ref", COMMIT, "--jobs", arguments.jobs,
        "--match", arguments.match, "--json", str(results),
    ]  # fmt: skip
    found = os.pathsep.join([str(arguments.slt), str(_PAGE.parents[1])])
    subprocess.run(command, env={**os.environ, "PYTHONPATH": found}, check=False)
    return results


def _tables(document: dict[str, Any]) -> str:
    total = document["total"]
    share = 100 * total["records_passed"] / total["records"]
    lines = [
        f"{total['files_passed']} of {total['files']} files, {total['records_passed']} of {total['records']} records"
        f" ({share:.0f} %).",
        "",
        *([document["note"], ""] if "note" in document else []),
        "| folder | files | passed | skipped | records | passed |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    folders: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in document["files"]:
        folders[one["path"].rpartition("/")[0].removeprefix("test/sql").strip("/") or "."].append(one)
    for folder, files in sorted(folders.items()):
        passed = sum(one["status"] == "passed" for one in files)
        skipped = sum(one["status"] == "skipped" for one in files)
        records, right = sum(one["records"] for one in files), sum(one["counts"]["passed"] for one in files)
        lines.append(f"| {folder} | {len(files)} | {passed} | {skipped} | {records} | {right} |")
    lines += ["", "## Why files fail", ""]
    lines += ["The first record that fails, and what was said; files are grouped by the reason of that record.", ""]
    failed = {_short(one): _failure(one) for one in document["files"] if one["status"] not in ("passed", "skipped")}
    lines += group_failures({path.removesuffix(".test"): line for path, line in failed.items()})
    lines += ["", "## Skipped", ""]
    lines += [f"- `{_short(one)}`: {one['reason']}" for one in document["files"] if one["status"] == "skipped"]
    return "\n".join(lines) + "\n"


def _short(one: dict[str, Any]) -> str:
    return str(one["path"]).removeprefix("test/sql/")


def _failure(one: dict[str, Any]) -> str:
    failures = one["failures"]
    if not failures:
        return f"- `{_short(one)}`: {one['status']}"
    message = _PLACES.sub("...", " ".join(str(failures[0]["message"]).split()))
    return f"- `{_short(one)}:{failures[0]['line']}`: {message[:160]}"


if __name__ == "__main__":
    main()
