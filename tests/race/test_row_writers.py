"""Processes that write rows of one table at the same time: nothing is lost, doubled or left over."""

import random
from collections import Counter
from dataclasses import dataclass, field

import pytest

from forklake import Lake, RetryPolicy, Settings
from forklake.errors import CommitConflictError
from tests.lakes import LakeFactory
from tests.race.processes import SECONDS, Job, race, turns
from tests.race.rows import change, fill, rows_of, stray_files
from tests.rows.arrow_hands import TABLE
from tests.rows.conditions import Assigned, Compared
from tests.rows.operations import Delete, Merge, Update

EAGER = Settings(retry=RetryPolicy(max_retry_count=200, wait_seconds=0.002, backoff=1.0))
WRITERS = 3
ROWS = 60


@dataclass
class Diary:
    """What a writer was told that it has done."""

    appended: list[int] = field(default_factory=list)
    deleted: list[int] = field(default_factory=list)
    raised: Counter[int] = field(default_factory=Counter)
    conflicts: int = 0


def write(url: str, number: int, seconds: float) -> Diary:
    """Append, delete and update until the end; rows that are deleted are one's own, rows that are updated anybody's."""
    diary, choose = Diary(), random.Random(number)
    mine = [key for key in range(ROWS // 2) if key % WRITERS == number]
    with Lake(url, settings=EAGER) as lake:
        shop = lake.catalog("shop")
        for turn in turns(seconds):
            # One of each first, however slow the machine is.
            kind = (0.0, 0.5, 1.0)[turn] if turn < 3 else choose.random()
            if kind < 0.4:
                keys = [1000 * (number + 1) + 2 * turn + more for more in range(2)]
                shop.table(TABLE).append([{"k": key, "a": 0} for key in keys])
                diary.appended += keys
                continue
            if kind < 0.6 and mine:
                key = mine[-1]
                operation: Delete | Update = Delete(Compared(("k",), "=", key))
            else:
                key = choose.randrange(ROWS // 2, ROWS)
                operation = Update((Assigned("a", source="a", plus=1),), Compared(("k",), "=", key))
            try:
                with shop.transaction() as transaction:
                    change(transaction, operation)
            except CommitConflictError:
                diary.conflicts += 1
            else:
                if isinstance(operation, Delete):
                    diary.deleted.append(mine.pop())
                else:
                    diary.raised[key] += 1
    return diary


@pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)
def test_writers_of_one_table_lose_no_row_and_no_update(lake_factory: LakeFactory) -> None:
    url, data = lake_factory.url(), lake_factory.directory / "data"
    with Lake(url, data_path=data) as lake:
        before = rows_of(fill(lake, ROWS))
        results = race(*(Job(f"writer {number}", write, (url, number, SECONDS)) for number in range(WRITERS)))
        diaries: list[Diary] = list(results.values())
        gone = {key for diary in diaries for key in diary.deleted}
        raised = sum((diary.raised for diary in diaries), Counter[int]())
        expected = {key: raised[key] for key in range(ROWS) if key not in gone}
        expected |= {key: 0 for diary in diaries for key in diary.appended}
        found = rows_of(lake.catalog("shop"))
        assert [(key, value) for key, value, _ in found] == sorted(expected.items())
        assert len({row_id for _, _, row_id in found}) == len(found)
        # Rows that were updated are still the rows that they were.
        ids = {key: row_id for key, _, row_id in before}
        assert all(ids[key] == row_id for key, _, row_id in found if key < ROWS)
        assert raised, "nobody updated a row"
        assert gone, "nobody deleted a row"
        assert sum(diary.conflicts for diary in diaries), "nobody met a conflict"
        assert rows_of(lake.catalog("agent")) == before
        assert not stray_files(lake, data), "a refused write left files behind"


KEYS = 12


def upsert(url: str, number: int) -> int:
    """Upsert every key once, in an order of one's own, and return how often that had to be done again."""
    order = random.Random(number).sample(range(1000, 1000 + KEYS), KEYS)
    again = 0
    with Lake(url, settings=EAGER) as lake:
        shop = lake.catalog("shop")
        while order:
            try:
                with shop.transaction() as transaction:
                    change(transaction, Merge(({"k": order[-1], "a": number},)))
            except CommitConflictError:
                again += 1
            else:
                order.pop()
    return again


@pytest.mark.parametrize("lake_factory", ["sqlite", "postgres"], indirect=True)
def test_a_key_that_several_upsert_at_once_is_there_once(lake_factory: LakeFactory) -> None:
    url, data = lake_factory.url(), lake_factory.directory / "data"
    with Lake(url, data_path=data) as lake:
        fill(lake, 1)
        results = race(*(Job(f"writer {number}", upsert, (url, number)) for number in range(WRITERS)))
        assert [key for key, _, _ in rows_of(lake.catalog("shop"))] == [0, *range(1000, 1000 + KEYS)]
        assert sum(results.values()), "nobody met a conflict"
        assert not stray_files(lake, data), "a refused write left files behind"
