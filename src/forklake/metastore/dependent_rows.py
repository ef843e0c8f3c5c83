"""Followers: metadata rows that belong to rows of an interval table.

They are visible with them, and are joined by their owner as well as by their id.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from forklake.metastore.row_filter import Where, filter_params, filter_text
from forklake.metastore.source import Question, Source, ask_all
from forklake.metastore.visibility import BEGUN, SHOWN, Chain, chain_params, unhidden, with_chain
from forklake.metastore.written_tables import MetadataTable, R
from forklake.model.ids import CatalogId
from forklake.model.rows import Row


def followers(source: Source, table: MetadataTable[R], parents: Sequence[Row], where: Where | None = None) -> list[R]:
    """Return the rows that belong to rows of an interval table.

    They are joined by their owner as well as by their id.
    """
    return [row for rows in ask_all(source, follower_rows(table, parents, where or {})) for row in rows]


def follower_rows(table: MetadataTable[R], parents: Sequence[Row], where: Where) -> list[Question[list[R]]]:
    """Ask for the rows that belong to rows of an interval table.

    There is one question for each owner.
    """
    assert table.follows is not None
    key = table.follows[1]
    by_owner: dict[CatalogId, set[int]] = {}
    for parent in parents:
        joined = getattr(parent, key)
        if parent.origin is not None and joined is not None:
            by_owner.setdefault(parent.origin.owner, set()).add(joined)
    columns = ", ".join(f"r.{name}" for name in table.columns)
    text = (
        f"SELECT {columns} FROM forklake.{table.name} r WHERE r.catalog_id = :owner AND r.{key} IN (:ids...)"
        f"{filter_text(where)} ORDER BY {', '.join(f'r.{name}' for name in table.columns[:3])}"
    )
    return [
        Question(
            text,
            {"owner": owner, "ids": sorted(ids), **filter_params(where)},
            lambda found: [table.row(**table.decode(values)) for values in found],
        )
        for owner, ids in by_owner.items()
    ]


def followers_of_owners(
    source: Source, kinds: Sequence[MetadataTable[Any]], wanted: Collection[tuple[CatalogId, int]]
) -> dict[MetadataTable[Any], list[tuple[CatalogId, Any]]]:
    """Return the rows of several tables that follow one interval table.

    Each comes with its owner. ``wanted`` has owners and ids of the rows that they belong to. One statement asks of
    which tables there are any, and one more is needed for each of these.
    """
    found: dict[MetadataTable[Any], list[tuple[CatalogId, Any]]] = {kind: [] for kind in kinds}
    if not wanted:
        return found
    owners, ids = (sorted(set(part)) for part in zip(*wanted, strict=True))
    asked = " UNION ALL ".join(
        f"SELECT {number} WHERE EXISTS (SELECT 1 FROM forklake.{kind.name} r"
        f" WHERE r.catalog_id IN (:owners...) AND r.{_follower_key(kind)} IN (:ids...))"
        for number, kind in enumerate(kinds)
    )
    for (number,) in source.query(asked, owners=owners, ids=ids):
        kind = kinds[number]
        columns = ", ".join(f"r.{name}" for name in kind.columns)
        rows = source.query(
            f"SELECT r.catalog_id, {columns} FROM forklake.{kind.name} r WHERE r.catalog_id IN (:owners...)"
            f" AND r.{_follower_key(kind)} IN (:ids...) ORDER BY {', '.join(f'r.{name}' for name in kind.columns[:3])}",
            owners=owners,
            ids=ids,
        )
        place = kind.columns.index(_follower_key(kind)) + 1
        found[kind] = [
            (CatalogId(values[0]), kind.row(**kind.decode(values[1:])))
            for values in rows
            if (values[0], values[place]) in wanted
        ]
    return found


def _follower_key(table: MetadataTable[Any]) -> str:
    assert table.follows is not None
    return table.follows[1]


def all_followers(source: Source, chain: Chain, table: MetadataTable[R]) -> list[R]:
    """Return the rows that belong to any past or present row of an interval table.

    The interval table's rows are those that the lineage ever showed; each result comes once.
    """
    assert table.follows is not None
    parent, key = table.follows
    columns = ", ".join(f"x.{name}" for name in table.columns)
    found = source.query(
        f"{with_chain(source)} SELECT DISTINCT {columns} FROM chain c CROSS JOIN forklake.{parent.name} r"
        f" JOIN forklake.{table.name} x ON x.catalog_id = r.catalog_id AND x.{key} = r.{key}"
        f" WHERE r.catalog_id = c.owner_id AND {BEGUN}"
        f" ORDER BY {', '.join(f'x.{name}' for name in table.columns[:4])}",
        **chain_params(chain),
    )
    return [table.row(**table.decode(values)) for values in found]


def visible_followers(
    source: Source, chain: Chain, table: MetadataTable[R], of: Where, where: Where, limit: int
) -> Question[list[R] | None]:
    """Ask for the rows that belong to visible rows of an interval table.

    The answer is None if there are more than ``limit``. ``of`` is the condition on the interval table, on columns that
    ``where`` does not name.
    """
    assert table.follows is not None
    parent, key = table.follows
    columns = ", ".join(f"x.{name}" for name in table.columns)
    return Question(
        f"{with_chain(source)} SELECT {columns} FROM chain c CROSS JOIN forklake.{parent.name} r"
        f" JOIN forklake.{table.name} x ON x.catalog_id = r.catalog_id AND x.{key} = r.{key}{filter_text(where, 'x')}"
        f" WHERE r.catalog_id = c.owner_id AND {SHOWN}{filter_text(of)}{unhidden(chain, parent, of)}"
        f" LIMIT {limit + 1}",
        {**chain_params(chain), **filter_params(of), **filter_params(where)},
        lambda found: None if len(found) > limit else [table.row(**table.decode(values)) for values in found],
    )
