"""Adding, dropping and altering columns and nested fields."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count

from forklake import files
from forklake.catalog import lookup, nulls
from forklake.catalog.changes.alteration import log_altered, own_stats
from forklake.catalog.changes.layout import check_not_a_key
from forklake.catalog.combined_stats import merge_stats
from forklake.catalog.draft import Draft
from forklake.catalog.fields import field_tree
from forklake.catalog.names import check_name, check_text
from forklake.catalog.stored_defaults import stored_default
from forklake.catalog.titles import table_title
from forklake.errors import AlreadyExistsError, InvalidInputError, InvalidNameError, NotFoundError
from forklake.metastore.written_tables import COLUMN, COLUMN_TAG, INLINED_ROW, TABLE_COLUMN_STATS, TABLE_STATS
from forklake.model import types
from forklake.model.change import (
    AddColumn,
    ChangeColumnType,
    DropColumn,
    RenameColumn,
    SetDefault,
    SetNullsAllowed,
)
from forklake.model.definitions import ColumnDefinition, ColumnStats
from forklake.model.field import Field
from forklake.model.ids import ColumnId, DataFileId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.promotions import as_float32, is_promotion
from forklake.model.rows import ColumnRow
from forklake.model.types.order import order_key
from forklake.model.types.read import is_nested, read_scalar, stored_type, type_name

_TRUTH = {"false": "0", "f": "0", "true": "1", "t": "1"}
_BOUNDED_BY_TEXTS = (types.Integer, types.Float, types.Decimal, types.Varchar, types.Date)
_CHILDREN = {"list": ("element",), "map": ("key", "value")}


def add(draft: Draft, change: AddColumn) -> None:
    """Add a column at the end.

    Ids are never reused, not even those of dropped columns.
    """
    table = lookup.table_by_id(draft, change.table_id)
    if change.column.default_is_expression:
        raise InvalidInputError(
            "We cannot add a column with a non-literal default value. Add the column and then explicitly set the"
            ' default for new values using "ALTER ... SET DEFAULT"'
        )
    if change.parent is not None:
        parent = column_by_id(draft, change.table_id, change.parent)
        if parent.column_type != "struct":
            raise InvalidInputError(
                f"Fields can only be added to structs - {parent.column_name} is a {parent.column_type}"
            )
    stats = own_stats(draft, change.table_id)
    before = field_tree(lookup.columns(draft, change.table_id))
    last = max(row.column_order for row in lookup.columns(draft, change.table_id))
    numbers = Numbers(iter(change.ids) if change.ids else count(stats.next_column_id), count(last + 1))
    insert(
        draft,
        change.table_id,
        change.column,
        numbers,
        parent=change.parent,
        taken=_names_beside(draft, change.table_id, change.parent),
        level=_level_below(lookup.columns(draft, change.table_id), change.parent),
        is_added=True,
    )
    next_id = stats.next_column_id if change.ids else next(numbers.ids)
    draft.write_latest(TABLE_STATS, change.table_id, [replace(stats, next_column_id=next_id, origin=None)])
    if change.parent is not None:
        _retype_inlined(draft, change.table_id, before)
    elif stats.record_count:
        _note_default(draft, change)
    log_altered(draft, table, reshapes=True)


def _note_default(draft: Draft, change: AddColumn) -> None:
    """Note the default of a new column as the value that all rows have.

    It is noted for types whose bounds are texts of values.
    """
    column = next(row for row in reversed(lookup.columns(draft, change.table_id)) if row.parent_column is None)
    default = column.initial_default
    if default is None or column.is_nested or not isinstance(column.type, _BOUNDED_BY_TEXTS):
        return
    if order_key(column.type, default) is None or default.lower() == "nan":
        return
    known = lookup.column_stats(draft, change.table_id)
    given = ColumnStats(1, 0, default, default, False if isinstance(column.type, types.Float) else None)
    known[column.column_id] = merge_stats(column, None, given, is_first=True)
    draft.write_latest(TABLE_COLUMN_STATS, change.table_id, list(known.values()))


def drop(draft: Draft, change: DropColumn) -> None:
    """Drop a column with everything nested in it."""
    table = lookup.table_by_id(draft, change.table_id)
    row = column_by_id(draft, change.table_id, change.column_id)
    rows = lookup.columns(draft, change.table_id)
    _check_not_a_part(rows, row, "drop")
    check_not_a_key(draft, change.table_id, row.column_id, row.column_name)
    if sum(other.parent_column == row.parent_column for other in rows) == 1:
        what = "table only has one column remaining" if row.parent_column is None else "struct only has one field left"
        raise InvalidInputError(f"Cannot drop column: {what}!")
    before = field_tree(rows)
    dropped = {change.column_id}
    for other in rows:  # in order of their ids, so parents come before their fields
        if other.column_id in dropped or other.parent_column in dropped:
            dropped.add(other.column_id)
            draft.end(other)
    tags = draft.rows(COLUMN_TAG, {"table_id": change.table_id})
    draft.end(*(tag for tag in tags if tag.column_id in dropped))
    if row.parent_column is not None:
        _retype_inlined(draft, change.table_id, before)
    log_altered(draft, table, reshapes=True)


def rename(draft: Draft, change: RenameColumn) -> None:
    """Rename a column or field."""
    row = column_by_id(draft, change.table_id, change.column_id)
    _check_column_name(change.name)
    if fold(change.name) in _names_beside(draft, change.table_id, row.parent_column, besides=row.column_id):
        raise _name_taken_error(change.name)
    rows = lookup.columns(draft, change.table_id)
    _check_not_a_part(rows, row, "rename")
    _replace(draft, row, replace(row, column_name=change.name, origin=None))
    if row.parent_column is not None:
        _retype_inlined(draft, change.table_id, field_tree(rows))


def change_type(draft: Draft, change: ChangeColumnType) -> None:
    """Promote the type of a column or field.

    Every value of the old type has a counterpart in the new type.
    """
    row = column_by_id(draft, change.table_id, change.column_id)
    new_type = _type_name(row.column_name, change.type)
    if new_type == row.column_type:
        return
    if row.is_nested or is_nested(new_type) or not is_promotion(row.type, read_scalar(new_type)):
        raise InvalidInputError(
            f"Cannot change type of column {row.column_name} from {_sql_name(row.column_type)} to {_sql_name(new_type)}"
            " - only widening type promotions are allowed"
        )
    before = field_tree(lookup.columns(draft, change.table_id))
    row_now = replace(row, column_type=new_type, initial_default=_widen_text(row, row.initial_default), origin=None)
    if row.type == types.BOOLEAN and row.default_value_type == "literal":
        row_now = replace(row_now, default_value=_widen_text(row, row.default_value))
    _replace(draft, row, row_now)
    _widen_stats(draft, row)
    _retype_inlined(draft, change.table_id, before)


def _sql_name(name: str) -> str:
    return name.upper() if is_nested(name) else stored_type(name).sql_name


def _widen_text(old: ColumnRow, text: str | None) -> str | None:
    """Return the text of a value for a wider type.

    For most types the text stays the same.
    """
    if text is None:
        return None
    if old.type == types.BOOLEAN:
        return _TRUTH.get(text.lower(), text)
    if old.type == types.FLOAT32:
        # It has the digits of 32 bits; as 64 bits they would be another number.
        with suppress(ValueError, OverflowError):
            return repr(as_float32(float(text)))
    return text


def _widen_stats(draft: Draft, old: ColumnRow) -> None:
    """Adapt the bounds of a column to its wider type; the order of values is the same."""
    known = lookup.column_stats(draft, old.table_id)
    stats = known.get(old.column_id)
    if stats is None:
        return
    low, high = (_widen_text(old, bound) for bound in (stats.min_value, stats.max_value))
    if (low, high) != (stats.min_value, stats.max_value):
        known[old.column_id] = replace(stats, min_value=low, max_value=high, origin=None)
        draft.write_latest(TABLE_COLUMN_STATS, old.table_id, list(known.values()))


def _retype_inlined(draft: Draft, table_id: TableId, before: Sequence[Field]) -> None:
    """Rewrite the inlined rows of this transaction in their columns of now.

    Rows are read with the columns that the table has at their snapshot, and no snapshot ever has the earlier
    ones. The text of a struct names its fields.
    """
    staged = [row for row in draft.rows(INLINED_ROW, {"table_id": table_id}) if row.origin is None]
    if not staged:
        return
    table = lookup.table_by_id(draft, table_id).table_name
    documents = [json.loads(row.document) for row in staged]
    for old, new in zip(before, field_tree(lookup.columns(draft, table_id)), strict=True):
        key = str(old.column_id)
        holding = [document for document in documents if key in document]
        if old != new and holding:
            texts = files.inlined_rows.retyped_texts(old, new, [document[key] for document in holding], table)
            for document, text in zip(holding, texts, strict=True):
                document[key] = text
    draft.restate(
        [
            (row, replace(row, document=json.dumps(document, ensure_ascii=False)))
            for row, document in zip(staged, documents, strict=True)
        ]
    )


def set_default(draft: Draft, change: SetDefault) -> None:
    """Set the default of a column for future rows; existing rows keep their values."""
    row = column_by_id(draft, change.table_id, change.column_id)
    if row.is_nested and change.default is not None:
        raise InvalidInputError(f"Default value for {row.column_type.upper()} type not supported")
    check_text(f'default of column "{row.column_name}"', change.default)
    value, kind = stored_default(change.default, is_expression=change.is_expression)
    trusted = (kind == "expression" and change.trusted) or None
    _replace(draft, row, replace(row, default_value=value, default_value_type=kind, trusted=trusted, origin=None))


def set_nulls_allowed(draft: Draft, change: SetNullsAllowed) -> None:
    """Allow or forbid NULL; forbidding needs proof that the column has none."""
    row = column_by_id(draft, change.table_id, change.column_id)
    if row.nulls_allowed == change.allowed:
        raise InvalidInputError(
            f"Cannot DROP NULL on column {row.column_name} - it has no NOT NULL constraint defined"
            if change.allowed
            else f"Cannot SET NOT NULL on column {row.column_name} - it already has a NOT NULL constraint"
        )
    if not change.allowed:
        _check_no_null(draft, row, change.searched)
    _replace(draft, row, replace(row, nulls_allowed=change.allowed, origin=None))


def _check_no_null(draft: Draft, row: ColumnRow, searched: frozenset[DataFileId] | None) -> None:
    has_null = nulls.may_be_null(draft, row)
    if has_null is False:
        return
    table = lookup.table_by_id(draft, row.table_id)
    if searched is not None:
        # What others have added since the rows were read has to prove itself.
        doubtful = nulls.files_with_nulls(draft.base.store, draft, table, row) - searched
        if not doubtful and not nulls.is_null_in_metadata(draft, row):
            return
        has_null = True
    if has_null is None:
        raise InvalidInputError(f"Cannot SET NOT NULL on table {table.table_name} - no column stats are available")
    raise InvalidInputError(f"Cannot SET NOT NULL on column {row.column_name} - the column has NULL values")


def _replace(draft: Draft, old: ColumnRow, new: ColumnRow) -> None:
    draft.end(old)
    draft.insert(new)
    log_altered(draft, lookup.table_by_id(draft, old.table_id), reshapes=True)


@dataclass(frozen=True, slots=True)
class Numbers:
    """The ids that new columns get, and their places among the columns."""

    ids: Iterator[int]
    places: Iterator[int]


def insert(
    draft: Draft,
    table_id: TableId,
    column: ColumnDefinition,
    numbers: Numbers,
    *,
    parent: ColumnId | None,
    taken: set[str],
    level: int = 0,
    is_added: bool = False,
) -> None:
    """Add the rows of a column and of what is nested in it.

    ``taken`` has the folded names of the columns beside it, and this one is added to it. ``level`` is that of what is
    around it. With ``is_added``, existing rows have the default in it.
    """
    if level > types.MAX_LEVELS:
        raise InvalidInputError(
            f"A column cannot be nested more than {types.MAX_LEVELS} levels deep, a list or map being two: no file"
            " with it could be read. Nothing was changed."
        )
    _check_column_name(column.name)
    if fold(column.name) in taken:
        raise _name_taken_error(column.name)
    taken.add(fold(column.name))
    check_text(f'default of column "{column.name}"', column.default)
    column_type = _type_name(column.name, column.type)
    _check_children(column, column_type)
    if column.default is not None and is_nested(column_type):
        raise InvalidInputError(f"Default value for {column_type.upper()} type not supported")
    column_id = ColumnId(next(numbers.ids))
    default, kind = stored_default(column.default, is_expression=column.default_is_expression)
    draft.insert(
        ColumnRow(
            column_id=column_id,
            table_id=table_id,
            column_order=next(numbers.places),
            column_name=column.name,
            column_type=column_type,
            initial_default=column.default if is_added else None,
            default_value=default,
            nulls_allowed=column.nulls_allowed,
            parent_column=parent,
            default_value_type=kind,
            default_value_dialect="duckdb",
            trusted=(column.default_is_expression and column.trusted) or None,
        )
    )
    inside: set[str] = set()
    for child in column.children:
        below = level + (2 if column_type in _CHILDREN else 1)
        insert(draft, table_id, child, numbers, parent=column_id, taken=inside, level=below, is_added=is_added)


def _level_below(rows: Sequence[ColumnRow], parent: ColumnId | None) -> int:
    """Return the level of what is nested in a column or field."""
    by_id, level = {row.column_id: row for row in rows}, 0
    while parent is not None:
        level += 2 if by_id[parent].column_type in _CHILDREN else 1
        parent = by_id[parent].parent_column
    return level


def _type_name(name: str, text: str) -> str:
    given: object = text
    if not isinstance(given, str):
        raise InvalidInputError(f'The type of column "{name}" is text, as in SQL, not {given!r}.')
    try:
        return type_name(text)
    except ValueError as error:
        raise InvalidInputError(f'Column "{name}" cannot be of that type: {error}') from error


def _check_column_name(name: str) -> None:
    check_name("column", name)
    if fold(name).startswith("_ducklake_"):
        raise InvalidNameError(
            f'Column name "{name}" is reserved by DuckLake for internal use: column names starting with "_ducklake_"'
            " are not allowed."
        )


def _check_not_a_part(rows: list[ColumnRow], row: ColumnRow, verb: str) -> None:
    parent = next((other for other in rows if other.column_id == row.parent_column), None)
    if parent is not None and parent.column_type in _CHILDREN:
        raise InvalidInputError(
            f'Cannot {verb} "{row.column_name}": a {parent.column_type} always has it, under that name.'
        )


def _check_children(column: ColumnDefinition, column_type: str) -> None:
    names = tuple(child.name for child in column.children)
    if is_nested(column_type) != bool(column.children):
        wanted = "needs" if is_nested(column_type) else "cannot have"
        raise InvalidInputError(f'Column "{column.name}" of type {column_type} {wanted} nested fields.')
    if column_type in _CHILDREN and names != _CHILDREN[column_type]:
        raise InvalidInputError(
            f'Column "{column.name}" of type {column_type} must have the fields {", ".join(_CHILDREN[column_type])}.'
        )


def _names_beside(
    draft: Draft, table_id: TableId, parent: ColumnId | None, besides: ColumnId | None = None
) -> set[str]:
    """Return the folded names of the columns or fields below a parent, except one."""
    return {
        fold(row.column_name)
        for row in draft.rows(COLUMN, {"table_id": table_id})
        if row.parent_column == parent and row.column_id != besides
    }


def _name_taken_error(name: str) -> AlreadyExistsError:
    return AlreadyExistsError(f'Column with name "{name}" already exists!')


def column_by_id(draft: Draft, table_id: TableId, column_id: ColumnId) -> ColumnRow:
    """Return a column or field of a table.

    Raises:
        NotFoundError: There is none.
    """
    found = next((row for row in lookup.columns(draft, table_id) if row.column_id == column_id), None)
    if found is None:
        raise NotFoundError(f'Column with index "{column_id}" does not exist in {table_title(draft, table_id)}')
    return found
