"""Scopes: the tables of FROM, their columns, and the scopes around a query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.quoting import quote_spark_name
from forklake.model.types.shapes import struct_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.columns import extract_field, missing_column, quoted_list
from forklake.sql.query.environment import Reading


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table in a FROM clause.

    Attributes:
        name: Its name in the query.
        source_name: Its name in the scanned relation, if there is one.
    """

    name: str
    bound: Bound
    source_name: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table in a FROM clause.

    Attributes:
        name: The parts of its name, or its alias as the last part. Empty if it has no name.
        alias: Its alias in the SQL text.
        scan: The name of its scan, if it is one.
        origin: The scan of which its rows are a subset: a condition on the table limits that scan.
    """

    name: tuple[str, ...]
    alias: str
    columns: tuple[Column, ...]
    virtual: tuple[Column, ...] = ()
    scan: str | None = None
    origin: str | None = None

    def is_called(self, parts: Sequence[str]) -> bool:
        """Return whether a name, qualified or not, is this table's."""
        return len(parts) <= len(self.name) and all(
            fold(one) == fold(other) for one, other in zip(reversed(parts), reversed(self.name), strict=False)
        )

    def find(self, name: str, *, with_virtual: bool = True) -> Column | None:
        """Return the column with a name; other columns come before virtual ones."""
        candidates = (*self.columns, *self.virtual) if with_virtual else self.columns
        return next((column for column in candidates if fold(column.name) == fold(name)), None)


@dataclass(frozen=True, slots=True)
class MergedColumn:
    """A column that USING merged from several tables."""

    name: str
    bound: Bound
    tables: frozenset[str]


@dataclass(slots=True)
class Scope:
    """The tables of a query, and the scope around it.

    Attributes:
        merged: The columns that USING merged, which unqualified names refer to.
        touched: The aliases of tables that were used; a caller that needs it clears it first.
    """

    reading: Reading
    tables: list[Table] = field(default_factory=list)
    merged: list[MergedColumn] = field(default_factory=list)
    outer: Scope | None = None
    touched: set[str] = field(default_factory=set)

    def bind(self, names: Sequence[str]) -> Bound | None:
        """Return what a dotted name refers to in this scope; None if nothing.

        Raises:
            InvalidInputError: The name is ambiguous.
            NotFoundError: A struct has no such field.
        """
        if len(names) > 1:
            found = self._bind_qualified(names)
            if found is not None:
                return found
        merged = self.merge_of(names[0])
        if merged is not None:
            self.touched |= merged.tables
            return extract_field(self._use_merged(merged), names[1:], names[0])
        for with_virtual in (False, True):
            owners = [(table, table.find(names[0], with_virtual=with_virtual)) for table in self.tables]
            hits = [(table, column) for table, column in owners if column is not None]
            if len(hits) > 1:
                raise _ambiguous(names[0], [table for table, _ in hits])
            if hits:
                return extract_field(self.use(*hits[0]), names[1:], names[0])
        whole = [table for table in self.tables if table.is_called(names[:1])]
        return self._whole(whole[0]) if len(names) == 1 and whole else None

    def resolve(self, names: Sequence[str]) -> Bound:
        """Return what a dotted name refers to, in this scope or one around it.

        Raises:
            NotFoundError: There is nothing of that name.
            InvalidInputError: The name is ambiguous.
        """
        scope: Scope | None = self
        while scope is not None:
            found = scope.bind(names)
            if found is not None:
                return found
            scope = scope.outer
        raise self.missing(names)

    def has(self, name: str) -> bool:
        """Return whether a table of this scope has such a column."""
        return any(table.find(name) is not None for table in self.tables)

    def knows(self, names: Sequence[str]) -> bool:
        """Return whether this scope, or one around it, has the first of the names."""
        here = any(table.is_called(names[:1]) or table.find(names[0]) is not None for table in self.tables)
        return here or (self.outer is not None and self.outer.knows(names))

    def missing(self, names: Sequence[str]) -> NotFoundError:
        """Return the error for a name that refers to nothing."""
        if len(names) > 1:
            called = [table for table in self.tables if table.is_called(names[:-1]) or table.is_called(names[:1])]
            if called:
                owner = f'Binder Error: Table "{names[-2]}" does not have a column named "{names[-1]}"'
                candidates = quoted_list(column.name for column in called[0].columns[:5])
                return NotFoundError(f"{owner}\n\nCandidate bindings: : {candidates}")
            text = f'Binder Error: Referenced table "{names[-2]}" not found!'
            tables = quoted_list(table.name[-1] for table in self.tables if table.name)
            return NotFoundError(f"{text}\nCandidate tables: {tables}" if tables else text)
        if not self.tables:
            return NotFoundError(
                f'Binder Error: Referenced column "{names[0]}" was not found because the FROM clause is missing'
            )
        return missing_column(names[0], [column.name for table in self.tables for column in table.columns])

    def merge_of(self, name: str) -> MergedColumn | None:
        """Return the merged column with a name, or None."""
        return next((one for one in self.merged if fold(one.name) == fold(name)), None)

    def _use_merged(self, merged: MergedColumn) -> Bound:
        for table in self.tables:
            column = table.find(merged.name) if table.alias in merged.tables else None
            if column is not None:
                self.use(table, column)
        return merged.bound

    def use(self, table: Table, column: Column) -> Bound:
        """Return a column of a table, and record that it is needed."""
        self.touched.add(table.alias)
        if table.scan is not None:
            self.reading.need(table.scan, column.source_name)
        return column.bound

    def use_star_column(self, table: Table, column: Column) -> Bound:
        """Return a column of ``*``, and record that it is needed."""
        merged = self.merge_of(column.name)
        if merged is not None and merged.bound is column.bound:
            return self._use_merged(merged)
        return self.use(table, column)

    def _bind_qualified(self, names: Sequence[str]) -> Bound | None:
        for count in range(1, len(names)):
            tables = [table for table in self.tables if table.is_called(names[:count])]
            hits = [(table, column) for table in tables if (column := table.find(names[count])) is not None]
            if len(hits) > 1:
                raise _ambiguous(names[count], [table for table, _ in hits])
            if hits:
                return extract_field(self.use(*hits[0]), names[count + 1 :], names[count])
        return None

    def _whole(self, table: Table) -> Bound:
        """Return the row of a table as a struct."""
        parts = []
        for column in table.columns:
            self.use(table, column)
            parts.append(f"{column.bound.sql} AS {quote_spark_name(column.name)}")
        shape = struct_of([(column.name, column.bound.type) for column in table.columns])
        return Bound(f"struct({', '.join(parts)})", shape)

    def star_columns(self) -> list[tuple[Table, Column]]:
        """Return the columns of ``*``.

        A merged column comes once, at the position of its first table. `use_star_column` takes one of these.
        """
        found = []
        seen: set[str] = set()
        for table in self.tables:
            for column in table.columns:
                merged = self.merge_of(column.name)
                if merged is None or table.alias not in merged.tables:
                    found.append((table, column))
                elif fold(merged.name) not in seen:
                    seen.add(fold(merged.name))
                    found.append((table, replace(column, bound=merged.bound)))
        return found


def _ambiguous(name: str, tables: Iterable[Table]) -> InvalidInputError:
    uses = " or ".join(f'"{table.name[-1]}.{name}"' for table in tables if table.name)
    return InvalidInputError(f'Binder Error: Ambiguous reference to column name "{name}" (use: {uses})')
