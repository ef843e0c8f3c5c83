"""Files with variants: the options of their table count."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from forklake.files.arrow.schema import VARIANT_TYPE, arrow_schema
from forklake.files.arrow.variants import python_variants, read_variants
from forklake.files.parquet.parquet_writer import write_files
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.option_rules import COMPRESSIONS
from forklake.model.write import WriteOptions, WriteTarget

METADATA = b"\x01\x00\x00"
PLAIN = WriteOptions()


def encode(text: str) -> dict[str, bytes]:
    """Return a short text as a variant, in the encoding of Parquet."""
    data = text.encode()
    return {"value": bytes([len(data) << 2 | 1]) + data, "metadata": METADATA}


def write(
    directory: Path, texts: list[str], options: WriteOptions = PLAIN, first: str = "n", batch_rows: int = 1000
) -> list[Path]:
    """Write numbered texts as variants; return the files."""
    fields = (Field(ColumnId(1), first, types.INT64), Field(ColumnId(2), "v", types.VARIANT))
    schema = arrow_schema(fields)
    values = pa.array([encode(text) for text in texts], VARIANT_TYPE)
    rows = pa.table([pa.array(range(len(texts)), pa.int64()), values], schema=schema)
    target = WriteTarget("t", f"{directory}/", fields, options=options)
    return [directory / file.path for file in write_files(rows.to_batches(batch_rows), target, schema)]


def read(path: Path) -> list[object]:
    values = read_variants(str(path), ["v"])["v"].to_pylist()
    return python_variants([(one["value"], one["metadata"]) for one in values])


@pytest.mark.parametrize("name", ["file_row_number", "filename", "value"])
def test_a_column_beside_a_variant_may_have_any_name(tmp_path: Path, name: str) -> None:
    (path,) = write(tmp_path, ["b", "a", "c"], first=name)
    assert read(path) == ["b", "a", "c"]


@pytest.mark.parametrize("name", ["v=1", "a[1]", "b*c", "it's"])
def test_a_file_with_variants_may_lie_in_any_directory(tmp_path: Path, name: str) -> None:
    (path,) = write(tmp_path / name, ["b", "a"])
    assert read(path) == ["b", "a"]


@pytest.mark.parametrize("compression", sorted(COMPRESSIONS))
def test_a_file_with_variants_is_packed_as_the_table_says(tmp_path: Path, compression: str) -> None:
    (path,) = write(tmp_path, ["a"], WriteOptions(parquet_compression=compression, parquet_compression_level=9))
    found = pq.read_metadata(path).row_group(0).column(0).compression
    assert found.lower() == compression.removesuffix("_raw")
    assert read(path) == ["a"]


def test_rows_with_variants_go_into_files_and_row_groups_of_the_wanted_size(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(20_000)]
    grouped = write(tmp_path / "groups", texts, WriteOptions(parquet_row_group_size=5_000))
    assert [pq.read_metadata(path).num_row_groups for path in grouped] == [4]
    files = write(tmp_path / "files", texts, WriteOptions(target_file_size=100_000, parquet_row_group_size=2_000))
    assert len(files) > 2
    assert [text for path in files for text in read(path)] == texts
