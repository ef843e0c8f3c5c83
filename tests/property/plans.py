"""Random changes: chosen on what the truth shows, run through the public API by name."""

import itertools
from collections.abc import Callable, Mapping
from random import Random

from forklake import (
    Catalog,
    ColumnDefinition,
    ColumnStats,
    MappedColumn,
    NameMapping,
    NewDataFile,
    NewDeleteFile,
    Transaction,
    errors,
)
from forklake.model.ids import MappingId
from tests.property.changes import (
    AddColumn,
    Append,
    Change,
    CreateSchema,
    CreateTable,
    DeleteRows,
    DropColumn,
    DropSchema,
    DropTable,
    NewFile,
    OtherChange,
    RemoveFiles,
    RenameColumn,
    RenameTable,
)
from tests.property.content import INTEGERS, NOWHERE, Bounds, Deletes, Keys, NameMap, Refusal, State, Table
from tests.property.details import file_ids, plan_detail
from tests.property.objects import plan_object

# Few names, and some that differ in case only, so that they are often taken.
SCHEMA_NAMES = ("main", "s", "S", "x")
TABLE_NAMES = ("t", "T", "u", "v", "orders")
COLUMN_NAMES = ("a", "A", "b", "c", "d")

REFUSALS: Mapping[Refusal, type[errors.ForklakeError]] = {
    "exists": errors.AlreadyExistsError,
    "missing": errors.NotFoundError,
    "invalid": errors.InvalidInputError,
}


def plan(rng: Random, state: State, keys: Keys) -> Change:
    """Return a change that may be refused, but mostly is not."""
    if not state.schemas or rng.random() < 0.06:
        return CreateSchema(next(keys), rng.choice(SCHEMA_NAMES))
    if rng.random() < 0.03:
        # A key of nothing now and then: it names no schema.
        return DropSchema(rng.choice([*state.schemas, next(keys)]), cascade=rng.random() < 0.7)
    if len(state.tables) < 2 or rng.random() < 0.08:
        names = COLUMN_NAMES if rng.random() < 0.1 else ("a", "b", "c")
        columns = tuple(_definition(rng, name) for name in rng.sample(names, rng.randint(1, 3)))
        schema, name = rng.choice(list(state.schemas)), rng.choice(TABLE_NAMES)
        return CreateTable(next(keys), schema, name, columns, or_replace=rng.random() < 0.25)
    if rng.random() < 0.18:
        return plan_object(rng, state, keys)
    key = rng.choice(list(state.tables))
    table = state.tables[key]
    if rng.random() < 0.3:
        return plan_detail(rng, key, table, keys)
    kinds: list[Callable[[Random, int, Table, Keys], Change]] = [_append, _delete, _remove, _add, _drop, _rename]
    if rng.random() < 0.12:
        return rng.choice((DropTable(key), DropTable(next(keys)), RenameTable(key, rng.choice(TABLE_NAMES))))
    return rng.choices(kinds, (8, 6, 3, 2, 2, 2))[0](rng, key, table, keys)


def _definition(rng: Random, name: str, depth: int = 0) -> ColumnDefinition:
    flat = ("BIGINT", "INTEGER", "SMALLINT")
    kind = rng.choice((*flat, "Decimal(10, 2)", "struct", "list", "map")) if depth < 2 else rng.choice(flat)
    parts = {"struct": ("a", "b"), "list": ("element",), "map": ("key", "value")}.get(kind, ())
    children = tuple(_definition(rng, part, depth + 1) for part in parts)
    default = "7" if not parts and rng.random() < 0.5 else None
    return ColumnDefinition(name, kind, rng.random() < 0.9, default, children=children)


def _append(rng: Random, key: int, table: Table, keys: Keys) -> Change:
    files = []
    mapping = _mapping(rng, table, keys)
    for _ in range(rng.choice((1, 1, 2))):
        bounds: dict[int, Bounds] = {}
        for column in table.columns:
            if column.parent is None and column.type in INTEGERS and rng.random() < 0.7:
                low, high = sorted((rng.randrange(-5, 120), rng.randrange(-5, 120)))
                bounds[column.column_id] = (rng.random() < 0.3, low, high)
        number = next(keys)
        count = len(table.partition_by) + (rng.random() < 0.02)
        values = tuple(rng.choice((None, "", str(number))) for _ in range(count))
        rows, size = rng.randint(1, 9), rng.randint(1, 999)
        files.append(NewFile(number, f"{number}.parquet", rows, size, bounds, values, mapping, _names(table)))
    named = {column for file in files for column in file.bounds} | {c for _, c in (mapping.columns if mapping else ())}
    return Append(key, tuple(files), {column: table.dotted(column) for column in named})


def _names(table: Table) -> frozenset[tuple[str, int]]:
    """Return what a mapping by name calls the columns of a table: elements of lists are ``list`` there."""
    types = {column.column_id: column.type for column in table.columns}
    return frozenset(
        ("list" if column.parent is not None and types[column.parent] == "list" else column.name, column.column_id)
        for column in table.columns
    )


def _mapping(rng: Random, table: Table, keys: Keys) -> NameMap | None:
    """None mostly; else that of another file, however old, or a new one."""
    known = [file.mapping for file in table.files if file.mapping is not None]
    if known and rng.random() < 0.4:
        return rng.choice(known)
    if rng.random() < 0.85:
        return None
    number = next(keys)
    targets = [column.column_id for column in table.columns if column.parent is None]
    chosen = rng.sample(targets, rng.randint(1, len(targets)))
    return NameMap(number, tuple((f"source {number} of {column}", column) for column in chosen))


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
            target.schemas.create(change.name)
        case DropSchema():
            target.schemas.drop(state.schema_name(change.key), cascade=change.cascade)
        case CreateTable():
            schema = state.schema_name(change.schema)
            target.create_table(change.name, change.columns, schema=schema, or_replace=change.or_replace)
        case OtherChange():
            change.execute(target, state)
        case DropTable() | RenameTable() if change.key not in state.tables:
            target.table(NOWHERE).drop()
        case DropTable():
            table = state.tables[change.key]
            target.table(table.name, schema=state.schema_name(table.schema)).drop()
        case RenameTable():
            table = state.tables[change.key]
            target.table(table.name, schema=state.schema_name(table.schema)).rename(change.name)
        case _:
            _execute_inside(target, change, state)


def _execute_inside(
    target: Catalog | Transaction,
    change: AddColumn | DropColumn | RenameColumn | Append | DeleteRows | RemoveFiles,
    state: State,
) -> None:
    table = state.tables[change.table]
    schema = state.schema_name(table.schema)
    names = {column.column_id: table.dotted(column.column_id) for column in table.columns}
    match change:
        case AddColumn():
            parent = None if change.parent is None else names[change.parent]
            target.table(table.name, schema=schema).alter.add_column(change.column, parent=parent)
        case DropColumn():
            target.table(table.name, schema=schema).alter.drop_column(names[change.column])
        case RenameColumn():
            target.table(table.name, schema=schema).alter.rename_column(names[change.column], change.name)
        case Append():
            known = _mapping_ids(target, table, schema) if any(file.mapping for file in change.files) else {}
            new_files = [_new_data_file(file, names, known) for file in change.files]
            target.table(table.name, schema=schema).storage.append_files(new_files)
        case DeleteRows():
            ids = file_ids(target, table, schema)
            new = [NewDeleteFile(ids[k], d.path, d.count, d.size) for k, d in change.files.items()]  # type: ignore[arg-type]
            target.table(table.name, schema=schema).storage.delete_rows(new)
        case RemoveFiles():
            ids = file_ids(target, table, schema)
            target.table(table.name, schema=schema).storage.remove_files([ids[key] for key in change.files])


def _mapping_ids(target: Catalog | Transaction, table: Table, schema: str) -> dict[int, MappingId]:
    """Ids of the mappings that files use, by our keys."""
    by_path = {file.path: file.mapping_id for file in target.table(table.name, schema=schema).storage.files()}
    used = {file.mapping.key: by_path[file.path] for file in table.files if file.mapping is not None}
    return {key: mapping for key, mapping in used.items() if mapping is not None}


def _new_data_file(file: NewFile, names: Mapping[int, str], known: Mapping[int, MappingId]) -> NewDataFile:
    stats = {
        names[column]: ColumnStats(null_count=int(bool(has_null)), min_value=str(low), max_value=str(high))
        for column, (has_null, low, high) in file.bounds.items()
    }
    mapping: NameMapping | MappingId | None = None
    if file.mapping is not None:
        mapping = known.get(file.mapping.key)
        if mapping is None:
            mapping = NameMapping(tuple(MappedColumn(source, names[c]) for source, c in file.mapping.columns))
    return NewDataFile(
        file.path, file.rows, file.size, column_stats=stats, partition_values=file.partition_values, mapping=mapping
    )


def new_keys() -> Keys:
    return itertools.count()
