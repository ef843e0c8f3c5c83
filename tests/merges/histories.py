"""Random histories of forks that come back: the same deeds on a lake and on full copies, compared after each."""

from collections.abc import Callable
from typing import Any
from unittest.mock import ANY

import pytest

from forklake import Catalog, Lake
from forklake.errors import InvalidInputError, MergeBaseError, MergeConflictError
from forklake.model.fork_merge import MergePlan
from tests.merges.catalog_deeds import CatalogDeeds
from tests.merges.comparison import compare
from tests.merges.ground import rows_of
from tests.merges.table_deeds import TableDeeds
from tests.merges.truth import Merged, Node, Request, State, Table, three_way, visible

WEIGHTS = {
    "append": 14,
    "inline": 8,
    "delete": 12,
    "update": 14,
    "compact": 5,
    "rewrite": 3,
    "flush": 4,
    "create_table": 3,
    "drop_table": 1,
    "rename_table": 1,
    "add_column": 3,
    "drop_column": 2,
    "rename_column": 2,
    "widen_column": 2,
    "fork": 9,
    "fork_past": 1,
    "copy": 1,
    "sever": 1,
    "drop": 2,
    "undrop": 1,
    "purge": 2,
    "tag": 1,
    "merge": 18,
    "refresh": 12,
    "reset": 4,
    "diff": 14,
    "expire": 2,
    "expire_what_is_free": 2,
    "clean_up": 2,
    "collect": 1,
}


Changes = dict[tuple[int, str, int], dict[int, Any]]
"""What a feed tells: by snapshot, what happened, and key of the row, the values by column id."""


class MergeHistory(TableDeeds, CatalogDeeds):
    """One lake twice; a step raises at the first difference."""

    def __init__(self, lake: Lake, seed: int, catalogs: int = 6) -> None:
        super().__init__(lake, seed, catalogs)
        self.is_partitioned, self.is_sorted = seed % 5 == 1, seed % 5 == 2
        self.is_encrypted = seed % 7 == 3
        self.merged = self.refused = self.by_rows = self.refreshed = 0
        self.differed = [0, 0, 0]

    def run(self, length: int) -> None:
        """Do random deeds."""
        self._begin()
        names, weights = list(WEIGHTS), list(WEIGHTS.values())
        for name in self.rng.choices(names, weights, k=length):
            self.do(name)

    def do(self, name: str) -> None:
        """Do something, and compare some catalogs, if anything was done; the end compares all snapshots of all."""
        if "expire" in name and not self.truth.expired:
            self.check_feeds()  # later, it cannot be done
        done = getattr(self, f"do_{name}")()
        if done is not None:
            self.log.append(f"{name} {done}")
            self.check(share=0.4)

    def end(self) -> None:
        """Compare all that happened, and all that is left."""
        self.check_feeds()
        self.check_past()
        self.check_tags()
        self.check_files()
        self.settle()
        self.check()

    def _begin(self) -> None:
        shop = self.lake.create_catalog("shop", encrypted=self.is_encrypted)
        shop.options.set("data_inlining_row_limit", 4)
        self.names[int(shop.catalog_id)] = "shop"
        self.truth.add(int(shop.catalog_id), self.head(shop), {}, ())
        self.do_create_table()
        self.do_append()

    # ---- merges ------------------------------------------------------------------------------------------------------

    def do_merge(self) -> str | None:
        if len(self.names) < 2:
            return None
        source, target = self.rng.sample(sorted(self.names), 2)
        request = self._request(source, target)
        return self._bring(
            source,
            target,
            request,
            lambda: self.handle(target).merge(self.handle(source), strategy=request.strategy, keys=request.keys),  # type: ignore[arg-type]
        )

    def do_refresh(self) -> str | None:
        forks = sorted(self.names.keys() - {0})
        if not forks:
            return None
        fork = self.rng.choice(forks)
        parent = self.truth.parents.get(fork)
        if parent not in self.names:
            with pytest.raises(InvalidInputError, match="has no parent to refresh from"):
                self.handle(fork).refresh()
            return None
        request, before = self._request(parent, fork), self.truth.heads[fork]
        verb = lambda: self.handle(fork).refresh(strategy=request.strategy, keys=request.keys)  # type: ignore[arg-type]  # noqa: E731
        pin = self.truth.node(parent)
        done = self._bring(parent, fork, request, verb)
        if self.truth.heads[fork] != before:
            self.refreshed += 1
            self.truth.pins[fork].add(pin)
        return done

    def _request(self, source: int, target: int) -> Request:
        """Choose who decides, and by which columns rows are told apart."""
        theirs, ours = self.truth.state(source), self.truth.state(target)
        strategy: Any = self.rng.choice(("fail", "fail", "ours", "theirs", "by table"))
        if strategy == "by table":
            names = sorted({table.name for table in (*theirs.values(), *ours.values())})
            strategy = {name: self.rng.choice(("ours", "theirs")) for name in names if self.rng.random() < 0.7}
        keys = {}
        named = {table.name: number for number, table in theirs.items()}
        for number in theirs.keys() & ours.keys() if self.rng.random() < 0.3 else ():
            one, other = theirs[number].columns, ours[number].columns
            whole = ("INTEGER", "BIGINT")
            known = [
                other[at].name for at in sorted(one.keys() & other.keys()) if {one[at].type, other[at].type} <= {*whole}
            ]
            if known and named.get(ours[number].name, number) == number:
                keys[ours[number].name] = known[0]
        return Request(strategy, keys)

    def _bring(self, source: int, target: int, request: Request, verb: Callable[[], MergePlan]) -> str:
        """Bring what one catalog has into another, and compare the result."""
        bases = self.truth.bases(self.truth.node(source), self.truth.node(target))
        states = [self.truth.states[base] for base in bases]
        expected = three_way(states, self.truth.state(source), self.truth.state(target), request)
        title = f"{self.names[source]} into {self.names[target]}, {request}"
        told = self.told(title, expected.conflicts, expected.invalid)
        try:
            plan = verb()
        except MergeBaseError:
            self._check_base_is_gone(source, target, bases, told)
            return f"{title}: the base is gone"
        except MergeConflictError as error:
            self.refused += 1
            self._compare_conflicts(expected, error, f"{told}\n{error}")
            return f"{title}: refused"
        assert not expected.is_refused, told
        if plan.snapshot_id is None:
            assert visible(expected.state) == visible(self.truth.state(target)), told
            return f"{title}: nothing"
        self.merged += 1
        self.by_rows += any(table.by_rows for table in plan.tables)
        self.truth.advance(target, int(plan.snapshot_id), expected.state, [self.truth.node(source)])
        return f"{title}: snapshot {plan.snapshot_id}"

    def _check_base_is_gone(self, source: int, target: int, bases: list[Node], told: str) -> None:
        """See that a base was expired, and that expiry was told to, or that nobody near keeps it."""
        gone = {base for base in bases if base in self.truth.expired}
        pins = self.truth.pins.get(source, set()) | self.truth.pins.get(target, set())
        known = {catalog for one in (source, target) for catalog, _ in self.truth.ancestors[self.truth.node(one)]}
        is_far = any(base[0] not in (source, target) and base not in pins for base in gone)
        assert gone, told
        assert is_far or known & self.released, f"{told}\nbases {bases}, gone {gone}"

    @staticmethod
    def _compare_conflicts(expected: Merged, error: MergeConflictError, told: str) -> None:
        assert expected.is_refused or expected.doubtful, told
        for kind, name in (("row", "rows"), ("key", "key")):
            count = sum(conflict[0] == name for conflict in expected.conflicts)
            assert sum(conflict.kind == kind for conflict in error.conflicts) == count, told

    def do_reset(self) -> str | None:
        source, target = self.rng.choices(sorted(self.names), k=2)
        node = self.rng.choice(self.truth.retained(source))
        plan = self.handle(target).reset_to(self.handle(source), at=node[1])
        title = f"{self.names[target]} to snapshot {node[1]} of {self.names[source]}"
        if plan.snapshot_id is None:
            assert visible(self.truth.states[node]) == visible(self.truth.state(target)), self.told(title)
            return f"{title}: nothing"
        self.truth.advance(target, int(plan.snapshot_id), self.truth.states[node], [node])
        return f"{title}: snapshot {plan.snapshot_id}"

    # ---- diffs and feeds ---------------------------------------------------------------------------------------------

    def do_diff(self) -> None:
        known = sorted(node for catalog in self.names for node in self.truth.retained(catalog))
        one, other = self.rng.choices(known, k=2)
        handles = self.at(one), self.at(other)
        told = self.told(f"from {one} to {other}")
        counts = compare(handles[0], handles[1], (self.truth.states[one], self.truth.states[other]), told)
        for number, count in enumerate((counts.inserted, counts.deleted, counts.updated)):
            self.differed[number] += count
        bases = self.truth.bases(one, other)
        if len(bases) != 1:
            return
        try:
            assert handles[0].diff(handles[1], since_base=True).before == bases[0], told
        except MergeBaseError:
            assert bases[0] in self.truth.expired, told

    def check_feeds(self) -> None:
        """Compare what each snapshot of each catalog tells with the difference of full copies.

        Once something is expired, the full copies do not say what was between them.
        """
        if self.truth.expired:
            return
        for catalog, name in self.names.items():
            handle = self.lake.catalog(name)
            lineage = [(int(one.catalog_id), int(one.snapshot_id)) for one in handle.snapshots()]
            states: list[State] = []
            for node in lineage:  # of several that moved rows, the truth has the last
                states.append(self.truth.states.get(node, states[-1] if states else {}))
            for number, table in self.truth.state(catalog).items():
                expected: Changes = {}
                for (_, snapshot), before, after in zip(lineage, [{}, *states], states, strict=False):
                    expected |= {
                        (snapshot, *change): values for change, values in _changes(before, after, number).items()
                    }
                self._check_feed(handle, table, expected, lineage[0][1], f"{name}.{table.name}")
                if len(lineage) > 1:
                    start = self.rng.choice(lineage[1:])[1]
                    later = {change: values for change, values in expected.items() if change[0] >= start}
                    self._check_feed(handle, table, later, start, f"{name}.{table.name} from {start}")

    def _check_feed(self, handle: Catalog, table: Table, expected: Changes, start: int, title: str) -> None:
        rows = rows_of(handle.table(table.name).changes(start))
        found = {
            (row["snapshot_id"], row["change_type"], row["k"]): {
                column: row[about.name] for column, about in table.columns.items()
            }
            for row in rows
        }
        assert len(found) == len(rows), self.told(f"{title}: told twice")
        # A column that is gone by now is not told, and one that was not there yet has its first value.
        shown = {change: table.shown(values) for change, values in expected.items()}
        assert found == shown, self.told(f"{title}: {_difference_of_feeds(found, shown)}")


def _changes(before: State, after: State, number: int) -> dict[tuple[str, int], dict[int, Any]]:
    """Return how the rows of a table differ: by what happened and key, the values of each row.

    What a row keeps of a column that the table does not have then may be told or not, by how the row is stored.
    """

    def told(state: State, values: dict[int, Any]) -> dict[int, Any]:
        return {column: value if column in state[number].columns else ANY for column, value in values.items()}

    was, now = (state[number].rows if number in state else {} for state in (before, after))
    found = {}
    for key in {*was, *now}:
        if was.get(key) == now.get(key):
            continue
        is_update = key in was and key in now
        if key in was:
            found["update_preimage" if is_update else "delete", key] = told(before, was[key])
        if key in now:
            found["update_postimage" if is_update else "insert", key] = told(after, now[key])
    return found


def _difference_of_feeds(found: Changes, expected: Changes) -> str:
    extra = {change: values for change, values in found.items() if expected.get(change) != values}
    missing = {change: values for change, values in expected.items() if found.get(change) != values}
    return f"tells {extra}, does not tell {missing}"
