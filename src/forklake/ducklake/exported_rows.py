"""The rows of an exported database: a lineage in DuckLake 1.0's tables."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Final

from forklake.catalog.partition_transforms import known_transform
from forklake.ducklake.export_numbers import ExportNumbers, bound_of, is_cut, number_in_file, partial_max
from forklake.ducklake.exported_files import exported_files
from forklake.ducklake.exported_stats import ExportedStatistics
from forklake.ducklake.lineage_rows import DatedRow, LineageRows
from forklake.errors import InvalidInputError
from forklake.metastore import plain
from forklake.metastore import written_tables as metadata
from forklake.metastore.plain.layout import TABLES, VERSION
from forklake.metastore.schema.description import Visibility
from forklake.metastore.written_tables import MetadataTable
from forklake.model import types
from forklake.model.ids import INFINITY, THE_LAKE, DataFileId, SnapshotId, TableId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.option_rules import OPTIONS
from forklake.model.rows import ColumnRow, DataFileRow, DeleteFileRow, InlinedRow, MacroParameterRow, PartitionColumnRow
from forklake.model.types import Type
from forklake.model.types.constants import integer_of
from forklake.model.types.read import stored_type

InlinedValues = tuple[int, int, int | None, Mapping[int, str | None]]
"""Row id, begin, end, and the values by column id."""


@dataclass(slots=True)
class InlinedTable:
    """An inlined data table: the columns of one schema version, and its rows."""

    table_id: TableId
    schema_version: int
    columns: Sequence[ColumnRow]
    rows: list[InlinedValues] = field(default_factory=list)

    @property
    def name(self) -> str:
        """DuckLake's name for it."""
        return f"ducklake_inlined_data_{self.table_id}_{self.schema_version}"


class ExportedRows:
    """Converts a lineage to rows of a plain DuckLake database.

    It has one snapshot, or the whole history.
    """

    def __init__(self, lineage: LineageRows, numbers: ExportNumbers, *, history: bool) -> None:
        self._lineage = lineage
        self._numbers = numbers
        self._history = history
        self._statistics = ExportedStatistics(lineage, history=history)
        self._versions: dict[TableId, list[tuple[SnapshotId, int]]] = {}
        for begin, version, table in lineage.schema_versions:
            # A severed catalog has the version that it kept once more, from where its columns are all its own.
            others = [known for known in self._versions.get(table, ()) if known[1] != version]
            self._versions[table] = [*others, (begin, version)]
        self.inlined = self._inlined_tables()
        self._kept = {
            table.name: self._choose_rows(table) for table in metadata.TABLES if table.visibility is Visibility.INTERVAL
        }
        self._kept[metadata.TABLE.name] = self._tables_since_their_versions()
        self._stored = dict(self._kept)
        self._copies: Mapping[DataFileId, Sequence[DataFileId]] = {}
        if history:
            self._separate_files()
        self._cut_away = [] if history else self._cut_positions()

    def table(self, name: str) -> Iterable[Mapping[str, Any]]:
        """Return the rows of one of DuckLake's tables.

        The writer registers the inlined tables itself.
        """
        match name:
            case "ducklake_snapshot" | "ducklake_snapshot_changes":
                return self._snapshots()
            case "ducklake_schema_versions":
                return self._schema_versions()
            case "ducklake_table_stats":
                return self._statistics.of_tables()
            case "ducklake_table_column_stats":
                return self._statistics.of_columns()
            case "ducklake_metadata" | "ducklake_inlined_data_tables" | "ducklake_files_scheduled_for_deletion":
                return ()
        table = metadata.BY_NAME[name]
        if table.visibility is Visibility.FOLLOWS:
            return self._following(table)
        return [self._values(table, dated) for dated in self._kept[name]]

    def last_columns(self, in_files: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the last column that each table ever had, if no other row tells its id.

        DuckLake gives the next column the highest id plus one, and files may hold dropped columns: their values would
        come back. No snapshot shows these rows.

        Args:
            in_files: The exported statistics of columns in files.
        """
        last: dict[TableId, int] = {
            table: row.next_column_id - 1
            for table in {dated.row.table_id for dated in self._kept[metadata.TABLE.name]}
            for row in self._lineage.latest(metadata.TABLE_STATS, table)
        }
        every = [(dated.row.table_id, dated.row.column_id) for dated in self._lineage.of(metadata.COLUMN)]
        for table, column in (*every, *((row["table_id"], row["column_id"]) for row in in_files)):
            if table in last:
                last[table] = max(column, last[table])
        told: dict[TableId, int] = {}
        for dated in self._kept[metadata.COLUMN.name]:
            told[dated.row.table_id] = max(dated.row.column_id, told.get(dated.row.table_id, 0))
        return [
            dict.fromkeys(TABLES[metadata.COLUMN.name])
            | {"table_id": table, "column_id": column, "column_order": column, "column_name": "dropped"}
            | {"column_type": types.BOOLEAN.name, "nulls_allowed": True, "default_value": "NULL"}
            | dict.fromkeys(("begin_snapshot", "end_snapshot"), self._numbers.newest)
            for table, column in last.items()
            if column > told.get(table, 0)
        ]

    def facts(self, data_path: str, created_by: str) -> list[Mapping[str, Any]]:
        """Return the rows of ``ducklake_metadata``: the database's properties and options.

        Raises:
            InvalidInputError: Some files are encrypted and others are not.
        """
        catalog = self._lineage.version.catalog_id
        held = {("schema", dated.row.schema_id) for dated in self._kept[metadata.SCHEMA.name]}
        held |= {("table", dated.row.table_id) for dated in self._kept[metadata.TABLE.name]}
        options = {
            (key, scope, scope_id): value
            for owner in (THE_LAKE, catalog)
            for key, value, scope, scope_id in self._lineage.options(owner)
            if key in OPTIONS and (scope == "" or (scope, scope_id) in held)
        }
        flags = {key: value for key, value, scope, _ in self._lineage.options(catalog) if scope == ""}
        encrypted = self._is_encrypted(flags.get("encrypted") == "true")
        said = {
            "version": VERSION,
            "created_by": created_by,
            "data_path": data_path,
            "encrypted": str(encrypted).lower(),
        }
        return [
            *({"key": key, "value": value} for key, value in said.items()),
            *(
                {"key": key, "value": value, "scope": scope or None, "scope_id": scope_id if scope else None}
                for (key, scope, scope_id), value in options.items()
            ),
        ]

    def inlined_deletes(self) -> dict[TableId, list[tuple[int, int, int]]]:
        """Return the inlined deletes by table, as (data file, position, begin)."""
        found: dict[TableId, list[tuple[int, int, int]]] = {}
        for dated in self._kept[metadata.INLINED_DELETE.name]:
            row = dated.row
            deleted = (row.data_file_id, row.row_id, self._numbers.number(dated.begin))
            found.setdefault(row.table_id, []).append(deleted)
        for file, position in self._cut_away:
            found.setdefault(file.table_id, []).append((file.data_file_id, position, self._numbers.newest))
        return found

    def _separate_files(self) -> None:
        tables = (metadata.DATA_FILE, metadata.DELETE_FILE, metadata.INLINED_DELETE)
        files, deletes, places = (self._kept[table.name] for table in tables)
        flushed = {
            (dated.row.delete_file_id, dated.begin): partial_max(self._lineage, self._numbers, dated) is not None
            for dated in deletes
            if dated.row.partial_max is not None and dated.begin not in self._lineage.merging
        }
        found = exported_files(files, deletes, places, flushed, self._next_ids()[1])
        self._kept |= zip((table.name for table in tables), (found.files, found.deletes, found.places), strict=True)
        self._copies = found.copies

    def _cut_positions(self) -> list[tuple[DataFileRow | DeleteFileRow, int]]:
        """Return the positions to delete in files that the version reads in part.

        These are rows that are younger than the version, and deletes up to it. DuckLake never reads a file in part at
        its newest snapshot, and answers ``count(*)`` without a look at the file.

        Raises:
            InvalidInputError: A file is read in part that DuckDB cannot read by itself.
        """
        found: list[tuple[DataFileRow | DeleteFileRow, int]] = []
        for table, read in (
            (metadata.DATA_FILE, plain.merged.rows_after),
            (metadata.DELETE_FILE, plain.merged.deletes_upto),
        ):
            for dated in self._lineage.of(table):
                file = dated.row
                if not dated.is_visible or not is_cut(file):
                    continue
                path = self._lineage.place(file)
                if getattr(file, "format", "parquet") != "parquet":
                    raise InvalidInputError(
                        f'The deletion vectors in "{path}" are read in part, which an export cannot do.'
                        " Nothing was exported."
                    )
                number = number_in_file(self._lineage, file, bound_of(file))
                found += [(file, position) for position in read(path, number, file.encryption_key)]
        return found

    def _choose_rows(self, table: MetadataTable[Any]) -> list[DatedRow]:
        if self._history:
            return self._lineage.of(table)
        if table is metadata.DELETE_FILE:
            return [dated for dated in self._lineage.of(table) if dated.is_visible and not is_cut(dated.row)]
        # An inlined table of an earlier schema version is read by the columns of then.
        evolved = {inlined.table_id for inlined in self.inlined if inlined.schema_version != self._newest(inlined)}
        return [
            dated
            for dated in self._lineage.of(table)
            if dated.is_visible or (table in (metadata.TABLE, metadata.COLUMN) and dated.row.table_id in evolved)
        ]

    def _tables_since_their_versions(self) -> list[DatedRow]:
        """Return the tables, since when their inlined rows need them.

        Each is there since the first schema version of these: DuckLake looks for it there. What it was called
        then is not kept, or forgotten once no snapshot shows it.
        """
        kept = self._kept[metadata.TABLE.name]
        since: dict[TableId, SnapshotId] = {}
        for inlined in self.inlined:
            begins = [begin for begin, version in self._versions[inlined.table_id] if version == inlined.schema_version]
            since[inlined.table_id] = min([*begins, since.get(inlined.table_id, SnapshotId(INFINITY))])
        first = {dated.row.table_id: dated.begin for dated in sorted(kept, key=lambda one: one.begin, reverse=True)}
        return [
            replace(dated, begin=min(dated.begin, since.get(table, dated.begin)))
            if dated.begin == first[table := dated.row.table_id]
            else dated
            for dated in kept
        ]

    def _newest(self, inlined: InlinedTable) -> int:
        return self._versions[inlined.table_id][-1][1]

    def _values(self, table: MetadataTable[Any], dated: DatedRow) -> dict[str, Any]:
        row = dated.row
        values = {name: getattr(row, name) for name in TABLES[table.name] if name in table.columns}
        values["begin_snapshot"] = self._numbers.number(dated.begin)
        values["end_snapshot"] = None if dated.is_visible else self._numbers.number(dated.end)
        if isinstance(row, DataFileRow | DeleteFileRow):
            values["path"] = self._lineage.place(row)
            values["path_is_relative"] = False
            values["partial_max"] = partial_max(self._lineage, self._numbers, dated)
        elif table is metadata.VIEW:
            values["column_aliases"] = row.column_aliases or ""
        elif table in (metadata.SCHEMA, metadata.TABLE) and not row.path_is_relative:
            values["path"], values["path_is_relative"] = f"{row.path.rstrip('/').rsplit('/', 1)[-1]}/", True
        return values

    def _following(self, table: MetadataTable[Any]) -> list[dict[str, Any]]:
        assert table.follows is not None
        parents = [dated.row for dated in self._stored[table.follows[0].name]]
        found = self._lineage.following(table, parents)
        if table.follows[1] == "data_file_id":
            found += [
                replace(row, data_file_id=copy) for row in found for copy in self._copies.get(row.data_file_id, ())
            ]
        if table is metadata.PARTITION_COLUMN:
            for row in found:
                transform = known_transform(row.transform)
                if transform is None or transform.is_epoch:
                    raise self._unknown_transform(row)
        if table is metadata.FILE_COLUMN_STATS:
            found = [self._statistics.of_file(row) for row in found]
        if table is metadata.MACRO_PARAMETERS:
            found = [with_typed_default(row) for row in found]
        return [{name: getattr(row, name) for name in TABLES[table.name]} for row in found]

    def _unknown_transform(self, row: PartitionColumnRow) -> InvalidInputError:
        tables = [dated.row for dated in self._stored[metadata.TABLE.name]]
        named = next((one.table_name for one in reversed(tables) if one.table_id == row.table_id), row.table_id)
        return InvalidInputError(
            f"DuckLake {VERSION} does not support the {row.transform} partition transform, by which the table"
            f' "{named}" is partitioned. Nothing was exported.',
            hint="Partition it by parts of the date: ALTER TABLE ... SET PARTITIONED BY (year(day), month(day))."
            " Files that are there stay as they are.",
        )

    def _snapshots(self) -> list[dict[str, Any]]:
        """Return the snapshots with what they did.

        ``next_file_id`` increases with each snapshot, because DuckLake uses it as a cache key.
        """
        shown = self._lineage.snapshots if self._history else self._lineage.snapshots[-1:]
        next_object, next_file = self._next_ids()
        return [
            {
                "snapshot_id": self._numbers.number(snapshot.snapshot_id)
                if place + 1 < len(shown)
                else self._numbers.newest,
                "snapshot_time": snapshot.snapshot_time,
                "schema_version": snapshot.schema_version,
                "next_catalog_id": next_object,
                "next_file_id": next_file + place,
                "changes_made": snapshot.changes_made,
                "author": snapshot.author,
                "commit_message": snapshot.commit_message,
                "commit_extra_info": snapshot.commit_extra_info,
            }
            for place, snapshot in enumerate(shown)
        ]

    def _next_ids(self) -> tuple[int, int]:
        def highest(names: Iterable[str]) -> int:
            return max(
                (
                    number
                    for name in names
                    for table, kept in self._kept.items()
                    if name in metadata.BY_NAME[table].columns
                    for dated in kept
                    if (number := getattr(dated.row, name)) is not None
                ),
                default=-1,
            )

        return highest(metadata.OBJECT_IDS) + 1, highest(metadata.FILE_IDS) + 1

    def _schema_versions(self) -> list[dict[str, Any]]:
        kept = {dated.row.table_id for dated in self._kept[metadata.TABLE.name]}
        return [
            {"begin_snapshot": self._numbers.number(begin), "schema_version": version, "table_id": table}
            for table, versions in self._versions.items()
            if table in kept
            for begin, version in versions
        ]

    def _is_encrypted(self, said: bool) -> bool:
        files = [dated.row for table in (metadata.DATA_FILE, metadata.DELETE_FILE) for dated in self._kept[table.name]]
        # Deletion vectors are never encrypted.
        keys = {row.encryption_key is not None for row in files if getattr(row, "format", "parquet") == "parquet"}
        if keys == {True, False} or (said and False in keys):
            raise InvalidInputError(
                "Some files of the catalog are encrypted and others are not, which DuckLake cannot read from one"
                " database. Nothing was exported."
            )
        return said or True in keys

    def _inlined_tables(self) -> list[InlinedTable]:
        """Return the inlined tables.

        There is one for each schema version with rows, and an empty one for new rows.
        """
        made: dict[tuple[TableId, int], InlinedTable] = {}
        visible = {row.table_id for row in self._lineage.visible(metadata.TABLE)}
        for table in visible:
            begin, version = self._version_at(table, self._lineage.version.snapshot_id)
            columns = self._lineage.columns_at(table, self._lineage.version.snapshot_id)
            made[table, version] = InlinedTable(table, version, columns)
        for dated in self._lineage.of(metadata.INLINED_ROW):
            if not (dated.is_visible or (self._history and self._was_shown(dated))):
                continue
            row: InlinedRow = dated.row
            begin, version = self._version_at(row.table_id, dated.begin)
            if (row.table_id, version) not in made:
                columns = self._lineage.columns_at(row.table_id, begin)
                made[row.table_id, version] = InlinedTable(row.table_id, version, columns)
            inlined = made[row.table_id, version]
            inlined.rows.append(self._inlined_row(dated, inlined.columns))
        return list(made.values())

    def _was_shown(self, dated: DatedRow) -> bool:
        return any(dated.was_visible(snapshot.snapshot_id) for snapshot in self._lineage.snapshots)

    def _inlined_row(self, dated: DatedRow, columns: Sequence[ColumnRow]) -> InlinedValues:
        document = json.loads(dated.row.document)
        values = {
            int(column.column_id): document.get(str(column.column_id), column.initial_default)
            for column in columns
            if column.parent_column is None
        }
        end = None if dated.is_visible else self._numbers.number(dated.end)
        return dated.row.row_id, self._numbers.number(dated.begin), end, values

    def _version_at(self, table: TableId, snapshot: SnapshotId) -> tuple[SnapshotId, int]:
        """Return a table's schema version at a snapshot, and since when it holds."""
        known = [found for found in self._versions.get(table, ()) if found[0] <= snapshot]
        if not known:
            begin = min(dated.begin for dated in self._lineage.of(metadata.TABLE) if dated.row.table_id == table)
            known = [(begin, self._lineage.version.schema_version)]
            self._versions.setdefault(table, known)
        return known[-1]


def with_typed_default(row: MacroParameterRow) -> MacroParameterRow:
    """Return a parameter with its default as DuckLake stores it: a value and its type.

    Raises:
        InvalidInputError: The default is an expression.
    """
    text, kind = row.default_value, row.default_value_type
    if text is None or kind == "unknown":
        return replace(row, default_value="NULL", default_value_type="unknown")
    if kind == "expression":
        raise InvalidInputError(
            f'The default of parameter "{row.parameter_name}" of the macro with index {row.macro_id} is an expression;'
            " DuckLake keeps values only. Nothing was exported."
        )
    if kind == "literal":
        quoted = len(text) > 1 and text[0] == text[-1] == "'"
        text, found = (text[1:-1].replace("''", "'"), types.VARCHAR) if quoted else (text, _type_of(text))
        kind = found.name
        if row.parameter_type not in (None, "unknown") and not _are_numbers(found, row.parameter_type):
            kind = row.parameter_type
    return replace(row, default_value=text, default_value_type=kind)


def _are_numbers(found: Type, declared: str) -> bool:
    """Return whether a default and its parameter are both numbers."""
    return isinstance(found, types.Number) and isinstance(stored_type(declared), types.Number)


def _type_of(text: str) -> Type:
    """Return the type that DuckDB gives to a literal.

    >>> [_type_of(text).name for text in ("2", "3000000000", "-1.50", "true", "x")]
    ['int32', 'int64', 'decimal(3,2)', 'boolean', 'varchar']
    """
    if re.fullmatch(r"[+-]?\d+", text):
        return integer_of(int(text))
    if number := re.fullmatch(r"[+-]?(\d*)\.(\d+)", text):
        return types.Decimal(len(number[1]) + len(number[2]), len(number[2]))
    return types.BOOLEAN if text.lower() in ("true", "false") else types.VARCHAR


ORDER: Final = tuple(name for name in TABLES if name not in ("ducklake_metadata", "ducklake_inlined_data_tables"))
"""The tables that an export fills from rows of the same name."""
