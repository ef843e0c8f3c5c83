"""Trees of Catalyst: plans and expressions, made in Java from Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from pyspark.sql import DataFrame

from forklake.errors import InvalidInputError
from forklake.model.field import Field
from forklake.model.names import fold
from forklake.model.scan import OWN_PLACES, ScanPlan
from forklake.ops.lakes.runtime import Runtime
from forklake.spark_catalog.attached import Attached


class Trees:
    """Makes plans and expressions in the session of an attached catalog."""

    def __init__(self, attached: Attached) -> None:
        self.runtime: Final[Runtime] = attached.runtime
        self._spark: Final = attached.spark
        jvm: Any = cast("Any", attached.spark)._jvm
        self.plans: Final = jvm.org.apache.spark.sql.catalyst.plans.logical
        self.expressions: Final = jvm.org.apache.spark.sql.catalyst.expressions
        self._jvm: Final = jvm
        self._types: Final = jvm.org.apache.spark.sql.types.DataTypes
        self._nothing: Final = jvm.scala.Option.apply(None)

    def items(self, sequence: Any) -> list[Any]:
        """Return the items of a sequence of Scala."""
        return [sequence.apply(place) for place in range(sequence.size())]

    def sequence(self, items: Iterable[Any]) -> Any:
        """Return a sequence of Scala."""
        listed = self._jvm.java.util.ArrayList()
        for item in items:
            listed.add(item)
        return self._jvm.scala.jdk.javaapi.CollectionConverters.asScala(listed).toList()

    def option(self, value: Any) -> Any:
        """Return a value as an option of Scala."""
        return self._jvm.scala.Option.apply(value)

    # ---- plans -------------------------------------------------------------------------------------------------------

    def frame(self, plan: Any) -> DataFrame:
        """Return a plan as a DataFrame.

        It is made of parts that Spark has analysed, and partly rewritten since: they would not pass a second time.
        """
        session: Any = self._spark
        plan.setAnalyzed()
        rows = self._jvm.org.apache.spark.sql.classic.Dataset.ofRows(session._jsparkSession, plan)
        return DataFrame(rows, session)

    def scan(self, plan: ScanPlan, table: Any) -> Any:
        """Return a scan of a table with the places of its rows.

        Its columns have the numbers that expressions know those of ``table`` by, which is the same table as Spark
        has analysed it.
        """
        names = [field.name for field in plan.fields]
        rows: Any = self.runtime.engine.scan(plan, [*OWN_PLACES, *names])
        analysed = rows._jdf.queryExecution().analyzed()
        known = {fold(column.name()): column for column in self.items(table.output())}
        columns = [
            self.alias(column, column.name(), known[fold(column.name())].exprId())
            if fold(column.name()) in known
            else column
            for column in self.items(analysed.output())
        ]
        return self.project(columns, analysed)

    def with_reads(self, plan: Any) -> Any:
        """Return a change of a table in which all reads of it are scans."""
        return self._jvm.forklake.LakeCatalog.withReads(plan)

    def columns(self, plan: Any) -> dict[str, Any]:
        """Return the columns of a plan by their names, folded."""
        return {fold(column.name()): column for column in self.items(plan.output())}

    def filter(self, condition: Any, plan: Any) -> Any:
        """Return the rows of a plan for which a condition holds."""
        return self.plans.Filter(condition, plan)

    def project(self, columns: Sequence[Any], plan: Any) -> Any:
        """Return columns that are made of the rows of a plan."""
        return self.plans.Project(self.sequence(columns), plan)

    def join(self, left: Any, right: Any, how: str, condition: Any) -> Any:
        """Return a join of two plans."""
        kind = self._jvm.org.apache.spark.sql.catalyst.plans.JoinType.apply(how)
        return self.plans.Join(left, right, kind, self.option(condition), self.plans.JoinHint.NONE())

    # ---- expressions -------------------------------------------------------------------------------------------------

    def alias(self, value: Any, name: str, number: Any = None) -> Any:
        """Return a value under a name, and under a number of its own or a given one."""
        number = self.expressions.NamedExpression.newExprId() if number is None else number
        none = self.sequence(())
        return self.expressions.Alias(value, name, number, none, self._nothing, none)

    def number(self, value: int) -> Any:
        """Return a number as a literal."""
        return self.expressions.Literal.create(value, self._types.IntegerType)

    def null_like(self, column: Any) -> Any:
        """Return NULL of the type of an expression."""
        return self.expressions.Literal.create(None, column.dataType())

    def is_true(self, condition: Any) -> bool:
        """Return whether a condition holds for every row."""
        return bool(condition.equals(self.expressions.Literal.TrueLiteral()))

    def holds(self, condition: Any) -> Any:
        """Return a condition that is false where another is unknown."""
        return self.expressions.Coalesce(self.sequence([condition, self.expressions.Literal.FalseLiteral()]))

    def both(self, left: Any, right: Any) -> Any:
        """Return whether two conditions hold."""
        return self.expressions.And(left, right)

    def case(self, branches: Sequence[tuple[Any, Any]], otherwise: Any) -> Any:
        """Return the value of the first branch whose condition holds."""
        pairs = [self._jvm.scala.Tuple2(condition, value) for condition, value in branches]
        return self.expressions.CaseWhen(self.sequence(pairs), self.option(otherwise))

    # ---- assignments -------------------------------------------------------------------------------------------------

    def assignments(self, given: Any, columns: Mapping[str, Any]) -> dict[str, Any]:
        """Return what columns become, by their names folded.

        ``SET s.a = 1`` changes one field of a struct: the column becomes the struct with another field.

        Raises:
            InvalidInputError: Something other than a column or a field of it is assigned to, or something twice.
        """
        new: dict[str, Any] = {}
        paths: list[tuple[str, ...]] = []
        for assignment in self.items(given):
            name, path = self._path(assignment.key())
            whole = (name, *map(fold, path))
            if any(whole[: len(other)] == other[: len(whole)] for other in paths):
                raise InvalidInputError(f'"{".".join(whole)}" is assigned to more than once; nothing was changed.')
            paths.append(whole)
            value = self._jvm.forklake.LakeCatalog.withoutNullChecks(assignment.value())
            if not path:
                new[name] = value
                continue
            before = new.get(name, columns.get(name))
            if before is None:
                raise InvalidInputError(f'A field of "{name}" alone cannot be inserted; nothing was changed.')
            new[name] = self._with_field(before, path, value)
        return new

    def _with_field(self, struct: Any, path: Sequence[str], value: Any) -> Any:
        """Return a struct with another field, also where there was no struct."""
        first, *rest = path
        parts: list[Any] = []
        for place, field in enumerate(struct.dataType().fields()):
            own = self.expressions.GetStructField(struct, place, self._nothing)
            if fold(field.name()) == fold(first):
                own = self._with_field(own, rest, value) if rest else value
            parts += [self.expressions.Literal.create(field.name(), self._types.StringType), own]
        return self.expressions.CreateNamedStruct(self.sequence(parts))

    def _path(self, key: Any) -> tuple[str, list[str]]:
        """Return the column that is assigned to, and the path of a field in it."""
        path: list[str] = []
        while key.getClass().getSimpleName() == "GetStructField":
            path.insert(0, key.extractFieldName())
            key = key.child()
        if key.getClass().getSimpleName() != "AttributeReference":
            raise InvalidInputError(f"{key.sql()} cannot be assigned to; nothing was changed.")
        return fold(key.name()), path


def row_of(trees: Trees, new: Mapping[str, Any], fields: Sequence[Field], columns: Mapping[str, Any]) -> list[Any]:
    """Return all columns of a changed row: what they become, or else what they were."""
    return [trees.alias(new.get(fold(field.name), columns[fold(field.name)]), field.name) for field in fields]
