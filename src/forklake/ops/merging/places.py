"""Where the files of a merge are, and where it writes delete files."""

from __future__ import annotations

from collections.abc import Callable

from forklake.catalog import lookup
from forklake.catalog.holdings import HeldFile
from forklake.catalog.places import Places
from forklake.metastore.written_tables import TABLE
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.merging.plan import TableEdit
from forklake.ops.merging.sides import Side, Sides
from forklake.ops.rows.write_target import Writing, writing


def delete_target(runtime: Runtime, sides: Sides, table: TableEdit) -> tuple[Writing, Callable[[HeldFile], str]]:
    """Return how delete files of a table are written, and where its data files are.

    A data file is one of the target, or one of the source that the merge brings.
    """
    assert table.rows is not None
    files = [file for file, _ in table.rows.deleted]
    new = {file.row.data_file_id for file in table.rows.begun}
    side = sides.target if sides.target.rows(TABLE, {"table_id": table.table_id}) else sides.source
    how = writing(runtime, side, lookup.table_by_id(side, table.table_id))
    ours = _places(sides, sides.target, table, [file for file in files if file.row.data_file_id not in new])
    theirs = _places(sides, sides.source, table, [file for file in files if file.row.data_file_id in new])

    def path_of(file: HeldFile) -> str:
        places = theirs if file.row.data_file_id in new else ours
        assert places is not None
        return places.path(file.row)

    return how, path_of


def _places(sides: Sides, side: Side, table: TableEdit, files: list[HeldFile]) -> Places | None:
    if not files:
        return None
    row = lookup.table_by_id(side, table.table_id)
    return Places(sides.session, sides.lake_path, side, row, [file.row for file in files])
