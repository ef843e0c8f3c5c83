"""Comparing what the store shows with the truth."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from forklake import Catalog, PartitionField, Snapshot, Transaction, errors
from forklake import Column as SeenColumn
from forklake import Table as SeenTable
from forklake.catalog import lookup
from forklake.catalog.state import CatalogState
from forklake.metastore.written_tables import COLUMN_MAPPING, DATA_FILE, FILE_COLUMN_STATS, NAME_MAPPING
from forklake.model.rows import DataFileRow
from tests.property.changes import FORK_COLUMNS
from tests.property.content import UNKNOWN, Bounds, Column, File, State, Table

_ColumnTree = tuple[tuple[object, ...], ...]


class MismatchError(AssertionError):
    """The store differs from the truth, or an invariant is broken."""


def expect(where: str, what: str, seen: object, true: object) -> None:
    if seen != true:
        raise MismatchError(f"{where}: {what}\n    the store says  {seen}\n    the truth says  {true}")


@contextmanager
def failures_are_mismatches(what: str) -> Iterator[None]:
    """An error where the truth sees none is a difference like others."""
    try:
        yield
    except MismatchError:
        raise
    except (AssertionError, LookupError, TypeError, ValueError, errors.ForklakeError) as error:
        raise MismatchError(f"{what}: {error!r}") from error


@dataclass(slots=True)
class Comparison:
    """Compares content, and remembers which ids the store gave to what: never twice, and never other ones."""

    ids: dict[tuple[str, int], int] = field(default_factory=dict)
    """The id that the store gave to what the truth knows by a key; of a kind."""
    _keys: dict[tuple[str, int], int] = field(default_factory=dict)
    _rows: dict[tuple[int, int], dict[int, tuple[int, int]]] = field(default_factory=dict)
    snapshots: dict[int, Snapshot] = field(default_factory=dict)
    states: int = 0

    def learn(self, where: str, kind: str, key: int, seen: int) -> None:
        """The id of a thing is learned at first sight; from then on it has to be that one."""
        expect(where, f"the id of {kind} {key}", seen, self.ids.setdefault((kind, key), seen))
        expect(where, f"what {kind} id {seen} stands for", self._keys.setdefault((kind, seen), key), key)

    def remember(self, where: str, snapshot: Snapshot) -> None:
        expect(where, "a snapshot", snapshot, self.snapshots.setdefault(snapshot.snapshot_id, snapshot))

    def time(self, snapshot: int) -> datetime:
        return self.snapshots[snapshot].snapshot_time

    def content(self, where: str, reader: Catalog | Transaction, state: State, tree: int) -> None:
        """Everything a reader shows is what the truth holds."""
        self.states += 1
        names = sorted((schema.name for schema in state.schemas.values()), key=str.lower)
        expect(where, "the schemas", reader.schemas.list(), names)
        tables = {(state.schemas[table.schema].name, table.name): key for key, table in state.tables.items()}
        seen = {(table.schema_name, table.name): table for table in reader.tables()}
        expect(where, "the tables", list(seen), sorted(tables))
        for name, key in tables.items():
            self._table(f"{where}, {'.'.join(name)}", reader, seen[name], key, state.tables[key], tree)
        self._views(where, reader, state)
        self._macros(where, reader, state)

    def _views(self, where: str, reader: Catalog | Transaction, state: State) -> None:
        true = {(state.schema_name(view.schema), view.name): key for key, view in state.views.items()}
        seen = {(view.schema_name, view.name): view for view in reader.views.list()}
        expect(where, "the views", list(seen), sorted(true))
        for name, key in true.items():
            shown, view = seen[name], state.views[key]
            self._id(where, reader, "object", key, shown.view_id)
            column_tags = {(c, tag): value for c, tags in shown.column_tags.items() for tag, value in tags.items()}
            said = (shown.sql, shown.dialect, shown.column_aliases, shown.tags, column_tags)
            wanted = (view.sql, "duckdb", view.aliases, view.tags, view.column_tags)
            expect(where, f"view {'.'.join(name)}", said, wanted)

    def _macros(self, where: str, reader: Catalog | Transaction, state: State) -> None:
        true = {(state.schema_name(macro.schema), macro.name): key for key, macro in state.macros.items()}
        seen = {(macro.schema_name, macro.name): macro for macro in reader.macros.list()}
        expect(where, "the macros", list(seen), sorted(true))
        for name, key in true.items():
            shown, overloads = seen[name], state.macros[key].overloads
            self._id(where, reader, "object", key, shown.macro_id)
            said = (shown.kind, shown.implementations)
            expect(where, f"macro {'.'.join(name)}", said, (overloads[0].type, overloads))

    def _table(
        self, where: str, reader: Catalog | Transaction, seen: SeenTable, key: int, table: Table, tree: int
    ) -> None:
        self._id(where, reader, "object", key, seen.table_id)
        true = _tree(table.columns, None)
        self._learn_columns(where, seen.columns, true)
        expect(where, "the columns", self._tree_seen(seen.columns), true)
        expect(where, "the tags", seen.inspect.tags, table.tags)
        partitioning = tuple(
            PartitionField(table.dotted(column), transform) for column, transform in table.partition_by
        )
        expect(where, "the layout", (seen.inspect.partition_by, seen.inspect.sort_by), (partitioning, table.sort_by))
        expect(where, "the inlined rows", {r.row_id: r.values for r in seen.storage.inlined_rows()}, _inlined(table))
        stats = seen.inspect.stats
        size = sum(file.size for file in table.files)
        totals = (stats.record_count, stats.file_size_bytes, stats.next_row_id)
        expect(where, "the totals", totals, (table.rows, size, table.next_row))
        files = seen.storage.files()
        expect(where, "the paths of the files", [file.path for file in files], [file.path for file in table.files])
        for shown, file in zip(files, table.files, strict=True):
            self._id(where, reader, "file", file.key, shown.data_file_id)
            said = (shown.record_count, shown.file_size_bytes, shown.row_id_start, shown.owner_id)
            expect(where, f"file {file.path}", said, (file.rows, file.size, file.first_row, file.owner))
            more = (shown.partition_values, shown.inlined_deletes, shown.mapping_id is not None)
            wanted_more = (file.partition_values, tuple(sorted(file.deleted)), (file.mapping or file.names) is not None)
            expect(where, f"values, deletes and mapping of {file.path}", more, wanted_more)
            if file.mapping is not None and shown.mapping_id is not None:
                self._id(where, reader, "file", file.mapping.key, shown.mapping_id)
            deletes = None
            if shown.delete_file is not None:
                deletes = (shown.delete_file.path, shown.delete_file.delete_count, shown.delete_file.file_size_bytes)
                if file.deletes is not None:
                    self._id(where, reader, "file", file.deletes.key, shown.delete_file.delete_file_id)
            wanted = None if file.deletes is None else (file.deletes.path, file.deletes.count, file.deletes.size)
            expect(where, f"the delete file of {file.path}", deletes, wanted)
            if isinstance(reader, Catalog):
                self._row_ids(where, (tree, seen.table_id), shown.data_file_id, file)
        if isinstance(reader, Catalog):
            self._statistics(where, reader, seen, table)

    def _id(self, where: str, reader: Catalog | Transaction, kind: str, key: int, seen: int) -> None:
        if isinstance(reader, Catalog) or (kind, key) in self.ids:
            self.learn(where, kind, key, seen)
        else:
            expect(where, f"whether {kind} {key} has a local id", seen < 0, True)

    def _learn_columns(self, where: str, seen: Sequence[SeenColumn], true: _ColumnTree) -> None:
        """The ids of columns that forks add are learned, too: all others are known."""
        for column, (key, *_, below) in zip(seen, true, strict=False):
            assert isinstance(key, int)
            assert isinstance(below, tuple)
            if column.column_id >= FORK_COLUMNS and key >= FORK_COLUMNS:
                self.learn(where, "column", key, column.column_id)
            self._learn_columns(where, column.children, below)

    def _column(self, seen: int) -> int:
        """Return what the truth calls a column."""
        return self._keys.get(("column", seen), seen)

    def _tree_seen(self, columns: tuple[SeenColumn, ...]) -> _ColumnTree:
        return tuple(
            (
                self._column(c.column_id),
                c.name,
                c.type,
                c.nulls_allowed,
                c.default,
                c.default_is_expression,
                c.tags,
                self._tree_seen(c.children),
            )
            for c in columns
        )

    def _row_ids(self, where: str, table: tuple[int, int], file_id: int, file: File) -> None:
        """No two files of a tree have a row id in common."""
        known = self._rows.setdefault(table, {})
        if file_id in known:
            return
        for other, (first, end) in known.items():
            if file.first_row < end and first < file.first_row + file.rows:
                raise MismatchError(f"{where}: data files {file_id} and {other} share row ids")
        known[file_id] = (file.first_row, file.first_row + file.rows)

    def _statistics(self, where: str, reader: Catalog, seen: SeenTable, table: Table) -> None:
        """Statistics of columns are not public on their own; planners read them as it is done here."""
        view = reader._content()
        assert isinstance(view, CatalogState)
        known = {self._column(column): row for column, row in lookup.column_stats(view, seen.table_id).items()}
        for column in table.columns:
            if column.parent is None:
                row = known.get(column.column_id)
                shown = UNKNOWN if row is None else (row.contains_null, _number(row.min_value), _number(row.max_value))
                expect(where, f"bounds of {column.name}", shown, table.bounds.get(column.column_id, UNKNOWN))
        if not any(file.bounds or file.mapping or file.names for file in table.files):
            return
        by_file: dict[int, dict[int, Bounds]] = {}
        files = view.rows(DATA_FILE, {"table_id": seen.table_id})
        self._mappings(where, view, files, table)
        for stats in view.following(FILE_COLUMN_STATS, files):
            shown = (bool(stats.null_count), _number(stats.min_value), _number(stats.max_value))
            by_file.setdefault(stats.data_file_id, {})[self._column(stats.column_id)] = shown
        wanted = {self.ids["file", file.key]: dict(file.bounds) for file in table.files if file.bounds}
        expect(where, "statistics of files", by_file, wanted)

    def _mappings(self, where: str, view: CatalogState, files: list[DataFileRow], table: Table) -> None:
        """Every file finds its mapping where its own rows are."""
        rows = {int(row.data_file_id): row for row in files}
        given = [(file, file.names if file.mapping is None else file.mapping.columns) for file in table.files]
        one_of_each = {(file.owner, columns): file for file, columns in given if columns is not None}
        for (_, columns), file in one_of_each.items():
            row = rows[self.ids["file", file.key]]
            found = [(r.source_name, self._column(r.target_field_id)) for r in view.following(NAME_MAPPING, [row])]
            expect(where, f"the mapping of {file.path}", sorted(found), sorted(columns))
            kinds = [r.type for r in view.following(COLUMN_MAPPING, [row])]
            expect(where, f"the kind of mapping of {file.path}", kinds, ["map_by_name"])


def _inlined(table: Table) -> dict[int, dict[str, str | None]]:
    top = [column for column in table.columns if column.parent is None]
    return {
        row: {column.name: values.get(column.column_id, column.for_older_rows) for column in top}
        for row, values in table.inlined.items()
    }


def _number(text: str | None) -> int | None:
    return None if text is None else int(text)


def _tree(columns: tuple[Column, ...], parent: int | None) -> _ColumnTree:
    return tuple(
        (
            c.column_id,
            c.name,
            c.type,
            c.nulls_allowed,
            c.default,
            c.default_is_expression,
            c.tags,
            _tree(columns, c.column_id),
        )
        for c in columns
        if c.parent == parent
    )


def options_seen(
    catalog: Catalog,
    comparison: Comparison,
    true: Mapping[tuple[str, int | None, str], str],
    held: Collection[int],
    where: str,
) -> None:
    """The options that are set, with the ids of the schemas and tables they belong to.

    Those of things that are not held any more go when the last row of them is collected.
    """
    seen = {(option.scope, option.scope_id, option.key): option.value for option in catalog.options.list()}
    wanted = {
        (scope, None if key is None else comparison.ids["object", key], name): value
        for (scope, key, name), value in true.items()
    }
    gone = {comparison.ids["object", key] for _, key, _ in true if key is not None and key not in held}
    left = {option: value for option, value in wanted.items() if option in seen or option[1] not in gone}
    expect(where, "the options", seen, left)
