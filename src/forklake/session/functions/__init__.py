"""Catalog functions, such as ``ducklake_snapshots('alias')``.

The short form is ``alias.snapshots()``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model.names import fold, nearest
from forklake.session.functions import (
    across,
    catalogs,
    changes,
    diffs,
    forks,
    listings,
    lives,
    maintenance,
    options,
    snapshots,
    tables,
)
from forklake.session.functions.arguments import VARCHAR, match, no_match
from forklake.session.functions.function import Call, CatalogFunction, clock
from forklake.session.names.attachment import Attachment
from forklake.session.names.known_rows import Changes, Differences, Files, Rows
from forklake.session.safety.confinement import Policy

__all__ = ["FUNCTIONS", "LISTINGS", "CatalogFunction", "call", "call_scalar", "check_form", "check_scalar"]

FUNCTIONS: Final[Mapping[str, CatalogFunction]] = {
    function.name: function
    for module in (snapshots, options, tables, changes, catalogs, diffs, forks, across, lives, maintenance)
    for function in module.FUNCTIONS
}
"""All functions by name, without ``ducklake_``."""

LISTINGS: Final[Mapping[str, CatalogFunction]] = {function.name: function for function in listings.FUNCTIONS}
"""DuckDB's lists of all that is attached, such as ``duckdb_tables``, by their full names."""


def call(
    name: str,
    attachments: Sequence[Attachment],
    arguments: Sequence[Any],
    named: Mapping[str, Any],
    policy: Policy,
    schema_name: str | None = None,
) -> Rows | Changes | Differences | Files:
    """Call a function in FROM, and return its rows.

    A function that changes something does so now.

    Args:
        name: One of `FUNCTIONS` or `LISTINGS`.
        attachments: All attached catalogs.
        arguments: Python values, in order; the first is the alias of a catalog, unless it is a listing.
        named: Python values by name.
        policy: What the session may reach.
        schema_name: The schema of tables that are named without one, if the call has it.

    Raises:
        NotFoundError: Nothing is attached under the alias, or an object that is named does not exist.
        InvalidInputError: The arguments do not fit, in DuckDB's words.
    """
    function, given = FUNCTIONS.get(name) or LISTINGS[name], list(arguments)
    if not function.is_bound:
        now = clock(attachments[0].lake if attachments else None)
        matched = match(function.full_name, function.signatures, given, named, now)
        return function.run(Call(attachments, matched, None, policy, schema_name))
    if not given or not isinstance(given[0], str | None):
        raise no_match(function.full_name, [one.after_catalog() for one in function.signatures], given)
    attachment = _find_attachment(attachments, given.pop(0))
    matched = match(
        function.full_name, function.signatures, given, named, clock(attachment.lake), catalog=attachment.alias
    )
    found = function.run(Call(attachments, matched, attachment, policy, schema_name))
    return policy.conceal(found) if isinstance(found, Rows) else found


def call_scalar(
    name: str, attachments: Sequence[Attachment], arguments: Sequence[Any], named: Mapping[str, Any], policy: Policy
) -> Any:
    """Call a function in an expression, and return its value; otherwise as `call`.

    Raises:
        InvalidInputError: It is a function that can only be called in FROM.
    """
    check_scalar(name)
    result = call(name, attachments, arguments, named, policy)
    assert isinstance(result, Rows)
    place = next(place for place, column in enumerate(result.columns) if column.name == FUNCTIONS[name].scalar)
    return result.rows[0][place] if result.rows else None


def check_scalar(name: str) -> None:
    """Refuse a function that has no value in an expression.

    Raises:
        InvalidInputError: It is a function that can only be called in FROM.
    """
    function = FUNCTIONS[name]
    if function.scalar is None:
        raise InvalidInputError(
            f'Binder Error: Function "{function.full_name}" is a table function but it was used as a scalar function.'
            " This function has to be called in a FROM clause (similar to a table)."
        )


def check_form(name: str, spelled: str, arguments: Sequence[Any], alias: str) -> None:
    """Refuse a call in the short form whose arguments are ambiguous.

    The short form has no alias among its arguments, so a text in the first place may be meant as the alias or
    as an argument. Optional arguments must therefore be given by name in this form.

    Args:
        name: One of `FUNCTIONS`.
        spelled: The name that was called: ``fork_catalog`` or ``shop.fork_catalog``.
        arguments: The arguments, in order.
        alias: The catalog that the short form stands for.

    Raises:
        InvalidInputError: The arguments can mean two things.
    """
    function = FUNCTIONS[name]
    for signature in function.signatures:
        least = len(signature.positional) - (not function.is_bound)
        may_follow = [key for key, kind in signature.optional.items() if kind == VARCHAR]
        if not may_follow or len(arguments) <= least or not isinstance(arguments[0], str):
            continue
        if function.acts is None and fold(arguments[0]) != fold(alias):
            continue  # looking at the wrong thing does no harm, and seldom finds one
        given = ", ".join(f"'{value}'" if isinstance(value, str) else str(value) for value in arguments)
        raise InvalidInputError(
            f'Binder Error: The arguments of "{spelled}({given})" can mean two things: the name of a catalog may be the'
            f' first of them, or "{may_follow[0]}" be among them. Nothing was done.',
            hint=f"Say {function.full_name}({given}) for the one, and {may_follow[0]} => ... for the other.",
        )


def _find_attachment(attachments: Sequence[Attachment], alias: str | None) -> Attachment:
    if alias is None:
        raise InvalidInputError("Binder Error: Catalog cannot be NULL")
    found = next((attachment for attachment in attachments if fold(attachment.alias) == fold(alias)), None)
    if found is None:
        near = nearest(alias, [attachment.alias for attachment in attachments])
        meant = f'\nDid you mean "{near}"?' if near else ""
        raise NotFoundError(f'Binder Error: Failed to find attached database "{alias}"{meant}')
    return found
