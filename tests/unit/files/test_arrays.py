"""Arrays that are made of buffers, beside those that PyArrow makes."""

from __future__ import annotations

import math
import random
import subprocess
import sys
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from forklake.files.arrow.arrays import number_array, numbers_of, repeat, value_array

INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
VALUES: dict[pa.DataType, list[Any]] = {
    **{kind: [0, 1, 2**kind.bit_width - 1, 2 ** (kind.bit_width - 1) - 1, -1, True, 1.5, "1"] for kind in INTEGERS},
    pa.float64(): [0.0, -0.0, 1.5, math.inf, -math.inf, math.nan, 1e300, 3, "1"],
    pa.float32(): [0.0, -0.0, 1.5, 0.1, math.inf, math.nan, 1e300, 3],
    pa.bool_(): [True, False, 1],
    pa.string(): ["", "a", "ü", "日本", "\x00", b"a", 1, "\ud800"],
    pa.binary(): [b"", b"a", b"\x00\xff", "ü", 1],
    pa.binary(3): [b"abc", b"\x00\x00\x00", b"ab", "abc"],
    pa.decimal128(10, 2): [Decimal(text) for text in ("0", "-1.25", "99999999.99", "1E2", "0.001", "1E9", "NaN")],
    pa.decimal128(38, 0): [Decimal(10**38 - 1), Decimal(1 - 10**38), Decimal(10**38), 5],
    pa.list_(pa.int64()): [[1], []],
    pa.date32(): [1],
}


def outcome(make: Any, values: list[Any], kind: pa.DataType) -> tuple[str, object]:
    try:
        made = make(values, kind)
    except (ArithmeticError, TypeError, ValueError, pa.ArrowException) as error:
        return type(error).__name__, str(error)
    made.validate(full=True)
    return str(made.type), repr(made.to_pylist())


@pytest.mark.parametrize("kind", VALUES, ids=str)
def test_values_become_what_pyarrow_makes_of_them(kind: pa.DataType) -> None:
    chance = random.Random(str(kind))
    for value in VALUES[kind]:
        assert outcome(value_array, [value], kind) == outcome(pa.array, [value], kind), value
    for _ in range(200):
        values = [
            chance.choice([None, *VALUES[kind][: chance.randint(1, len(VALUES[kind]))]])
            for _ in range(chance.randint(0, 20))
        ]
        assert outcome(value_array, values, kind) == outcome(pa.array, values, kind), values


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8, np.float64, np.bool_])
def test_numbers_go_there_and_back(kind: Any) -> None:
    for count in (0, 1, 7, 8, 9, 1000):
        numbers = np.random.default_rng(count).integers(0, 2, count).astype(kind)
        array = number_array(numbers)
        assert array.equals(pa.array(numbers))
        array.validate(full=True)
        assert numbers_of(array).tolist() == numbers.tolist()
        assert numbers_of(array.slice(count // 3, 5)).tolist() == numbers[count // 3 :][:5].tolist()
        assert numbers_of(pa.chunked_array([array, array])).tolist() == [*numbers, *numbers]
        assert number_array(numbers[::2]).to_pylist() == numbers[::2].tolist()


def test_a_value_is_repeated() -> None:
    for value, kind in (("a", pa.string()), (None, pa.int64()), (Decimal(3), pa.decimal128(20, 0))):
        assert repeat(value, kind, 3).equals(pa.array([value] * 3, kind))
        assert repeat(value, kind, 0).equals(pa.array([], kind))


def test_no_array_brings_pandas() -> None:
    script = """
import sys
from decimal import Decimal
import numpy as np, pyarrow as pa
from forklake.files.arrow.arrays import number_array, numbers_of, repeat, value_array
for value, kind in ((1, pa.int64()), (1.5, pa.float32()), ("a", pa.string()), (b"a", pa.binary()), (True, pa.bool_()),
                    (Decimal("1.5"), pa.decimal128(9, 2)), (b"abc", pa.binary(3))):
    assert value_array([None, value], kind).to_pylist() == [None, value]
    assert len(repeat(value, kind, 3)) == 3
assert numbers_of(number_array(np.arange(3))).tolist() == [0, 1, 2]
assert numbers_of(number_array(np.arange(3) > 1)).tolist() == [False, False, True]
assert "pandas" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True, timeout=120)
