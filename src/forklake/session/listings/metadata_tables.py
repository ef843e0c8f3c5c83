"""DuckLake's metadata tables of an attached catalog, as relations.

SQL finds them under the name of the metadata catalog, ``__ducklake_metadata_<alias>`` if no other is given.
"""

from __future__ import annotations

import re
from typing import Any, Final

from forklake import duck
from forklake.ducklake.metadata_rows import MetadataRows, inlined_data_name, inlined_delete_name
from forklake.files.casting.python_values import to_python
from forklake.files.casting.texts import parse_values
from forklake.lake.internals import runtime_of, version_of
from forklake.metastore.plain.layout import TABLES
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import TableId
from forklake.model.names import fold
from forklake.model.types import Type
from forklake.session.names.attachment import Attachment
from forklake.session.names.known_rows import Rows, column

_TYPES: Final[dict[str, Type]] = {
    "number": types.INT64,
    "key": types.INT64,
    "text": types.VARCHAR,
    "must": types.VARCHAR,
    "flag": types.BOOLEAN,
    "uuid": types.UUID,
    "time": types.TIMESTAMPTZ,
}
_COLUMNS: Final[dict[str, tuple[Field, ...]]] = {
    table: tuple(column(name, _TYPES[kind]) for name, kind in columns.items()) for table, columns in TABLES.items()
}
_INLINED_DATA: Final = re.compile(r"ducklake_inlined_data_(\d{1,19})_(\d{1,19})", re.ASCII)
_INLINED_DELETE: Final = re.compile(r"ducklake_inlined_delete_(\d{1,19})", re.ASCII)
_LINEAGE: Final = tuple(column(name, types.INT64) for name in ("row_id", "begin_snapshot", "end_snapshot"))
_DELETES: Final = tuple(column(name, types.INT64) for name in ("file_id", "row_id", "begin_snapshot"))


def metadata_table(attachment: Attachment, name: str) -> Rows | None:
    """Return one of DuckLake's metadata tables; None if there is no such table.

    It shows committed metadata of the whole lineage, up to the snapshot that the session's transaction sees. Only
    what the table needs is read.
    """
    table = fold(name)
    if table in _COLUMNS:
        return Rows(_COLUMNS[table], _print_texts(table, _metadata(attachment).table(table)))
    if found := _INLINED_DATA.fullmatch(table):
        return _inlined_data(_metadata(attachment), TableId(int(found[1])), int(found[2]))
    if found := _INLINED_DELETE.fullmatch(table):
        metadata, deleted = _metadata(attachment), TableId(int(found[1]))
        return Rows(_DELETES, metadata.inlined_deletes(deleted)) if deleted in metadata.delete_tables() else None
    return None


def metadata_table_names(attachment: Attachment) -> list[str]:
    """Return the names of all metadata tables, in order."""
    metadata = _metadata(attachment)
    inlined = [inlined_data_name(*found) for found in metadata.inlined_tables()]
    deletes = [inlined_delete_name(table) for table in metadata.delete_tables()]
    return sorted([*_COLUMNS, *inlined, *deletes])


def _metadata(attachment: Attachment) -> MetadataRows:
    runtime = runtime_of(attachment.reader)
    return MetadataRows(runtime.store, runtime.lake_path, version_of(attachment.reader), runtime.options)


def _print_texts(table: str, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return rows with texts of views and macros as DuckLake has them."""
    if table not in ("ducklake_view", "ducklake_macro_impl"):
        return rows
    names = list(TABLES[table])
    text, dialect = names.index("sql"), names.index("dialect")
    kind = names.index("type") if "type" in names else None
    found = []
    for row in rows:
        body = row[text]
        if row[dialect] == "duckdb":
            body = duck.printed_texts.print_macro(body, "table" if kind is None else row[kind])
        found.append((*row[:text], body, *row[text + 1 :]))
    return found


def _inlined_data(metadata: MetadataRows, table: TableId, schema_version: int) -> Rows | None:
    if (table, schema_version) not in metadata.inlined_tables():
        return None
    inlined = metadata.inlined_rows(table, schema_version)
    columns = [
        _values(field, [values.get(field.column_id or 0, field.initial_default) for *_, values in inlined.rows])
        for field in inlined.fields
    ]
    return Rows(
        (*_LINEAGE, *inlined.fields),
        [(*row[:3], *values) for row, values in zip(inlined.rows, zip(*columns, strict=True), strict=True)],
    )


def _values(field: Field, texts: list[str | None]) -> list[Any]:
    if isinstance(field.type, types.Integer) and field.type.bits == 128:
        # A decimal of Spark and of our files has 38 digits; a number in the metadata may have 39.
        return [None if text is None else int(text) for text in texts]
    return to_python(field.type, parse_values(field, texts))
