"""UPDATE FROM and DELETE USING: merges where they can be, queries where they must be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from forklake.errors import ForklakeError, NotFoundError
from forklake.model import types
from forklake.model.field import Field
from forklake.model.ids import ColumnId
from forklake.model.predicate import Comparison
from forklake.model.scan import OWN_PLACES
from forklake.sql.parse import parse
from forklake.sql.relation import BoundQuery, Relation
from forklake.sql.rows.joined_rows import FoundRows, bind_joined
from forklake.sql.rows.row_statements import JoinedMerge
from forklake.sql.statements import Delete, Update
from tests.fields import named_field

T = (
    Field(ColumnId(1), "id", types.INT32),
    Field(ColumnId(2), "v", types.VARCHAR),
    named_field(ColumnId(3), "p", "struct", (Field(ColumnId(4), "a", types.INT32),)),
)
S = (
    Field(ColumnId(11), "id", types.INT64),
    Field(ColumnId(12), "w", types.VARCHAR),
    Field(ColumnId(13), "v2", types.VARCHAR),
)
VIRTUAL = (Field(None, "rowid", types.INT64), *(Field(None, name, kind) for name, kind in OWN_PLACES.items()))


class Tables:
    """The tables ``t`` and ``s``, and no more."""

    def relation(self, parts: tuple[str, ...], at: Any) -> Relation:
        columns = {"t": T, "s": S}.get(parts[-1].lower())
        if columns is None:
            raise NotFoundError(f"There is no {parts}.")
        return Relation(parts[-1], columns, parts[-1], VIRTUAL)

    def function(self, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]) -> None:
        return None

    def scalar(self, parts: tuple[str, ...], arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
        return NotImplemented

    def show_relation(self, statement: Any) -> Relation:
        raise NotImplementedError

    def computed_rows(self, bound: BoundQuery) -> list[tuple[Any, ...]]:
        raise NotImplementedError

    def known_relation(self, columns: tuple[Field, ...], rows: list[tuple[Any, ...]]) -> Relation:
        raise NotImplementedError

    def macro(self, parts: tuple[str, ...]) -> Sequence[Any]:
        return ()

    def variable(self, name: str) -> None:
        return None

    def setting(self, name: str) -> None:
        return None


def joined(text: str) -> JoinedMerge | FoundRows | None:
    (statement,) = parse(text)
    assert isinstance(statement, Update | Delete)
    return bind_joined(statement, "t", T, Tables())


@pytest.mark.parametrize(
    ("text", "keys", "columns"),
    [
        ("DELETE FROM t USING s WHERE t.id = s.id", ["id"], 1),
        ("DELETE FROM T AS x USING S AS y WHERE Y.ID = X.Id AND y.w = x.v", ["id", "v"], 2),
        ("UPDATE t SET v = w FROM s WHERE t.id = s.id", ["id"], 2),
        ("UPDATE t SET v = w FROM s WHERE t.id = s.id + 1 AND v = w", ["v"], 2),
        ("UPDATE t SET v = s.w FROM s AS r JOIN s ON r.id = s.id WHERE t.id = r.id", ["id"], 2),
        ("UPDATE t SET v = x.b FROM (SELECT id AS a, w AS b FROM s) AS x WHERE a = t.id", ["id"], 2),
        ("WITH x AS (SELECT 1 AS a) DELETE FROM t USING x, s WHERE x.a = t.id AND s.id = 7", ["id"], 2),
        ("DELETE FROM t USING s", [], 1),
        ("DELETE FROM t USING s WHERE t.p.a = s.id OR t.id = s.id", [], 1),
    ],
)
def test_tables_that_are_joined_are_the_source_of_a_merge(text: str, keys: list[str], columns: int) -> None:
    found = joined(text)
    assert isinstance(found, JoinedMerge)
    assert [ours for ours, _ in found.merge.keys] == keys
    assert [field.name for field in found.merge.source] == [f"c{number}" for number in range(columns)]
    assert [clause.side for clause in found.merge.clauses] == ["matched"]


def test_what_is_asked_of_the_joined_tables_alone_is_asked_of_these() -> None:
    found = joined("DELETE FROM t USING s WHERE t.id = s.id AND s.w = 'x' AND t.v = 'y'")
    assert isinstance(found, JoinedMerge)
    (scan,) = found.query.scans.values()
    assert scan.predicate == Comparison(ColumnId(12), types.VARCHAR, "=", "x")
    assert scan.columns == ("id", "w")
    assert "'x'" not in found.merge.on
    assert "'y'" in found.merge.on


def test_what_varies_from_row_to_row_is_asked_of_rows_that_match() -> None:
    found = joined("DELETE FROM t USING s WHERE t.id = s.id AND random() < 0.5 AND t.v <> uuid()::VARCHAR || s.w")
    assert isinstance(found, JoinedMerge)
    assert found.merge.keys == (("id", "c1"),)
    assert "rand()" not in found.merge.on
    (clause,) = found.merge.clauses
    assert clause.condition is not None
    assert "rand()" in clause.condition
    assert "uuid()" in clause.condition


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM t WHERE id IN (SELECT id FROM s)",
        "UPDATE t SET v = (SELECT max(w) FROM s) WHERE id = 4",
        "DELETE FROM t USING s WHERE t.rowid = s.id",
        "UPDATE t SET v = s.w FROM s WHERE list_contains(list_transform([1], x -> x + s.id), t.id)",
        "DELETE FROM t USING s WHERE p.a = s.id",
        "WITH x AS (SELECT 1) DELETE FROM t WHERE id = 4",
    ],
)
def test_all_else_is_one_query_that_finds_the_rows(text: str) -> None:
    found = joined(text)
    assert isinstance(found, FoundRows)
    scan = found.query.scans[found.scan]
    assert scan.relation.source == "t"
    assert set(OWN_PLACES) <= set(scan.columns)
    assert [field.name for field in found.query.columns[:3]] == list(OWN_PLACES)
    assert len(found.query.columns) == (6 if found.is_update else 3)
    if "id = 4" in text:
        assert scan.predicate == Comparison(ColumnId(1), types.INT32, "=", "4")


def test_a_row_may_decide_alone() -> None:
    assert joined("UPDATE t SET v = 'x' WHERE id = 4") is None
    assert joined("DELETE FROM t") is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("DELETE FROM t USING s WHERE id = 4", 'Ambiguous reference to column name "id"'),
        ("DELETE FROM t USING s WHERE t.id = s.nope", "nope"),
        ("DELETE FROM t USING s WHERE t.nope = s.id", "nope"),
        ("DELETE FROM t USING s WHERE t.id = x.id", "x"),
        ("UPDATE t SET nope = w FROM s", "Referenced update column nope not found"),
        ("UPDATE t SET v = w, V = '' FROM s", "Multiple assignments to same column"),
        ("WITH t AS (SELECT 1) UPDATE t SET v = w FROM s", "Can only update base table"),
        ("DELETE FROM t USING s AS t WHERE t.id = 1", "t"),
    ],
)
def test_names_that_mean_nothing_or_two_things_are_refused(text: str, message: str) -> None:
    with pytest.raises(ForklakeError, match=message):
        joined(text)
