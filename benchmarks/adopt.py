"""Adding files that others wrote to a table, beside reading their footers with PyArrow alone."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.databases import Databases
from benchmarks.measure import Samples
from benchmarks.report import Aim, Figure

_AIM = Aim("at most", 1.5)
_COLUMNS = {**{f"i{number}": "BIGINT" for number in range(6)}, **{f"s{number}": "VARCHAR" for number in range(4)}}
_ROWS = 100


def adopt(databases: Databases, quick: bool) -> list[Figure]:
    """One call that adds thousands of files, in each store."""
    count = 50 if quick else 5_000
    figures = []
    with tempfile.TemporaryDirectory(prefix="forklake-bench-") as home:
        paths = _write_files(Path(home), count)
        for kind in databases.kinds:
            ours, reference = Samples(), Samples()
            with databases.new(kind).open() as lake:
                catalog = lake.create_catalog("adopting")
                for number in range(1 if quick else 5):
                    table = catalog.create_table(f"t{number}", _COLUMNS)
                    reference.time(lambda: [pq.read_metadata(path) for path in paths])
                    ours.time(table.storage.add_files, f"{home}/*.parquet")
                    assert table.count() == count * _ROWS
            name = f"{count:,} files of {len(_COLUMNS)} columns added in one commit, p50"
            shown = "pq.read_metadata() of each"
            figures.append(Figure(f"adopt on {kind}", name, ours.p50, "ms", reference.p50, shown, _AIM))
    return figures


def _write_files(directory: Path, count: int) -> list[Path]:
    numbers = pa.array(range(_ROWS))
    texts = pa.array([f"a text, number {number}" for number in range(_ROWS)])
    rows = pa.table({name: numbers if kind == "BIGINT" else texts for name, kind in _COLUMNS.items()})
    paths = [directory / f"{number:06}.parquet" for number in range(count)]
    for path in paths:
        pq.write_table(rows, path)
    return paths
