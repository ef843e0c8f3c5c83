"""SQL dialects: what differs between the databases, as data.

SQL is written once, for PostgreSQL, with ``:name`` for parameters, ``forklake.`` before table names,
``fold(x)`` for ASCII case folding, ``bytes(x)`` for the length of a text in UTF-8 and ``x IN (:name...)`` for a list; a
dialect renders it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Any

from forklake.model.lazy_dataclass import dataclass

_TOKEN = re.compile(
    r"'[^']*'|forklake\.|\bfold\(([\w.]+|:\w+)\)|\bbytes\(([\w.]+)\)|\bIN \(:(\w+)\.\.\.\)|(?<!:):(\w+)"
)


@dataclass(frozen=True)
class Dialect:
    """The SQL dialect of one database product.

    Attributes:
        name: The product.
        schema: The replacement for ``forklake.`` in table names.
        placeholder: The form of a named parameter, with ``{}`` for the name.
        fold: The expression that lowers A to Z and nothing else, with ``{}`` for the operand.
        bytes: The expression for the length of a text in UTF-8, with ``{}`` for the column.
        members: The condition that a value is in a list parameter, with ``{}`` for the parameter.
        unpack: Returns the query that unpacks parallel list parameters, given their names and types, into rows.
        row_uid: The expression that numbers the rows of an INSERT ... SELECT.
        pack: Turns a list into a parameter value.
        now: The expression for the time of the database's clock; that of the process is handed in as ``:now``.
        later: The same for the time ``:seconds`` from now; that of the process is handed in as ``:later``.
        encode: Turns other values into parameter values.
    """

    name: str
    schema: str
    placeholder: str
    fold: str
    bytes: str
    members: str
    unpack: Callable[[Mapping[str, str]], str]
    row_uid: str
    pack: Callable[[Sequence[Any]], Any]
    encode: Callable[[Any], Any] = field(default=lambda value: value)
    now: str = ":now"
    later: str = ":later"

    @property
    def chain(self) -> str:
        """The query that returns a chain as rows (depth, owner_id, bound)."""
        return self.unpack({"depths": "bigint", "owners": "bigint", "bounds": "bigint"})

    def render(self, sql: str, params: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return the text and the parameters for the driver."""
        text, names = _render(self, sql)
        return text, {
            name: self.pack(params[name]) if isinstance(params[name], (list, tuple)) else self.encode(params[name])
            for name in names
        }


@lru_cache(maxsize=2048)
def _render(dialect: Dialect, sql: str) -> tuple[str, tuple[str, ...]]:
    names: dict[str, None] = {}

    def parameter(name: str) -> str:
        names[name] = None
        return dialect.placeholder.format(name)

    def replace(match: re.Match[str]) -> str:
        folded, text, members, name = match.groups()
        if folded:
            return dialect.fold.format(parameter(folded[1:]) if folded.startswith(":") else folded)
        if text:
            return dialect.bytes.format(text)
        if members:
            return dialect.members.format(parameter(members))
        if name:
            return parameter(name)
        return dialect.schema if match.group() == "forklake." else match.group()

    return _TOKEN.sub(replace, sql), tuple(names)
