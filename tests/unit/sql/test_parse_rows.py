"""Statements that change rows, read from text."""

from typing import Any

import pytest
from sqlglot import exp

from forklake.errors import InvalidInputError
from forklake.sql.parse import parse
from forklake.sql.statements import Delete, Insert, Merge, MergeAction, Truncate, Update


def one(text: str) -> Any:
    (statement,) = parse(text)
    return statement


def column(name: str) -> exp.Column:
    return exp.column(*reversed(name.split(".")))


@pytest.mark.parametrize(
    ("text", "columns", "by_name"),
    [
        ("INSERT INTO a.t VALUES (1, 'x')", (), False),
        ("INSERT INTO a.t BY NAME SELECT 1 AS i", (), True),
        ("INSERT INTO a.t BY POSITION FROM x", (), False),
        ('INSERT INTO a.t (i, "b;c") SELECT 1, 2', ("i", "b;c"), False),
        ("INSERT INTO a.t (SELECT 1)", (), False),
        ("INSERT INTO a.t (i) (SELECT 1)", ("i",), False),
        ("INSERT INTO a.t AS u TABLE x", (), False),
        ("INSERT INTO a.t WITH x AS (SELECT 1) FROM x", (), False),
        ("WITH x AS (SELECT 1) INSERT INTO a.t FROM x", (), False),
    ],
)
def test_rows_of_a_query_are_inserted(text: str, columns: tuple[str, ...], by_name: bool) -> None:
    insert = one(text)
    assert isinstance(insert, Insert)
    assert (insert.table, insert.columns, insert.by_name) == (("a", "t"), columns, by_name)
    assert isinstance(insert.query, exp.Query)
    assert bool(insert.query.args.get("with_")) == ("WITH" in text)


def test_insert_without_values_takes_the_defaults() -> None:
    assert one("INSERT INTO t DEFAULT VALUES") == Insert(("t",), None)
    values = one("INSERT INTO t VALUES (1, DEFAULT), (DEFAULT, 2)").query.args["from_"].this
    assert isinstance(values, exp.Values)
    assert [[type(cell) for cell in row.expressions] for row in values.expressions] == [
        [exp.Literal, exp.Var],
        [exp.Var, exp.Literal],
    ]


def test_update_says_what_columns_become() -> None:
    update = one("UPDATE a.t AS x SET i = x.i + 1, (b, c) = (DEFAULT, 2) FROM u JOIN v USING (k), w WHERE x.i = u.i")
    assert isinstance(update, Update)
    assert (update.table, update.alias) == (("a", "t"), "x")
    assert [name for name, _ in update.assignments] == ["i", "b", "c"]
    assert [type(value) for _, value in update.assignments] == [exp.Add, exp.Var, exp.Literal]
    assert [source.name for source in update.sources] == ["u", "w"]
    assert isinstance(update.where, exp.EQ)
    compared = one("UPDATE t SET a = b IS DISTINCT FROM c FROM u")
    assert isinstance(compared.assignments[0][1], exp.NullSafeNEQ)
    assert [source.name for source in compared.sources] == ["u"]


def test_delete_names_what_it_compares_with() -> None:
    delete = one("WITH q AS (SELECT 1 AS i) DELETE FROM t x USING q, (VALUES (1)) v(j) WHERE x.i = q.i")
    assert isinstance(delete, Delete)
    assert (delete.table, delete.alias, len(delete.sources)) == (("t",), "x", 2)
    assert isinstance(delete.sources[1], exp.Values)
    assert delete.with_ is not None
    assert one("DELETE FROM t") == Delete(("t",), None)
    assert one("TRUNCATE TABLE a.t") == one("TRUNCATE a.t") == Truncate(("a", "t"))


def test_merge_has_all_its_clauses() -> None:
    merge = one(
        """MERGE INTO a.t AS x USING (SELECT 1 AS i) s ON x.i = s.i
        WHEN MATCHED AND s.gone THEN DELETE
        WHEN MATCHED THEN UPDATE SET v = s.v, w = DEFAULT
        WHEN NOT MATCHED BY TARGET AND s.i > 3 THEN INSERT (i, v) VALUES (s.i, DEFAULT)
        WHEN NOT MATCHED THEN INSERT VALUES (s.i)
        WHEN NOT MATCHED BY SOURCE THEN DO NOTHING"""
    )
    assert isinstance(merge, Merge)
    assert (merge.table, merge.alias, merge.using) == (("a", "t"), "x", ())
    assert isinstance(merge.on, exp.EQ)
    default = exp.var("DEFAULT")
    three = exp.Literal.number(3)
    assert merge.actions == (
        MergeAction("matched", "delete", column("s.gone")),
        MergeAction("matched", "update", None, (("v", column("s.v")), ("w", default))),
        MergeAction(
            "not matched",
            "insert",
            exp.GT(this=column("s.i"), expression=three),
            (("i", column("s.i")), ("v", default)),
        ),
        MergeAction("not matched", "insert", values=(column("s.i"),)),
        MergeAction("not matched by source", "do nothing"),
    )


@pytest.mark.parametrize(
    ("clause", "action"),
    [
        ("MATCHED THEN UPDATE", MergeAction("matched", "update")),
        ("MATCHED THEN UPDATE SET *", MergeAction("matched", "update")),
        ("MATCHED THEN UPDATE BY NAME", MergeAction("matched", "update", by_name=True)),
        ("NOT MATCHED THEN INSERT", MergeAction("not matched", "insert")),
        ("NOT MATCHED THEN INSERT *", MergeAction("not matched", "insert")),
        ("NOT MATCHED THEN INSERT BY NAME", MergeAction("not matched", "insert", by_name=True)),
        ("NOT MATCHED THEN INSERT BY NAME *", MergeAction("not matched", "insert", by_name=True)),
        ("MATCHED THEN ERROR", MergeAction("matched", "error")),
        ("MATCHED THEN ERROR 'x'", MergeAction("matched", "error", message=exp.Literal.string("x"))),
    ],
)
def test_merge_may_leave_columns_out(clause: str, action: MergeAction) -> None:
    merge = one(f"MERGE INTO t USING s USING (i, k) WHEN {clause}")
    assert (merge.using, merge.on, merge.actions) == (("i", "k"), None, (action,))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "INSERT INTO t VALUES (1) RETURNING a",
            "RETURNING clause not yet supported for insertion into DuckLake table",
        ),
        ("INSERT INTO t SELECT 1 FROM x RETURNING *", "RETURNING clause not yet supported"),
        ("UPDATE t SET a = 1 RETURNING a", "RETURNING clause not yet supported for updates of a DuckLake table"),
        ("DELETE FROM t RETURNING a", "RETURNING clause not yet supported for deletion of a DuckLake table"),
        ("INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING", "ON CONFLICT clause not yet supported"),
        ("INSERT OR REPLACE INTO t VALUES (1)", "ON CONFLICT clause not yet supported"),
        ("INSERT INTO t BY NAME (a) SELECT 1", "INSERT BY NAME cannot be combined with an explicit column list"),
        ("INSERT INTO t BY NAME VALUES (1)", "INSERT BY NAME can only be used when inserting from a SELECT"),
        ("UPDATE t SET s.x = 1", "Qualified column names in UPDATE .. SET not supported"),
        ("UPDATE t SET (a, b) = (1, 2, 3)", "expected 2 values, got 3"),
        ("MERGE INTO t USING s ON true WHEN NOT MATCHED BY SOURCE THEN INSERT", "INSERT is only possible"),
        ("MERGE INTO t USING s ON true", "syntax error at end of input"),
        ("INSERT INTO t VALUES (1) x", 'syntax error at or near "x"'),
        ("INSERT INTO t VALUES (1, , 2)", 'syntax error at or near ","'),
        ("INSERT INTO t VALUES (1), ( , 2)", 'syntax error at or near ","'),
        ("INSERT INTO t VALUES ('a' 'b')", "syntax error at or near \"'b'\""),
        ("INSERT INTO t SET a = 1", 'syntax error at or near "SET"'),
        ("INSERT INTO t (a) DEFAULT VALUES", 'syntax error at or near "DEFAULT"'),
        ("INSERT INTO t () VALUES (1)", 'syntax error at or near "\\)"'),
        ("UPDATE t", "syntax error at end of input"),
        ("DELETE t", 'syntax error at or near "t"'),
    ],
)
def test_what_cannot_be_done_to_rows_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        parse(text)
