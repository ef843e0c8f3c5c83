"""Writes the statements that bring the metadata of an older version to this one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from forklake.metastore.schema.description import Column, Table
from forklake.metastore.schema.object_tables import COLUMN
from forklake.metastore.schema.products import Product
from forklake.metastore.schema.sections import TABLES
from forklake.metastore.schema.steps import DEFINITIONS, MARKS_SINCE, STEPS, Step
from forklake.metastore.schema.web_views import views
from forklake.metastore.schema.write import (
    column_text,
    comments_text,
    functions_text,
    index_text,
    rekey_text,
    remake_text,
    sequence_text,
    table_text,
    translate,
    view_text,
)


def upgrade_script(product: Product, version: int, partitions: int, *, trusts: bool = False) -> list[str]:
    """Return the statements that upgrade a store, in their order.

    They belong into one transaction. Tables get what is new in each version since. Views, functions and
    comments hold nothing: all of them are made again.

    Args:
        product: The database.
        version: The version that the store has.
        partitions: How many partitions its growing tables have, or 0.
        trusts: Whether definitions that were stored when there were no marks get none.
    """
    return [_trim(statement) for statement in _statements(product, version, partitions, trusts=trusts)]


def function_names() -> list[str]:
    """Return the names of the functions in the order of their creation."""
    return re.findall(r"^CREATE FUNCTION forklake\.(\w+)\(", functions_text(), flags=re.MULTILINE)


def _statements(product: Product, version: int, partitions: int, *, trusts: bool) -> Iterator[str]:
    made = list(views(product))
    for view in reversed(made):
        yield translate(product, f"DROP VIEW IF EXISTS {view.name}")
    if product.has_functions:
        yield from (f"DROP FUNCTION IF EXISTS forklake.{name}" for name in reversed(function_names()))
    for step in STEPS:
        if step.version > version:
            yield from step_script(product, step, partitions)
    if trusts and version < MARKS_SINCE:
        for table in DEFINITIONS:
            where = " WHERE default_value_type = 'expression'" if table is COLUMN else ""
            yield translate(product, f"UPDATE forklake.{table.name} SET trusted = {product.true}{where}")
    if product.has_functions:
        yield functions_text()
    for view in made:
        yield view_text(product, view)
    if product.has_comments:
        yield from (comments_text(product, table) for table in TABLES)


def step_script(product: Product, step: Step, partitions: int) -> Iterator[str]:
    """Yield the statements of one step; the last one changes the version."""
    for table in step.tables:
        yield from table_text(product, table, partitions).split(";\n")
    yield from (sequence_text(product, sequence) for sequence in step.sequences)
    for table in dict.fromkeys((*step.rekeyed, *(of for of, _ in step.columns))):
        yield from _changed_table(product, step, table, partitions)
    if product.index is not None:
        for table, name in step.indexes:
            yield index_text(product, table, next(index for index in table.indexes if index.name == name))
    yield from (translate(product, statement) for statement in step.rows)
    yield translate(
        product,
        f"UPDATE forklake.ducklake_metadata SET value = '{step.version}'"
        " WHERE catalog_id = -1 AND scope = '' AND key = 'forklake_version'",
    )


def _changed_table(product: Product, step: Step, table: Table, partitions: int) -> Iterator[str]:
    """Yield the statements that give a table its new columns and its new key."""
    values = {column: translate(product, value) for column, value in step.rekeyed.get(table, {}).items()}
    added = [_column(table, name) for name in (*values, *(name for of, name in step.columns if of is table))]
    if not product.adds_columns or (values and not product.alters_keys):
        defaults = {column.name: _default(product, column) for column in added}
        yield from remake_text(product, table, defaults | values, partitions)
        return
    yield from (column_text(product, table, column) for column in added)
    if values:
        settings = ", ".join(f"{column} = {value}" for column, value in values.items())
        yield f"UPDATE {product.base}{table.name} r SET {settings}"
        yield from rekey_text(product, table)


def _default(product: Product, column: Column) -> str:
    return product.true if column.default == "true" else column.default or "NULL"


def _column(table: Table, name: str) -> Column:
    return next(column for column in table.stored_columns if column.name == name)


def _trim(statement: str) -> str:
    """Return a statement without the comment before it and the semicolon."""
    return re.sub(r"\A(?:--[^\n]*\n|\s)+", "", statement).rstrip().removesuffix(";")
