"""Checks a lake: its metadata within itself, and its files with the metadata.

docs/spec/fsck.md has the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from forklake.metastore.checks import ancestry, belongings, catalog_lives, merge_rows, versioned_rows
from forklake.metastore.checks.check import Span
from forklake.metastore.checks.file_rows import catalogs_with_files
from forklake.metastore.queries.catalogs import directories
from forklake.metastore.queries.heads import ancestors
from forklake.metastore.queries.option_rows import HOME
from forklake.metastore.store import Session
from forklake.model.findings import REPAIRABLE, LakeCheck
from forklake.model.ids import THE_LAKE, CatalogId
from forklake.model.option_rules import OPTIONS, normalise
from forklake.model.progress import Progress, ignore_progress
from forklake.ops.checks.check_contents import check_contents
from forklake.ops.checks.check_files import FileCheck
from forklake.ops.checks.check_types import Pair, check_types
from forklake.ops.checks.findings import KEPT, Findings
from forklake.ops.lakes.runtime import Runtime

_PAGE: Final = 2_000
"""So many catalogs are checked by one query."""

_LAST: Final = CatalogId(2**63 - 1)
_FACTS: Final = frozenset({"version", "forklake_version", "created_by", "encrypted", "data_path", HOME})
"""Facts of a lake or a catalog that lie beside the options."""

_REPAIRS: Final[Mapping[str, Callable[[Session, CatalogId], int]]] = {
    "tombstone-dead": versioned_rows.forget_dead_tombstones,
    "follower-lost": belongings.forget_lost_followers,
    "unknown-owner": belongings.forget_unknown_owner,
    "own-totals": catalog_lives.count_again,
    "tag-lost": catalog_lives.forget_lost_tags,
}
assert _REPAIRS.keys() == REPAIRABLE


def check_lake(
    runtime: Runtime,
    catalog: CatalogId | None = None,
    *,
    files: bool = True,
    deep: bool = False,
    repair: bool = False,
    dry_run: bool = False,
    progress: Progress = ignore_progress,
) -> LakeCheck:
    """Check a lake, or one catalog and those that it inherits from.

    The metadata is read from one state of the database. What others commit, collect and clean up meanwhile is no
    finding. No file is deleted or changed.

    Args:
        runtime: The open lake.
        catalog: Only this catalog and its ancestors.
        files: Look at the files, too: whether they are there, with the recorded sizes.
        deep: Open each file, and compare its footer with the metadata.
        repair: Delete rows that mean nothing, and set totals right.
        dry_run: Only count what a repair would delete.
        progress: Called with the step, how many catalogs are done, and how many there are.
    """
    findings = Findings()
    with runtime.store.reading() as session:
        spans = list(_spans(session, catalog))
        for place, span in enumerate(spans):
            progress("metadata", place, len(spans))
            _check_metadata(session, span, findings)
    progress("metadata", len(spans), len(spans))
    catalog_count = file_count = 0
    pairs = set[Pair]()
    for place, span in enumerate(spans):
        progress("files", place, len(spans))
        ids = _catalogs(runtime, span)
        catalog_count += len(ids)
        if files or deep:
            file_count += _check_files(runtime, ids, findings, deep=deep)
        for one in ids if deep else ():
            check_types(runtime, one, pairs, findings)
    progress("files", len(spans), len(spans))
    repaired = _repair(runtime, findings, dry_run=dry_run) if repair else {}
    return LakeCheck(
        tuple(findings.listing(runtime.store)), dict(findings.counts), catalog_count, file_count, repaired, dry_run
    )


def _spans(session: Session, catalog: CatalogId | None) -> Iterator[Span]:
    """Yield the catalogs in pages; between them, no id is left out."""
    if catalog is not None:
        yield from (Span(owner, owner) for owner in sorted({catalog, *ancestors(session, [catalog])}))
        return
    first, after = THE_LAKE, THE_LAKE
    while page := belongings.catalog_page(session, after, _PAGE):
        after = page[-1]
        last = after if len(page) == _PAGE else _LAST
        yield Span(first, last)
        if last == _LAST:
            return
        first = CatalogId(last + 1)
    yield Span(first, _LAST)


def _catalogs(runtime: Runtime, span: Span) -> list[CatalogId]:
    """Return the catalogs of a span that are in the list."""
    if span.first == span.last:
        return [span.first]
    with runtime.store.reading() as session:
        page = belongings.catalog_page(session, CatalogId(span.first - 1), _PAGE)
    return [catalog for catalog in page if catalog <= span.last]


def _check_metadata(session: Session, span: Span, findings: Findings) -> None:
    for check in (
        *ancestry.CHECKS,
        *merge_rows.CHECKS,
        *versioned_rows.CHECKS,
        *belongings.CHECKS,
        *catalog_lives.CHECKS,
    ):
        for catalog, told in check.run(session, span, KEPT):
            if catalog != THE_LAKE:
                findings.add(check.code, catalog, told)
    for catalog, lease in belongings.late_leases(session, span, KEPT):
        told = f"The lease {lease} has run out; the next search for orphans deletes it."
        findings.add("lease-late", catalog, told)
    for catalog, key, value in belongings.options(session, span):
        if reason := _option_error(key, value):
            findings.add("option-invalid", catalog, reason)


def _option_error(key: str, value: str) -> str | None:
    if key in _FACTS:
        return None
    if key not in OPTIONS:
        return f'There is no option "{key}"; it has the value "{value}".'
    try:
        normalise(key, value)
    except ValueError as error:
        return str(error)
    return None


def _check_files(runtime: Runtime, ids: Sequence[CatalogId], findings: Findings, *, deep: bool) -> int:
    with runtime.store.reading() as session:
        places = directories(session, ids)
        with_files = catalogs_with_files(session, ids)
    seen = 0
    for catalog in ids:
        if catalog not in places:
            continue
        check = FileCheck(runtime, catalog, places[catalog], findings)
        check.run(has_rows=catalog in with_files)
        check.check_scheduled()
        if deep and catalog in with_files:
            check_contents(runtime, catalog, check, findings)
        seen += check.seen
    return seen


def _repair(runtime: Runtime, findings: Findings, *, dry_run: bool) -> dict[str, int]:
    """Delete what means nothing, and count again what was counted wrongly.

    It is judged again in the transaction that deletes it.
    """
    repaired: Counter[str] = Counter()
    for code, forget in _REPAIRS.items():
        for catalog in sorted(findings.catalogs.get(code, ())):
            if dry_run:
                repaired[code] = findings.counts[code]
                continue
            with runtime.store.writing() as session:
                session.lock_alone(catalog)
                repaired[code] += forget(session, catalog)
    return dict(repaired)
