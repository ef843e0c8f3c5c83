"""Tables and schemas as Spark looks them up."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from forklake.catalog import describe, lookup, versions
from forklake.catalog.moments import Moment, TagName
from forklake.catalog.state import CatalogState, Content
from forklake.config import UNLIMITED
from forklake.errors import NotFoundError
from forklake.lake.internals import content_of
from forklake.model.quoting import quote_name, quote_spark_name
from forklake.model.rows import TableRow, ViewRow
from forklake.model.table_read import TableRead
from forklake.ops.rows.read_table import plan_table
from forklake.spark_catalog import table_facts
from forklake.spark_catalog.attached import MAIN, YES, Answer, Attached, Question, ReadKey, Words, plan_of, say
from forklake.spark_catalog.refused_commands import check_command

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST: Final = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_LAST: Final = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)


def resolve(attached: Attached, words: Words, given: Any) -> Answer:
    """Return a key for a table or view at the snapshot of a statement.

    A moment that is named counts instead.

    A key always means the same rows.

    Raises:
        SnapshotNotFoundError: The moment is none of the catalog's.
        NotFoundError: There was no such table at the moment.
        InvalidInputError: It is looked up for a command that tables of a lake have no use for.
    """
    content = _content(attached, words)
    snapshot = content.version.snapshot_id
    if "command" in words:
        check_command(words["command"])
    if (row := attached.table(content, words)) is not None:
        return str(ReadKey(row.table_id, snapshot))
    if (view := attached.view(content, words)) is not None:
        return str(ReadKey(view.view_id, snapshot))
    if _moment(words) is None:
        return None
    raise NotFoundError(f'There was no table "{words["name"]}" at snapshot {snapshot} of catalog "{attached.name}".')


def describe_table(attached: Attached, words: Words, given: Any) -> Answer:
    """Return the properties and keys of a resolved table, and which rows it has."""
    content = _content(attached, words)
    if (view := attached.view(content, words)) is not None:
        return say({"properties": describe.object_tags(content, view.view_id), "keys": []})
    row, version = _row(attached, content, words), content.version
    read = TableRead(attached.runtime.key, version.catalog_id, row.table_id, version.snapshot_id)
    facts = {"properties": table_facts.properties(content, row), "keys": table_facts.keys(content, row)}
    return say({**facts, "rows": str(read)})


def plan(attached: Attached, words: Words, given: Any) -> Answer:
    """Return the plan of a resolved table: that of its DataFrame.

    The plan of a view is that of its query.

    Raises:
        ForklakeError: The query of a view cannot be computed.
    """
    content = _content(attached, words)
    if (view := attached.view(content, words)) is not None:
        return plan_of(_view_rows(attached, content, view))
    row = _row(attached, content, words)
    frame = attached.runtime.engine.scan(plan_table(attached.runtime, content, row, None))
    comments = {column.name: column.comment for column in describe.columns(content, row.table_id)}
    if any(comments.values()):
        frame = frame.select(*(_with_comment(name, comments.get(name)) for name in frame.columns))
    return plan_of(frame)


def target(attached: Attached, words: Words, given: Any) -> Answer:
    """Return the columns, properties and partition keys of a table to change.

    Raises:
        InvalidInputError: It is a view, or nothing can be changed through this attachment.
    """
    content = attached.statements.content(words["statement"])
    attached.check_no_view(content, words)
    row = attached.table(content, words)
    if row is None:
        return None
    attached.check_writable()
    return say(
        {
            "columns": table_facts.columns_json(attached, content, row),
            "properties": table_facts.properties(content, row),
            "keys": table_facts.keys(content, row),
        }
    )


def exists(attached: Attached, words: Words, given: Any) -> Answer:
    """Tell whether there is a table now."""
    return None if attached.table(_now(attached), words) is None else YES


def tables(attached: Attached, words: Words, given: Any) -> Answer:
    """Return the names of the tables and views of a schema."""
    content = _now(attached)
    found = attached.schema(content, words)
    if found is None:
        return None
    names = [row.table_name for row in lookup.tables(content, found.schema_id)]
    return say(sorted([*names, *(row.view_name for row in lookup.views(content, found.schema_id))]))


def only_tables(attached: Attached, words: Words, given: Any) -> Answer:
    """Return the names of the tables of a schema."""
    content = _now(attached)
    found = attached.schema(content, words)
    return None if found is None else say(sorted(row.table_name for row in lookup.tables(content, found.schema_id)))


def views(attached: Attached, words: Words, given: Any) -> Answer:
    """Return the names of the views of a schema."""
    content = _now(attached)
    found = attached.schema(content, words)
    return None if found is None else say(sorted(row.view_name for row in lookup.views(content, found.schema_id)))


def schemas(attached: Attached, words: Words, given: Any) -> Answer:
    """Return the names of all schemas."""
    return say([row.schema_name for row in lookup.schemas(_now(attached))])


def schema(attached: Attached, words: Words, given: Any) -> Answer:
    """Return the properties of a schema: it has none."""
    return None if attached.schema(_now(attached), words) is None or not words["schema"] else say({})


QUESTIONS: Final[Mapping[str, Question]] = {
    "resolve": resolve,
    "describe": describe_table,
    "plan": plan,
    "target": target,
    "exists": exists,
    "tables": tables,
    "only_tables": only_tables,
    "views": views,
    "schemas": schemas,
    "schema": schema,
}


def _now(attached: Attached) -> Content:
    return content_of(attached.catalog)


def _moment(words: Words) -> Moment | None:
    """Return the moment that a read names: a snapshot id, else a tag, or a time."""
    if "micros" in words:
        # Spark has times that Python has not; nothing is as late as those.
        return _EPOCH + timedelta(microseconds=max(_FIRST, min(words["micros"], _LAST)))
    if "version" not in words:
        return None
    text: str = words["version"]
    return int(text) if text.isascii() and text.isdigit() else TagName(text)


def _content(attached: Attached, words: Words) -> Content:
    content = attached.statements.content(words["statement"])
    moment = _moment(words)
    if moment is None:
        return content
    store = attached.runtime.store
    return CatalogState(store, versions.version_of(store, content.version, moment))


def _row(attached: Attached, content: Content, words: Words) -> TableRow:
    names = words["schema"]
    return lookup.table(content, words["name"], names[0] if names else MAIN)


def _view_rows(attached: Attached, content: Content, view: ViewRow) -> DataFrame:
    """Return the rows of a view, at the snapshot of the content.

    The session is confined: the text of a view leads to no other catalog.
    """
    schema = lookup.schema_by_id(content, view.schema_id).schema_name
    seen = attached.catalog.at(content.version.snapshot_id)
    with seen.session(confined=UNLIMITED) as session:
        found = session.sql(f"FROM {quote_name(schema)}.{quote_name(view.view_name)}")
        assert found is not None
        return found.dataframe()


def _with_comment(name: str, comment: str | None) -> Any:
    column = F.col(quote_spark_name(name))
    return column if comment is None else column.alias(name, metadata={"comment": comment})
