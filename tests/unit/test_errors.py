"""Errors carry what to do about them as values, and each edge says it in its own words."""

import pickle
import traceback
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest

import forklake
from forklake import Lake
from forklake.cli.hints import on_command_line
from forklake.errors import (
    AlreadyExistsError,
    CatalogDroppedError,
    CommitUnknownError,
    ForklakeError,
    InvalidInputError,
    NotFoundError,
    in_python,
)
from forklake.model import hint as hints
from forklake.session.hints import in_sql

VALUES: list[Any] = [
    hints.ListCatalogs(),
    hints.ListCatalogs(prefix="it's"),
    hints.ListCatalogs(at=7),
    hints.ListCatalogs(at=datetime(2026, 1, 31, 12, tzinfo=UTC)),
    hints.ListSnapshots(),
    hints.ListTags(),
    hints.UndropCatalog(7),
    hints.RenewCatalog("it's"),
    hints.NameById(7),
    hints.AllowExisting(),
    hints.ForkAgain(),
    hints.SetDataPath(),
    hints.GiveMessage(),
    hints.CommitAgain("key 1"),
    hints.ChooseSide(),
    hints.LookAtDropped("main", "t", "Snapshot 9 dropped it.", 1),
    hints.LookAtDropped("it's", 'a "b".c', "Snapshot 9 dropped it.", 2),
    hints.UpgradeLake(),
    hints.ImportCatalog("it's.ducklake"),
    hints.ImportCatalog("postgres:dbname=x", "theirs"),
]


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    monkeypatch.chdir(tmp_path)
    return forklake.open("lake.db", data_path="data")


def test_every_hint_is_tried_here() -> None:
    assert {type(value) for value in VALUES} == set(get_args(hints.Hint))


@pytest.mark.parametrize("value", VALUES)
def test_each_edge_says_a_hint_in_its_own_words(value: Any) -> None:
    python, sql, shell = in_python(value), in_sql("my lake", value), on_command_line(value)
    assert len({python, sql, shell}) == 3
    assert not any(word in python for word in ("forklake catalog", "--", "ducklake_", ":="))
    assert not any(word in sql for word in ("forklake", "--", "=True", "lake.catalogs"))
    assert not any(word in shell for word in ("=True", ":=", "lake.catalogs", "()`"))


def test_what_hints_name_can_be_called(lake: Lake) -> None:
    mine = lake.create_catalog("my lake")
    mine.create_table("t", {"id": "BIGINT"})
    with mine.transaction() as txn:
        txn.schemas.create("it's")
        txn.create_table('a "b".c', {"id": "BIGINT"}, schema="it's")
    lake.create_catalog("it's")
    connection = forklake.connect()
    connection.sql("ATTACH 'ducklake:lake.db' AS \"my lake\" (CATALOG 'my lake')")
    names = {
        "lake": lake,
        "catalog": lake.catalog("my lake"),
        "datetime": datetime,
        "forklake": forklake,
        "url": "lake.db",
    }
    count = 0
    for value in VALUES:
        of_sql, of_python = (told.split("`")[1::2] for told in (in_sql("my lake", value), in_python(value)))
        for text in of_sql + of_python:
            if "..." in text or "import_catalog" in text:  # test_attach.py imports what a hint says
                continue
            gone = lake.create_catalog(f"gone {count}")
            gone.drop()
            said = text.replace("7)", f"{gone.catalog_id})") if "undrop" in text or "purge" in text else text
            if "set_commit_message" in said:
                said = f"BEGIN; {said}; ROLLBACK"
            connection.sql(said) if text in of_sql else eval(said, names)
            count += 1
    assert count > 12


def test_an_error_reads_as_its_message_and_its_hint(lake: Lake) -> None:
    with pytest.raises(NotFoundError) as caught:
        lake.catalog("nope")
    assert caught.value.message == 'Catalog "nope" does not exist.'
    assert str(caught.value) == (
        'Catalog "nope" does not exist.\nHint: `lake.catalogs()` lists the catalogs of the lake.'
    )
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert str(InvalidInputError("Wrong.")) == "Wrong."


def test_sql_says_hints_in_sql(lake: Lake) -> None:
    shop = lake.create_catalog("shop")
    shop.fork("agent")
    with pytest.raises(AlreadyExistsError, match="Hint: Use if_not_exists := true to return existing"):
        shop.sql("CALL ducklake_fork_catalog('shop', 'agent')")
    with pytest.raises(ForklakeError, match=r"Hint: `FROM ducklake_snapshots\('shop'\)` lists the versions"):
        shop.sql("CALL ducklake_fork_catalog('shop', 'other', at => 77)")


def test_the_edge_that_was_spoken_to_is_the_one_that_answers() -> None:
    error = NotFoundError("Gone.", hint=hints.ListSnapshots())
    error.tell_by(partial(in_sql, "shop"))
    error.tell_by(on_command_line)
    assert error.hint == in_sql("shop", hints.ListSnapshots())


@pytest.mark.parametrize(
    "error",
    [
        CatalogDroppedError("It is gone.", catalog_id=7, hint=hints.UndropCatalog(7)),
        CommitUnknownError("Who knows?", commit_key="key 1", hint="Look."),
    ],
)
def test_an_error_goes_to_another_process_with_all_that_it_knows(error: ForklakeError) -> None:
    error.tell_by(on_command_line)
    sent = pickle.loads(pickle.dumps(error))
    assert type(sent) is type(error)
    assert (str(sent), sent.args, vars(sent)) == (str(error), error.args, vars(error))


def test_a_plain_traceback_tells_the_hint_once() -> None:
    error = NotFoundError("No such catalog.", hint=hints.ListCatalogs())
    lines = "".join(traceback.format_exception(error)).splitlines()
    assert lines[-2:] == ["forklake.errors.NotFoundError: No such catalog.", f"Hint: {in_python(hints.ListCatalogs())}"]
    assert sum("Hint:" in line for line in lines) == 1


def test_who_wants_to_purge_is_not_told_to_bring_back(lake: Lake) -> None:
    for _ in range(2):
        lake.create_catalog("twice").drop()
    with pytest.raises(InvalidInputError) as refused:
        lake.purge("twice")
    assert "`lake.purge(" in (refused.value.hint or "")
    assert "ducklake_purge_catalog('my lake', 7)" in in_sql("my lake", hints.NameById(7))
