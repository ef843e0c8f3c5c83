"""What the functions of PostgreSQL are given and answer, as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from psycopg.types.json import Jsonb

from forklake.metastore.written_tables import BY_NAME, MetadataTable
from forklake.model.commit import CommitRequest
from forklake.model.lives import QuotaRefusal, Terms
from forklake.model.rows import Row


def commit_document(commit: CommitRequest) -> str:
    """Return what ``lake_commit`` is to write."""
    document = {
        "entries": commit.entries,
        "author": commit.info.author,
        "message": commit.info.message,
        "extra_info": commit.info.extra_info,
        "commit_key": commit.commit_key,
        "lease": commit.lease_id,
        "schema_version": commit.schema_version,
        "new_objects": commit.new_objects,
        "new_files": commit.new_files,
        "rows": {name: _documents(BY_NAME[name], rows) for name, rows in commit.rows.items()},
        "ends": dict(commit.ends),
        "tombstones": [asdict(tombstone) for tombstone in commit.tombstones],
        "own_files": commit.own_files,
        "own_bytes": commit.own_bytes,
        "beyond": None if commit.beyond is None else asdict(commit.beyond),
    }
    return _dumps(document)


def terms_document(terms: Terms) -> Jsonb:
    """Return what ``lake_fork`` gives each fork."""
    lifetime = terms.lifetime
    document = {
        "author": terms.author,
        "labels": dict(terms.labels),
        "lifetime": lifetime and asdict(lifetime) | {"until": lifetime.until and lifetime.until.isoformat()},
    }
    return Jsonb(document, dumps=_dumps)


def read_refusal(told: dict[str, Any] | None) -> QuotaRefusal | None:
    """Return why a function refused something for a quota."""
    return None if told is None else QuotaRefusal(**told)


def _documents(table: MetadataTable[Any], rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return rows as documents, without what is NULL."""
    columns = table.columns
    return [
        {name: value for name, value in zip(columns, values, strict=True) if value is not None}
        for values in map(table.values, rows)
    ]


_dumps = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
