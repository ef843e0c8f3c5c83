"""Layout, alterations of columns and inlined data: what they do to the truth, how they are made, and random ones."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random

from forklake import Catalog, PartitionField, SortKey, Transaction
from tests.property.changes import Draft, OtherChange, check_names, file_of, widened
from tests.property.clashes import Touch
from tests.property.content import INTEGERS, NESTED, Bounds, Column, Keys, RefusedError, State, Table

TRANSFORMS = ("identity", "identity", "bucket(4)", "year")
SORT_KEYS = (
    SortKey("a"),
    SortKey("B", "DESC"),
    SortKey("c", null_order="NULLS_FIRST"),
    SortKey("a + b", dialect="other"),
)
NEW_TYPES = {"int32": "int32", "BIGINT": "int64", "SMALLINT": "int16", "VARCHAR": "varchar"}


def _column(table: Table, column_id: int) -> Column:
    if (column := table.column(column_id)) is None:
        raise RefusedError("missing")
    return column


def _put_column(draft: Draft, key: int, old: Column, new: Column) -> None:
    table = draft.table(key)
    draft.put(key, replace(table, columns=tuple(new if column is old else column for column in table.columns)))
    draft.altered(key)


# -- layout ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SetPartitioning(OtherChange):
    """Pairs of a column id and a transform; none resets it."""

    table: int
    fields: tuple[tuple[int, str], ...]
    names: Mapping[int, str]

    def lay_over(self, draft: Draft) -> None:
        table = draft.table(self.table)
        check_names(table, self.names)
        for column_id, transform in self.fields:
            column = _column(table, column_id)
            if transform == "year" or column.parent is not None or column.type in NESTED:
                raise RefusedError("invalid")
        if len(set(self.fields)) != len(self.fields):
            raise RefusedError("invalid")
        if self.fields != table.partition_by:
            draft.put(self.table, replace(table, partition_by=self.fields))
            draft.altered(self.table)

    def execute(self, target: Catalog | Transaction, state: State) -> None:
        table = state.tables[self.table]
        fields = [PartitionField(self.names[column], transform) for column, transform in self.fields]
        target.table(table.name, schema=state.schema_name(table.schema)).alter.set_partitioning(fields)


@dataclass(frozen=True, slots=True)
class SetSorting(OtherChange):
    """Sort files to come; no keys resets it."""

    table: int
    keys: tuple[SortKey, ...]

    def lay_over(self, draft: Draft) -> None:
        table = draft.table(self.table)
        columns = {column.name.lower() for column in table.columns if column.parent is None}
        if any(key.dialect == "duckdb" and key.expression.lower() not in columns for key in self.keys):
            raise RefusedError("invalid")
        if self.keys or table.sort_by:
            draft.put(self.table, replace(table, sort_by=self.keys))
            draft.altered(self.table)

    def execute(self, target: Catalog | Transaction, state: State) -> None:
        table = state.tables[self.table]
        target.table(table.name, schema=state.schema_name(table.schema)).alter.set_sorting(self.keys)


# -- columns -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ChangeType(OtherChange):
    table: int
    column: int
    type: str

    def lay_over(self, draft: Draft) -> None:
        column, new = _column(draft.table(self.table), self.column), NEW_TYPES[self.type]
        if new == column.type:
            return
        if not (column.type in INTEGERS and new in INTEGERS and INTEGERS.index(new) > INTEGERS.index(column.type)):
            raise RefusedError("invalid")
        _put_column(draft, self.table, column, replace(column, type=new))

    def execute(self, target: Catalog | Transaction, state: State) -> None:
        table = state.tables[self.table]
        schema = state.schema_name(table.schema)
        target.table(table.name, schema=schema).alter.set_type(table.dotted(self.column), self.type)


@dataclass(frozen=True, slots=True)
class SetDefault(OtherChange):
    table: int
    column: int
    default: str | None
    is_expression: bool

    def lay_over(self, draft: Draft) -> None:
        column = _column(draft.table(self.table), self.column)
        if column.type in NESTED and self.default is not None:
            raise RefusedError("invalid")
        is_expression = self.is_expression and self.default is not None
        new = replace(column, default=self.default, default_is_expression=is_expression)
        _put_column(draft, self.table, column, new)

    def execute(self, target: Catalog | Transaction, state: State) -> None:
        table = state.tables[self.table]
        target.table(table.name, schema=state.schema_name(table.schema)).alter.set_default(
            table.dotted(self.column), self.default, is_expression=self.is_expression
        )


@dataclass(frozen=True, slots=True)
class SetNullsAllowed(OtherChange):
    table: int
    column: int
    allowed: bool

    def lay_over(self, draft: Draft) -> None:
        table = draft.table(self.table)
        column = _column(table, self.column)
        has_null = table.bounds[self.column][0] if self.column in table.bounds else None
        if column.nulls_allowed == self.allowed or (not self.allowed and table.rows and has_null is not False):
            raise RefusedError("invalid")
        _put_column(draft, self.table, column, replace(column, nulls_allowed=self.allowed))

    def execute(self, target: Catalog | Transaction, state: State) -> None:
        table = state.tables[self.table]
        schema = state.schema_name(table.schema)
        # The files of these histories are never written.
        name = table.dotted(self.column)
        alter = target.table(table.name, schema=schema).alter
        if self.allowed:
            alter.drop_not_null(name)
        else:
            alter.set_not_null(name, may_read=False)


# -- inlined data ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class InsertInlined(OtherChange):
    """Rows by column id; what a row does not name is NULL."""

    table: int
    rows: tuple[Mapping[int, str | None], ...]

    def lay_over(self, draft: Draft) -> None:
        table = draft.counted(draft.table(self.table))
        top = [column for column in table.columns if column.parent is None]
        if {key for row in self.rows for key in row} - {column.column_id for column in top}:
            raise RefusedError("missing")
        if any(not c.nulls_allowed and row.get(c.column_id) is None for row in self.rows for c in top):
            raise RefusedError("invalid")
        given: dict[int, Bounds] = {}
        for column in top:
            if column.type not in NESTED:
                values = [row.get(column.column_id) for row in self.rows]
                numbers = [int(value) for value in values if value is not None]
                given[column.column_id] = (None in values, min(numbers, default=None), max(numbers, default=None))
        only_null = frozenset(key for key, (_, low, _) in given.items() if low is None)
        bounds = widened(table, given, only_null)
        whole = [{c.column_id: row.get(c.column_id) for c in top} for row in self.rows]
        inlined = {**table.inlined, **dict(enumerate(whole, table.next_row))}
        next_row = table.next_row + len(self.rows)
        draft.put(self.table, replace(table, inlined=inlined, bounds=bounds, next_row=next_row))
        draft.touches.append(Touch("inlined insert", self.table))

    def execute(self, target: Catalog | Transaction, state: State) -> None:
        table = state.tables[self.table]
        rows = [{table.dotted(column): value for column, value in row.items()} for row in self.rows]
        target.table(table.name, schema=state.schema_name(table.schema)).storage.insert_inlined(rows)


@dataclass(frozen=True, slots=True)
class DeleteInlined(OtherChange):
    table: int
    rows: tuple[int, ...]

    def lay_over(self, draft: Draft) -> None:
        table = draft.counted(draft.table(self.table))
        inlined = dict(table.inlined)
        for row in self.rows:
            if inlined.pop(row, None) is None:
                raise RefusedError("missing")
        draft.put(self.table, replace(table, inlined=inlined))
        draft.touches.append(Touch("inlined delete", self.table))

    def execute(self, target: Catalog | Transaction, state: State) -> None:
        table = state.tables[self.table]
        target.table(table.name, schema=state.schema_name(table.schema)).storage.delete_inlined(self.rows)


@dataclass(frozen=True, slots=True)
class InlineDeletes(OtherChange):
    """Positions by the key of their data file."""

    table: int
    positions: Mapping[int, tuple[int, ...]]

    def lay_over(self, draft: Draft) -> None:
        table = draft.counted(draft.table(self.table))
        for key, positions in self.positions.items():
            file = file_of(table, key)
            for position in positions:
                if not 0 <= position < file.rows or position in file.deleted:
                    raise RefusedError("invalid")
            new = replace(file, deleted=file.deleted | set(positions))
            table = replace(table, files=tuple(new if f is file else f for f in table.files))
        draft.put(self.table, table)
        draft.touches.append(Touch("inlined delete", self.table))

    def execute(self, target: Catalog | Transaction, state: State) -> None:
        table = state.tables[self.table]
        schema = state.schema_name(table.schema)
        ids = file_ids(target, table, schema)
        positions = {ids[key]: places for key, places in self.positions.items()}
        target.table(table.name, schema=schema).storage.inline_deletes(positions)


def file_ids(target: Catalog | Transaction, table: Table, schema: str) -> dict[int, int]:
    """Ids by our keys: paths are ours, so they tell which file is which."""
    by_path = {file.path: int(file.data_file_id) for file in target.table(table.name, schema=schema).storage.files()}
    return {file.key: by_path[file.path] for file in table.files}


# -- random ones -------------------------------------------------------------------------------------------------------


def plan_detail(rng: Random, key: int, table: Table, keys: Keys) -> OtherChange:
    """Return a change of a table that is neither of its files nor of which columns it has."""
    kind = rng.choices(("layout", "column", "insert", "delete", "positions"), (4, 4, 4, 2, 3))[0]
    if kind == "layout":
        return _plan_layout(rng, key, table)
    if kind == "column":
        return _plan_column(rng, key, table, keys)
    if kind == "positions" and table.files:
        files = rng.sample(table.files, rng.randint(1, min(2, len(table.files))))
        return InlineDeletes(key, {file.key: _positions(rng, file.rows) for file in files})
    if kind == "delete" and table.inlined:
        count = rng.randint(1, min(2, len(table.inlined)))
        rows = rng.sample(list(table.inlined), count) if rng.random() < 0.9 else [rng.randrange(9)]
        return DeleteInlined(key, tuple(rows))
    return InsertInlined(key, tuple(_plan_row(rng, table) for _ in range(rng.choice((1, 1, 2)))))


def _positions(rng: Random, rows: int) -> tuple[int, ...]:
    """Some of them may be deleted already, and one after the last is refused."""
    return tuple(rng.sample(range(rows + (rng.random() < 0.1)), 1))


def _plan_row(rng: Random, table: Table) -> Mapping[int, str | None]:
    row: dict[int, str | None] = {}
    for column in table.columns:
        if column.parent is None and (rng.random() < 0.7 or not column.nulls_allowed):
            value = str(rng.randrange(-5, 120)) if column.type not in NESTED else "{'a': 1, \"b\": é}"
            row[column.column_id] = value if rng.random() < 0.8 else None
    return row


def _plan_layout(rng: Random, key: int, table: Table) -> OtherChange:
    if rng.random() < 0.4:
        return SetSorting(key, tuple(rng.sample(SORT_KEYS, rng.choice((0, 1, 1, 2)))))
    flat = [column.column_id for column in table.columns if column.parent is None and column.type not in NESTED]
    if not flat or rng.random() < 0.1:
        flat = [column.column_id for column in table.columns]
    count = 0 if table.partition_by and rng.random() < 0.5 else rng.choice((1, 1, 2))
    transforms = TRANSFORMS if rng.random() < 0.2 else TRANSFORMS[:-1]
    fields = tuple((rng.choice(flat), rng.choice(transforms)) for _ in range(count))
    return SetPartitioning(key, fields, {column: table.dotted(column) for column, _ in fields})


def _plan_column(rng: Random, key: int, table: Table, keys: Keys) -> OtherChange:
    column = rng.choice(table.columns)
    what = rng.random()
    if what < 0.35:
        return ChangeType(key, column.column_id, rng.choice(list(NEW_TYPES)))
    if what < 0.65:
        default = rng.choice((None, str(next(keys)), "now()"))
        return SetDefault(key, column.column_id, default, is_expression=default == "now()")
    allowed = not column.nulls_allowed if rng.random() < 0.9 else column.nulls_allowed
    return SetNullsAllowed(key, column.column_id, allowed)
