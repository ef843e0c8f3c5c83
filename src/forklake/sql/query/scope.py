"""What can be named in a query: the tables of its FROM clause, their columns, and those of queries around it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from forklake.errors import InvalidInputError, NotFoundError
from forklake.model.names import fold
from forklake.model.types.shapes import struct_of
from forklake.sql.expressions.bound import Bound
from forklake.sql.expressions.columns import extracted, missing_column, quoted_list
from forklake.sql.expressions.literals import identifier
from forklake.sql.query.environment import Reading


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table in a FROM clause.

    Attributes:
        name: What the query calls it.
        source_name: What the relation that is scanned calls it, if one is.
    """

    name: str
    bound: Bound
    source_name: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table in a FROM clause.

    Attributes:
        name: The parts of its name, the last of which is its alias if it has one. Nothing if it cannot be named.
        alias: What the text calls it.
        scan: The scan that it is, if it is one.
        origin: The scan whose rows its rows are, all of them or not: what limits it limits that.
    """

    name: tuple[str, ...]
    alias: str
    columns: tuple[Column, ...]
    virtual: tuple[Column, ...] = ()
    scan: str | None = None
    origin: str | None = None

    def is_called(self, parts: Sequence[str]) -> bool:
        """Return whether a name, with or without schema and catalog, is this table's."""
        return len(parts) <= len(self.name) and all(
            fold(one) == fold(other) for one, other in zip(reversed(parts), reversed(self.name), strict=False)
        )

    def find(self, name: str, *, with_virtual: bool = True) -> Column | None:
        """Return a column; a virtual one only if no other has the name."""
        candidates = (*self.columns, *self.virtual) if with_virtual else self.columns
        return next((column for column in candidates if fold(column.name) == fold(name)), None)


@dataclass(frozen=True, slots=True)
class Merged:
    """A column of several tables that USING makes one."""

    name: str
    bound: Bound
    tables: frozenset[str]


@dataclass(slots=True)
class Scope:
    """The tables that a query names, and the scope of the query around it.

    Attributes:
        merged: Columns that USING made one; without a table before them, they stand for those of their tables.
        touched: The tables that something was asked of, by alias; whoever wants to know empties it before.
    """

    reading: Reading
    tables: list[Table] = field(default_factory=list)
    merged: list[Merged] = field(default_factory=list)
    outer: Scope | None = None
    touched: set[str] = field(default_factory=set)

    def bind(self, names: Sequence[str]) -> Bound | None:
        """Return what names stand for among the tables of this scope; None if nothing is called so.

        Raises:
            InvalidInputError: Several columns are called so.
            NotFoundError: A struct has no such field.
        """
        if len(names) > 1:
            found = self._qualified(names)
            if found is not None:
                return found
        merged = self.merge_of(names[0])
        if merged is not None:
            self.touched |= merged.tables
            return extracted(self._use_merged(merged), names[1:], names[0])
        for with_virtual in (False, True):
            owners = [(table, table.find(names[0], with_virtual=with_virtual)) for table in self.tables]
            hits = [(table, column) for table, column in owners if column is not None]
            if len(hits) > 1:
                raise _ambiguous(names[0], [table for table, _ in hits])
            if hits:
                return extracted(self.use(*hits[0]), names[1:], names[0])
        whole = [table for table in self.tables if table.is_called(names[:1])]
        return self._whole(whole[0]) if len(names) == 1 and whole else None

    def resolve(self, names: Sequence[str]) -> Bound:
        """Return what names stand for, here or in a scope around.

        Raises:
            NotFoundError: Nothing is called so.
            InvalidInputError: Several columns are called so.
        """
        scope: Scope | None = self
        while scope is not None:
            found = scope.bind(names)
            if found is not None:
                return found
            scope = scope.outer
        raise self.missing(names)

    def has(self, name: str) -> bool:
        """Return whether a table here has a column of that name."""
        return any(table.find(name) is not None for table in self.tables)

    def knows(self, names: Sequence[str]) -> bool:
        """Return whether something here, or around, has the first of the names."""
        here = any(table.is_called(names[:1]) or table.find(names[0]) is not None for table in self.tables)
        return here or (self.outer is not None and self.outer.knows(names))

    def missing(self, names: Sequence[str]) -> NotFoundError:
        """Return the error that nothing is called so."""
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

    def merge_of(self, name: str) -> Merged | None:
        """Return the merged column of a name."""
        return next((one for one in self.merged if fold(one.name) == fold(name)), None)

    def _use_merged(self, merged: Merged) -> Bound:
        for table in self.tables:
            column = table.find(merged.name) if table.alias in merged.tables else None
            if column is not None:
                self.use(table, column)
        return merged.bound

    def use(self, table: Table, column: Column) -> Bound:
        """Return a column of a table, and note that it is needed."""
        self.touched.add(table.alias)
        if table.scan is not None:
            self.reading.need(table.scan, column.source_name)
        return column.bound

    def use_shown(self, table: Table, column: Column) -> Bound:
        """Return a column that ``*`` shows, and note that it is needed."""
        merged = self.merge_of(column.name)
        if merged is not None and merged.bound is column.bound:
            return self._use_merged(merged)
        return self.use(table, column)

    def _qualified(self, names: Sequence[str]) -> Bound | None:
        for count in range(1, len(names)):
            tables = [table for table in self.tables if table.is_called(names[:count])]
            hits = [(table, column) for table in tables if (column := table.find(names[count])) is not None]
            if len(hits) > 1:
                raise _ambiguous(names[count], [table for table, _ in hits])
            if hits:
                return extracted(self.use(*hits[0]), names[count + 1 :], names[count])
        return None

    def _whole(self, table: Table) -> Bound:
        """Return the row of a table as a struct."""
        parts = []
        for column in table.columns:
            self.use(table, column)
            parts.append(f"{column.bound.sql} AS {identifier(column.name)}")
        shape = struct_of([(column.name, column.bound.type) for column in table.columns])
        return Bound(f"struct({', '.join(parts)})", shape)

    def shown(self) -> list[tuple[Table, Column]]:
        """Return what ``*`` shows: merged columns once, in the place of the first; `use_shown` takes one of these."""
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
