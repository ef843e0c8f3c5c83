"""Schemas of a catalog: `Catalog.schemas`."""

from __future__ import annotations

from forklake.catalog import lookup
from forklake.catalog.transaction import Staging
from forklake.lake.runner import Runner
from forklake.model.records import Commit
from forklake.ops.objects import define_schema


class Schemas:
    """The schemas of a catalog, or of a transaction."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    def list(self) -> list[str]:
        """Return their names, in order."""
        return [row.schema_name for row in lookup.schemas(self._runner._content())]

    def create(self, name: str, *, if_not_exists: bool = False) -> Commit:
        """Create a schema.

        Raises:
            AlreadyExistsError: There is one of that name.
        """

        def verb(staging: Staging) -> None:
            define_schema.create_schema(staging, name, if_not_exists=if_not_exists)

        return self._runner._commit(verb)

    def drop(self, name: str, *, cascade: bool = False, if_exists: bool = False) -> Commit:
        """Drop a schema; with ``cascade`` the tables, views and macros in it too.

        Raises:
            NotFoundError: There is none of that name.
            InvalidInputError: It holds something, and ``cascade`` was not given.
        """
        return self._runner._commit(
            lambda staging: define_schema.drop_schema(staging, name, cascade=cascade, if_exists=if_exists)
        )
