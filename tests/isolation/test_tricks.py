"""No trick of a confined session reaches another tenant: rows, names, files, lives. No Spark.

`make test` plays a part of the large families by chance, `make soak` all of them. FORKLAKE_SEED has other parts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import forklake
from forklake import Settings
from forklake.errors import ForklakeError, InternalError
from forklake.session import functions
from tests.isolation.calls import ARGUMENTS, calls_of
from tests.isolation.paths import READS
from tests.isolation.play import play
from tests.isolation.tricks import CHANGES, FAMILIES, GRIDS, LEFT, LEFT_BODIES, ORACLES, USES, calls, each
from tests.isolation.world import AUTHOR, VALUES, World, attempt, is_refused

SEED = int(os.environ.get("FORKLAKE_SEED", "7"))


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    directory = tmp_path_factory.mktemp("world")
    store = directory / "lake.db"
    with forklake.open(str(store), data_path=directory / "files", settings=Settings(engine="local")) as lake:
        yield World.make(lake, directory, store)


@pytest.fixture(autouse=True)
def _in_its_directory(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(world.directory)


OPEN_TO_ALL = ("{out}/*", "{file}", "{out}/canary-name.csv", "{out}/canary-name.json", "{theirs}/**/*.parquet")
"""Paths that a session finds which is not confined, and nothing beside them."""


# ---- reach -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("other", ["moneybox", "depot"])
@pytest.mark.parametrize("family", FAMILIES)
def test_no_trick_reaches_another_tenant(world: World, family: str, other: str) -> None:
    play(world, FAMILIES[family], world.session, other=other)


@pytest.mark.parametrize("family", GRIDS)
def test_no_trick_of_a_large_family_reaches_another_tenant(world: World, family: str) -> None:
    play(world, GRIDS[family].some(Random(SEED)), world.session)


def test_no_catalog_function_reaches_another_tenant(world: World) -> None:
    play(world, calls(Random(SEED)), world.session)


@pytest.mark.soak
@pytest.mark.parametrize("other", ["moneybox", "depot"])
@pytest.mark.parametrize("family", GRIDS)
def test_none_of_all_tricks_reaches_another_tenant(world: World, family: str, other: str) -> None:
    play(world, GRIDS[family].all(), world.session, other=other)


@pytest.mark.soak
@pytest.mark.parametrize("other", ["moneybox", "depot"])
def test_none_of_all_calls_of_functions_reaches_another_tenant(world: World, other: str) -> None:
    play(world, calls(), world.session, other=other)


def test_every_catalog_function_is_tried_with_arguments_of_all_its_types() -> None:
    for name in functions.FUNCTIONS:
        assert len(calls_of(name)) > 3, name
    kinds = {
        kind
        for function in functions.FUNCTIONS.values()
        for signature in function.signatures
        for given in (signature.positional, signature.optional, signature.named)
        for kind in given.values()
    }
    assert kinds <= set(ARGUMENTS), "say in calls.py what arguments of the new type are tried with"


# ---- what was given to read ------------------------------------------------------------------------------------------


def test_what_was_given_to_read_or_at_a_snapshot_does_not_change(world: World) -> None:
    count, refused = play(world, CHANGES, world.reader, keeps_guest=True)
    assert refused > 0.9 * count


# ---- what a guest leaves for others to use ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["upper", "count", "sum", "now", "trap"])
def test_what_a_guest_stores_reaches_no_further_when_the_owner_uses_it(world: World, name: str) -> None:
    for body in LEFT_BODIES:
        guest = world.new_guest()
        with world.session(guest) as session:
            # Under an alias of its own the text is one that the guest may store.
            attempt(
                session,
                f"CREATE TABLE ledger (i INTEGER, s VARCHAR); ATTACH 'ducklake:' AS moneybox (CATALOG '{guest.name}')",
            )
            for text in LEFT:
                attempt(session, world.fill(text.replace("{name}", name).replace("{body}", body), guest.name))
        before = world.state()
        with world.lake.connect([guest.name, "moneybox", "depot"]) as owner:
            for text in USES:
                said = world.fill(text.replace("{name}", name), guest.name)
                told = attempt(owner, said)
                assert [one for one in world.leaks(told, said) if one in VALUES] == [], (body, said, told[:1000])
        assert world.state() == before, body
        with world.session(guest) as session:
            told = attempt(session, "FROM t; FROM its; FROM taken")
            assert [one for one in world.leaks(told, "") if one in VALUES] == [], (body, told)


# ---- existence -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ORACLES)
def test_what_is_there_is_answered_as_what_is_not(world: World, what: str) -> None:
    things, forms = ORACLES[what]
    answers: list[list[str]] = [[], []]
    for thing, told in zip(things, answers, strict=True):
        for start in range(0, len(forms), 20):
            guest = world.new_guest()
            own, name = world.place(guest.name), world.fill(thing, guest.name)
            with world.session(guest) as session:
                for form in each(forms[start : start + 20], [thing]):
                    answer = attempt(session, world.fill(form, guest.name)).replace(name, "?")
                    answer = answer.replace(os.path.normpath(name), "?")
                    # What a text is cut to depends on its length.
                    answer = answer.partition("\n\nLINE")[0]
                    told.append(answer.replace(own, "own").replace(guest.name, "guest"))
    assert [found for found in zip(forms, *answers, strict=True) if found[1] != found[2]] == []


# ---- the suite itself ------------------------------------------------------------------------------------------------


def test_the_tricks_tell_a_session_that_is_not_confined_what_they_must_not_tell(tmp_path: Path) -> None:
    store = tmp_path / "lake.db"
    with forklake.open(str(store), data_path=tmp_path / "files", settings=Settings(engine="local")) as lake:
        world = World.make(lake, tmp_path, store)
        guest = world.new_guest()
        texts = (*GRIDS["names"].some(Random(SEED)), *FAMILIES["listings"], *each(READS, OPEN_TO_ALL))
        reading = [text for text in texts if text.startswith(("FROM", "SELECT", "TABLE", "WITH", "SHOW", "DESCRIBE"))]
        found = 0
        with guest.session() as session:
            session.sql("SET engine = 'local'")
            for text in reading:
                said = world.fill(text, guest.name)
                found += bool(world.leaks(_attempt(session, said), said))
        assert found > 50


def _attempt(session: forklake.Connection, text: str) -> str:
    """Return what a text tells in a session that reaches everything, and so files that are none."""
    try:
        return attempt(session, text)
    except (InternalError, ForklakeError, OSError) as error:
        return str(error)


def test_harm_is_seen(world: World) -> None:
    guest = world.new_guest()
    harms: dict[str, Any] = {
        "a row": lambda: world.lake.catalog("moneybox").sql("INSERT INTO ledger VALUES (3, 'x')"),
        "a tag": lambda: world.lake.catalog("depot").tag("harm"),
        "an option": lambda: world.lake.options.set("target_file_size", "1MB"),
        "a catalog": lambda: world.lake.create_catalog("guest-of-nobody"),
        "a file": lambda: (world.directory / "outside" / "new.txt").write_text("x"),
        "other bytes": lambda: (world.directory / "outside" / "new.txt").write_text("y"),
        "a lost file": (world.directory / "outside" / "new.txt").unlink,
    }
    for name, harm in harms.items():
        before, glance = world.state(), world.glance()
        harm()
        assert world.state() != before, name
        assert name == "other bytes" or world.glance() != glance, name
    before = world.state()
    with world.session(guest) as session:
        newest = world.newest_snapshot()
        session.sql("INSERT INTO t VALUES (9, 'x'); CREATE FORK \"guest-own\" FROM " + guest.name)
        assert not is_refused(attempt(session, "FROM t"))
        assert world.state() == before
        assert world.state(guest) != before
        assert world.authors_since(newest) == {AUTHOR}
    guest.sql("INSERT INTO t VALUES (9, 'x')")
    assert world.authors_since(newest) == {AUTHOR, None}
