"""What is done to tables and their rows, in a lake and in its full copies."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyarrow as pa

from forklake import ColumnDefinition
from tests.merges.ground import Ground, plain
from tests.merges.truth import NUMBERS, Column, Table

ODD: dict[str, list[Any]] = {
    "DOUBLE": [float("nan"), -0.0, 0.0, float("inf"), 1.5],
    "VARCHAR": ["", "NULL", "a'b", "\u00e9", "nan"],
    "struct": [{"x": 1, "y": None}, {"x": None, "y": ""}, None],
    "list": [[], [1, None], None],
    "DATE": [None],
}
"""Types of columns that are not numbers, and some of their values."""

ARROW = {
    "INTEGER": pa.int32(),
    "BIGINT": pa.int64(),
    "DECIMAL(20,0)": pa.decimal128(20, 0),
    "DOUBLE": pa.float64(),
    "VARCHAR": pa.string(),
    "struct": pa.struct([("x", pa.int32()), ("y", pa.string())]),
    "list": pa.list_(pa.int32()),
    "DATE": pa.date32(),
}

CHILDREN = {
    "struct": (ColumnDefinition("x", "INTEGER"), ColumnDefinition("y", "VARCHAR")),
    "list": (ColumnDefinition("element", "INTEGER"),),
}


SORTED_BY = 2
"""The id of the column that the tables of some histories are sorted by, whatever it is called later."""


class TableDeeds(Ground):
    """Deeds that need no second catalog."""

    is_partitioned = is_sorted = False
    _taken: set[str]

    def _name(self, letter: str, taken: set[str]) -> str:
        """Return a new name; now and then one that others may have chosen, too."""
        common = f"{letter}{self.rng.choice('xy')}"
        return common if self.rng.random() < 0.15 and common not in taken else self.new_name(letter)

    def change(self, deed: Callable[[Table, int, Any], Table | None]) -> str | None:
        """Do something to some table; return its name, or None if nothing came of it."""
        found = self.pick_table()
        if found is None:
            return None
        catalog, handle, number, table = found
        self._taken = {other.name for other in self.truth.state(catalog).values()}
        before = self.head(handle)
        after = deed(table, number, handle.table(table.name))
        if self.head(handle) == before:
            return None
        state = {key: value for key, value in self.truth.state(catalog).items() if key != number}
        self.advance(catalog, handle, state if after is None else {**state, number: after})
        return f"{self.names[catalog]}.{table.name}"

    # ---- tables and columns ------------------------------------------------------------------------------------------

    def do_create_table(self) -> str:
        catalog, handle = self.pick()
        name = self._name("t", {table.name for table in self.truth.state(catalog).values()})
        table = handle.create_table(name, {"k": "BIGINT", "a": "INTEGER"})
        if self.is_partitioned:
            table.alter.set_partitioning(["bucket(2, k)"])
        if self.is_sorted:
            table.alter.set_sorting(["a DESC"])
        state = {**self.truth.state(catalog), int(table.table_id): Table(name, {2: Column("a", "INTEGER")}, {})}
        self.advance(catalog, handle, state)
        return f"{name} in {self.names[catalog]}"

    def do_drop_table(self) -> str | None:
        def drop(table: Table, _: int, handle: Any) -> None:
            handle.drop()

        return self.change(drop)

    def do_rename_table(self) -> str | None:
        def rename(table: Table, _: int, handle: Any) -> Table:
            name = self._name("t", self._taken)
            handle.rename(name)
            return replace(table, name=name)

        return self.change(rename)

    def do_add_column(self) -> str | None:
        initial = self.rng.choice((None, None, self.new_value()))
        kind = self.rng.choice(["INTEGER"] * 4 + list(ODD)) if initial is None else "INTEGER"

        def add(table: Table, _: int, handle: Any) -> Table:
            name = self._name("c", {column.name for column in table.columns.values()})
            default = None if initial is None else str(initial)
            handle.alter.add_column(ColumnDefinition(name, kind, default=default, children=CHILDREN.get(kind, ())))
            number = next(column.column_id for column in handle.columns if column.name == name)
            return replace(table, columns={**table.columns, int(number): Column(name, kind, initial)})

        return self.change(add)

    def do_drop_column(self) -> str | None:
        def drop(table: Table, _: int, handle: Any) -> Table:
            column = self.rng.choice(sorted(table.columns))
            if len(table.columns) == 1 or (self.is_sorted and column == SORTED_BY):
                return table
            handle.alter.drop_column(table.columns[column].name)
            return replace(table, columns={other: of for other, of in table.columns.items() if other != column})

        return self.change(drop)

    def do_rename_column(self) -> str | None:
        def rename(table: Table, _: int, handle: Any) -> Table:
            name = self._name("c", {column.name for column in table.columns.values()})
            column = self.rng.choice(sorted(table.columns))
            handle.alter.rename_column(table.columns[column].name, name)
            return replace(table, columns={**table.columns, column: table.columns[column]._replace(name=name)})

        return self.change(rename)

    def do_widen_column(self) -> str | None:
        def widen(table: Table, _: int, handle: Any) -> Table:
            column = self.rng.choice(sorted(table.columns))
            about = table.columns[column]
            wider = NUMBERS[NUMBERS.index(about.type) + 1 :] if about.type in NUMBERS else ()
            if not wider:
                return table
            kind = self.rng.choice(wider)
            handle.alter.set_type(about.name, kind)
            return replace(table, columns={**table.columns, column: about._replace(type=kind)})

        return self.change(widen)

    # ---- rows --------------------------------------------------------------------------------------------------------

    def do_append(self) -> str | None:
        return self.change(lambda table, _, handle: self.insert(table, handle, self.rng.randint(5, 9)))

    def do_inline(self) -> str | None:
        return self.change(lambda table, _, handle: self.insert(table, handle, self.rng.randint(1, 3)))

    def insert(self, table: Table, handle: Any, count: int) -> Table:
        """Append rows."""
        keys = [self.new_value() for _ in range(count)]
        given = {key: {number: self._value(column) for number, column in table.columns.items()} for key in keys}
        columns = {
            column.name: pa.array([given[key][number] for key in keys], ARROW[column.type])
            for number, column in table.columns.items()
        }
        handle.append(pa.table({"k": pa.array(keys, pa.int64()), **columns}))
        rows = {key: {number: plain(value) for number, value in row.items()} for key, row in given.items()}
        return replace(table, rows={**table.rows, **rows})

    def _value(self, column: Column) -> Any:
        if column.type in ODD and self.rng.random() < 0.6:
            return self.rng.choice(ODD[column.type])
        if column.type in NUMBERS:
            return -self.rng.randint(1, 5) if self.rng.random() < 0.1 else self.new_value()
        return str(self.new_value()) if column.type == "VARCHAR" else None

    def do_delete(self) -> str | None:
        def delete(table: Table, _: int, handle: Any) -> Table | None:
            keys = self._keys(table)
            if keys:
                handle.delete(f"k IN ({', '.join(map(str, keys))})")
            return replace(table, rows={key: row for key, row in table.rows.items() if key not in keys})

        return self.change(delete)

    def do_update(self) -> str | None:
        def update(table: Table, _: int, handle: Any) -> Table:
            numbers = [column for column, about in sorted(table.columns.items()) if about.type in NUMBERS]
            keys = self._keys(table)
            if not keys or not numbers:
                return table
            column, value = self.rng.choice(numbers), self.new_value()
            handle.update({table.columns[column].name: str(value)}, f"k IN ({', '.join(map(str, keys))})")
            changed = {key: table.updated(key, column, value) for key in keys}
            return replace(table, rows={**table.rows, **changed})

        return self.change(update)

    def _keys(self, table: Table) -> list[int]:
        return self.rng.sample(sorted(table.rows), min(len(table.rows), self.rng.randint(1, 4)))

    # ---- maintenance -------------------------------------------------------------------------------------------------

    def do_compact(self) -> str | None:
        return self._maintain("merge_adjacent_files")

    def do_rewrite(self) -> str | None:
        return self._maintain("rewrite_data_files", delete_threshold=0.1)

    def do_flush(self) -> str | None:
        return self._maintain("flush_inlined")

    def _maintain(self, verb: str, **options: Any) -> str:
        catalog, handle = self.pick()
        before = self.head(handle)
        getattr(handle.maintenance, verb)(**options)
        if self.head(handle) != before:
            self.advance(catalog, handle, self.truth.state(catalog))
        return self.names[catalog]
