"""Random histories of forks that come back: the same deeds on a lake and on full copies, compared after each."""

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyarrow as pa

from forklake import Catalog, Lake
from forklake.errors import MergeBaseError, MergeConflictError
from forklake.metastore.queries.due import due_catalogs
from forklake.model.fork_merge import MergePlan, Strategy
from forklake.ops.collect import collect
from tests.merges.comparison import compare
from tests.merges.truth import Merged, State, Table, Truth, three_way, visible
from tests.needed_rows import Rows, difference

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
    "add_column": 2,
    "rename_column": 2,
    "fork": 9,
    "merge": 18,
    "refresh": 12,
    "reset": 4,
    "diff": 14,
    "expire": 3,
}


Changes = dict[tuple[int, str, int], dict[int, Any]]
"""What a feed tells: by snapshot, what happened, and key of the row, the values by column id."""


class MergeHistory:
    """One lake twice; a step raises at the first difference."""

    def __init__(self, lake: Lake, seed: int, catalogs: int = 6) -> None:
        self.lake, self.rng, self.limit = lake, random.Random(seed), catalogs
        self.truth = Truth()
        self.names: dict[int, str] = {}
        self.count = 0
        self.log: list[str] = []
        self.merged = self.refused = self.by_rows = self.refreshed = 0
        self.differed = [0, 0, 0]

    def run(self, length: int) -> None:
        """Do random deeds."""
        self._begin()
        names, weights = list(WEIGHTS), list(WEIGHTS.values())
        for name in self.rng.choices(names, weights, k=length):
            done = getattr(self, f"do_{name}")()
            if done is not None:
                self.log.append(f"{name} {done}")
                self.check()

    def check(self) -> None:
        """Compare all catalogs with what they should hold."""
        for catalog, name in self.names.items():
            expected, found = visible(self.truth.state(catalog)), self._read(self.lake.catalog(name))
            assert found == expected, "\n".join([*self.log, f"{name}: {_difference(found, expected)}"])

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
        told: Any = handle.table(table.name).changes(start)
        found = {
            (row["snapshot_id"], row["change_type"], row["k"]): {
                column: row[name] for column, name in table.columns.items()
            }
            for row in told.rows.to_pylist()
        }
        assert len(found) == told.rows.num_rows, "\n".join([*self.log, f"{title}: told twice"])
        # A column that is gone by now is not told, and one that was not there yet is NULL.
        shown = {
            change: {column: values.get(column) for column in table.columns} for change, values in expected.items()
        }
        assert found == shown, "\n".join([*self.log, f"{title}: {_difference_of_feeds(found, shown)}"])

    def check_past(self) -> None:
        """Compare all snapshots of all catalogs with what they should hold."""
        for (catalog, snapshot), state in self.truth.states.items():
            if (catalog, snapshot) in self.truth.expired:
                continue
            found = self._read(self._handle(catalog).at(snapshot))
            told = f"{self.names[catalog]} at {snapshot}: {_difference(found, visible(state))}"
            assert found == visible(state), "\n".join([*self.log, told])

    # ---- catalogs ----------------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        shop = self.lake.create_catalog("shop")
        shop.options.set("data_inlining_row_limit", 4)
        self.names[int(shop.catalog_id)] = "shop"
        self.truth.add(int(shop.catalog_id), self._head(shop), {}, ())
        self.do_create_table()
        self.do_append()

    def _pick(self) -> tuple[int, Catalog]:
        catalog = self.rng.choice(sorted(self.names))
        return catalog, self.lake.catalog(self.names[catalog])

    def _pick_table(self) -> tuple[int, Catalog, int, Table] | None:
        catalog, handle = self._pick()
        state = self.truth.state(catalog)
        if not state:
            return None
        number = self.rng.choice(sorted(state))
        return catalog, handle, number, state[number]

    @staticmethod
    def _head(catalog: Catalog) -> int:
        return int(catalog.snapshots()[-1].snapshot_id)

    def _advance(self, catalog: int, handle: Catalog, state: State) -> None:
        self.truth.advance(catalog, self._head(handle), state)

    def _read(self, catalog: Catalog) -> dict[str, list[dict[str, Any]]]:
        return {table.name: sorted(table.arrow().to_pylist(), key=lambda row: row["k"]) for table in catalog.tables()}

    def do_fork(self) -> str | None:
        if len(self.names) >= self.limit:
            return None
        parent, handle = self._pick()
        name = f"fork{len(self.names)}"
        made = handle.fork(name)
        self.names[int(made.catalog_id)] = name
        self.truth.parents[int(made.catalog_id)] = parent
        self.truth.add(int(made.catalog_id), self._head(made), self.truth.state(parent), [self.truth.node(parent)])
        return f"{self.names[parent]} as {name}"

    def do_merge(self) -> str | None:
        if len(self.names) < 2:
            return None
        source, target = self.rng.sample(sorted(self.names), 2)
        return self._bring(
            source, target, lambda handle, strategy: handle.merge(self._handle(source), strategy=strategy)
        )

    def do_refresh(self) -> str | None:
        forks = sorted(self.truth.parents)
        if not forks:
            return None
        fork = self.rng.choice(forks)
        before = self.truth.heads[fork]
        done = self._bring(self.truth.parents[fork], fork, lambda handle, strategy: handle.refresh(strategy=strategy))
        self.refreshed += self.truth.heads[fork] != before
        return done

    def _handle(self, catalog: int) -> Catalog:
        return self.lake.catalog(self.names[catalog])

    def _bring(self, source: int, target: int, verb: Callable[[Catalog, Strategy], MergePlan]) -> str:
        """Bring what one catalog has into another, and compare the result."""
        strategy: Strategy = self.rng.choice(("fail", "fail", "ours", "theirs"))
        bases = self.truth.bases(self.truth.node(source), self.truth.node(target))
        expected = three_way(
            [self.truth.states[base] for base in bases], self.truth.state(source), self.truth.state(target), strategy
        )
        title = f"{self.names[source]} into {self.names[target]}, {strategy}"
        told = "\n".join([*self.log, title, f"{expected.conflicts} {expected.invalid}"])
        is_refused = bool(expected.invalid or (expected.conflicts and strategy == "fail"))
        try:
            plan = verb(self._handle(target), strategy)
        except MergeBaseError:
            assert any(base in self.truth.expired for base in bases), told
            return f"{title}: the base is gone"
        except MergeConflictError as error:
            self.refused += 1
            self._compare_conflicts(expected, error, f"{told}\n{error}", is_refused=is_refused)
            return f"{title}: refused"
        assert not is_refused, told
        if plan.snapshot_id is None:
            assert visible(expected.state) == visible(self.truth.state(target)), told
            return f"{title}: nothing"
        self.merged += 1
        self.by_rows += any(table.by_rows for table in plan.tables)
        self.truth.advance(target, int(plan.snapshot_id), expected.state, [self.truth.node(source)])
        return f"{title}: snapshot {plan.snapshot_id}"

    def do_reset(self) -> str | None:
        source, target = self.rng.choices(sorted(self.names), k=2)
        nodes = [node for node in self.truth.states if node[0] == source and node not in self.truth.expired]
        catalog, snapshot = self.rng.choice(nodes)
        handle = self.lake.catalog(self.names[target])
        plan = handle.reset_to(self.lake.catalog(self.names[source]), at=snapshot)
        title = f"{self.names[target]} to snapshot {snapshot} of {self.names[source]}"
        if plan.snapshot_id is None:
            assert visible(self.truth.states[catalog, snapshot]) == visible(self.truth.state(target)), title
            return f"{title}: nothing"
        self.truth.advance(target, int(plan.snapshot_id), self.truth.states[catalog, snapshot], [(catalog, snapshot)])
        return f"{title}: snapshot {plan.snapshot_id}"

    def do_diff(self) -> None:
        one, other = self.rng.choices(sorted(self.truth.states.keys() - self.truth.expired), k=2)
        handles = [self.lake.catalog(self.names[catalog]).at(snapshot) for catalog, snapshot in (one, other)]
        told = "\n".join([*self.log, f"from {one} to {other}"])
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

    def do_expire(self) -> str | None:
        catalog, handle = self._pick()
        nodes = [node for node in self.truth.states if node[0] == catalog and node not in self.truth.expired]
        chosen = [node for node in nodes if node != self.truth.node(catalog) and self.rng.random() < 0.6]
        if not chosen:
            return None
        self.check_feeds()
        handle.maintenance.expire_snapshots(snapshot_ids=[snapshot for _, snapshot in chosen], release=True)
        self.lake.maintenance.cleanup_old_files(cleanup_all=True)
        self.truth.expired |= set(chosen)
        self.check_garbage()
        return f"{self.names[catalog]}: {[snapshot for _, snapshot in chosen]}"

    def check_garbage(self) -> None:
        """See that collecting leaves exactly the metadata rows that something needs."""
        runtime = self.lake._runtime
        needed = Rows.read(self.lake).needed()
        collect(runtime.store, runtime.lake_path, due_catalogs(runtime.store, None, 1000))
        left = Rows.read(self.lake)
        assert difference(needed, left.stored) == {}, "\n".join([*self.log, "needed rows are gone"])
        assert difference(left.stored, left.needed()) == {}, "\n".join([*self.log, "rows are left that nothing needs"])

    @staticmethod
    def _compare_conflicts(expected: Merged, error: MergeConflictError, told: str, *, is_refused: bool) -> None:
        assert is_refused, told
        rows = sum(kind[0] == "rows" for kind in expected.conflicts)
        assert sum(conflict.kind == "row" for conflict in error.conflicts) == rows, told

    # ---- tables ------------------------------------------------------------------------------------------------------

    def do_create_table(self) -> str:
        catalog, handle = self._pick()
        self.count += 1
        name = f"t{self.count}"
        handle.create_table(name, {"k": "BIGINT", "a": "BIGINT"})
        number = int(handle.table(name).table_id)
        state = {**self.truth.state(catalog), number: Table(name, {2: "a"}, {})}
        self._advance(catalog, handle, state)
        return f"{name} in {self.names[catalog]}"

    def do_drop_table(self) -> str | None:
        def drop(table: Table, _: int, handle: Any) -> None:
            handle.drop()

        return self._change(drop)

    def do_rename_table(self) -> str | None:
        name = self._new_name("t")

        def rename(table: Table, _: int, handle: Any) -> Table:
            handle.rename(name)
            return replace(table, name=name)

        return self._change(rename)

    def do_add_column(self) -> str | None:
        name = self._new_name("c")

        def add(table: Table, _: int, handle: Any) -> Table:
            handle.alter.add_column((name, "BIGINT"))
            number = next(column.column_id for column in handle.columns if column.name == name)
            return replace(table, columns={**table.columns, int(number): name})

        return self._change(add)

    def do_rename_column(self) -> str | None:
        name = self._new_name("c")

        def rename(table: Table, _: int, handle: Any) -> Table:
            column = self.rng.choice(sorted(table.columns))
            handle.alter.rename_column(table.columns[column], name)
            return replace(table, columns={**table.columns, column: name})

        return self._change(rename)

    # ---- rows --------------------------------------------------------------------------------------------------------

    def do_append(self) -> str | None:
        return self._change(lambda table, _, handle: self._insert(table, handle, self.rng.randint(5, 9)))

    def do_inline(self) -> str | None:
        return self._change(lambda table, _, handle: self._insert(table, handle, self.rng.randint(1, 3)))

    def _insert(self, table: Table, handle: Any, count: int) -> Table:
        keys = [self.count + n + 1 for n in range(count)]
        self.count += count
        rows = {key: {column: self._value() for column in table.columns} for key in keys}
        columns = {
            name: pa.array([rows[key][column] for key in keys], pa.int64()) for column, name in table.columns.items()
        }
        handle.append(pa.table({"k": pa.array(keys, pa.int64()), **columns}))
        return replace(table, rows={**table.rows, **rows})

    def do_delete(self) -> str | None:
        def delete(table: Table, _: int, handle: Any) -> Table | None:
            keys = self._keys(table)
            if keys:
                handle.delete(f"k IN ({', '.join(map(str, keys))})")
            return replace(table, rows={key: row for key, row in table.rows.items() if key not in keys})

        return self._change(delete)

    def do_update(self) -> str | None:
        def update(table: Table, _: int, handle: Any) -> Table:
            keys, column, value = self._keys(table), self.rng.choice(sorted(table.columns)), self._value()
            if not keys:
                return table
            handle.update({table.columns[column]: str(value)}, f"k IN ({', '.join(map(str, keys))})")
            changed = {key: {**table.rows[key], column: value} for key in keys}
            return replace(table, rows={**table.rows, **changed})

        return self._change(update)

    def do_compact(self) -> str | None:
        return self._maintain("merge_adjacent_files")

    def do_rewrite(self) -> str | None:
        return self._maintain("rewrite_data_files", delete_threshold=0.1)

    def do_flush(self) -> str | None:
        return self._maintain("flush_inlined")

    def _maintain(self, verb: str, **options: Any) -> str:
        catalog, handle = self._pick()
        before = self._head(handle)
        getattr(handle.maintenance, verb)(**options)
        if self._head(handle) != before:
            self._advance(catalog, handle, self.truth.state(catalog))
        return self.names[catalog]

    def _change(self, deed: Callable[[Table, int, Any], Table | None]) -> str | None:
        found = self._pick_table()
        if found is None:
            return None
        catalog, handle, number, table = found
        before = self._head(handle)
        after = deed(table, number, handle.table(table.name))
        if self._head(handle) == before:
            return None
        state = {key: value for key, value in self.truth.state(catalog).items() if key != number}
        self._advance(catalog, handle, state if after is None else {**state, number: after})
        return f"{self.names[catalog]}.{table.name}"

    def _keys(self, table: Table) -> list[int]:
        return self.rng.sample(sorted(table.rows), min(len(table.rows), self.rng.randint(1, 4)))

    def _value(self) -> int:
        self.count += 1
        return self.count

    def _new_name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"


def _changes(before: State, after: State, number: int) -> dict[tuple[str, int], dict[int, Any]]:
    """Return how the rows of a table differ: by what happened and key, the values of each row."""
    was, now = (state[number].rows if number in state else {} for state in (before, after))
    found = {}
    for key in {*was, *now}:
        if was.get(key) == now.get(key):
            continue
        is_update = key in was and key in now
        if key in was:
            found["update_preimage" if is_update else "delete", key] = was[key]
        if key in now:
            found["update_postimage" if is_update else "insert", key] = now[key]
    return found


def _difference_of_feeds(found: Changes, expected: Changes) -> str:
    extra = {change: values for change, values in found.items() if expected.get(change) != values}
    missing = {change: values for change, values in expected.items() if found.get(change) != values}
    return f"tells {extra}, does not tell {missing}"


def _difference(found: dict[str, Any], expected: dict[str, Any]) -> str:
    for name in sorted({*found, *expected}):
        if found.get(name) != expected.get(name):
            ours, theirs = found.get(name), expected.get(name)
            if ours is None or theirs is None:
                return f"{name}: {ours} instead of {theirs}"
            extra = [row for row in ours if row not in theirs]
            missing = [row for row in theirs if row not in ours]
            return f"{name}: has {extra}, lacks {missing}"
    return ""
