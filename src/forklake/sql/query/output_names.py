"""Names of result columns without an alias: the expression as DuckDB writes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from sqlglot import exp

from forklake import duck
from forklake.model import types
from forklake.model.keywords import identifier
from forklake.model.quoting import quote_text
from forklake.sql.expressions.nested_nodes import target_shape
from forklake.sql.expressions.nodes import call_arguments, function_name
from forklake.sql.expressions.render import render
from forklake.sql.parse.grammar import TEXT_AS_WRITTEN, WINDOWS_AS_WRITTEN

_OPERATORS: Final[Mapping[type[exp.Expr], str]] = {
    exp.Add: "+",
    exp.Sub: "-",
    exp.Mul: "*",
    exp.Div: "/",
    exp.IntDiv: "//",
    exp.Mod: "%",
    exp.Pow: "**",
    exp.DPipe: "||",
    exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|",
    exp.BitwiseLeftShift: "<<",
    exp.BitwiseRightShift: ">>",
    exp.EQ: "=",
    exp.NEQ: "!=",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
    exp.And: "AND",
    exp.Or: "OR",
    exp.Like: "~~",
    exp.ILike: "~~*",
    exp.NullSafeEQ: "IS NOT DISTINCT FROM",
    exp.NullSafeNEQ: "IS DISTINCT FROM",
}
_NEGATED: Final[Mapping[type[exp.Expr], str]] = {
    exp.EQ: "!=",
    exp.NEQ: "=",
    exp.LT: ">=",
    exp.LTE: ">",
    exp.GT: "<=",
    exp.GTE: "<",
    exp.Like: "!~~",
    exp.ILike: "!~~*",
}
_FUNCTIONS: Final[Mapping[type[exp.Expr], str]] = {
    exp.LogicalAnd: "bool_and",
    exp.LogicalOr: "bool_or",
    exp.GroupConcat: "string_agg",
    exp.ArrayAgg: "list",
    exp.Explode: "unnest",
    exp.Transform: "list_transform",
    exp.ArrayFilter: "list_filter",
    exp.Array: "main.list_value",
    exp.Tuple: 'main."row"',
    exp.Substring: 'main."substring"',
    exp.Trim: 'main."trim"',
    exp.Coalesce: "COALESCE",
    exp.Grouping: "GROUPING",
    exp.GroupingId: "GROUPING",
}
_TYPE_WORDS: Final = frozenset(
    {"BOOLEAN", "SMALLINT", "INTEGER", "BIGINT", "FLOAT", "VARCHAR", "TIME", "TIMESTAMP", "INTERVAL", "DECIMAL"}
)


def output_name(node: exp.Expr) -> str:
    """Return the name of a result column."""
    if isinstance(node, exp.Alias):
        return node.alias
    written, windows = node.meta.get(TEXT_AS_WRITTEN), node.meta.get(WINDOWS_AS_WRITTEN, "")
    node = node.unnest()
    if isinstance(node, exp.Column):
        return node.name
    if isinstance(node, exp.Dot) and all(isinstance(one, exp.Dot | exp.Column | exp.Identifier) for one in node.walk()):
        return str(node.expression.name)
    printed = None if written is None else duck.printed_texts.print_expression(written, windows)
    return duckdb_text(node) if printed is None else printed


def duckdb_text(node: exp.Expr) -> str:
    """Return the text of an expression as DuckDB writes it."""
    node = node.unnest()
    kind = type(node)
    if _is_operator(node):
        endings: list[str] = []
        while _is_operator(node):
            endings.append(f" {_OPERATORS[type(node)]} {duckdb_text(node.expression)})")
            node = node.this.unnest()
        return "(" * len(endings) + duckdb_text(node) + "".join(reversed(endings))
    if kind in _HANDLED:
        return _HANDLED[kind](node)
    if isinstance(node, exp.Query):
        return _query(node)
    if isinstance(node, exp.Func | exp.Tuple):
        return _call(node)
    return _other(node)


def _is_operator(node: exp.Expr) -> bool:
    return type(node) in _OPERATORS and not isinstance(node.args.get("expression"), exp.Any | exp.All)


def _column(node: exp.Expr) -> str:
    parts = node.parts if isinstance(node, exp.Column) else [node]
    return ".".join(identifier(part.name) for part in parts)


def _literal(node: exp.Expr) -> str:
    if node.args.get("is_string"):
        return quote_text(str(node.this))
    text = str(node.this)
    return repr(float(text)) if "e" in text.lower() else text


def _negative(node: exp.Expr) -> str:
    if not isinstance(node.this.unnest(), exp.Literal):
        return f"-({duckdb_text(node.this)})"
    # Zero has a sign as a float only, which is written with an exponent.
    is_bare = not node.this.unnest().name.strip("0.")
    return duckdb_text(node.this) if is_bare else f"-{duckdb_text(node.this)}"


def _negation(node: exp.Expr) -> str:
    inner = node.this.unnest()
    if type(inner) in _NEGATED and not isinstance(inner.expression, exp.Any | exp.All):
        return f"({duckdb_text(inner.this)} {_NEGATED[type(inner)]} {duckdb_text(inner.expression)})"
    if isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null):
        return f"({duckdb_text(inner.this)} IS NOT NULL)"
    if isinstance(inner, exp.In) and inner.args.get("query") is None:
        return _member(inner, "NOT IN")
    return f"(NOT {duckdb_text(inner)})"


def _member(node: exp.Expr, words: str = "IN") -> str:
    query = node.args.get("query")
    if query is not None:
        return f"({duckdb_text(node.this)} = ANY({_query(query).removeprefix('(').removesuffix(')')}))"
    return f"({duckdb_text(node.this)} {words} ({', '.join(duckdb_text(one) for one in node.expressions)}))"


def _cast(node: exp.Expr) -> str:
    shape = target_shape(node.args["to"])
    name = shape.sql_name
    if not isinstance(shape, types.Nested):
        # Type names that are keywords stay as they are; other names are quoted.
        word = name.partition("(")[0]
        name = name.replace(",", ", ") if word in _TYPE_WORDS else f'"{name.lower() if word == "JSON" else name}"'
    return f"{'TRY_CAST' if isinstance(node, exp.TryCast) else 'CAST'}({duckdb_text(node.this)} AS {name})"


def _case(node: exp.Expr) -> str:
    subject = node.args.get("this")
    parts = []
    for branch in node.args.get("ifs") or ():
        test = duckdb_text(branch.this) if subject is None else f"({duckdb_text(subject)} = {duckdb_text(branch.this)})"
        parts.append(f"WHEN ({test}) THEN ({duckdb_text(branch.args['true'])})")
    default = node.args.get("default")
    return f"CASE  {' '.join(parts)} ELSE {'NULL' if default is None else duckdb_text(default)} END"


def _if(node: exp.Expr) -> str:
    other = node.args.get("false")
    end = "NULL" if other is None else duckdb_text(other)
    return f"CASE  WHEN ({duckdb_text(node.this)}) THEN ({duckdb_text(node.args['true'])}) ELSE {end} END"


def _query(node: exp.Expr) -> str:
    inner = node.this if isinstance(node, exp.Subquery) else node
    return f"({render(inner, normalize_functions='lower')})"


def _call(node: exp.Expr) -> str:
    """Return a function with its arguments, and ORDER BY after them."""
    name = _FUNCTIONS.get(type(node))
    if name is None:
        assert isinstance(node, exp.Func)
        name = identifier(function_name(node).lower())
    parts, endings = [], []
    for one in node.expressions if isinstance(node, exp.Tuple) else call_arguments(node):  # type: ignore[arg-type]
        part = one
        if isinstance(part, exp.Order):
            endings.append(_order(part))
            part = part.this
        if part is None:
            continue
        if isinstance(part, exp.Distinct):
            parts.append(f"DISTINCT {', '.join(duckdb_text(inner) for inner in part.expressions)}")
        else:
            parts.append(duckdb_text(part))
    return f"{name}({', '.join(parts)}{''.join(f' {ending}' for ending in endings)})"


def _order(node: exp.Expr) -> str:
    keys = [f"{duckdb_text(one.this)}{' DESC' if one.args.get('desc') else ''}" for one in node.expressions]
    return f"ORDER BY {', '.join(keys)}"


def _window(node: exp.Expr) -> str:
    called = duckdb_text(node.this)
    if called == "count_star()":
        called = "count()"
    parts = []
    if node.args.get("alias") is not None:
        return f"{called} OVER {node.args['alias'].name}"
    if node.args.get("partition_by"):
        parts.append(f"PARTITION BY {', '.join(duckdb_text(one) for one in node.args['partition_by'])}")
    if node.args.get("order") is not None:
        parts.append(_order(node.args["order"]))
    if node.args.get("spec") is not None:
        parts.append(render(node.args["spec"]).upper())
    return f"{called} OVER ({' '.join(parts)})"


def _lambda(node: exp.Expr) -> str:
    names = ", ".join(one.name for one in node.expressions)
    return f"(lambda {names}: {duckdb_text(node.this)})"


def _other(node: exp.Expr) -> str:
    return render(node, normalize_functions="lower")


def _struct(node: exp.Expr) -> str:
    if not all(isinstance(one, exp.PropertyEQ) for one in node.expressions):
        return _other(node)
    parts = (f"{identifier(one.this.name)} := {duckdb_text(one.expression)}" for one in node.expressions)
    return f"main.struct_pack({', '.join(parts)})"


def _count(node: exp.Expr) -> str:
    return "count_star()" if node.args.get("this") is None or isinstance(node.this, exp.Star) else _call(node)


_HANDLED: Final[Mapping[type[exp.Expr], Callable[[exp.Expr], str]]] = {
    exp.Column: _column,
    exp.Identifier: lambda node: identifier(node.name),
    exp.Literal: _literal,
    exp.Boolean: lambda node: f"CAST('{'t' if node.this else 'f'}' AS BOOLEAN)",
    exp.Null: lambda node: "NULL",
    exp.Neg: _negative,
    exp.Not: _negation,
    exp.In: _member,
    exp.Is: lambda node: f"({duckdb_text(node.this)} IS {duckdb_text(node.expression)})",
    exp.Between: lambda node: (
        f"({duckdb_text(node.this)} BETWEEN {duckdb_text(node.args['low'])} AND {duckdb_text(node.args['high'])})"
    ),
    exp.Cast: _cast,
    exp.TryCast: _cast,
    exp.Case: _case,
    exp.If: _if,
    exp.Count: _count,
    exp.Window: _window,
    exp.IgnoreNulls: lambda node: duckdb_text(node.this),
    exp.Filter: lambda node: f"{duckdb_text(node.this)} FILTER (WHERE {duckdb_text(node.expression.this)})",
    exp.Exists: lambda node: f"EXISTS{_query(node.this)}",
    exp.Lambda: _lambda,
    exp.Kwarg: lambda node: f"{node.this.name} := {duckdb_text(node.expression)}",
    exp.PropertyEQ: lambda node: f"{node.this.name} := {duckdb_text(node.expression)}",
    exp.Struct: _struct,
    exp.Extract: lambda node: f"main.date_part('{node.this.name.lower()}', {duckdb_text(node.expression)})",
    exp.Interval: _other,
    exp.TimestampTrunc: _other,
    exp.DateTrunc: _other,
    exp.TimeToStr: _other,
    exp.StrToTime: _other,
    exp.DateDiff: _other,
    exp.StrPosition: _other,
    exp.CurrentDate: lambda node: "current_date",
    exp.BitwiseNot: lambda node: f"~({duckdb_text(node.this)})",
}
