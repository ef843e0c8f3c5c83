"""All metadata tables, by section, in the order of their creation."""

from __future__ import annotations

from typing import Final

from forklake.metastore.schema import catalog_tables, file_tables, object_tables

SECTIONS: Final = (*catalog_tables.SECTIONS, *object_tables.SECTIONS, *file_tables.SECTIONS)
TABLES: Final = tuple(table for _, tables in SECTIONS for table in tables)
