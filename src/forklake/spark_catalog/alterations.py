"""One change of a table that ALTER TABLE asks for."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql.types import _parse_datatype_json_string

from forklake.catalog import lookup
from forklake.catalog.fields import table_fields
from forklake.catalog.transaction import Staging
from forklake.engine.spark.columns.spark_types import ducklake_type, spark_schema
from forklake.errors import InvalidInputError, NotFoundError
from forklake.model.definitions import ColumnDefinition
from forklake.model.rows import TableRow
from forklake.ops.objects import alter_columns
from forklake.ops.objects.arrange_files import set_sorting
from forklake.ops.objects.set_tag import set_table_tag
from forklake.spark_catalog.attached import Attached, Words
from forklake.spark_catalog.new_columns import column_comments, default_text, new_columns, warn_of_length
from forklake.spark_catalog.table_facts import SORTED_BY
from forklake.spark_catalog.table_properties import check_property, sort_order


def alter(attached: Attached, staging: Staging, row: TableRow, change: Words) -> None:
    """Stage one change of a table.

    Raises:
        InvalidInputError: There is no such change for tables of a lake.
        NotFoundError: There is no such column.
    """
    if "column" in change:
        _alter_column(attached, staging, row, tuple(change["column"]), change)
        return
    match change["kind"]:
        case "SetProperty" | "RemoveProperty":
            key, value = change["property"], change.get("value")
            if key == SORTED_BY:
                set_sorting(staging, attached.runtime, row, sort_order(value or ""))
            else:
                check_property(key)
                set_table_tag(staging, row, key, value)
        case kind:
            raise InvalidInputError(f'{kind} is no change of a table of a lake; "{row.table_name}" was not altered.')


def check_changes(name: str, changes: Sequence[Words]) -> None:
    """Refuse changes that only together are none of a lake.

    Raises:
        InvalidInputError: Columns are added in the place of all others, which only REPLACE COLUMNS asks for.
    """
    if {"AddColumn", "DeleteColumn"} <= {change["kind"] for change in changes}:
        raise InvalidInputError(
            f'REPLACE COLUMNS is no change of a table of a lake; "{name}" was not altered.',
            hint="ALTER TABLE adds, renames and drops columns; CREATE OR REPLACE TABLE makes the table anew.",
        )


def _alter_column(attached: Attached, staging: Staging, row: TableRow, column: tuple[str, ...], change: Words) -> None:
    match change["kind"]:
        case "AddColumn":
            _add(attached, staging, row, column, change)
        case "RenameColumn":
            alter_columns.rename_column(staging, attached.runtime, row, column, change["name"])
        case "DeleteColumn":
            try:
                alter_columns.drop_column(staging, attached.runtime, row, column)
            except NotFoundError:
                if not change["if_exists"]:
                    raise
        case "UpdateColumnType":
            given = _parse_datatype_json_string(change["type"])
            warn_of_length(column[-1], given)
            wanted = ducklake_type(column[-1], given)
            alter_columns.set_type(staging, attached.runtime, row, column, wanted)
        case "UpdateColumnNullability" if change["nullable"]:  # Spark refuses SET NOT NULL itself
            alter_columns.allow_nulls(staging, row, column)
        case "UpdateColumnComment":
            set_table_tag(staging, row, "comment", change["comment"] or None, column=column)
        case "UpdateColumnDefaultValue":
            _set_default(attached, staging, row, column, change["default"])
        case kind:
            raise InvalidInputError(
                f'{kind} is no change of a column of a lake; "{row.table_name}" was not altered.',
                hint="Columns stay in the order in which they were added." if kind == "UpdateColumnPosition" else None,
            )


def _add(attached: Attached, staging: Staging, row: TableRow, column: tuple[str, ...], change: Words) -> None:
    if change["position"] is not None:
        raise InvalidInputError(
            f'A new column comes last: "{column[-1]}" was not added.', hint="Leave out FIRST and AFTER."
        )
    (defined,) = new_columns(attached, change["columns"])
    alter_columns.add_column(staging, row, defined, parent=column[:-1] or None)
    for comment in column_comments(change["columns"]).values():
        set_table_tag(staging, row, "comment", comment, column=column)


def _set_default(
    attached: Attached, staging: Staging, row: TableRow, column: tuple[str, ...], text: str | None
) -> None:
    if not text:
        alter_columns.set_default(staging, attached.runtime, row, column, None)
        return
    found = lookup.column(staging.draft, row, column)
    fields = spark_schema(table_fields(staging.draft, row.table_id)).fields
    field = next((one for one in fields if one.name == found.column_name and len(column) == 1), None)
    if field is None:
        raise InvalidInputError(f'Field "{".".join(column)}" cannot have a default; nothing was changed.')
    given = ColumnDefinition(found.column_name, found.column_type)
    made = default_text(attached, given, field, text)
    alter_columns.set_default(
        staging, attached.runtime, row, column, made.default, is_expression=made.default_is_expression
    )
