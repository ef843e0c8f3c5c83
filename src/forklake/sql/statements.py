"""Statements as the parser returns them; nothing is looked up yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from sqlglot import exp

from forklake.model.definitions import ColumnDefinition, MacroImplementation, PartitionField, SortKey
from forklake.model.lazy_dataclass import dataclass
from forklake.model.types import Type
from forklake.sql.fork_statements import ForkStatement
from forklake.sql.prepared import Deallocate, Execute, Prepare

Name = tuple[str, ...]
"""The parts of a name, as written: ``(table,)``, ``(schema, table)``, ``(catalog, schema, table)`` and so on."""
ObjectKind = Literal["schema", "table", "view", "macro", "table macro"]


# ---- the session -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Attach:
    """ATTACH, with its options.

    Options have names in lower case and Python values; an option without a value is True. A value to compute,
    such as ``now() - INTERVAL 1 DAY``, is an ``exp.Expr``.
    """

    url: str
    alias: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    if_not_exists: bool = False
    or_replace: bool = False


@dataclass(frozen=True, slots=True)
class Detach:
    """DETACH."""

    alias: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Use:
    """USE catalog, USE catalog.schema, USE schema."""

    name: Name


@dataclass(frozen=True, slots=True)
class Begin:
    """BEGIN [TRANSACTION] [READ ONLY | READ WRITE], START TRANSACTION."""

    read_only: bool = False


@dataclass(frozen=True, slots=True)
class Commit:
    """COMMIT, END."""


@dataclass(frozen=True, slots=True)
class Rollback:
    """ROLLBACK, ABORT."""


@dataclass(frozen=True, slots=True)
class SetVariable:
    """SET VARIABLE name = expression."""

    name: str
    value: exp.Expr


@dataclass(frozen=True, slots=True)
class ResetVariable:
    """RESET VARIABLE name."""

    name: str


@dataclass(frozen=True, slots=True)
class SetSetting:
    """SET [GLOBAL | SESSION | LOCAL] name = value, and PRAGMA name = value."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class ResetSetting:
    """RESET name."""

    name: str


@dataclass(frozen=True, slots=True)
class Pragma:
    """PRAGMA name, PRAGMA name(arguments)."""

    name: str
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateSecret:
    """CREATE [OR REPLACE] SECRET; options as in `Attach`."""

    name: str | None
    options: Mapping[str, Any] = field(repr=False)
    or_replace: bool = False
    if_not_exists: bool = False
    storage: str | None = None


@dataclass(frozen=True, slots=True)
class DropSecret:
    """DROP SECRET."""

    name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class NoOperation:
    """INSTALL, LOAD, FORCE INSTALL: there is nothing to do."""


# ---- definitions -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CreateSchema:
    """CREATE SCHEMA."""

    name: Name
    if_not_exists: bool = False
    or_replace: bool = False


@dataclass(frozen=True, slots=True)
class CreateTable:
    """CREATE TABLE with columns, or AS a query.

    With a query, ``columns`` is empty, and ``column_names`` may rename the query's columns.
    """

    name: Name
    columns: tuple[ColumnDefinition, ...] = ()
    partition_by: tuple[PartitionField, ...] = ()
    sort_by: tuple[SortKey, ...] = ()
    if_not_exists: bool = False
    or_replace: bool = False
    query: exp.Query | None = None
    column_names: tuple[str, ...] = ()
    with_data: bool = True
    is_temporary: bool = False


@dataclass(frozen=True, slots=True)
class CreateView:
    """CREATE VIEW; ``text`` is the query as written."""

    name: Name
    text: str
    query: exp.Query
    column_names: tuple[str, ...] = ()
    if_not_exists: bool = False
    or_replace: bool = False
    is_temporary: bool = False


@dataclass(frozen=True, slots=True)
class CreateMacro:
    """CREATE MACRO or FUNCTION; the bodies are kept as written."""

    name: Name
    implementations: tuple[MacroImplementation, ...]
    if_not_exists: bool = False
    or_replace: bool = False
    is_temporary: bool = False


@dataclass(frozen=True, slots=True)
class Drop:
    """DROP of anything but a secret."""

    kind: ObjectKind
    name: Name
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class AddColumn:
    """ADD COLUMN; ``inside`` is the path of the struct that gets a field."""

    column: ColumnDefinition
    inside: Name = ()
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class DropColumn:
    """DROP COLUMN; with several parts, ``column`` is the path of a struct field."""

    column: Name
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class RenameColumn:
    """RENAME [COLUMN] a TO b, also of a struct field."""

    column: Name
    new_name: str


@dataclass(frozen=True, slots=True)
class RenameTable:
    """RENAME TO."""

    new_name: str


@dataclass(frozen=True, slots=True)
class ChangeType:
    """ALTER [COLUMN] c [SET DATA] TYPE t [USING ...]."""

    path: Name
    type: Type
    using: exp.Expr | None = None


@dataclass(frozen=True, slots=True)
class SetDefault:
    """ALTER c SET DEFAULT, or DROP DEFAULT (None).

    As in ColumnDefinition, it is the text of a literal, or of an expression.
    """

    column: Name
    default: str | None
    is_expression: bool = False


@dataclass(frozen=True, slots=True)
class SetNullsAllowed:
    """ALTER c DROP NOT NULL (allowed), SET NOT NULL."""

    column: Name
    allowed: bool


@dataclass(frozen=True, slots=True)
class SetPartitioning:
    """SET PARTITIONED BY, RESET PARTITIONED BY (no keys)."""

    keys: tuple[PartitionField, ...]


@dataclass(frozen=True, slots=True)
class SetSorting:
    """SET SORTED BY, RESET SORTED BY (no keys)."""

    keys: tuple[SortKey, ...]


TableAction = (
    AddColumn
    | DropColumn
    | RenameColumn
    | RenameTable
    | ChangeType
    | SetDefault
    | SetNullsAllowed
    | SetPartitioning
    | SetSorting
)


@dataclass(frozen=True, slots=True)
class AlterTable:
    """ALTER TABLE, one action."""

    name: Name
    action: TableAction
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterView:
    """ALTER VIEW ... RENAME TO."""

    name: Name
    new_name: str
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Comment:
    """COMMENT ON; for a column, it is the last part of the name."""

    kind: Literal["table", "view", "column", "macro"]
    name: Name
    text: str | None


# ---- rows ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Insert:
    """INSERT INTO; no query means DEFAULT VALUES.

    VALUES is the query ``SELECT * FROM (VALUES ...)``; a cell of it may be the keyword DEFAULT (``exp.Var``).
    """

    table: Name
    query: exp.Query | None
    columns: tuple[str, ...] = ()
    by_name: bool = False


@dataclass(frozen=True, slots=True)
class CopyTo:
    """COPY (query) TO 'path', COPY table TO 'path'; options as in `Attach`."""

    source: exp.Query | Name
    columns: tuple[str, ...]
    path: str
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CopyFrom:
    """COPY table FROM 'path'; options as in `Attach`."""

    table: Name
    columns: tuple[str, ...]
    path: str
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Update:
    """UPDATE; ``sources`` are the tables of FROM, ``DEFAULT`` is ``exp.Var``."""

    table: Name
    alias: str | None
    assignments: tuple[tuple[str, exp.Expr], ...]
    sources: tuple[exp.Expr, ...] = ()
    where: exp.Expr | None = None
    with_: exp.With | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """DELETE; ``sources`` are the tables of USING."""

    table: Name
    alias: str | None
    sources: tuple[exp.Expr, ...] = ()
    where: exp.Expr | None = None
    with_: exp.With | None = None


@dataclass(frozen=True, slots=True)
class Truncate:
    """TRUNCATE [TABLE]."""

    table: Name


@dataclass(frozen=True, slots=True)
class MergeAction:
    """One WHEN of a MERGE.

    Attributes:
        assignments: The new values of columns, for an update or an insert; empty for all columns of the source,
            by position or ``by_name``.
        message: The message of THEN ERROR.
    """

    side: Literal["matched", "not matched", "not matched by source"]
    operation: Literal["update", "delete", "insert", "do nothing", "error"]
    when: exp.Expr | None = None
    assignments: tuple[tuple[str, exp.Expr], ...] = ()
    values: tuple[exp.Expr, ...] = ()
    """Values of an insert without a list of columns."""
    by_name: bool = False
    message: exp.Expr | None = None
    is_default: bool = False
    """Whether an insert gives every column its default."""


@dataclass(frozen=True, slots=True)
class Merge:
    """MERGE INTO; rows match by ``on``, or by ``using`` columns."""

    table: Name
    alias: str | None
    source: exp.Expr
    on: exp.Expr | None
    using: tuple[str, ...]
    actions: tuple[MergeAction, ...]
    with_: exp.With | None = None


# ---- questions -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Query:
    """SELECT, FROM, VALUES, WITH, TABLE.

    CALL f(...) is the query ``SELECT * FROM f(...)`` with ``is_call``.
    """

    query: exp.Query
    is_call: bool = False


@dataclass(frozen=True, slots=True)
class Show:
    """SHOW TABLES [FROM name], SHOW ALL TABLES, SHOW SCHEMAS, SHOW DATABASES."""

    what: Literal["tables", "all tables", "schemas", "databases"]
    within: Name = ()


@dataclass(frozen=True, slots=True)
class Describe:
    """DESCRIBE, DESC or SHOW of a table or a query."""

    query: exp.Query


@dataclass(frozen=True, slots=True)
class Explain:
    """EXPLAIN [ANALYZE] of a statement."""

    statement: Statement
    analyze: bool = False


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """CHECKPOINT [catalog]."""

    catalog: str | None


Statement = (
    Attach
    | Detach
    | Use
    | Begin
    | Commit
    | Rollback
    | SetVariable
    | ResetVariable
    | SetSetting
    | ResetSetting
    | Pragma
    | CreateSecret
    | DropSecret
    | NoOperation
    | CreateSchema
    | CreateTable
    | CreateView
    | CreateMacro
    | Drop
    | AlterTable
    | AlterView
    | Comment
    | Insert
    | CopyTo
    | CopyFrom
    | Update
    | Delete
    | Truncate
    | Merge
    | ForkStatement
    | Query
    | Show
    | Describe
    | Explain
    | Checkpoint
    | Prepare
    | Execute
    | Deallocate
)
