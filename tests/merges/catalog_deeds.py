"""What is done to catalogs: forks, copies, drops, purges, tags, expiry and clean-up."""

from forklake.metastore.queries.due import mark_due
from forklake.metastore.written_tables import TABLE_STATS
from tests.merges.ground import Ground
from tests.needed_rows import Key, Rows, collect_together, difference


class CatalogDeeds(Ground):
    """Deeds by which catalogs come and go."""

    most = 14
    """How many catalogs there ever are."""

    def do_fork(self) -> str | None:
        return self._fork(is_past=False)

    def do_fork_past(self) -> str | None:
        return self._fork(is_past=True)

    def _fork(self, *, is_past: bool) -> str | None:
        if len(self.names) >= self.limit or len(self.truth.heads) >= self.most:
            return None
        parent, handle = self.pick()
        node = self.rng.choice(self.truth.retained(parent)) if is_past else self.truth.node(parent)
        name = f"fork{len(self.truth.heads)}"
        made = handle.fork(name, at=node[1] if is_past else None)
        catalog = int(made.catalog_id)
        self.names[catalog] = name
        self.truth.parents[catalog], self.truth.pins[catalog] = parent, {node}
        self.truth.add(catalog, self.head(made), self.truth.states[node], [node])
        if is_past:
            self.released.add(catalog)  # what it contains may have been expired before it was made
        return f"{self.names[parent]} at {node[1]} as {name}"

    def do_copy(self) -> str | None:
        if len(self.names) >= self.limit or len(self.truth.heads) >= self.most:
            return None
        source, handle = self.pick()
        name = f"copy{len(self.truth.heads)}"
        made = handle.fork(name, copy=True)
        catalog = int(made.catalog_id)
        self.names[catalog] = name
        self.truth.add(catalog, self.head(made), self.truth.state(source), [self.truth.node(source)])
        self.released.add(catalog)
        return f"{self.names[source]} as {name}"

    def do_sever(self) -> str | None:
        forks = sorted(self.truth.parents.keys() & self.names.keys())
        if not forks:
            return None
        catalog = self.rng.choice(forks)
        handle = self.handle(catalog)
        handle.maintenance.sever()
        self.advance(catalog, handle, self.truth.state(catalog))
        self.truth.forget_past(catalog)
        self._untag(catalog)
        self.released.add(catalog)
        return self.names[catalog]

    def do_drop(self) -> str | None:
        if len(self.names) < 2:
            return None
        catalog, handle = self.pick()
        handle.drop()
        self.dropped[catalog] = self.names.pop(catalog)
        return self.dropped[catalog]

    def do_undrop(self) -> str | None:
        if not self.dropped:
            return None
        catalog = self.rng.choice(sorted(self.dropped))
        self.lake.undrop_catalog(catalog)
        self.names[catalog] = self.dropped.pop(catalog)
        return self.names[catalog]

    def do_purge(self) -> str | None:
        if not self.dropped:
            return None
        catalog = self.rng.choice(sorted(self.dropped))
        self.lake.purge(catalog)
        self.truth.forget(catalog)
        self._untag(catalog)
        self.released.add(catalog)
        return self.dropped.pop(catalog)

    def do_tag(self) -> str:
        catalog, handle = self.pick()
        node, name = self.rng.choice(self.truth.retained(catalog)), self.new_name("v")
        handle.tag(name, at=node[1])
        self.tagged.setdefault(node, set()).add(name)
        return f"{self.names[catalog]} at {node[1]}: {name}"

    def check_tags(self) -> None:
        """See that each tag leads to its snapshot."""
        for (catalog, snapshot), names in self.tagged.items():
            for name in names if catalog in self.names else ():
                found = self.read(self.handle(catalog).at(tag=name))
                assert found == self.read(self.at((catalog, snapshot))), self.told(f"tag {name}")

    def _untag(self, catalog: int) -> None:
        self.tagged = {node: names for node, names in self.tagged.items() if node[0] != catalog}

    def do_expire(self) -> str | None:
        return self._expire(release=True)

    def do_expire_what_is_free(self) -> str | None:
        return self._expire(release=False)

    def _expire(self, *, release: bool) -> str | None:
        catalog, handle = self.pick()
        nodes = [node for node in self.truth.retained(catalog) if node != self.truth.node(catalog)]
        chosen = {node for node in nodes if self.rng.random() < 0.6}
        if not chosen:
            return None
        handle.maintenance.expire_snapshots(versions=[snapshot for _, snapshot in chosen], release=release)
        left = {int(one.snapshot_id) for one in handle.snapshots() if one.catalog_id == catalog}
        gone = {node for node in nodes if node[1] not in left}
        if release:
            assert gone == chosen, self.told(f"expired {gone} instead of {chosen}")
            self.released.add(catalog)
            self.tagged = {node: names for node, names in self.tagged.items() if node not in gone}
        assert gone <= chosen - self.tagged.keys(), self.told(f"expired {gone} of {chosen}, tagged {self.tagged}")
        self.truth.expired |= gone
        self.check_garbage()
        return f"{self.names[catalog]}: {[snapshot for _, snapshot in gone]}"

    def do_clean_up(self) -> str:
        done = self.lake.maintenance.cleanup_old_files(cleanup_all=True)
        self.check_files()
        return str(done)

    def do_collect(self) -> str:
        self.check_garbage()
        return ""

    def check_garbage(self) -> None:
        """See that collecting leaves exactly the metadata rows that something needs."""
        extra = self._collect()
        if extra.keys() == {TABLE_STATS.name}:
            # Totals of a dropped table, for which a commit wrote newer ones, go with the next collection.
            with self.lake._runtime.store.writing() as session:
                mark_due(session, {owner for owner, *_ in extra[TABLE_STATS.name]})
            extra = self._collect()
        assert extra == {}, self.told(f"rows are left that nothing needs: {extra}")

    def _collect(self) -> dict[str, list[Key]]:
        """Collect what is due, and return what is left that nothing needs."""
        needed = Rows.read(self.lake).needed()
        collect_together(self.lake._runtime)
        left = Rows.read(self.lake)
        gone = difference(needed, left.stored)
        assert gone == {}, self.told(f"needed rows are gone: {gone}")
        return difference(left.stored, left.needed())

    def settle(self) -> None:
        """Purge what is dropped and delete what nothing needs: then no file is left that nothing names."""
        while self.do_purge():
            pass
        self.check_garbage()
        self.do_clean_up()
        found = self.lake.maintenance.delete_orphaned_files(cleanup_all=True, dry_run=True)
        assert not found.files, self.told(f"nothing names {found.files}")
