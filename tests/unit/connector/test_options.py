"""What the options of format forklake say, and which are refused."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from forklake.connector.source_options import Options, Use, parse_options
from forklake.errors import InvalidInputError

NAMED = {"lake": "lake.db", "catalog": "shop", "table": "orders"}
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
GUIDE = Path(__file__).parents[3] / "docs" / "guide" / "connector.md"


def parsed(use: Use, **options: str) -> Options:
    return parse_options({name.lower(): value for name, value in (NAMED | options).items()}, use)


@pytest.mark.parametrize("name", ["version", "versionAsOf", "snapshot-id"])
def test_a_snapshot_is_named_in_the_spelling_of_delta_and_of_iceberg_too(name: str) -> None:
    assert parsed(Use.READ, **{name: "7"}).source.version == 7


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("timestamp", "2026-01-31T12:00:00Z"),
        ("timestampAsOf", "2026-01-31 13:00:00+01:00"),
        ("as-of-timestamp", "1769860800000"),
    ],
)
def test_a_time_is_named_in_the_spelling_of_delta_and_of_iceberg_too(name: str, text: str) -> None:
    assert parsed(Use.READ, **{name: text}).source.timestamp == NOON


@pytest.mark.parametrize("use", [Use.READ, Use.STREAM])
@pytest.mark.parametrize("name", ["changes", "readChangeFeed", "readChangeData"])
def test_changes_are_asked_for_in_the_spelling_of_delta_too(use: Use, name: str) -> None:
    found = parsed(use, **{name: "true", "startingVersion": "EARLIEST"})
    assert (found.changes, found.start, found.is_feed) == (True, "earliest", True)


def test_changes_begin_and_end_at_a_snapshot_or_a_time() -> None:
    assert parsed(Use.STREAM, startingTimestamp="2026-01-31T12:00:00").start == NOON
    assert parsed(Use.STREAM, **{"stream-from-timestamp": "1769860800000"}).start == NOON
    found = parsed(Use.READ, startingVersion="3", endingTimestamp="2026-01-31T12:00:00Z")
    assert (found.start, found.end, found.changes) == (3, NOON, False)


@pytest.mark.parametrize(
    ("use", "options", "words", "hint"),
    [
        (Use.READ, {"versionAsOff": "1"}, 'has no option "versionasoff"; nothing was read', 'mean "versionAsOf"'),
        (Use.READ, {"branch": "x"}, 'has no option "branch"', "Options of a read: lake, catalog, table, version,"),
        (Use.READ, {"commit_key": "x"}, '"commit_key" is for a write, not for a read; nothing was read', "prune"),
        (Use.READ, {"stream-from-timestamp": "1"}, "is for a stream, not for a read", "startingTimestamp"),
        (Use.STREAM, {"versionAsOf": "1"}, '"versionAsOf" is for a read, not for a stream', "startingVersion"),
        (Use.STREAM, {"maxFilesPerTrigger": "1"}, 'no option "maxfilespertrigger"', "Options of a stream"),
        (Use.STREAM, {"endingVersion": "1"}, '"endingVersion" is for a read', "startingVersion"),
        (Use.WRITE, {"version": "1"}, '"version" is for a read, not for a write; nothing was written', "commit_key"),
        (Use.WRITE, {"mergeSchema": "true"}, 'no option "mergeschema"; nothing was written', "Options of a write"),
        (Use.WRITE, {"startingVersion": "1"}, "is for a read or a stream, not for a write", "commit_key"),
        (Use.WRITE, {"commitkey": "1"}, 'no option "commitkey"', 'mean "commit_key"'),
        (Use.READ, {"path": "/orders"}, "takes no path; nothing was read", '.option("table", name)'),
        (Use.READ, {"provider": "forklake"}, "CREATE TABLE", "CREATE TEMPORARY VIEW"),
    ],
)
def test_an_option_without_effect_is_refused_by_name(use: Use, options: dict[str, str], words: str, hint: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        parsed(use, **options)
    assert words in str(caught.value)
    assert hint in str(caught.value.hint)


@pytest.mark.parametrize(
    ("use", "options", "words"),
    [
        (Use.READ, {"version": "1", "timestampAsOf": "2026-01-01"}, "Cannot specify both VERSION and TIMESTAMP"),
        (Use.READ, {"version": "1", "snapshot-id": "1"}, '"version" and "snapshot-id" cannot both be given'),
        (Use.STREAM, {"startingVersion": "1", "startingTimestamp": "2026-01-01"}, "cannot both be given"),
        (Use.READ, {"startingVersion": "1", "version": "2"}, 'no "version" or "timestamp"'),
        (Use.READ, {"startingVersion": "1", "prune": "id = 1"}, '"prune" is for rows'),
        (Use.READ, {"endingVersion": "1"}, 'need the option "startingVersion"'),
        (Use.READ, {"changes": "true"}, 'need the option "startingVersion"'),
        (Use.READ, {"as-of-timestamp": "9" * 20}, "milliseconds since 1970"),
        (Use.READ, {"snapshot-id": "one"}, '"snapshot-id" is a whole number'),
        (Use.READ, {"timestampAsOf": "noon"}, '"timestampAsOf" is a time, not'),
        (Use.STREAM, {"readChangeFeed": "maybe"}, '"readChangeFeed" is true or false'),
    ],
)
def test_options_that_contradict_each_other_or_say_nothing_are_refused(
    use: Use, options: dict[str, str], words: str
) -> None:
    with pytest.raises(InvalidInputError, match=words):
        parsed(use, **options)


def test_every_option_is_in_the_guide() -> None:
    page = GUIDE.read_text(encoding="utf-8")
    for use in Use:
        with pytest.raises(InvalidInputError) as caught:
            parsed(use, x="")
        listed = str(caught.value.hint).partition(": ")[2].rstrip(".").split(", ")
        assert len(listed) >= 3
        assert [name for name in listed if f"`{name}`" not in page] == []
