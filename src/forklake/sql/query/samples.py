"""SAMPLE: some rows of a table, chosen at random."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.sql.expressions.render import render


def sample_rows(sql: str, alias: str, node: exp.Expr) -> str:
    """Return the text of a table of which only some rows are taken.

    A number of rows is exact; a percentage is the chance of each row.

    Args:
        sql: The text of the table, in which it has the alias.
        alias: The alias, which the sample has too.
        node: The sample.

    Raises:
        InvalidInputError: It says neither a number of rows nor a percentage.
    """
    seed = node.args.get("seed")
    chance = f"rand({_number(seed, node, most=2**63 - 1)})" if seed else "rand()"
    rows, percent = node.args.get("size"), node.args.get("percent")
    if rows is not None:
        end = f"ORDER BY {chance} LIMIT {_number(rows, node, most=2**31 - 1)}"
    elif percent is not None:
        end = f"WHERE {chance} < {_share(percent, node)}D"
    else:
        raise InvalidInputError(f"A sample is a number of rows or a percentage: {render(node)}")
    return f"(SELECT * FROM {sql} {end}) AS {alias}"


def _number(node: exp.Expr, sample: exp.Expr, *, most: int) -> int:
    if not (isinstance(node, exp.Literal) and node.name.isdecimal() and int(node.name) <= most):
        raise InvalidInputError(f"Parser Error: a sample is given by whole numbers: {render(sample)}")
    return int(node.name)


def _share(node: exp.Expr, sample: exp.Expr) -> Decimal:
    try:
        found = Decimal(node.name) / 100
    except InvalidOperation:
        found = Decimal(-1)
    if not 0 <= found <= 1:
        raise InvalidInputError(
            f"Parser Error: Sample sample_size {node.name} out of range, must be between 0 and 100: {render(sample)}"
        )
    return found
