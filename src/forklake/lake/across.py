"""Catalogs that are read together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from forklake import lake, sql
from forklake.catalog.names import column_names, qualified_name
from forklake.lake.engine_columns import Condition, plain_expression
from forklake.model import predicate
from forklake.model.field import Field
from forklake.model.ids import CatalogId
from forklake.ops.lakes.runtime import Runtime
from forklake.ops.rows.read_across import count_across, plan_across, read_across, shared_columns

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from forklake.catalog.shared_plan import SharedScan
    from forklake.session.results.result import Result
    from forklake.sql.parameters import Values


class Across:
    """Some catalogs of a lake, to read one table in all of them.

    Which catalogs they are is known; what they hold is read when it is asked for.
    """

    def __init__(self, runtime: Runtime, catalogs: tuple[tuple[CatalogId, str], ...]) -> None:
        self._runtime = runtime
        self._catalogs = catalogs

    def __repr__(self) -> str:
        return f"Across({len(self._catalogs)} catalogs)"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the catalogs, oldest catalog first."""
        return tuple(name for _, name in self._catalogs)

    def table(self, name: str, *, schema: str | None = None) -> AcrossTable:
        """Return the table of that name in each of the catalogs.

        The name is written ``table`` or ``schema.table``; if ``schema`` is given, the name is not split.
        """
        schema, name = qualified_name(name, schema)
        return AcrossTable(self._runtime, tuple(catalog for catalog, _ in self._catalogs), schema, name)


class AcrossTable:
    """A table of the same name in several catalogs.

    Catalogs that have no such table are left out.
    """

    def __init__(self, runtime: Runtime, catalogs: tuple[CatalogId, ...], schema: str, name: str) -> None:
        self._runtime = runtime
        self._catalogs = catalogs
        self._schema = schema
        self._name = name

    def __repr__(self) -> str:
        return f"AcrossTable({self._schema}.{self._name} of {len(self._catalogs)} catalogs)"

    def dataframe(
        self,
        columns: str | Sequence[str] | None = None,
        where: Condition | None = None,
        *,
        parameters: Values | None = None,
    ) -> DataFrame:
        """Return the rows of all the catalogs as a Spark DataFrame.

        They come in no particular order. The first column, ``catalog_name``, says which catalog a row is from. All
        catalogs are seen at one moment, and planned with a few metadata queries, however many they are. A file that
        several of them show is read once. A column that the table lacks in some of them is NULL there.

        Args:
            columns: What to show beside ``catalog_name``, as `Table.dataframe` takes it; all columns if not given.
            where: A condition on columns of the table, as `Table.dataframe` takes it. Filter the DataFrame to choose
                by ``catalog_name``.
            parameters: Values for ``?`` and ``$name`` in the condition.

        Raises:
            NotFoundError: None of the catalogs has the table, or there is no such column.
            InvalidInputError: The condition cannot be understood, or a column has different types.
            EngineError: Spark cannot be started.
        """
        chosen = None if columns is None else column_names([columns] if isinstance(columns, str) else columns)
        found = self._plan(where, parameters)
        fields = shared_columns(found, chosen)
        frame: DataFrame = read_across(self._runtime, found, fields)
        return frame

    def arrow(
        self,
        columns: str | Sequence[str] | None = None,
        where: Condition | None = None,
        *,
        parameters: Values | None = None,
    ) -> pa.Table:
        """Return the rows of all the catalogs as an Arrow table.

        Types are those of data files, the arguments those of `dataframe`. Few rows are read without Spark, as
        `Table.arrow` reads them; each counts once for every catalog that shows it.

        Raises:
            NotFoundError: None of the catalogs has the table, or there is no such column.
            InvalidInputError: The condition cannot be understood, or a column has different types.
            DataFileError: A file is missing or damaged.
            EngineError: Spark is needed and cannot be started, or its job failed.
        """
        return self._result(columns, where, parameters).arrow()

    def pandas(
        self,
        columns: str | Sequence[str] | None = None,
        where: Condition | None = None,
        *,
        parameters: Values | None = None,
    ) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame; otherwise as `arrow`."""
        return self._result(columns, where, parameters).pandas()

    def rows(
        self,
        columns: str | Sequence[str] | None = None,
        where: Condition | None = None,
        *,
        parameters: Values | None = None,
    ) -> list[tuple[Any, ...]]:
        """Return the rows as tuples of Python values; otherwise as `arrow`."""
        return self._result(columns, where, parameters).rows()

    def count(self, where: Condition | None = None, *, parameters: Values | None = None) -> int:
        """Return the number of rows that the catalogs show together.

        It comes from metadata where that is exact, else Spark counts.
        """
        found = self._plan(where, parameters)
        known = count_across(found)
        return int(read_across(self._runtime, found, ()).count()) if known is None else known

    def paths(self, where: Condition | None = None, *, parameters: Values | None = None) -> tuple[str, ...]:
        """Return the data files that `dataframe` reads.

        Raises:
            NotFoundError: None of the catalogs has the table.
        """
        return tuple(file.path for plan, _ in self._plan(where, parameters).plans for file in plan.plan.files)

    def _result(
        self, columns: str | Sequence[str] | None, where: Condition | None, parameters: Values | None
    ) -> Result:
        chosen = None if columns is None else column_names([columns] if isinstance(columns, str) else columns)
        return lake.read_rows.read_shared(self._runtime, self._plan(where, parameters), chosen)

    def _plan(self, where: Condition | None, parameters: Values | None) -> SharedScan:
        tree = None
        if where is not None or parameters is not None:
            tree = sql.rows.row_texts.read_where(plain_expression(self._runtime.engine, where), parameters)

        def bind(table: str, fields: tuple[Field, ...]) -> predicate.Condition | None:
            return None if tree is None else sql.rows.row_statements.bind_condition(tree, table, fields)

        return plan_across(self._runtime, self._catalogs, self._schema, self._name, bind)
