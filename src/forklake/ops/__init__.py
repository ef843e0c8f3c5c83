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
    from forklake.ops.checks import check_lake
    from forklake.ops.diffing import diff_catalogs
    from forklake.ops.maintenance import checkpoint, compact_tables, delete_orphaned_files, flush_inlined, maintain_lake
    from forklake.ops.merging import merge_catalogs
    from forklake.ops.objects import staged_files
    from forklake.ops.rows import add_data_files, frame_columns
else:
    __getattr__ = submodules(  # they bring PyArrow
        __name__,
        "checks.check_lake",
        "diffing.diff_catalogs",
        "maintenance.checkpoint",
        "maintenance.compact_tables",
        "maintenance.delete_orphaned_files",
        "maintenance.flush_inlined",
        "maintenance.maintain_lake",
        "merging.merge_catalogs",
        "objects.staged_files",
        "rows.add_data_files",
        "rows.frame_columns",
    )
