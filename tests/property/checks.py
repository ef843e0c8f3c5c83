"""What has to hold after every operation, and all that has to hold at the end of a history."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from random import Random

from forklake import Catalog, Clock, Lake, Settings, errors
from forklake.lake.internals import is_past
from tests.needed_rows import Rows, collect_together, difference
from tests.property.comparison import Comparison, MismatchError, expect, options_seen
from tests.property.truth import Truth
from tests.sound import check_sound

OPTIONS = ("data_inlining_row_limit", "parquet_row_group_size")
DEFAULTS = {"data_inlining_row_limit": "0", "parquet_row_group_size": "122880"}


class SteppingClock:
    """Time as the embedded stores see it: a second passes at each look, unless it is set back."""

    def __init__(self) -> None:
        self._now = datetime(2024, 2, 28, 23, 59, tzinfo=UTC)
        self.was_set_back = False

    def now(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now

    def set_back(self, seconds: int) -> None:
        self._now -= timedelta(seconds=seconds)
        self.was_set_back = True

    def settings(self) -> Settings:
        return Settings(clock=Clock(now=self.now, sleep=lambda seconds: None))


@contextmanager
def refused(what: type[errors.ForklakeError]) -> Iterator[None]:
    """The block has to be refused, with this error."""
    try:
        yield
    except errors.ForklakeError as error:
        if not isinstance(error, what):
            raise MismatchError(f"refused with {error!r}, not with {what.__name__}") from error
    else:
        raise MismatchError(f"not refused with {what.__name__}")


class Checks:
    """One lake and its truth. Several handles on the lake stand for several processes."""

    def __init__(self, lakes: Sequence[Lake], clock: SteppingClock) -> None:
        self.lakes = lakes
        self.clock = clock
        self.truth = Truth()
        self.comparison = Comparison()
        self._handles: dict[tuple[int, int], Catalog] = {}

    def handle(self, lake: Lake, catalog: int) -> Catalog:
        """A handle on a live catalog, kept however it is renamed."""
        key = (id(lake), catalog)
        if key not in self._handles:
            self._handles[key] = lake.catalog(self.truth.names[catalog])
            expect("a handle", "the catalog it is on", self._handles[key].catalog_id, catalog)
        return self._handles[key]

    def at_time(self, catalog: int, time: datetime) -> int | None:
        made = (known for known in self.truth.history[catalog] if self.comparison.time(known) <= time)
        return max(made, default=None)

    def check(self, rng: Random) -> None:
        """All heads, three versions taken at random, and some of everything else."""
        lake = rng.choice(self.lakes)
        self._catalogs_now(lake)
        for catalog in sorted(self.truth.live):
            handle = self.handle(lake, catalog)
            self._lineage(catalog, handle)
            head = self.truth.head(catalog)
            # A handle keeps what it has read; one on a version has read nothing yet.
            self._content(catalog, head, handle if rng.random() < 0.5 else handle.at(version=head))
        live = sorted(self.truth.live)
        for _ in range(3 if live else 0):
            catalog = rng.choice(live)
            snapshot = rng.choice(sorted(self.truth.history[catalog]))
            self._content(catalog, snapshot, self.handle(lake, catalog).at(version=snapshot))
        if live:
            catalog = rng.choice(live)
            handle = self.handle(lake, catalog)
            self._options(catalog, handle)
            self._effective_option(rng, catalog, handle)
            self._times(catalog, handle, [rng.choice(sorted(self.truth.history[catalog]))])
            self._strangers(catalog, handle, rng.sample(sorted(self.truth.owner), 1))
        if self.truth.rosters:
            self._lake_at(lake, rng.choice(sorted(self.truth.rosters)))

    def check_everything(self) -> None:
        """Every version of every catalog, by every way to it."""
        for lake in self.lakes:
            self._catalogs_now(lake)
            for catalog in sorted(self.truth.live):
                handle = self.handle(lake, catalog)
                self._lineage(catalog, handle)
                self._content(catalog, self.truth.head(catalog), handle)
                self._options(catalog, handle)
        lake = self.lakes[-1]
        for catalog in sorted(self.truth.live):
            handle = self.handle(lake, catalog)
            for snapshot in sorted(self.truth.history[catalog]):
                self._content(catalog, snapshot, handle.at(version=snapshot))
            self._times(catalog, handle, sorted(self.truth.history[catalog]))
            self._strangers(catalog, handle, sorted(self.truth.owner))
        for version in sorted(self.truth.rosters):
            self._lake_at(lake, version)
        kept = sorted(snapshot for catalog in self.truth.history for snapshot in self.truth.own(catalog))
        expect("the lake", "its snapshots", [snapshot.snapshot_id for snapshot in lake.snapshots()], kept)
        check_sound(lake, files=False)

    def check_garbage(self) -> None:
        """Exactly the metadata rows that some version needs are left when every catalog that is due was collected."""
        lake = self.lakes[0]
        needed = Rows.read(lake).needed()
        collect_together(lake._runtime)
        left = Rows.read(lake)
        expect("the lake", "the needed rows that are gone", difference(needed, left.stored), {})
        expect("the lake", "the rows that nothing needs", difference(left.stored, left.needed()), {})

    def _content(self, catalog: int, snapshot: int, reader: Catalog) -> None:
        where = f"c{catalog} at {snapshot}{'' if is_past(reader) else ' (head)'}"
        state = self.truth.history[catalog][snapshot]
        self.comparison.content(where, reader, state, self.truth.catalogs[catalog].tree)

    def _catalogs_now(self, lake: Lake) -> None:
        known = self.truth.catalogs
        true = sorted(
            (self.truth.names[c].lower(), self.truth.names[c], c, self.truth.head(c), known[c].parent, known[c].pin,
             known[c].home)
            for c in self.truth.live
        )  # fmt: skip
        seen = [
            (i.name.lower(), i.name, i.catalog_id, i.snapshot_id, i.parent_id, i.parent_snapshot_id, i.data_path)
            for i in lake.catalogs()
        ]
        expect("the lake", "its catalogs", seen, true)

    def _lineage(self, catalog: int, handle: Catalog) -> None:
        where = f"c{catalog}"
        seen = handle.snapshots()
        history = self.truth.history[catalog]
        expect(where, "its head", handle.head, self.truth.head(catalog))
        true = [(s, self.truth.owner[s], history[s].schema_version) for s in sorted(history)]
        expect(where, "its snapshots", [(s.snapshot_id, s.catalog_id, s.schema_version) for s in seen], true)
        for snapshot in seen:
            self.comparison.remember(where, snapshot)
            if snapshot.snapshot_id in self.truth.said:
                said = (snapshot.author, snapshot.commit_message)
                expect(where, f"what {snapshot.snapshot_id} says", said, self.truth.said[snapshot.snapshot_id])
        times = [snapshot.snapshot_time for snapshot in seen]
        expect(where, "the order of its times", times, sorted(times))

    def _options(self, catalog: int, handle: Catalog) -> None:
        state = self.truth.content(catalog)
        held = {*state.schemas, *state.tables}
        options_seen(handle, self.comparison, self.truth.options[catalog], held, f"c{catalog}")

    def _effective_option(self, rng: Random, catalog: int, handle: Catalog) -> None:
        state, options, name = self.truth.content(catalog), self.truth.options[catalog], rng.choice(OPTIONS)
        value = options.get(("catalog", None, name), self.truth.lake_options.get(name, DEFAULTS[name]))
        expect(f"c{catalog}", f"option {name}", handle.options.get(name), value)
        if state.tables:
            key, table = rng.choice(list(state.tables.items()))
            value = options.get(("schema", table.schema, name), value)
            value = options.get(("table", key, name), value)
            seen = handle.options.get(name, table=table.name, schema=state.schemas[table.schema].name)
            expect(f"c{catalog}", f"option {name} of {table.name}", seen, value)

    def _times(self, catalog: int, handle: Catalog, snapshots: Sequence[int]) -> None:
        for snapshot in snapshots:
            made = self.comparison.time(snapshot)
            for moment in (made, made - timedelta(microseconds=1)):
                true = self.at_time(catalog, moment)
                if true is None:
                    with refused(errors.SnapshotNotFoundError):
                        handle.at(timestamp=moment)
                else:
                    expect(f"c{catalog}", f"the version at {moment}", handle.at(timestamp=moment).head, true)

    def _strangers(self, catalog: int, handle: Catalog, snapshots: Sequence[int]) -> None:
        """A snapshot outside the lineage, or one that is expired, does not exist for the catalog."""
        for snapshot in snapshots:
            if snapshot not in self.truth.history[catalog]:
                with refused(errors.SnapshotNotFoundError):
                    handle.at(version=snapshot)

    def _lake_at(self, lake: Lake, version: int) -> None:
        """The whole lake as it was, dropped and renamed catalogs included."""
        true = self.truth.lake_at(version)
        moments: list[tuple[int | datetime, int]] = [(version, version)]
        known = self.comparison.snapshots
        if not self.clock.was_set_back and version in known:
            made = self.comparison.time(version)
            # Forks that are made at once are of one moment.
            moments.append((made, max(other for other in known if self.comparison.time(other) == made)))
        for moment, newest in moments:
            then = self.truth.lake_at(newest)
            wanted = sorted((name.lower(), name, catalog, head) for catalog, (name, head) in then.items())
            seen = [(i.name.lower(), i.name, i.catalog_id, i.snapshot_id) for i in lake.catalogs(at=moment)]
            expect(f"the lake at {moment}", "its catalogs", seen, wanted)
        for catalog, (name, head) in true.items():
            # The live ones are read through their own handles often enough.
            if catalog not in self.truth.live:
                self._content(catalog, head, lake.at(version=version).catalog(name))
