"""USE: the catalog and schema of names that do not say theirs."""

from __future__ import annotations

from forklake.errors import NotFoundError
from forklake.model.names import fold
from forklake.session.names.existence import hint
from forklake.session.names.name_resolution import SessionNames
from forklake.session.names.private_catalogs import MEMORY
from forklake.session.state import SessionState
from forklake.sql import statements


def use_schema(state: SessionState, statement: statements.Use) -> None:
    """Run USE, of a catalog, a schema of it, or a schema of the catalog in use.

    Raises:
        NotFoundError: There is no such catalog or schema.
    """
    names = SessionNames(state)
    if [fold(part) for part in statement.name] in ([MEMORY], [MEMORY, "main"]) and not state.attachments.find(MEMORY):
        state.in_use = None
        return
    if len(statement.name) == 1 and state.attachments.find(statement.name[0]) is not None:
        state.in_use = (names.attached_catalog(statement.name[0]), "main")
        return
    unknown = f'Catalog Error: SET schema: No catalog + schema named "{".".join(statement.name)}" found.'
    named = state.attachments.find(statement.name[0]) or state.named_catalog(statement.name[0])
    if len(statement.name) > 2 or (len(statement.name) == 2 and named is None):
        raise NotFoundError(unknown)
    if len(statement.name) == 1 and named is not None and not names.has_schema(statement.name[0]):
        state.in_use = (named, "main")
        return
    attached, schema = names.schema_target(statement.name)
    if all(fold(one) != fold(schema) for one in state.reader(attached).schemas.list()):
        known = [one.alias for one in state.attachments.all()] + list(state.reader(attached).schemas.list())
        raise NotFoundError(unknown + hint(statement.name[-1], known))
    state.in_use = (attached, schema)
