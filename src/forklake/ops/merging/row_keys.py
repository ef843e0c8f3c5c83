"""Finds rows that both sides inserted under one key of the user's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from forklake.catalog.fields import table_fields
from forklake.catalog.holdings import Held
from forklake.errors import InvalidInputError
from forklake.metastore.written_tables import SCHEMA, TABLE
from forklake.model.field import Field
from forklake.model.fork_merge import MOST_CONFLICTS, RowKeys
from forklake.model.ids import TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.rows import TableRow
from forklake.ops.merging.row_choice import Numbers, PlacedRows, unite
from forklake.ops.merging.row_values import ROW_ID, read_columns
from forklake.ops.merging.sides import Sides


@dataclass(frozen=True, slots=True)
class KeyClash:
    """Rows that both sides inserted under the same keys.

    Attributes:
        keys: The keys, for people, each with the id of a row of the source and one of the target.
        theirs: The ids of the source's rows.
        ours: The ids of the target's rows.
    """

    keys: Mapping[str, tuple[int, int]]
    theirs: Numbers
    ours: Numbers


def check_keys(sides: Sides, keys: RowKeys) -> None:
    """Refuse keys of tables or columns that are not there.

    Raises:
        InvalidInputError: There is no such table, or the target's has no such column; the source's, if only that has
            the table.
    """
    seen: set[TableId] = set()
    unknown = set(keys.by_table)
    for side in (sides.target, sides.source) if keys.by_table else ():
        schemas = {row.schema_id: row.schema_name for row in side.rows(SCHEMA)}
        for row in side.rows(TABLE):
            schema = schemas[row.schema_id]
            unknown -= {fold(row.table_name), fold(f"{schema}.{row.table_name}")}
            for column in () if row.table_id in seen else keys.of(schema, row.table_name):
                key_field(row, table_fields(side, row.table_id), column)
            seen.add(row.table_id)
    if unknown:
        raise InvalidInputError(f'There is no table "{min(unknown)}" to have a key; nothing was done.')


def find_clash(
    sides: Sides,
    table: TableRow,
    columns: Sequence[str],
    held: tuple[Held, Held],
    places: tuple[Sequence[PlacedRows], PlacedRows, PlacedRows],
) -> KeyClash | None:
    """Return the rows that source and target inserted since the bases under one key.

    NULL is no key. None if there are none, or if the source does not have the columns any more.

    Args:
        sides: The sides of the merge.
        table: The table.
        columns: The columns of the key.
        held: The files and inlined rows of source and target that differ from a base.
        places: The ids of their rows: of the bases, of the source and of the target.

    Raises:
        InvalidInputError: The target has no such column, or its values cannot be compared.
    """
    fields = table_fields(sides.target, table.table_id)
    wanted = tuple(key_field(table, fields, column) for column in columns)
    known = {field.column_id for field in table_fields(sides.source, table.table_id)}
    if any(field.column_id not in known for field in wanted):
        return None
    bases, source, target = places
    before = unite(*(base.row_ids for base in bases))
    theirs = np.setdiff1d(source.row_ids, unite(before, target.row_ids))
    ours = np.setdiff1d(target.row_ids, unite(before, source.row_ids))
    if not theirs.size or not ours.size:
        return None
    read = [
        read_columns(sides, side, table, of_side, (fields, wanted), ids)
        for side, of_side, ids in ((sides.source, held[0], theirs), (sides.target, held[1], ours))
    ]
    return _join(read[0], read[1], [field.name for field in wanted])


def _join(theirs: pa.Table, ours: pa.Table, names: Sequence[str]) -> KeyClash | None:
    keys = [name for name in theirs.column_names if name != ROW_ID]
    try:
        both = theirs.join(ours, keys, join_type="inner", right_suffix="_ours")
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise InvalidInputError(
            f"Values of {', '.join(map(repr, names))} cannot be compared, so they are no key; nothing was done."
        ) from error
    if not both.num_rows:
        return None
    values = zip(*(both.column(key).to_pylist() for key in keys), strict=True)
    row_ids = [np.asarray(both.column(name), np.int64) for name in (ROW_ID, f"{ROW_ID}_ours")]
    found: dict[str, tuple[int, int]] = {}
    for row, theirs_id, ours_id in zip(values, *(ids.tolist() for ids in row_ids), strict=True):
        text = ", ".join(f"{name} = {value}" for name, value in zip(names, row, strict=True))
        found.setdefault(text, (theirs_id, ours_id))
    told = sorted(found)[:MOST_CONFLICTS]
    return KeyClash({text: found[text] for text in told}, np.unique(row_ids[0]), np.unique(row_ids[1]))


def key_field(table: TableRow, fields: Sequence[Field], name: str) -> Field:
    """Return the column of a key.

    Raises:
        InvalidInputError: The table does not have it.
    """
    found = next((field for field in fields if fold(field.name) == fold(name)), None)
    if found is None:
        raise InvalidInputError(
            f'Table "{table.table_name}" does not have a column "{name}" to be a key; nothing was done.'
        )
    return found
