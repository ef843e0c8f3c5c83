"""Queries on tags: names of snapshots."""

from __future__ import annotations

from forklake.metastore.queries.snapshots import lineage_params, with_lineage
from forklake.metastore.source import Source
from forklake.metastore.store import Session, Values
from forklake.model.ids import CatalogId, SnapshotId
from forklake.model.lives import Tag
from forklake.model.names import fold
from forklake.model.version import Version

_TAG = "t.tag_name, t.snapshot_id, t.catalog_id, t.created_at, t.keep_until, t.message"


def tags_of_lineage(source: Source, version: Version, name: str | None = None) -> list[Tag]:
    """Return the tags of the snapshots of a lineage, or those of one name.

    The nearest owner's come first, by name. What a fork sees since a refresh, and has as no version, is left out.
    """
    named = "" if name is None else " AND t.tag_key = :key"
    found = source.query(
        f"{with_lineage(source)} SELECT {_TAG} FROM lineage c CROSS JOIN forklake.ducklake_snapshot_tag t"
        f" WHERE t.catalog_id = c.owner_id AND t.snapshot_id >= c.first AND t.snapshot_id <= c.bound{named}"
        " ORDER BY t.tag_key",
        **lineage_params(version),
        key=None if name is None else fold(name),
    )
    nearest = [segment.owner for segment in version.lineage]
    return sorted((_tag(source, row) for row in found), key=lambda tag: nearest.index(tag.catalog_id))


def own_tags(source: Source, catalog: CatalogId) -> list[Tag]:
    """Return the tags of a catalog's own snapshots, by name."""
    found = source.query(
        f"SELECT {_TAG} FROM forklake.ducklake_snapshot_tag t WHERE t.catalog_id = :c ORDER BY t.tag_key", c=catalog
    )
    return [_tag(source, row) for row in found]


def _tag(source: Source, row: Values) -> Tag:
    name, snapshot, catalog, created, keep, message = row
    return Tag(
        str(name),
        SnapshotId(snapshot),
        CatalogId(catalog),
        source.time(created),
        None if keep is None else source.time(keep),
        message,
    )


def write_tag(session: Session, tag: Tag) -> None:
    """Write a new tag.

    Raises:
        DuplicateKeyError: The catalog has one of that name.
    """
    session.insert_many(
        "ducklake_snapshot_tag",
        ("catalog_id", "tag_key", "tag_name", "snapshot_id", "created_at", "keep_until", "message"),
        [(tag.catalog_id, fold(tag.name), tag.name, tag.snapshot_id, tag.created_at, tag.keep_until, tag.message)],
    )


def forget_tag(session: Session, catalog: CatalogId, name: str) -> bool:
    """Delete a tag of a catalog; return False if it has none of that name."""
    statement = "DELETE FROM forklake.ducklake_snapshot_tag WHERE catalog_id = :c AND tag_key = :key"
    return session.execute(statement, c=catalog, key=fold(name)) > 0
