"""Writes inlined rows anew, in the columns that their table has now.

A text is read as the type that its column had when the row began, and that of a struct names its fields as they were
then. Copies and severed catalogs forget that, and where a merge or a refresh brings a row, columns may have other types
and their fields other names.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from forklake import files
from forklake.catalog.column_history import ColumnHistory
from forklake.catalog.holdings import version_of
from forklake.catalog.state import Content
from forklake.metastore.store import Session, Store
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.rows import InlinedRow, TableRow


def restated_rows(
    session: Session, content: Content, table: TableRow, rows: Sequence[InlinedRow], schema_version: int
) -> list[InlinedRow]:
    """Return inlined rows of a table with its current columns.

    No value changes, and each row keeps its version.

    Raises:
        InvalidInputError: A text is not a value of its column's type.
    """
    columns = ColumnHistory(session, content, table)
    ids = {str(field.column_id) for field in columns.fields}
    documents = [{key: value for key, value in json.loads(row.document).items() if key in ids} for row in rows]
    _retype(columns, table, rows, documents, columns.fields)
    return [
        replace(
            row,
            schema_version=schema_version,
            document=json.dumps(document, ensure_ascii=False),
            origin_snapshot_id=version_of(row),
        )
        for row, document in zip(rows, documents, strict=True)
    ]


def rows_for_fields(
    session: Session | Store, content: Content, table: TableRow, rows: Sequence[InlinedRow], fields: Sequence[Field]
) -> list[InlinedRow]:
    """Return inlined rows of a table, with texts as other fields have them.

    Values of columns that are not among the fields stay, and each row keeps its version.

    Raises:
        InvalidInputError: A text is not a value of its column's type.
    """
    documents = [json.loads(row.document) for row in rows]
    changed = _retype(ColumnHistory(session, content, table), table, rows, documents, fields)
    return [
        replace(row, document=json.dumps(document, ensure_ascii=False)) if place in changed else row
        for place, (row, document) in enumerate(zip(rows, documents, strict=True))
    ]


def _retype(
    columns: ColumnHistory,
    table: TableRow,
    rows: Sequence[InlinedRow],
    documents: Sequence[dict[str, str | None]],
    fields: Sequence[Field],
) -> set[int]:
    """Write the texts of columns as the fields have them.

    Return the places of the documents that changed.
    """
    other: dict[tuple[Field, Field], list[int]] = {}
    for place, row in enumerate(rows):
        held = [ColumnId(int(key)) for key in documents[place]]
        then = {field.column_id: field for field in columns.of_row(row.origin, held)}
        for field in fields:
            old = then.get(field.column_id)
            if old is None or documents[place].get(str(field.column_id)) is None:
                continue
            if old != field if field.children else old.type != field.type:
                other.setdefault((old, field), []).append(place)
    for (old, field), places in other.items():
        key = str(field.column_id)
        texts = [documents[place][key] for place in places]
        renewed = files.inlined_rows.retyped_texts(old, field, texts, table.table_name)
        for place, text in zip(places, renewed, strict=True):
            documents[place][key] = text
    return {place for places in other.values() for place in places}
