"""Which columns of a file are columns of a table: by name, type, and directory."""

from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.errors import DataFileError, InvalidInputError
from forklake.files.foreign.adopt_files import Adoption, adopt_files
from forklake.files.foreign.adopted_columns import AdoptionRules
from forklake.model import types
from forklake.model.definitions import MappedColumn, NewDataFile
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.transforms import Transform
from forklake.model.types import Type
from forklake.model.write import PartitionKey


def _fields(**kinds: Type) -> tuple[Field, ...]:
    return tuple(Field(ColumnId(number), name, kind) for number, (name, kind) in enumerate(kinds.items(), 1))


def _adopt(
    path: Path,
    columns: dict[str, Any] | pa.Table,
    fields: tuple[Field, ...],
    keys: tuple[PartitionKey, ...] = (),
    *,
    uses_directories: bool = True,
    **allowed: bool,
) -> NewDataFile:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), path)
    adoption = Adoption(AdoptionRules("t", fields, **allowed), keys, uses_directories)
    return adopt_files([str(path)], adoption)[0]


# ---- names -----------------------------------------------------------------------------------------------------------


def test_columns_are_found_by_name_in_any_order_and_case(tmp_path: Path) -> None:
    file = _adopt(
        tmp_path / "f.parquet", {"B": ["x"], "a": pa.array([1], pa.int32())}, _fields(a=types.INT64, b=types.VARCHAR)
    )
    assert file.mapping.columns == (MappedColumn("a", "a"), MappedColumn("B", "b"))  # type: ignore[union-attr]
    assert (file.column_stats["a"].min_value, file.column_stats["b"].max_value) == ("1", "x")
    assert (file.record_count, file.is_adopted) == (1, True)


def test_nested_columns_are_found_by_name_within_lists_and_maps(tmp_path: Path) -> None:
    inner = Field(ColumnId(11), "element", types.Struct(_fields(x=types.INT64, y=types.VARCHAR)))
    fields = (Field(ColumnId(10), "l", types.List(inner)),)
    file = _adopt(tmp_path / "f.parquet", {"l": [[{"y": "a", "x": 3}]]}, fields)
    parts = (MappedColumn("x", "x"), MappedColumn("y", "y"))
    assert file.mapping.columns == (  # type: ignore[union-attr]
        MappedColumn("l", "l", children=(MappedColumn("list", "element", children=parts),)),
    )
    assert set(file.column_stats) == {"l.element.x", "l.element.y"}
    assert file.column_stats["l.element.x"].max_value == "3"


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ({"a": [1]}, 'Column "b" exists in table "t" but was not found in file .*\n\\* Set allow_missing => true to'),
        (
            {"a": [1], "b": [1], "c": [1]},
            'Column "c" exists in file .* but was not found in table "t"\n\\* Set ignore_',
        ),
        (
            {"a": [1], "b": ["x"]},
            'Failed to map column "b" from file .* to the column in table "t"\n\\* Expected one of BIGINT',
        ),
        ({"a": [1], "b": [[1]]}, "found type LIST"),
    ],
)
def test_a_file_that_does_not_fit_is_refused_in_the_words_of_ducklake(
    tmp_path: Path, held: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message):
        _adopt(tmp_path / "f.parquet", held, _fields(a=types.INT64, b=types.INT64))


def test_columns_may_be_missing_or_more_if_that_is_allowed(tmp_path: Path) -> None:
    fields = _fields(a=types.INT64, b=types.INT64)
    held = {"a": [1], "c": [2]}
    file = _adopt(tmp_path / "f.parquet", held, fields, allow_missing=True, ignore_extra_columns=True)
    assert [column.source_name for column in file.mapping.columns] == ["a"]  # type: ignore[union-attr]
    with pytest.raises(InvalidInputError, match="has none of the columns"):
        _adopt(tmp_path / "g.parquet", {"c": [2]}, fields, allow_missing=True, ignore_extra_columns=True)


def test_fields_of_structs_may_be_missing_or_more_if_that_is_allowed(tmp_path: Path) -> None:
    fields = _fields(s=types.Struct(_fields(x=types.INT64, y=types.INT64)))
    held = {"s": [{"x": 1, "z": 2}]}
    with pytest.raises(InvalidInputError, match=r'Column "s\.z" exists in file'):
        _adopt(tmp_path / "f.parquet", held, fields)
    with pytest.raises(InvalidInputError, match=r'Column "s\.y" exists in table "t" but was not found'):
        _adopt(tmp_path / "f.parquet", held, fields, ignore_extra_columns=True)
    file = _adopt(tmp_path / "f.parquet", held, fields, allow_missing=True, ignore_extra_columns=True)
    assert set(file.column_stats) == {"s.x"}


def test_a_file_for_a_column_that_is_gone_is_refused(tmp_path: Path) -> None:
    def held(field_id: int) -> pa.Table:
        return pa.table(
            [pa.array([1])], pa.schema([pa.field("a", pa.int64(), metadata={"PARQUET:field_id": str(field_id)})])
        )

    assert _adopt(tmp_path / "f.parquet", held(1), _fields(a=types.INT64)).record_count == 1
    with pytest.raises(InvalidInputError, match=r'Parquet field ID mismatch for column "a" .*: field ID 7 is not a'):
        _adopt(tmp_path / "g.parquet", held(7), _fields(a=types.INT64))


@pytest.mark.parametrize("name", ["_ducklake_internal_row_id", "_ducklake_internal_snapshot_id"])
def test_rows_that_have_ids_already_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInputError, match=f'Column "{name}" exists in file .* may be those of other rows'):
        _adopt(tmp_path / "f.parquet", {"a": [1], name: [1]}, _fields(a=types.INT64), ignore_extra_columns=True)


# ---- types -----------------------------------------------------------------------------------------------------------

_ARROW = {
    "int8": pa.int8(), "int16": pa.int16(), "int32": pa.int32(), "int64": pa.int64(),
    "uint8": pa.uint8(), "uint16": pa.uint16(), "uint32": pa.uint32(), "uint64": pa.uint64(),
    "float": pa.float32(), "double": pa.float64(), "half": pa.float16(), "bool": pa.bool_(),
    "string": pa.string(), "large": pa.large_string(), "binary": pa.binary(), "date": pa.date32(),
    "time": pa.time64("us"), "time_ms": pa.time32("ms"), "time_ns": pa.time64("ns"),
    "ts_ms": pa.timestamp("ms"), "ts_us": pa.timestamp("us"), "ts_ns": pa.timestamp("ns"),
    "tz": pa.timestamp("us", "UTC"),
    "dec_5_2": pa.decimal128(5, 2), "dec_9_2": pa.decimal128(9, 2), "dec_9_4": pa.decimal128(9, 4),
    "uuid": pa.uuid(), "null": pa.null(),
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "accepted"),
    [
        (types.INT8, {"int8"}),
        (types.INT16, {"int8", "int16", "uint8"}),
        (types.INT32, {"int8", "int16", "int32", "uint8", "uint16", "null"}),
        (types.INT64, {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "null"}),
        (types.UINT8, {"uint8"}),
        (types.UINT64, {"uint8", "uint16", "uint32", "uint64"}),
        (types.INT128, set()),
        (types.FLOAT32, {"float"}),
        (types.FLOAT64, {"float", "double"}),
        (types.BOOLEAN, {"bool"}),
        (types.VARCHAR, {"string", "large"}),
        (types.JSON, set()),
        (types.BLOB, {"binary"}),
        (types.UUID, {"uuid"}),
        (types.DATE, {"date"}),
        (types.TIME, {"time", "time_ms"}),
        (types.TIMETZ, set()),
        (types.TIMESTAMP, {"ts_ms", "ts_us", "ts_ns"}),
        (types.TIMESTAMP_S, {"ts_ms", "ts_us"}),
        (types.TIMESTAMP_NS, {"ts_ms", "ts_us", "ts_ns"}),
        (types.TIMESTAMPTZ, {"tz"}),
        (types.Decimal(9, 2), {"dec_5_2", "dec_9_2"}),
        (types.Decimal(9, 4), {"dec_5_2", "dec_9_4"}),
        (types.GEOMETRY, set()),
        (types.VARIANT, set()),
        (types.INTERVAL, set()),
    ],
    ids=lambda given: str(given) if isinstance(given, types.Type) else "",
)
def test_a_type_accepts_what_ducklake_lets_it_accept(tmp_path: Path, kind: Type, accepted: set[str]) -> None:
    found = set()
    for name, held in _ARROW.items():
        with suppress(InvalidInputError):
            _adopt(tmp_path / f"{name}.parquet", {"a": pa.nulls(1, held)}, _fields(a=kind))
            found.add(name)
    assert found == accepted


def test_bounds_of_values_that_are_rounded_are_not_recorded(tmp_path: Path) -> None:
    held = {"a": pa.array([1_577_836_800_700_000], pa.timestamp("us"))}
    rounded = _adopt(tmp_path / "f.parquet", held, _fields(a=types.TIMESTAMP_S)).column_stats["a"]
    exact = _adopt(tmp_path / "f.parquet", held, _fields(a=types.TIMESTAMP)).column_stats["a"]
    assert (rounded.min_value, rounded.value_count) == (None, 1)
    assert exact.min_value == "2020-01-01 00:00:00.7"


def test_bounds_are_texts_of_the_tables_type(tmp_path: Path) -> None:
    held = {"a": pa.array([Decimal("1.50")], pa.decimal128(5, 2)), "b": pa.array([7], pa.uint8())}
    stats = _adopt(tmp_path / "f.parquet", held, _fields(a=types.Decimal(9, 4), b=types.INT64)).column_stats
    assert (stats["a"].min_value, stats["b"].min_value) == ("1.5000", "7")


# ---- NULL ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("has_statistics", [True, False])
def test_null_is_refused_where_the_table_does_not_allow_it(tmp_path: Path, has_statistics: bool) -> None:
    fields = (Field(ColumnId(1), "a", types.INT64, nulls_allowed=False),)
    path = tmp_path / "f.parquet"
    for values, fits in (([1, None], False), ([1, 2], True)):
        pq.write_table(pa.table({"a": values}), path, write_statistics=has_statistics)
        adoption = Adoption(AdoptionRules("t", fields))
        if fits:
            assert adopt_files([str(path)], adoption)[0].record_count == 2
        else:
            with pytest.raises(InvalidInputError, match=r"NOT NULL constraint failed: t\.a"):
                adopt_files([str(path)], adoption)


def test_a_missing_column_must_have_a_default_if_null_is_not_allowed(tmp_path: Path) -> None:
    needed = Field(ColumnId(2), "b", types.INT64, nulls_allowed=False)
    fields = (Field(ColumnId(1), "a", types.INT64), needed)
    with pytest.raises(InvalidInputError, match=r"NOT NULL constraint failed: t\.b"):
        _adopt(tmp_path / "f.parquet", {"a": [1]}, fields, allow_missing=True)
    filled = Field(ColumnId(2), "b", types.INT64, nulls_allowed=False, initial_default="7")
    assert _adopt(tmp_path / "f.parquet", {"a": [1]}, (fields[0], filled), allow_missing=True).record_count == 1


# ---- directories -----------------------------------------------------------------------------------------------------


def test_directories_give_values_and_statistics(tmp_path: Path) -> None:
    fields = _fields(a=types.INT64, d=types.DATE, s=types.VARCHAR, b=types.BOOLEAN)
    path = tmp_path / "d=2024-02-29" / "s=x%20y" / "b=true" / "f.parquet"
    file = _adopt(path, {"a": [1, 2]}, fields)
    stats = file.column_stats
    assert [(stats[name].min_value, stats[name].null_count) for name in "dsb"] == [
        ("2024-02-29", 0),
        ("x y", 0),
        ("1", 0),
    ]
    assert [column.is_partition for column in file.mapping.columns] == [False, True, True, True]  # type: ignore[union-attr]
    with pytest.raises(InvalidInputError, match='Column "d" exists in table'):
        _adopt(path, {"a": [1]}, fields, uses_directories=False)


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (types.INT32, "__HIVE_DEFAULT_PARTITION__", None),
        (types.VARCHAR, "null", None),
        (types.INT32, "", None),
        (types.VARCHAR, "", ""),
        (types.FLOAT64, "-0", "0.0"),
        (types.INT32, " 8", "8"),
    ],
)
def test_values_of_directories_are_read_as_duckdb_reads_them(
    tmp_path: Path, kind: Type, text: str, expected: str | None
) -> None:
    file = _adopt(tmp_path / f"p={text}" / "f.parquet", {"a": [1]}, _fields(a=types.INT64, p=kind))
    assert (file.column_stats["p"].min_value, file.column_stats["p"].null_count) == (expected, int(expected is None))


def test_a_directory_that_is_no_value_of_its_column_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"Unable to cast 'x' \(from hive partition column 'P'\) to: 'INTEGER'"):
        _adopt(tmp_path / "p=x" / "f.parquet", {"a": [1]}, _fields(a=types.INT64, p=types.INT32))
    nested = (*_fields(a=types.INT64), Field(ColumnId(2), "p", types.List(Field(ColumnId(3), "element", types.INT32))))
    with pytest.raises(InvalidInputError, match='Type "INTEGER\\[\\]" is not supported for hive partitioning'):
        _adopt(tmp_path / "p=1" / "f.parquet", {"a": [1]}, nested)


_KEYS = (PartitionKey("p"), PartitionKey("d", Transform.parse("year")), PartitionKey("a", Transform.parse("bucket(4)")))


@pytest.mark.parametrize(
    ("directory", "expected"),
    [
        ("p=7/year=2024/bucket=3", ("7", "2024", "3")),
        ("bucket=0/p=NULL/year=1999", (None, "1999", "0")),
        ("p=7/year=2024", None),
        ("p=7/year=2024/bucket=4", None),
        ("p=7/year=2024/bucket=-1", None),
        ("year=2024/bucket=3", None),
        ("p=7/year=2024/bucket=3/q=1", None),
    ],
)
def test_partition_values_come_from_directories_one_for_each_key(
    tmp_path: Path, directory: str, expected: tuple[str | None, ...] | None
) -> None:
    fields = _fields(a=types.INT64, p=types.INT32, d=types.DATE, q=types.INT32)
    held = {"a": [1], "p": pa.array([1], pa.int32()), "d": pa.nulls(1, pa.date32()), "q": pa.nulls(1, pa.int32())}
    path = tmp_path / directory / "f.parquet"
    if expected is None:
        with pytest.raises(
            InvalidInputError, match=r"contains an invalid partition value for the table configuration\."
        ):
            _adopt(path, held, fields, _KEYS)
    else:
        assert _adopt(path, held, fields, _KEYS).partition_values == expected


# ---- files that cannot be read ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"some text\n" * 9, None], ids=["empty", "text", "cut"])
def test_a_file_that_is_no_parquet_file_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "f.parquet"
    pq.write_table(pa.table({"a": [1]}), path)
    path.write_bytes(path.read_bytes()[:-9] if content is None else content)
    with pytest.raises(DataFileError, match=rf'Failed to add data files to DuckLake: File "{path}" is damaged'):
        adopt_files([str(path)], Adoption(AdoptionRules("t", _fields(a=types.INT64))))


def test_many_files_with_many_schemas_are_matched_each_to_its_own(tmp_path: Path) -> None:
    fields = _fields(a=types.INT64, b=types.INT64)
    paths = []
    for number in range(60):
        path = tmp_path / f"{number}.parquet"
        names = ["a", "b", f"x{number % 7}"]
        pq.write_table(
            pa.table([[number], [-number], [0]], [names[place] for place in ((0, 1, 2), (2, 1, 0))[number % 2]]), path
        )
        paths.append(str(path))
    found = adopt_files(paths, Adoption(AdoptionRules("t", fields, ignore_extra_columns=True)))
    assert [file.path for file in found] == paths
    ordered = [file.column_stats["a"].min_value for file in found]
    assert ordered == [str(number) if number % 2 == 0 else "0" for number in range(60)]
