"""Views as Spark defines them: create, replace, alter, rename and drop."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from pyspark.sql.types import StructType

from forklake.catalog import describe, lookup
from forklake.catalog.transaction import Staging
from forklake.errors import AlreadyExistsError, InvalidInputError
from forklake.lake.internals import content_of, run
from forklake.model.rows import ViewRow
from forklake.ops.objects import define_view
from forklake.ops.objects.define_view import NewView
from forklake.ops.objects.set_tag import set_view_tag
from forklake.spark_catalog.attached import NO, YES, Answer, Attached, Question, Words, say
from forklake.spark_catalog.define_objects import do, new_name, schema_name
from forklake.spark_catalog.new_columns import column_comments
from forklake.spark_catalog.view_texts import common_text

_OF_SPARK: Final = frozenset({"owner", "table_type", "provider", "collation", "external"})
_MODES: Final = frozenset({"COMPENSATION", "EVOLUTION"})


def view(attached: Attached, words: Words, given: Any) -> Answer:
    """Return the text and the properties of a view; nothing if there is none."""
    content = content_of(attached.catalog)
    row = attached.view(content, words)
    if row is None:
        return None
    schema = lookup.schema_by_id(content, row.schema_id).schema_name
    return say({"schema": schema, "text": row.sql, "properties": describe.object_tags(content, row.view_id)})


def create_view(attached: Attached, words: Words, given: Any) -> Answer:
    """Create or replace a view, as one commit.

    "false": there is something of that name that stays.

    Raises:
        InvalidInputError: Its query does not mean the same to Spark and to DuckDB; nothing was changed.
    """
    attached.check_writable()
    content = content_of(attached.catalog)
    schema = attached.schema(content, words)
    if schema is None:
        return None
    old, how = attached.view(content, words), words["how"]
    is_free = how == "create or replace" or (old is None) == (how == "create")
    if attached.table(content, words) is not None or not is_free:
        return NO
    is_same = old is not None and how == "replace" and words["text"] == old.sql  # only its properties change
    if not is_same and words["mode"] not in _MODES:
        raise InvalidInputError(
            f"A view of a lake has the columns that its query has when it is read; WITH SCHEMA {words['mode']} cannot"
            f' be kept: view "{words["name"]}" was not made.',
            hint="Leave the clause out, and name the columns in the query.",
        )
    new = None if is_same else _new_view(attached, schema.schema_name, words)
    tags = {key: value for key, value in words["properties"].items() if key.lower() not in _OF_SPARK}

    comments = {} if new is None else column_comments(words["columns"])

    def verb(staging: Staging) -> None:
        if new is not None:
            define_view.create_view(staging, attached.runtime, new)
        row = lookup.view(staging.draft, words["name"], schema.schema_name)
        old_tags = describe.object_tags(staging.draft, row.view_id)
        for key in {*tags, *old_tags}:
            if tags.get(key) != old_tags.get(key):
                set_view_tag(staging, row, key, tags.get(key))
        for column, comment in comments.items():
            set_view_tag(staging, row, "comment", comment, column=column)

    try:
        run(attached.catalog, verb)
    except AlreadyExistsError:
        return NO
    return YES


def drop_view(attached: Attached, words: Words, given: Any) -> Answer:
    """Drop a view."""
    return do(attached, lambda staging: define_view.drop_view(staging, _row(staging, words)))


def rename_view(attached: Attached, words: Words, given: Any) -> Answer:
    """Rename a view within its schema.

    "false": there is a table or view of the new name.

    Raises:
        InvalidInputError: The new name is of another schema.
    """
    name = new_name(attached, words, "view")
    try:
        return do(attached, lambda staging: define_view.rename_view(staging, _row(staging, words), name))
    except AlreadyExistsError:
        return NO


QUESTIONS: Final[Mapping[str, Question]] = {
    "view": view,
    "create_view": create_view,
    "drop_view": drop_view,
    "rename_view": rename_view,
}


def _row(staging: Staging, words: Words) -> ViewRow:
    return lookup.view(staging.draft, words["name"], schema_name(words))


def _new_view(attached: Attached, schema: str, words: Words) -> NewView:
    """Return the view that Spark describes."""
    found = common_text(attached, words)
    names = StructType.fromJson(json.loads(words["columns"])).names
    aliases = () if names == found.columns else names
    return NewView(words["name"], found.sql, schema, aliases, or_replace=words["how"] != "create")
