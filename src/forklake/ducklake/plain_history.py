"""A plain DuckLake database as values, read once for an import."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Final

from forklake.catalog.paths import join, normalise_base
from forklake.errors import InvalidInputError, MetastoreCorruptError
from forklake.metastore.plain.layout import TABLES
from forklake.metastore.plain.reader import PlainInlinedRow, PlainRow, PlainSource
from forklake.metastore.written_tables import OBJECT_IDS
from forklake.model.change_log import LoggedChange, parse
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.model.progress import Progress
from forklake.model.types.read import stored_type

_SKIPPED: Final = frozenset({"ducklake_files_scheduled_for_deletion"})


@dataclass(frozen=True, slots=True)
class InlinedTable:
    """Rows of one inlined data table, with their values by column id."""

    table_id: int
    schema_version: int
    rows: Sequence[tuple[PlainInlinedRow, Mapping[int, str | None]]]


@dataclass(slots=True)
class PlainHistory:
    """All rows of a plain DuckLake database, with its own ids."""

    location: str
    tables: Mapping[str, list[PlainRow]]
    data_path: str
    changes: Mapping[int, tuple[LoggedChange, ...]] = field(default_factory=dict)
    inlined: list[InlinedTable] = field(default_factory=list)
    inlined_deletes: list[tuple[int, int, int, int]] = field(default_factory=list)
    """(table, data file, position, begin)."""

    def __getitem__(self, table: str) -> list[PlainRow]:
        return self.tables[table]

    def fact(self, key: str) -> str | None:
        """Return a property of the database, from its metadata table."""
        return next((row["value"] for row in self["ducklake_metadata"] if row["key"] == key and not row["scope"]), None)


def read_history(source: PlainSource, data_path: str | None, progress: Progress) -> PlainHistory:
    """Read a whole plain DuckLake database.

    Raises:
        InvalidInputError: It holds something that cannot be imported as it is.
        MetastoreCorruptError: Its change log cannot be parsed.
    """
    names = [name for name in TABLES if name not in _SKIPPED]
    tables = {}
    for place, name in enumerate(names):
        progress("Reading", place, len(names))
        tables[name] = source.rows(name)
    history = PlainHistory(source.location, tables, "")
    stored = data_path or history.fact("data_path") or ""
    history.data_path = normalise_base(stored) if stored else ""
    if not history["ducklake_snapshot"]:
        raise MetastoreCorruptError(f'"{source.location}" has no snapshot; nothing was imported.')
    history.changes = _parsed_changes(history)
    _fill_in_older_layout(history)
    _check_partial_files(history)
    for registered in history["ducklake_inlined_data_tables"]:
        history.inlined.append(_inlined_table(source, history, registered))
    for table_id in {row["table_id"] for row in history["ducklake_table"]}:
        history.inlined_deletes += [(table_id, *deleted) for deleted in source.inlined_deletes(table_id)]
    progress("Reading", len(names), len(names))
    return history


def _parsed_changes(history: PlainHistory) -> dict[int, tuple[LoggedChange, ...]]:
    changes = {}
    for row in history["ducklake_snapshot_changes"]:
        try:
            changes[row["snapshot_id"]] = parse(row["changes_made"])
        except ValueError as error:
            raise MetastoreCorruptError(
                f'The change log of "{history.location}" cannot be read at snapshot {row["snapshot_id"]}: {error}.'
                " Nothing was imported."
            ) from error
    return changes


def _fill_in_older_layout(history: PlainHistory) -> None:
    """Add to rows of version 0.3 what later versions have, as DuckLake migrates them."""
    for column in history["ducklake_column"]:
        column["default_value"] = "NULL" if column["default_value"] is None else column["default_value"]
        column["default_value_type"] = (
            "literal" if column["default_value_type"] is None else column["default_value_type"]
        )
        column["default_value_dialect"] = column["default_value_dialect"] or "duckdb"
    versions = history["ducklake_schema_versions"]
    of_tables = [row for row in versions if row["table_id"] is not None]
    if not of_tables:
        of_tables = [
            {**row, "table_id": table["table_id"]}
            for row in versions
            for table in history["ducklake_table"]
            if table["begin_snapshot"] <= row["begin_snapshot"]
            and (table["end_snapshot"] is None or row["begin_snapshot"] <= table["end_snapshot"])
        ]
    versions[:] = of_tables


def _check_partial_files(history: PlainHistory) -> None:
    """Read what version 0.3 says of merged files.

    Its first form can be kept only if no older snapshot is left.
    """
    retained = [row["snapshot_id"] for row in history["ducklake_snapshot"]]
    for file in history["ducklake_data_file"]:
        info = file.pop("partial_file_info", None)
        if not info or file["partial_max"] is not None:
            continue
        newest = re.search(r"partial_max:(\d+)", info)
        if newest:
            file["partial_max"] = int(newest[1])
            continue
        last = max(int(part.split(":")[0]) for part in info.split("|"))
        if any(file["begin_snapshot"] <= snapshot < last for snapshot in retained):
            raise InvalidInputError(
                f'The merged file "{file["path"]}" of "{history.location}" has its snapshots only by row counts, as'
                " early versions of DuckLake wrote them, so its past cannot be kept. Nothing was imported.",
                hint=f"Expire the snapshots before {last} in DuckDB first.",
            )


def _inlined_table(source: PlainSource, history: PlainHistory, registered: PlainRow) -> InlinedTable:
    table_id, name, version = registered["table_id"], registered["table_name"], registered["schema_version"]
    there = [column for column in source.columns().get(name, ()) if column not in _INLINED_COLUMNS]
    columns = _columns_at(history, table_id, _begin_of(history, table_id, version))
    by_name = {fold(column["column_name"]): column for column in columns}
    missing = [column for column in there if fold(column) not in by_name]
    if missing:
        raise MetastoreCorruptError(
            f'The inlined rows in "{name}" of "{history.location}" have columns that their table never had:'
            f" {', '.join(missing)}. Nothing was imported."
        )
    kinds = {column: stored_type(by_name[fold(column)]["column_type"]) for column in there}
    found = source.inlined_rows(name, kinds) if there else []
    if found and (refused := _variants(history, table_id)):
        raise InvalidInputError(
            f'Table {table_id} of "{history.location}" has inlined rows with a column "{refused}" of type variant,'
            " which cannot be written as text without loss. Nothing was imported.",
            hint="Flush them in DuckDB first: CALL ducklake_flush_inlined_data(...).",
        )
    ids = {column: by_name[fold(column)]["column_id"] for column in there}
    return InlinedTable(
        table_id, version, [(row, {ids[column]: value for column, value in row.values.items()}) for row in found]
    )


_INLINED_COLUMNS: Final = ("row_id", "begin_snapshot", "end_snapshot")


def _begin_of(history: PlainHistory, table_id: int, version: int) -> int:
    """Return the snapshot at which a table got a schema version."""
    told = [
        int(row["begin_snapshot"])
        for row in history["ducklake_schema_versions"]
        if row["table_id"] == table_id and row["schema_version"] == version
    ]
    if told:
        # Exports of severed catalogs once had a version twice, and all columns at the second place only.
        return max(told)
    of_version = [row["snapshot_id"] for row in history["ducklake_snapshot"] if row["schema_version"] == version]
    begins = [row["begin_snapshot"] for row in history["ducklake_table"] if row["table_id"] == table_id]
    return int(max(min(of_version, default=0), min(begins)))


def _columns_at(history: PlainHistory, table_id: int, snapshot: int) -> list[PlainRow]:
    return [
        row
        for row in history["ducklake_column"]
        if row["table_id"] == table_id
        and row["parent_column"] is None
        and row["begin_snapshot"] <= snapshot
        and (row["end_snapshot"] is None or snapshot < row["end_snapshot"])
    ]


def _variants(history: PlainHistory, table_id: int) -> str | None:
    return next(
        (
            row["column_name"]
            for row in history["ducklake_column"]
            if row["table_id"] == table_id and row["column_type"] == "variant"
        ),
        None,
    )


def object_ids(history: PlainHistory) -> list[int]:
    """Return the ids of all objects.

    These are schemas, tables, views, macros, partitionings and sortings. Dropped ones are included.
    """
    found = {change.object_id for changes in history.changes.values() for change in changes}
    for name, rows in history.tables.items():
        for column in OBJECT_IDS & TABLES[name].keys():
            found |= {row[column] for row in rows}
    found |= {row["scope_id"] for row in history["ducklake_metadata"]}
    return sorted(number for number in found if number is not None)


def snapshot_ids(history: PlainHistory) -> list[int]:
    """Return all snapshots that anything refers to, expired ones included, in order."""
    found: set[int | None] = {row["snapshot_id"] for row in history["ducklake_snapshot"]}
    for name, rows in history.tables.items():
        for column in {"begin_snapshot", "end_snapshot", "partial_max"} & TABLES[name].keys():
            found |= {row[column] for row in rows}
    for inlined in history.inlined:
        found |= {row.begin_snapshot for row, _ in inlined.rows} | {row.end_snapshot for row, _ in inlined.rows}
    found |= {begin for _, _, _, begin in history.inlined_deletes}
    return sorted(number for number in found if number is not None)


def file_ids(history: PlainHistory) -> list[tuple[str, int]]:
    """Return the ids of all data files, delete files and mappings, in order.

    Each comes with the name of its id column.
    """
    found = {("data_file_id", row["data_file_id"]) for row in history["ducklake_data_file"]}
    found |= {("delete_file_id", row["delete_file_id"]) for row in history["ducklake_delete_file"]}
    for name in ("ducklake_column_mapping", "ducklake_data_file"):
        found |= {("mapping_id", row["mapping_id"]) for row in history[name] if row["mapping_id"] is not None}
    return sorted(found)


def file_paths(history: PlainHistory) -> dict[tuple[str, int], str]:
    """Return the path of each data file and delete file.

    The key is the name of its id column and the id.
    """
    schemas = {row["schema_id"]: (row["path"] or "", row["path_is_relative"]) for row in history["ducklake_schema"]}
    tables = {
        row["table_id"]: (schemas.get(row["schema_id"], ("", True)), (row["path"] or "", row["path_is_relative"]))
        for row in history["ducklake_table"]
    }
    root = (history.data_path, False)
    places: dict[tuple[str, int], str] = {}
    for name, key in (("ducklake_data_file", "data_file_id"), ("ducklake_delete_file", "delete_file_id")):
        for row in history[name]:
            levels = tables.get(row["table_id"], ())
            path = join(root, *levels, (row["path"], row["path_is_relative"]))
            places[key, row[key]] = path if "://" in path else _absolute(path)
    return places


def _absolute(path: str) -> str:
    """Return a local path in the one form by which files are known."""
    if not path.startswith("/"):
        return normalise_base(path).rstrip("/")
    # Not "..", which may lead elsewhere through a link.
    return "/" + "/".join(part for part in path.split("/") if part not in ("", "."))


def column_ids(history: PlainHistory) -> dict[int, set[int]]:
    """Return the ids of columns that each table ever had, as far as is known.

    Files may still hold columns that were dropped, and of which no row is left.
    """
    found: dict[int, set[int]] = {}
    for name in ("ducklake_column", "ducklake_file_column_stats"):
        for row in history[name]:
            found.setdefault(row["table_id"], set()).add(row["column_id"])
    return found


def highest_row_id(history: PlainHistory) -> int:
    """Return the highest row id of any row, or -1."""
    given: Iterable[int] = (
        *(row["next_row_id"] - 1 for row in history["ducklake_table_stats"]),
        *(
            row["row_id_start"] + row["record_count"] - 1
            for row in history["ducklake_data_file"]
            if row["row_id_start"] is not None
        ),
        *(row.row_id for inlined in history.inlined for row, _ in inlined.rows),
    )
    return max(given, default=-1)
