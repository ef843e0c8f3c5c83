"""Procedures of the schema ``system``: ``CALL shop.system.fork('trial')``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from pyspark.sql import DataFrame

from forklake.catalog.moments import Moment, TagName, read_time
from forklake.errors import InvalidInputError, NotFoundError
from forklake.lake import Catalog
from forklake.model import types
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold, join_name, nearest, split_name
from forklake.ops.merging.merge_terms import read_code, read_strategy_texts
from forklake.session.functions.forks import MERGED, plan_rows
from forklake.spark_catalog.attached import Answer, Attached, Question, Words, say

Rows = Sequence[Sequence[Any]]

_MERGED: Final = ", ".join(f"{one.name} {'BIGINT' if one.type == types.INT64 else 'STRING'}" for one in MERGED)
_OURS: Final[Mapping[str, str]] = {"TIME": "STRING", "TABLE": "STRING"}
"""Our kinds of arguments, and the types that Spark makes them."""
_SIGNATURE: Final[Mapping[str, str]] = {"author": "STRING", "message": "STRING"}
"""Who does it, and why."""
_COMPACTED: Final = "schema_name STRING, table_name STRING, files_processed BIGINT, files_created BIGINT"


@dataclass(frozen=True, slots=True)
class _Procedure:
    """A procedure.

    Attributes:
        parameters: Names and kinds, in order: a type of Spark's, or one of ours; ``!`` behind it: it must be given.
        columns: The columns of its rows.
        run: What it does; it returns rows, or a frame that has its own columns.
        changes: Whether it changes something, which a read-only attachment refuses.
    """

    parameters: Mapping[str, str]
    columns: str
    run: Callable[[Attached, Mapping[str, Any]], Rows | DataFrame]
    changes: bool = True


def names(attached: Attached, words: Words, given: Any) -> Answer:
    """Return the names of all procedures."""
    return say(sorted(_PROCEDURES))


def parameters(attached: Attached, words: Words, given: Any) -> Answer:
    """Return the parameters of a procedure.

    Raises:
        NotFoundError: There is no such procedure.
    """
    found = _procedure(attached, words).parameters
    return say(
        [
            {"name": name, "type": _OURS.get(kind.rstrip("!"), kind.rstrip("!")), "required": kind.endswith("!")}
            for name, kind in found.items()
        ]
    )


def call(attached: Attached, words: Words, given: Any) -> Answer:
    """Run a procedure, and return its rows.

    Raises:
        InvalidInputError: It changes something, and the attachment is read-only; or an argument that it needs is NULL.
    """
    found = _procedure(attached, words)
    if found.changes:
        attached.check_writable()
    given = words["arguments"]
    for name, kind in found.parameters.items():
        if kind.endswith("!") and given[name] is None:
            raise InvalidInputError(f'The parameter "{name}" of procedure "{words["name"]}" is NULL; nothing was done.')
    rows = found.run(attached, {name: _read(attached, kind, given[name]) for name, kind in found.parameters.items()})
    frame: Any = rows if isinstance(rows, DataFrame) else attached.spark.createDataFrame(list(rows), found.columns)
    return frame._jdf


QUESTIONS: Final[Mapping[str, Question]] = {"procedures": names, "procedure": parameters, "call": call}


def _procedure(attached: Attached, words: Words) -> _Procedure:
    found = _PROCEDURES.get(fold(words["name"]))
    if found is None or [fold(name) for name in words["schema"]] != ["system"]:
        near = nearest(words["name"], _PROCEDURES)
        named = ".".join([*words["schema"], words["name"]])
        raise NotFoundError(
            f'There is no procedure "{named}" in catalog "{attached.name}"; nothing was done.',
            hint=(f"Did you mean {attached.name}.system.{near}? " if near else "")
            + f"There are, in its schema system: {', '.join(sorted(_PROCEDURES))}.",
        )
    return found


def _read(attached: Attached, kind: str, value: Any) -> Any:
    """Return what an argument means: a text as everyone else would say it."""
    if value is None:
        return None
    match kind.rstrip("!"):
        case "TIME":
            return _with_zone(attached, value)
        case "TABLE":
            return _table_name(attached, value)
    return value


def _with_zone(attached: Attached, text: str) -> str:
    """Return a time with its zone, which is the session's if none is said."""
    try:
        local = datetime.fromisoformat(text.strip())
    except ValueError:  # an age, or no time
        return text
    if local.tzinfo is not None:
        return text
    (found,) = attached.spark.sql("SELECT unix_micros(CAST(? AS TIMESTAMP))", [local.isoformat(" ")]).collect()
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=found[0])).isoformat()


def _table_name(attached: Attached, text: str) -> str:
    """Return the name of a table without that of the catalog, which may be said, too."""
    parts = split_name(text)
    if parts is None or len(parts) != 3 or fold(parts[0]) != fold(attached.name):
        return text
    return join_name(*parts[1:])


# ---- what they do ----------------------------------------------------------------------------------------------------


def _fork(attached: Attached, given: Mapping[str, Any]) -> Rows:
    if attached.read_only:  # at a past snapshot there can be forks
        attached.check_writable()
    made = attached.catalog.fork(given["name"], at=_moment(given), ttl=given["ttl"])
    attached.forks.add(made.catalog_id)
    return [(made.name, int(made.catalog_id), int(made.head))]


def _own_fork(attached: Attached, name: str) -> Catalog:
    """Return a fork that this attachment made; it leads to no other catalog.

    Raises:
        NotFoundError: It made none of that name.
    """
    attached.check_writable()
    forks = (one for one in attached.catalog.forks() if one.catalog_id in attached.forks)
    found = next((one for one in forks if fold(one.name) == fold(name)), None)
    if found is None:
        raise NotFoundError(
            f'No fork "{name}" was made by this attachment of "{attached.name}"; nothing was done.',
            hint="Forks that others made are merged in Python, in forklake's SQL or on the command line.",
        )
    return Catalog(attached.runtime, found.catalog_id)


def _merge(attached: Attached, given: Mapping[str, Any]) -> Rows:
    strategy = read_strategy_texts([given["strategy"]] if given["strategy"] else [])
    plan = attached.catalog.merge(
        _own_fork(attached, given["fork"]),
        strategy=strategy,
        code=read_code(given["code"] or "take"),
        author=given["author"],
        message=given["message"],
        dry_run=bool(given["dry_run"]),
    )
    return list(plan_rows(plan))


def _drop_fork(attached: Attached, given: Mapping[str, Any]) -> Rows:
    _own_fork(attached, given["fork"]).drop(author=given["author"], message=given["message"])
    return [(given["fork"],)]


def _snapshots(attached: Attached, given: Mapping[str, Any]) -> Rows:
    return [
        (int(one.snapshot_id), one.snapshot_time, one.changes_made, one.author, one.commit_message)
        for one in attached.catalog.snapshots(limit=given["limit"])
    ]


def _tag(attached: Attached, given: Mapping[str, Any]) -> Rows:
    made = attached.catalog.tag(given["name"], at=given["snapshot_id"], message=given["message"])
    return [(made.name, int(made.snapshot_id))]


def _untag(attached: Attached, given: Mapping[str, Any]) -> Rows:
    attached.catalog.untag(given["name"])
    return [(given["name"],)]


def _tags(attached: Attached, given: Mapping[str, Any]) -> Rows:
    return [(one.name, int(one.snapshot_id), one.message) for one in attached.catalog.tags()]


def _table_changes(attached: Attached, given: Mapping[str, Any]) -> DataFrame:
    return attached.catalog.table(given["table"]).changes(given["start_snapshot"], given["end_snapshot"])


def _merge_files(attached: Attached, given: Mapping[str, Any]) -> Rows:
    done = attached.catalog.maintenance.merge_adjacent_files(given["table"], dry_run=bool(given["dry_run"]))
    return [(one.schema_name, one.table_name, one.files_processed, one.files_created) for one in done]


def _rewrite_files(attached: Attached, given: Mapping[str, Any]) -> Rows:
    done = attached.catalog.maintenance.rewrite_data_files(
        given["table"], delete_threshold=given["delete_threshold"], dry_run=bool(given["dry_run"])
    )
    return [(one.schema_name, one.table_name, one.files_processed, one.files_created) for one in done]


def _flush(attached: Attached, given: Mapping[str, Any]) -> Rows:
    done = attached.catalog.maintenance.flush_inlined(table=given["table"], dry_run=bool(given["dry_run"]))
    return [(one.schema_name, one.table_name, one.row_count, one.delete_count) for one in done]


def _expire(attached: Attached, given: Mapping[str, Any]) -> Rows:
    ids = given["snapshot_id"]
    done = attached.catalog.maintenance.expire_snapshots(
        versions=None if ids is None else [ids],
        older_than=given["older_than"],
        dry_run=bool(given["dry_run"]),
    )
    return [(int(one),) for one in done]


def _clean_up(attached: Attached, given: Mapping[str, Any]) -> Rows:
    done = attached.catalog.maintenance.cleanup_old_files(
        older_than=given["older_than"], cleanup_all=bool(given["cleanup_all"]), dry_run=bool(given["dry_run"])
    )
    return [(path,) for path in done.deleted]


def _set_option(attached: Attached, given: Mapping[str, Any]) -> Rows:
    author, message = given["author"], given["message"]
    attached.catalog.options.set(given["name"], given["value"], table=given["table"], author=author, message=message)
    return [(given["name"], given["value"])]


def _moment(given: Mapping[str, Any]) -> Moment | None:
    """Return the one moment that is given, if any."""
    readers: Mapping[str, Callable[[Any], Moment]] = {"snapshot_id": int, "timestamp": read_time, "tag": TagName}
    found = [read(given[name]) for name, read in readers.items() if given[name] is not None]
    if len(found) > 1:
        raise InvalidInputError("A fork is made at a snapshot, a time or a tag, not at several; no fork was made.")
    return found[0] if found else None


_PROCEDURES: Final[Mapping[str, _Procedure]] = {
    "cleanup_old_files": _Procedure(
        {"older_than": "TIME", "cleanup_all": "BOOLEAN", "dry_run": "BOOLEAN"}, "path STRING", _clean_up
    ),
    "drop_fork": _Procedure({"fork": "STRING!", **_SIGNATURE}, "catalog_name STRING", _drop_fork),
    "expire_snapshots": _Procedure(
        {"older_than": "TIME", "snapshot_id": "BIGINT", "dry_run": "BOOLEAN"}, "snapshot_id BIGINT", _expire
    ),
    "flush_inlined_data": _Procedure(
        {"table": "TABLE", "dry_run": "BOOLEAN"},
        "schema_name STRING, table_name STRING, rows_flushed BIGINT, deletes_flushed BIGINT",
        _flush,
    ),
    "fork": _Procedure(
        {"name": "STRING!", "snapshot_id": "BIGINT", "timestamp": "TIME", "tag": "STRING", "ttl": "TIME"},
        "catalog_name STRING, catalog_id BIGINT, snapshot_id BIGINT",
        _fork,
        changes=False,
    ),
    "merge": _Procedure(
        {
            "fork": "STRING!",
            "strategy": "STRING",
            "message": "STRING",
            "dry_run": "BOOLEAN",
            "code": "STRING",
            "author": "STRING",
        },
        _MERGED,
        _merge,
    ),
    "merge_adjacent_files": _Procedure({"table": "TABLE", "dry_run": "BOOLEAN"}, _COMPACTED, _merge_files),
    "rewrite_data_files": _Procedure(
        {"table": "TABLE", "delete_threshold": "DOUBLE", "dry_run": "BOOLEAN"}, _COMPACTED, _rewrite_files
    ),
    "set_option": _Procedure(
        {"name": "STRING!", "value": "STRING!", "table": "TABLE", **_SIGNATURE},
        "name STRING, value STRING",
        _set_option,
    ),
    "snapshots": _Procedure(
        {"limit": "INT"},
        "snapshot_id BIGINT, snapshot_time TIMESTAMP, changes_made STRING, author STRING, commit_message STRING",
        _snapshots,
        changes=False,
    ),
    "table_changes": _Procedure(
        {"table": "TABLE!", "start_snapshot": "BIGINT!", "end_snapshot": "BIGINT"}, "", _table_changes, changes=False
    ),
    "tag": _Procedure(
        {"name": "STRING!", "snapshot_id": "BIGINT", "message": "STRING"}, "name STRING, snapshot_id BIGINT", _tag
    ),
    "tags": _Procedure({}, "name STRING, snapshot_id BIGINT, message STRING", _tags, changes=False),
    "untag": _Procedure({"name": "STRING!"}, "name STRING", _untag),
}
