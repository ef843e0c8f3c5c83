"""Tables and schemas as Spark defines them: create, alter, rename and drop."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.errors import AlreadyExistsError, InvalidInputError, NotFoundError
from forklake.lake.internals import content_of, run
from forklake.model.names import fold, join_name
from forklake.ops.objects import define_schema, define_table
from forklake.ops.objects.define_table import NewTable
from forklake.ops.objects.set_tag import set_table_tag
from forklake.ops.rows import append as appending
from forklake.spark_catalog.alterations import alter, check_changes
from forklake.spark_catalog.attached import MAIN, NO, YES, Answer, Attached, Question, Words, read_at
from forklake.spark_catalog.new_columns import column_comments, new_columns, partition_keys
from forklake.spark_catalog.table_properties import read_properties


def create_table(attached: Attached, words: Words, given: Any) -> Answer:
    """Create or replace a table, with its rows if there are some, as one commit.

    "false": there is a table or view of that name.

    Raises:
        CommitConflictError: The rows were read of the table that they replace, and others changed it since.
        InvalidInputError: Tables of a lake cannot have such a column, key or property; nothing was created.
    """
    attached.check_writable()
    content = content_of(attached.catalog)
    found = attached.schema(content, words)
    if found is None:
        return None
    how = words.get("how", "create")
    properties = read_properties(words["properties"])
    rows = None if given is None else attached.frame(given)
    old = attached.table(content, words)
    is_own = old is not None and read_at(words, old.table_id) is not None
    new = NewTable(
        words["name"],
        new_columns(attached, words["columns"]),
        found.schema_name,
        partition_keys(words["keys"]),
        properties.sorted_by,
        or_replace=how != "create",
        uses_old_rows=is_own,
    )
    comments = column_comments(words["columns"])

    def verb(staging: Staging) -> None:
        if how == "replace":
            lookup.table(staging.draft, new.name, new.schema)
        made = define_table.create_table(staging, attached.runtime, new)
        assert made is not None
        row = lookup.table_by_id(staging.draft, made)
        for key, value in properties.tags.items():
            set_table_tag(staging, row, key, value)
        for column, comment in comments.items():
            set_table_tag(staging, row, "comment", comment, column=(column,))
        if rows is not None:
            appending.append(staging, attached.runtime, row, rows, by_name=False)

    try:
        if old is not None and is_own:
            with attached.begin(words, old.table_id) as transaction:
                run(transaction, verb)
        else:
            run(attached.catalog, verb)
    except AlreadyExistsError:
        now = content_of(attached.catalog)
        if how != "create" or (attached.table(now, words) is None and attached.view(now, words) is None):
            raise  # two columns of one name
        return NO
    return YES


def alter_table(attached: Attached, words: Words, given: Any) -> Answer:
    """Alter a table, as one commit.

    Raises:
        InvalidInputError: Tables of a lake cannot be altered like that; nothing was changed.
    """
    attached.check_writable()
    content = content_of(attached.catalog)
    attached.check_no_view(content, words)
    if attached.table(content, words) is None:
        return None
    check_changes(words["name"], words["changes"])

    def verb(staging: Staging) -> None:
        for change in words["changes"]:
            alter(attached, staging, lookup.table(staging.draft, words["name"], schema_name(words)), change)

    run(attached.catalog, verb)
    return YES


def drop_table(attached: Attached, words: Words, given: Any) -> Answer:
    """Drop a table."""
    return do(
        attached,
        lambda staging: define_table.drop_table(
            staging, lookup.table(staging.draft, words["name"], schema_name(words))
        ),
    )


def rename_table(attached: Attached, words: Words, given: Any) -> Answer:
    """Rename a table within its schema.

    "false": there is a table or view of the new name.

    Raises:
        InvalidInputError: The new name is of another schema.
    """
    name = new_name(attached, words, "table")
    try:
        return do(
            attached,
            lambda staging: define_table.rename_table(
                staging, lookup.table(staging.draft, words["name"], schema_name(words)), name
            ),
        )
    except AlreadyExistsError:
        return NO


def create_schema(attached: Attached, words: Words, given: Any) -> Answer:
    """Create a schema; nothing is answered if there is one of that name.

    Raises:
        InvalidInputError: It would have properties, or parts.
    """
    attached.check_writable()
    name = _one_name(words)
    unknown = sorted(set(words["properties"]) - {"owner"})
    if unknown:
        raise InvalidInputError(
            f'Schemas of a lake have no properties, such as "{unknown[0]}"; schema "{name}" was not created.'
        )
    try:
        run(attached.catalog, lambda staging: define_schema.create_schema(staging, name))
    except AlreadyExistsError:
        return None
    return YES


def drop_schema(attached: Attached, words: Words, given: Any) -> Answer:
    """Drop a schema.

    Raises:
        InvalidInputError: It holds something, and CASCADE was not said.
    """
    name = _one_name(words)
    return do(attached, lambda staging: define_schema.drop_schema(staging, name, cascade=words["cascade"]))


QUESTIONS: Final[Mapping[str, Question]] = {
    "create_table": create_table,
    "alter_table": alter_table,
    "drop_table": drop_table,
    "rename_table": rename_table,
    "create_schema": create_schema,
    "drop_schema": drop_schema,
}


def new_name(attached: Attached, words: Words, what: str) -> str:
    """Return the name that something gets within its schema.

    Raises:
        InvalidInputError: The new name is of another schema.
    """
    to = words["new_schema"]
    if len(to) == 2 and fold(to[0]) == fold(attached.name):
        to = to[1:]
    if to and [fold(name) for name in to] != [fold(schema_name(words))]:
        raise InvalidInputError(
            f'A {what} stays in its schema: "{join_name(schema_name(words), words["name"])}" was not renamed.',
            hint=f"To have it in another schema, create a {what} there from a query.",
        )
    name: str = words["new_name"]
    return name


def do(attached: Attached, verb: Callable[[Staging], None]) -> Answer:
    """Run a verb; nothing is answered if what it is about is not there."""
    attached.check_writable()
    try:
        run(attached.catalog, verb)
    except NotFoundError:
        return None
    return YES


def schema_name(words: Words) -> str:
    """Return the name of the schema that is asked about."""
    names = words["schema"]
    return names[0] if names else MAIN


def _one_name(words: Words) -> str:
    if len(words["schema"]) != 1:
        raise InvalidInputError(f'"{".".join(words["schema"])}" is no name of a schema of a lake; nothing was changed.')
    name: str = words["schema"][0]
    return name
