"""Random changes: chosen on what the truth shows, run through the public API by name."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from random import Random

from forklake import Catalog, ColumnDefinition, ColumnStats, NewDataFile, NewDeleteFile, Transaction, errors
from tests.property.changes import (
    AddColumn,
    Append,
    Bounds,
    Change,
    Column,
    CreateSchema,
    CreateTable,
    DeleteRows,
    Deletes,
    DropColumn,
    DropSchema,
    DropTable,
    NewFile,
    Refusal,
    RemoveFiles,
    RenameColumn,
    RenameTable,
    State,
    Table,
)

# Few names, and some that differ in case only, so that they are often taken.
SCHEMA_NAMES = ("main", "s", "S", "x")
TABLE_NAMES = ("t", "T", "u", "v", "orders")
COLUMN_NAMES = ("a", "A", "b", "c", "d")
NOWHERE = "nowhere"

REFUSALS: Mapping[Refusal, type[errors.ForklakeError]] = {
    "exists": errors.AlreadyExistsError,
    "missing": errors.NotFoundError,
    "invalid": errors.InvalidInputError,
}

Keys = Iterator[int]


def plan(rng: Random, state: State, keys: Keys) -> Change:
    """Return a change that may be refused, but mostly is not."""
    if not state.schemas or rng.random() < 0.06:
        return CreateSchema(next(keys), rng.choice(SCHEMA_NAMES))
    if rng.random() < 0.03:
        # A key of nothing now and then: it names no schema.
        return DropSchema(rng.choice([*state.schemas, next(keys)]), cascade=rng.random() < 0.7)
    if len(state.tables) < 2 or rng.random() < 0.08:
        columns = tuple(_definition(rng, name) for name in rng.sample(("a", "b", "c"), rng.randint(1, 3)))
        return CreateTable(next(keys), rng.choice(list(state.schemas)), rng.choice(TABLE_NAMES), columns)
    key = rng.choice(list(state.tables))
    table = state.tables[key]
    kinds: list[Callable[[Random, int, Table, Keys], Change]] = [_append, _delete, _remove, _add, _drop, _rename]
    if rng.random() < 0.12:
        return rng.choice((DropTable(key), DropTable(next(keys)), RenameTable(key, rng.choice(TABLE_NAMES))))
    return rng.choices(kinds, (8, 6, 3, 2, 2, 2))[0](rng, key, table, keys)


def _definition(rng: Random, name: str, depth: int = 0) -> ColumnDefinition:
    kind = rng.choice(("BIGINT", "BIGINT", "Decimal(10, 2)", "struct", "list", "map")) if depth < 2 else "BIGINT"
    parts = {"struct": ("a", "b"), "list": ("element",), "map": ("key", "value")}.get(kind, ())
    return ColumnDefinition(name, kind, children=tuple(_definition(rng, part, depth + 1) for part in parts))


def _append(rng: Random, key: int, table: Table, keys: Keys) -> Change:
    files = []
    for _ in range(rng.choice((1, 1, 2))):
        bounds: dict[int, Bounds] = {}
        for column in table.columns:
            if column.parent is None and column.type == "int64" and rng.random() < 0.7:
                low, high = sorted((rng.randrange(-5, 120), rng.randrange(-5, 120)))
                bounds[column.column_id] = (rng.random() < 0.3, low, high)
        number = next(keys)
        files.append(NewFile(number, f"{number}.parquet", rng.randint(1, 9), rng.randint(1, 999), bounds))
    return Append(key, tuple(files))


def _delete(rng: Random, key: int, table: Table, keys: Keys) -> Change:
    if not table.files:
        return _append(rng, key, table, keys)
    chosen = rng.sample(table.files, rng.randint(1, min(2, len(table.files))))
    deletes = {}
    for file in chosen:
        before = 0 if file.deletes is None else file.deletes.count
        if file.rows - before < 2 and rng.random() < 0.9:
            continue  # another delete file for these rows would be refused
        number = next(keys)
        count = min(before + rng.randint(1, 3), max(file.rows - 1, 1))
        deletes[file.key] = Deletes(number, f"{number}-delete.parquet", count, rng.randint(1, 99))
    return DeleteRows(key, deletes) if deletes else RemoveFiles(key, (chosen[0].key,))


def _remove(rng: Random, key: int, table: Table, keys: Keys) -> Change:
    if not table.files:
        return _append(rng, key, table, keys)
    return RemoveFiles(key, tuple(f.key for f in rng.sample(table.files, rng.randint(1, min(2, len(table.files))))))


def _add(rng: Random, key: int, table: Table, keys: Keys) -> Change:
    nested = [column.column_id for column in table.columns if column.type in ("struct", "list", "map")]
    parent = rng.choice(nested) if nested and rng.random() < 0.5 else None
    return AddColumn(key, _definition(rng, rng.choice(COLUMN_NAMES), 1), parent)


def _drop(rng: Random, key: int, table: Table, keys: Keys) -> Change:
    return DropColumn(key, rng.choice(table.columns).column_id)


def _rename(rng: Random, key: int, table: Table, keys: Keys) -> Change:
    return RenameColumn(key, rng.choice(table.columns).column_id, rng.choice(COLUMN_NAMES))


# -- execution ---------------------------------------------------------------------------------------------------------


def execute(target: Catalog | Transaction, change: Change, state: State) -> None:
    """Make the change; `state` is what the target shows, and knows the names."""
    match change:
        case CreateSchema():
            target.create_schema(change.name)
        case DropSchema():
            target.drop_schema(_schema_name(state, change.key), cascade=change.cascade)
        case CreateTable():
            target.create_table(change.name, change.columns, schema=_schema_name(state, change.schema))
        case DropTable() | RenameTable() if change.key not in state.tables:
            target.drop_table(NOWHERE)
        case DropTable():
            table = state.tables[change.key]
            target.drop_table(table.name, schema=_schema_name(state, table.schema))
        case RenameTable():
            table = state.tables[change.key]
            target.rename_table(table.name, change.name, schema=_schema_name(state, table.schema))
        case _:
            _execute_inside(target, change, state)


def _execute_inside(
    target: Catalog | Transaction,
    change: AddColumn | DropColumn | RenameColumn | Append | DeleteRows | RemoveFiles,
    state: State,
) -> None:
    table = state.tables[change.table]
    schema = _schema_name(state, table.schema)
    names = {column.column_id: _dotted(table, column) for column in table.columns}
    match change:
        case AddColumn():
            parent = None if change.parent is None else names[change.parent]
            target.add_column(table.name, change.column, parent=parent, schema=schema)
        case DropColumn():
            target.drop_column(table.name, names[change.column], schema=schema)
        case RenameColumn():
            target.rename_column(table.name, names[change.column], change.name, schema=schema)
        case Append():
            target.append_files(table.name, [_new_data_file(file, names) for file in change.files], schema=schema)
        case DeleteRows():
            ids = _file_ids(target, table, schema)
            new = [NewDeleteFile(ids[k], d.path, d.count, d.size) for k, d in change.files.items()]  # type: ignore[arg-type]
            target.delete_rows(table.name, new, schema=schema)
        case RemoveFiles():
            ids = _file_ids(target, table, schema)
            target.remove_files(table.name, [ids[key] for key in change.files], schema=schema)


def _schema_name(state: State, key: int) -> str:
    return state.schemas[key].name if key in state.schemas else NOWHERE


def _dotted(table: Table, column: Column) -> str:
    parent = table.column(column.parent)
    return column.name if parent is None else f"{_dotted(table, parent)}.{column.name}"


def _new_data_file(file: NewFile, names: Mapping[int, str]) -> NewDataFile:
    stats = {
        names[column]: ColumnStats(null_count=int(bool(has_null)), min_value=str(low), max_value=str(high))
        for column, (has_null, low, high) in file.bounds.items()
    }
    return NewDataFile(file.path, file.rows, file.size, column_stats=stats)


def _file_ids(target: Catalog | Transaction, table: Table, schema: str) -> dict[int, int]:
    """Ids by our keys: paths are ours, so they tell which file is which."""
    by_path = {file.path: int(file.data_file_id) for file in target.table(table.name, schema=schema).files()}
    return {file.key: by_path[file.path] for file in table.files}


def new_keys() -> Keys:
    return itertools.count()
