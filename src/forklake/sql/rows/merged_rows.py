"""MERGE as one query: the rows that change, how, and their new values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.lazy_dataclass import dataclass
from forklake.model.merge import TARGET, MergeOperation, Side
from forklake.model.names import fold
from forklake.model.scan import OWN_PLACES, OWN_ROW_ID
from forklake.sql import statements
from forklake.sql.expressions.nodes import is_subquery
from forklake.sql.query.bind import bind_query
from forklake.sql.query.macro_calls import expand_macros
from forklake.sql.relation import BoundQuery, Names
from forklake.sql.rows.insertion import conform, default_node
from forklake.sql.rows.matched_columns import MatchedColumns
from forklake.sql.rows.row_statements import match_condition, merged_values, source_name
from forklake.sql.simple_queries import named_table

_PLACES: Final = tuple(Field(None, name, kind) for name, kind in OWN_PLACES.items())
_TARGET, _SOURCE, _BOTH = "~target", "~source", "~both"
_CLAUSE, _PRESENT = "clause", "present"
_SIDES: Final = {(False, False): "", (True, False): "RIGHT", (False, True): "LEFT", (True, True): "FULL"}
"""How table and source are joined, by whether rows of the source, and of the table, count if they match nothing."""

_Value = exp.Expr | int
_Qualify = Callable[[exp.Expr, Side], exp.Expr]


@dataclass(frozen=True, slots=True)
class FoundMerge:
    """A MERGE whose rows a query finds.

    The first columns of the query tell where a row of the table is stored; of a new row they are NULL. Then comes the
    number of the action, and then, unless all of them delete, the row as it becomes.

    Attributes:
        query: The query.
        operations: What each action does.
        may_repeat: Whether rows that match several rows of the source are only deleted, so that they may come
            several times.
    """

    query: BoundQuery
    operations: tuple[MergeOperation, ...]
    may_repeat: bool

    @property
    def scan(self) -> str:
        """The name of the scan of the table that is changed."""
        return next(name for name, scan in self.query.scans.items() if OWN_ROW_ID in scan.columns)


@dataclass(frozen=True, slots=True)
class _Action:
    """What is done with rows of one side: nothing, if there is no number."""

    side: Side
    when: exp.Expr | None
    number: int | None
    values: dict[str, _Value]
    is_insert: bool


def bind_found_merge(
    statement: statements.Merge, table: str, fields: Sequence[Field], names: Names, source: Sequence[Field]
) -> FoundMerge:
    """Bind a MERGE as a query for all that it changes.

    ``source`` are the columns of its source.

    Raises:
        InvalidInputError: It says what such a query cannot, or something is not supported.
        NotFoundError: There is no such column.
    """
    common = () if statement.with_ is None else statement.with_.expressions
    if len(statement.table) == 1 and any(fold(one.alias) == fold(statement.table[0]) for one in common):
        raise InvalidInputError("a table of WITH has the name of the table that is changed")
    columns = MatchedColumns(statement.alias or table, fields, source_name(statement), source)

    def qualify(node: exp.Expr, side: Side) -> exp.Expr:
        columns.limit_to(side)
        return _qualify(expand_macros(node, names.macro), columns)

    actions, operations = _actions(statement, table, fields, source)
    matches = qualify(match_condition(statement, table, fields, source), "matched")
    inner = _join(statement, fields, len(source), matches, _number(actions, qualify))
    shown: list[exp.Expr] = [_of_both(f"p{place}") for place in range(len(_PLACES))]
    wanted = [*_PLACES, Field(None, _CLAUSE, types.INT32)]
    shown.append(_of_both(_CLAUSE))
    if set(operations) - {"delete"}:
        shown += [_new_value(place, field, actions, qualify) for place, field in enumerate(fields)]
        wanted += fields
    query = exp.select(*shown).from_(exp.Subquery(this=inner, alias=_alias(_BOTH)))
    query = query.where(exp.Not(this=exp.Is(this=_of_both(_CLAUSE), expression=exp.Null())))
    if statement.with_ is not None:
        query.set("with_", statement.with_.copy())
    bound = bind_query(query, names, keeps_null=True)
    may_repeat = all(
        operation == "delete"
        for operation, side in zip(operations, (one.side for one in actions if one.number is not None), strict=True)
        if side == "matched"
    )
    return FoundMerge(
        conform(bound, [(field, number) for number, field in enumerate(wanted)]), tuple(operations), may_repeat
    )


def _actions(
    statement: statements.Merge, table: str, fields: Sequence[Field], source: Sequence[Field]
) -> tuple[list[_Action], list[MergeOperation]]:
    actions: list[_Action] = []
    operations: list[MergeOperation] = []
    for action in statement.actions:
        if action.operation == "error":
            raise InvalidInputError("THEN ERROR")
        if action.operation == "do nothing":
            actions.append(_Action(action.side, action.when, None, {}, is_insert=False))
            continue
        values = {} if action.operation == "delete" else merged_values(action, fields, source, table)
        is_insert = action.operation == "insert"
        actions.append(
            _Action(
                action.side,
                action.when,
                len(operations),
                {field.name: value for field, value in values} if values else {},
                is_insert=is_insert,
            )
        )
        operations.append(action.operation)
    return actions, operations


# ---- parts of the query ----------------------------------------------------------------------------------------------


def _join(
    statement: statements.Merge, fields: Sequence[Field], source_count: int, matches: exp.Expr, number: exp.Expr
) -> exp.Select:
    """Return the query that joins the table with the source.

    Its columns are places of rows, columns of both sides, and the number of the action.
    """
    sides = {action.side for action in statement.actions}
    given = [f"c{place}" for place in range(source_count)]
    source = exp.select(exp.Star(), exp.alias_(exp.true(), _PRESENT, quoted=True)).from_(statement.source.copy())
    join = exp.Join(
        this=exp.Subquery(this=source, alias=_alias(_SOURCE, [*given, _PRESENT])),
        side=_SIDES["not matched" in sides, "not matched by source" in sides] or None,
        on=matches,
    )
    shown = [(_column(_TARGET, place.name), f"p{number}") for number, place in enumerate(_PLACES)]
    shown += [(_column(_TARGET, field.name), f"t{number}") for number, field in enumerate(fields)]
    shown += [(_column(_SOURCE, name), name) for name in given]
    items = [exp.alias_(node, name, quoted=True) for node, name in shown]
    items.append(exp.alias_(number, _CLAUSE, quoted=True))
    query = exp.select(*items).from_(named_table(statement.table, _TARGET))
    query.append("joins", join)
    return query


def _number(actions: Sequence[_Action], qualify: _Qualify) -> exp.Expr:
    """Return the number of the first action that applies to a row; NULL if none."""
    has_row = exp.Not(this=exp.Is(this=_column(_TARGET, OWN_ROW_ID), expression=exp.Null()))
    has_source = exp.Not(this=exp.Is(this=_column(_SOURCE, _PRESENT), expression=exp.Null()))
    tests: dict[Side, list[exp.Expr]] = {
        "matched": [has_row, has_source],
        "not matched": [exp.Not(this=has_row)],
        "not matched by source": [exp.Not(this=has_source)],
    }
    cases = []
    for action in actions:
        applies = [one.copy() for one in tests[action.side]]
        applies += [] if action.when is None else [exp.Paren(this=qualify(action.when, action.side))]
        value = exp.Null() if action.number is None else exp.Literal.number(action.number)
        cases.append(exp.If(this=exp.and_(*applies), true=value))
    return exp.cast(exp.Case(ifs=cases), exp.DataType.build("INTEGER"))


def _new_value(place: int, field: Field, actions: Sequence[_Action], qualify: _Qualify) -> exp.Expr:
    """Return what a column of the table becomes, by the number of the action."""
    kept: exp.Expr = _of_both(f"t{place}")
    cases = []
    for action in actions:
        if action.number is None or (not action.values and not action.is_insert):
            continue
        given = action.values.get(field.name)
        if given is None and not action.is_insert:
            value = kept.copy()
        elif isinstance(given, int):
            value = _cast(_of_both(f"c{given}"), field)
        else:
            said = default_node(field) if given is None else given
            value = _cast(_of_joined(qualify(said, action.side)), field)
        test = exp.EQ(this=_of_both(_CLAUSE), expression=exp.Literal.number(action.number))
        cases.append(exp.If(this=test, true=value))
    return exp.Case(ifs=cases)


def _qualify(node: exp.Expr, columns: MatchedColumns) -> exp.Expr:
    """Return an expression in which every column names its side."""
    if any(is_subquery(one) for one in node.walk()):
        raise InvalidInputError("a subquery in MERGE")

    def name(one: exp.Expr) -> exp.Expr:
        if not isinstance(one, exp.Column):
            return one
        side, number, inside = columns.locate([part.name for part in one.parts])
        if inside:
            raise InvalidInputError("a field in MERGE")
        made = _column(_TARGET, columns.target_name(number)) if side == TARGET else _column(_SOURCE, f"c{number}")
        made.meta["number"] = f"{'t' if side == TARGET else 'c'}{number}"
        return made

    return node.copy().transform(name, copy=False)


def _of_joined(node: exp.Expr) -> exp.Expr:
    """Return an expression over the two sides as one over the rows of the join."""
    return node.transform(lambda one: _of_both(one.meta["number"]) if isinstance(one, exp.Column) else one, copy=False)


def _column(table: str, name: str) -> exp.Column:
    return exp.column(name, table=table, quoted=True)


def _of_both(name: str) -> exp.Column:
    return _column(_BOTH, name)


def _alias(name: str, columns: Sequence[str] = ()) -> exp.TableAlias:
    names = [exp.to_identifier(one, quoted=True) for one in columns]
    return exp.TableAlias(this=exp.to_identifier(name, quoted=True), columns=names or None)


def _cast(value: exp.Expr, field: Field) -> exp.Cast:
    return exp.Cast(this=value, to=exp.DataType.build(field.type.sql_name, dialect="duckdb"))
