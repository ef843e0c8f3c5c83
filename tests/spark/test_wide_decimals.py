"""Exact numbers that no decimal holds together compare exactly."""

import operator
from collections.abc import Iterator
from decimal import Decimal, localcontext
from pathlib import Path
from random import Random

import pytest
from pyspark.sql import SparkSession

import forklake
from forklake import Connection, Lake

_TYPES = {
    "a": "DECIMAL(38,2)",
    "b": "DECIMAL(38,30)",
    "c": "DECIMAL(38,37)",
    "d": "BIGINT",
    "e": "HUGEINT",
    "f": "DECIMAL(38,36)",
}
_OPERATORS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}


def _rows() -> list[tuple[Decimal | int | None, ...]]:
    """Return numbers that are near each other, so that the last of their digits decides."""
    random, rows = Random(11), list[tuple[Decimal | int | None, ...]]()
    with localcontext(prec=60):
        for _ in range(120):
            near = Decimal(random.choice([-3, -1, 0, 0, 1, 2, 7])) + Decimal(random.choice([0, 0, 1, 50, 99])) / 100
            hair = random.choice([0, 0, 1, -1]) * Decimal(1).scaleb(-random.choice([2, 3, 30]))
            row: list[Decimal | int | None] = [
                near,
                near + hair,
                max(min(near + hair, Decimal(9)), Decimal(-9)),
                int(near),
                int(near),
                near + hair,
            ]
            rows.append(tuple(None if random.random() < 0.05 else value for value in row))
        rows.append((Decimal(10) ** 35, Decimal(10) ** 7, Decimal(9), 2**62, 10**37, Decimal(99)))
        rows.append((-(Decimal(10) ** 35), -(Decimal(10) ** 7), Decimal(-9), -(2**62), -(10**37), Decimal(-99)))
    return rows


@pytest.fixture
def session(tmp_path: Path, spark: SparkSession) -> Iterator[Connection]:
    with Lake(f"sqlite:{tmp_path / 'lake.db'}", data_path=tmp_path / "data", spark=spark) as lake:
        lake.create_catalog("shop")
        with forklake.connect(spark) as session:
            session.sql(f"ATTACH 'ducklake:sqlite:{tmp_path / 'lake.db'}' AS shop (CATALOG 'shop'); USE shop")
            session.sql("SET engine = 'spark'")
            yield session


def test_wide_numbers_compare_as_exact_ones_of_python_do(session: Connection) -> None:
    columns = ", ".join(f"{name} {kind}" for name, kind in _TYPES.items())
    rows = _rows()
    texts = [", ".join("NULL" if one is None else f"{one:f}" for one in row) for row in rows]
    session.sql(f"CREATE TABLE numbers (id BIGINT, {columns})")
    session.sql(f"INSERT INTO numbers VALUES {', '.join(f'({number}, {text})' for number, text in enumerate(texts))}")
    pairs = [(one, other) for one in range(len(_TYPES)) for other in range(len(_TYPES)) if one != other]
    names = list(_TYPES)
    asked = ", ".join(f"{names[one]} {name} {names[other]}" for one, other in pairs for name in _OPERATORS)
    found = session.sql(f"SELECT {asked} FROM numbers ORDER BY id")
    assert found is not None
    with localcontext(prec=80):
        expected = [
            tuple(
                None if row[one] is None or row[other] is None else compare(Decimal(row[one]), Decimal(row[other]))  # type: ignore[arg-type]
                for one, other in pairs
                for compare in _OPERATORS.values()
            )
            for row in rows
        ]
    assert found.fetchall() == expected


def test_a_wide_subquery_is_computed_once(session: Connection) -> None:
    session.sql("CREATE TABLE sales (id BIGINT, price DECIMAL(15,2))")
    session.sql("INSERT INTO sales VALUES (1, 10.00), (2, 0.01), (2, 0.01)")
    query = "SELECT id FROM sales GROUP BY id HAVING sum(price) > (SELECT sum(price) * 0.0010000000 FROM sales)"
    found = session.sql(query)
    assert found is not None
    assert found.fetchall() == [(1,), (2,)]
    plan = session.sql(f"EXPLAIN {query}")
    assert plan is not None
    assert "struct(" not in str(plan.fetchall())
