"""All that a lineage ever showed of the rows of a table."""

from __future__ import annotations

from forklake.catalog.state import CatalogState
from forklake.metastore.shared_visibility import Dated
from forklake.metastore.written_tables import DATA_FILE, DELETE_FILE, INLINED_DELETE, INLINED_ROW
from forklake.model.ids import TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.rows import DataFileRow, DeleteFileRow, InlinedDeleteRow, InlinedRow


@dataclass(frozen=True, slots=True)
class TableHistory:
    """Files, their deletes, and inlined rows of a table.

    Each comes with the snapshots that began and ended it.
    """

    rows: list[Dated[InlinedRow]]
    files: list[Dated[DataFileRow]]
    deletes: list[Dated[DeleteFileRow]]
    places: list[Dated[InlinedDeleteRow]]

    @classmethod
    def of(cls, state: CatalogState, table: TableId) -> TableHistory:
        """Read the history of a table, with four queries."""
        where = {"table_id": table}
        return cls(
            state.history(INLINED_ROW, where),
            state.history(DATA_FILE, where),
            state.history(DELETE_FILE, where),
            state.history(INLINED_DELETE, where),
        )
