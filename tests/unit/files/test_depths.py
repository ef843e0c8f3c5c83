"""How deeply JSON and variants are nested, beside what Python and DuckDB make of them."""

import json
import random
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from forklake.duck import json_depth
from forklake.duck.databases import closed_cursor
from forklake.duck.json_depth import MOST_LEVELS, DepthOfJson, is_shallow
from forklake.errors import InvalidInputError
from forklake.files.arrow import variants
from forklake.files.arrow.type_names import check_levels
from forklake.files.arrow.variant_depth import check_depth
from forklake.model import types

_TEXTS = ("[", "]]", '{"', "\\", '\\\\"', "a\nb[[", '"', "")
_NAMES = ("a", "[", "{", "\\", ']"')


def depth_of(value: Any) -> int:
    """Return how many lists and objects a value is nested in, itself included."""
    parts = list(value.values()) if isinstance(value, dict) else value
    return 1 + max(map(depth_of, parts), default=0) if isinstance(value, (dict, list)) else 0


def random_value(chance: random.Random, levels: int) -> Any:
    kind = chance.random()
    if levels <= 0 or kind < 0.3:
        return chance.choice([1, None, *_TEXTS])
    count = chance.randrange(4)
    if kind < 0.65:
        return [random_value(chance, levels - 1) for _ in range(count)]
    return {f"{chance.choice(_NAMES)}{i}": random_value(chance, levels - 1) for i in range(count)}


def test_the_depth_of_lines_of_json_is_that_of_the_deepest_however_they_are_cut(monkeypatch: Any) -> None:
    monkeypatch.setattr(json_depth, "MOST_LEVELS", 0)  # near to which it is exact
    chance = random.Random(25)
    for _ in range(2_000):
        values = [random_value(chance, chance.randrange(9)) for _ in range(chance.randrange(1, 4))]
        text = "\n".join(json.dumps(one, indent=chance.choice([None, 1])) for one in values).encode()
        found, place = DepthOfJson(), 0
        while place < len(text):
            size = chance.randrange(1, 30)
            found.read(text[place : place + size])
            place += size
        assert found.levels == max(map(depth_of, values)), text


@pytest.mark.parametrize(
    "before", ["", '"\n', "]]]\n", '"a\\\n', "]" * 2_000], ids=["", "text", "closed", "escape", "many"]
)
def test_what_stands_before_a_document_does_not_hide_its_depth(before: str) -> None:
    assert not is_shallow(before + "[" * (MOST_LEVELS + 1) + "]" * (MOST_LEVELS + 1))


def test_brackets_in_texts_are_no_levels() -> None:
    assert is_shallow(json.dumps(["[" * 2_000] * 3))
    assert is_shallow(json.dumps({'\\"' + "{" * 2_000: "\\"}))


def test_depth_up_to_the_most_is_read_and_one_more_is_not() -> None:
    deepest = "[" * MOST_LEVELS + "]" * MOST_LEVELS
    with closed_cursor(json_depth.SHALLOW) as cursor:
        ask = "SELECT variant_typeof(shallow_json($1::JSON)::VARIANT), shallow_json_or_null($1) IS NULL"
        assert cursor.execute(ask, [deepest]).fetchall() == [("ARRAY(1)", False)]
        assert cursor.execute("SELECT shallow_json_or_null($1)", [f"[{deepest}]"]).fetchall() == [(None,)]
        with pytest.raises(duckdb.InvalidInputException, match="500 levels"):
            cursor.execute(ask, [f"[{deepest}]"])


def test_the_depth_of_variants_is_that_of_their_values() -> None:
    chance = random.Random(26)
    values = [random_value(chance, 8) for _ in range(200)]
    values += [[chance.choice([0, "x" * 300])] * chance.randrange(400) for _ in range(20)]
    for value, levels in [
        *((one, 0) for one in values),
        (values, MOST_LEVELS),
        (values, MOST_LEVELS - depth_of(values)),
    ]:
        text = "[" * levels + json.dumps(value) + "]" * levels
        with closed_cursor(json_depth.SHALLOW) as cursor:
            rows = cursor.execute("SELECT variant_to_parquet_variant($1::JSON::VARIANT) AS v", [text]).to_arrow_table()
        (column,) = [chunk.field("value") for chunk in rows.column("v").chunks]
        if depth_of(value) + levels > MOST_LEVELS:
            with pytest.raises(InvalidInputError, match="500 levels"):
                check_depth(column)
        else:
            check_depth(column)


def test_columns_of_arrow_are_nested_as_deeply_as_pyarrow_reads_files() -> None:
    for make, step in (
        (pa.list_, 2),
        (lambda kind: pa.struct([("a", kind)]), 1),
        (lambda kind: pa.map_(kind, kind), 2),
    ):
        kind, levels = pa.int32(), 0
        while levels + step <= (types.MAX_LEVELS if step == 1 or make is pa.list_ else 12):
            kind, levels = make(kind), levels + step
        check_levels(pa.schema([("c", kind)]))
        if levels == types.MAX_LEVELS:
            with pytest.raises(InvalidInputError, match='"c" is nested more than 98 levels'):
                check_levels(pa.schema([("c", make(kind))]))


@pytest.mark.parametrize(
    ("inner", "levels"), [("{}", 600), ("{{'a': {}, 'b': i}}", 600), ("[{}, 1]", 600), ("{}", 400)]
)
def test_parts_of_variants_that_files_do_not_shred_are_looked_at_before_duckdb_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inner: str, levels: int
) -> None:
    path = tmp_path / "variants.parquet"
    deep = f"(repeat('[', {levels}) || '1' || repeat(']', {levels}))::JSON"
    rows = f"SELECT CASE i WHEN 7 THEN {inner.format(deep)}::VARIANT ELSE {inner.format('i')}::VARIANT END AS v"
    duckdb.execute(f"COPY ({rows} FROM range(1000) t(i)) TO '{path}'")
    asked: list[str] = []

    def note(text: str) -> str:
        asked.append(text)
        return text

    monkeypatch.setattr(variants, "as_pattern", note)
    if levels > MOST_LEVELS:
        with pytest.raises(InvalidInputError, match="500 levels"):
            variants.read_variants(str(path), ["v"])
        assert asked == []
    else:
        assert len(variants.read_variants(str(path), ["v"])["v"]) == 1000
