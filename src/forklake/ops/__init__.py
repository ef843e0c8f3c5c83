"""Operations: one verb for each module, for Python, SQL and the command line."""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = [
    "add_data_files",
    "check_lake",
    "checkpoint",
    "compact_tables",
    "delete_orphaned_files",
    "diff_catalogs",
    "flush_inlined",
    "frame_columns",
    "maintain_lake",
    "merge_catalogs",
    "staged_files",
]

if TYPE_CHECKING:
    from forklake.ops import (
        add_data_files,
        check_lake,
        checkpoint,
        compact_tables,
        delete_orphaned_files,
        diff_catalogs,
        flush_inlined,
        frame_columns,
        maintain_lake,
        merge_catalogs,
        staged_files,
    )
else:
    __getattr__ = submodules(__name__, *__all__)  # they bring PyArrow
