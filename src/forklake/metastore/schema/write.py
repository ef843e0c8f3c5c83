"""Writes the schema file of a database from the description of the tables."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from importlib import resources
from typing import Final

from forklake.errors import InvalidInputError
from forklake.metastore.schema.catalog_tables import FACTS, LAKE_LOCKS, MERGE, SCHEMA_VERSIONS, SEQUENCES
from forklake.metastore.schema.description import Column, Index, Sequence, Table, Visibility
from forklake.metastore.schema.meanings import meaning
from forklake.metastore.schema.products import POSTGRESQL, Product
from forklake.metastore.schema.sections import SECTIONS, TABLES
from forklake.metastore.schema.web_views import ABOUT, View, views
from forklake.model.quoting import quote_text

_GENERATED: Final = "Written by `python -m forklake.metastore.schema` from the description beside it: change that."
_WIDTH: Final = 120

MAX_PARTITIONS: Final = 1024


def write(product: Product, partitions: int = 0) -> str:
    """Return the schema file of a product.

    With ``partitions``, tables that grow with the data are split by catalog.
    """
    return "\n\n".join(part.rstrip() for part in _parts(product, partitions)) + "\n"


def partitioned_script(partitions: int) -> str:
    """Return the PostgreSQL file with partitioned tables.

    Tables that grow with the data are split by hash of their catalog.

    Raises:
        InvalidInputError: The number of partitions makes no sense.
    """
    if not 1 <= partitions <= MAX_PARTITIONS:
        raise InvalidInputError(f"The number of partitions must be between 1 and {MAX_PARTITIONS}, not {partitions}.")
    return write(POSTGRESQL, partitions)


def _parts(product: Product, partitions: int) -> Iterator[str]:
    yield _comment(product.header) + "\n--\n" + _comment(_GENERATED)
    if product.in_transaction:
        yield "BEGIN;"
    yield from _new_schema(product.base)
    yield _sequences(product)
    for title, tables in SECTIONS:
        yield _comment(title)
        for table in tables:
            yield table_text(product, table, partitions)
    rows = ",\n".join(f"    (-1, '{key}', '{value}')" for key, value in FACTS.items())
    yield translate(product, f"INSERT INTO forklake.ducklake_metadata (catalog_id, key, value) VALUES\n{rows};")
    if product.has_comments:
        yield _comment("What tables and columns mean")
        for table in TABLES:
            yield comments_text(product, table)
    if product.has_functions:
        yield functions_text()
    yield _comment(ABOUT)
    yield from _new_schema(product.views)
    for view in views(product):
        yield view_text(product, view)
    if product.in_transaction:
        yield "COMMIT;"


def _new_schema(qualifier: str) -> list[str]:
    """Return the statement that creates a schema, if the qualifier is one."""
    return [f"CREATE SCHEMA {qualifier[:-1]};"] if qualifier.endswith(".") else []


def _comment(text: str) -> str:
    return "\n".join(f"-- {line}".rstrip() for line in text.splitlines())


def _paragraph(text: str) -> str:
    return textwrap.fill(text, _WIDTH, initial_indent="-- ", subsequent_indent="-- ") + "\n" if text else ""


def translate(product: Product, text: str) -> str:
    """Translate a text from PostgreSQL's dialect to that of the product.

    That concerns names of tables and views, inner joins, and the length of texts.
    """
    text = re.sub(r"\bbytes\(([\w.]+)\)", lambda found: product.bytes.format(found[1]), text)
    text = re.sub(r"(?<!CROSS )(?<!LEFT )\bJOIN\b", product.join, text)
    return re.sub(r"\bducklake\.(?=\w)", product.views, re.sub(r"\bforklake\.(?=\w)", product.base, text))


# ---- sequences and tables --------------------------------------------------------------------------------------------


def _sequences(product: Product) -> str:
    if not product.counters:
        return "\n".join(f"{sequence_text(product, of)};  -- {of.about}" for of in SEQUENCES)
    rows = ",\n".join(f"    ('{of.name}', {of.first})" for of in SEQUENCES)
    text, number = product.types["text"], product.types["number"]
    return (
        f"CREATE TABLE {product.base}sequence (\n    name {text} PRIMARY KEY,\n    next_value {number} NOT NULL\n)"
        f"{product.table_end};\nINSERT INTO {product.base}sequence (name, next_value) VALUES\n{rows};"
    )


def sequence_text(product: Product, sequence: Sequence) -> str:
    """Return the statement that makes a sequence in a database that is there."""
    if product.counters:
        return f"INSERT INTO {product.base}sequence (name, next_value) VALUES ('{sequence.name}', {sequence.first})"
    return f"CREATE SEQUENCE {product.base}{sequence.name} MINVALUE 0 START WITH {sequence.first}"


def table_text(product: Product, table: Table, partitions: int) -> str:
    """Return the statements that create a table with its partitions and indexes."""
    lines = [(_column(product, table, column), column.note) for column in table.stored_columns]
    body = "\n".join(f"    {text}," + (f"  -- {note}" if note else "") for text, note in lines)
    is_split = partitions and table.grows
    end = product.updated_end if table.is_updated else product.table_end
    made = (
        f"{_paragraph(table.about)}CREATE TABLE {product.base}{table.name} (\n{body}\n"
        f"    PRIMARY KEY ({', '.join(('catalog_id', *table.key))})\n)"
        f"{end}{' PARTITION BY HASH (catalog_id)' if is_split else ''};"
    )
    for part in range(partitions if is_split else 0):
        name = product.base + table.name
        made += (
            f"\nCREATE TABLE {name}_{part} PARTITION OF {name}"
            f" FOR VALUES WITH (MODULUS {partitions}, REMAINDER {part});"
        )
    return made + "".join(
        f"\n{index_text(product, table, index)}" for index in table.indexes if product.index is not None
    )


def _column(product: Product, table: Table, column: Column) -> str:
    text = f"{column.name} {product.types[column.kind]}"
    if column.name == "row_uid" and table.visibility is Visibility.INTERVAL:
        return text + product.row_uid
    if not column.is_nullable:
        text += " NOT NULL"
    if column.default is not None:
        text += f" DEFAULT {product.true if column.default == 'true' else column.default}"
    return text


def index_text(product: Product, table: Table, index: Index) -> str:
    """Return the statement that creates an index."""
    columns = ", ".join(
        product.expression.format(re.sub(r"^fold\((\w+)\)$", lambda m: product.fold.format(m[1]), column))
        if "(" in column
        else column
        for column in index.columns
    )
    return (
        f"CREATE {'UNIQUE ' if index.is_unique else ''}INDEX {product.index}{index.name}"
        f" ON {product.base}{table.name} ({columns})"
        f"{f' WHERE {index.where}' if index.where else ''};"
    )


def comments_text(product: Product, table: Table) -> str:
    """Return the statements that comment on a table and its columns."""
    name = product.base + table.name
    columns = ((f"COLUMN {name}.{column.name}", meaning(column)) for column in table.stored_columns)
    told = [(f"TABLE {name}", table.about), *columns]
    return "\n".join(f"COMMENT ON {what} IS {quote_text(text)};" for what, text in told if text)


def column_text(product: Product, table: Table, column: Column) -> str:
    """Return the statement that adds a column to a table that has rows."""
    return f"ALTER TABLE {product.base}{table.name} ADD COLUMN {_column(product, table, column)}"


def rekey_text(product: Product, table: Table) -> list[str]:
    """Return the statements that give a table its key, in place of the one it had."""
    name = product.base + table.name
    return [
        f"ALTER TABLE {name} DROP CONSTRAINT {table.name}_pkey",
        f"ALTER TABLE {name} ADD PRIMARY KEY ({', '.join(('catalog_id', *table.key))})",
    ]


def remake_text(product: Product, table: Table, values: Mapping[str, str], partitions: int) -> list[str]:
    """Return the statements that make a table again as it is described, with its rows.

    ``values`` has the new columns, as expressions on a row ``r``.
    """
    name = product.base + table.name
    columns = [column.name for column in table.stored_columns]
    return [
        f"CREATE TABLE {name}_before AS SELECT * FROM {name}",
        f"DROP TABLE {name}",
        *table_text(product, table, partitions).split(";\n"),
        f"INSERT INTO {name} ({', '.join(columns)})"
        f" SELECT {', '.join(values.get(column, f'r.{column}') for column in columns)} FROM {name}_before r",
        f"DROP TABLE {name}_before",
    ]


def view_text(product: Product, view: View) -> str:
    """Return the statement that creates a view."""
    return _paragraph(view.about) + translate(product, f"CREATE VIEW {view.name} AS\n{view.query};")


# ---- functions -------------------------------------------------------------------------------------------------------


def functions_text() -> str:
    """Return the statements that create the functions.

    ``lake_commit`` has statements for each table.
    """
    text = resources.files(__package__).joinpath("parts/functions.sql").read_text(encoding="utf-8")
    text = text.partition("\n\n")[2]
    versioned = [table for table in TABLES if table.visibility is Visibility.INTERVAL]
    ends = "\n".join(
        f"        UPDATE forklake.{table.name} r SET end_snapshot = snapshot"
        f" FROM jsonb_array_elements_text(v_ends -> '{table.name}') u(uid)\n"
        "         WHERE r.catalog_id = p_catalog AND r.row_uid = u.uid::bigint;"
        for table in versioned
    )
    rows = "\n".join(_insert_statement(table) for table in TABLES if is_committed(table))
    text = text.replace("{lake_locks}", str(LAKE_LOCKS))
    return text.replace("        -- {ends}", ends).replace("    -- {rows}", rows)


def is_committed(table: Table) -> bool:
    """Return whether a commit writes its caller's rows to the table."""
    return table.visibility in (Visibility.INTERVAL, Visibility.FOLLOWS, Visibility.LATEST) or (
        table in (SCHEMA_VERSIONS, MERGE)
    )


def _insert_statement(table: Table) -> str:
    own = ["catalog_id"] if table.visibility is Visibility.FOLLOWS else ["catalog_id", "begin_snapshot"]
    values = ["p_catalog", "snapshot"][: len(own)]
    for column in table.row_columns:
        sequence = {"object": "objects", "file": "files"}.get(column.kind)
        values.append(f"forklake.real_id(r.{column.name}, {sequence})" if sequence else f"r.{column.name}")
    names = [*own, *(column.name for column in table.row_columns)]
    return (
        f"    IF v_rows ? '{table.name}' THEN\n"
        f"        INSERT INTO forklake.{table.name}\n"
        f"{_wrap('               (', names)})\n"
        f"{_wrap('        SELECT ', values)}\n"
        f"          FROM jsonb_populate_recordset(NULL::forklake.{table.name}, v_rows -> '{table.name}') r;\n"
        "    END IF;"
    )


def _wrap(start: str, items: list[str]) -> str:
    return textwrap.fill(
        ", ".join(items),
        _WIDTH,
        initial_indent=start,
        subsequent_indent=" " * len(start),
        break_long_words=False,
        break_on_hyphens=False,
    )
