"""What DataFrames have read of lakes, noted in their plans.

A note is a tag of Catalyst on the node of a table. Whatever Spark makes of a DataFrame has that node in its plan. A
table of an attached catalog is a view with a property that says the same, and so is one of format ``forklake``.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final

from pyspark.sql import DataFrame

from forklake.engine.spark.driver.compiled_java import java_object
from forklake.engine.spark.driver.failures import reaching_spark
from forklake.engine.spark.driver.session import is_remote
from forklake.model.table_read import TableRead

if TYPE_CHECKING:
    from py4j.java_gateway import JavaObject

_SOURCE: Final = r"""
import java.util.TreeSet;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.catalyst.trees.TreeNodeTag;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;

public class NotedReads {
    static final TreeNodeTag TAG = new TreeNodeTag("forklake.read");
    static final String PROPERTY = "forklake.rows";

    private static LogicalPlan plan(Dataset rows) {
        return ((org.apache.spark.sql.classic.Dataset) rows).queryExecution().analyzed();
    }

    public void note(Dataset rows, String reads) {
        plan(rows).setTagValue(TAG, reads);
    }

    public String reads(Dataset rows) {
        TreeSet found = new TreeSet();
        scala.collection.Seq all = (scala.collection.Seq) plan(rows).collectWithSubqueries(new Noted());
        for (scala.collection.Iterator it = all.iterator(); it.hasNext(); ) found.add(it.next());
        return String.join("\n", found);
    }
}

class Noted extends scala.runtime.AbstractPartialFunction {
    private static Object read(Object node) {
        scala.Option tag = ((LogicalPlan) node).getTagValue(NotedReads.TAG);
        if (tag.isDefined()) return tag.get();
        if (node instanceof DataSourceV2Relation)
            return ((DataSourceV2Relation) node).table().properties().get(NotedReads.PROPERTY);
        if (!(node instanceof View)) return null;
        scala.Option said = ((View) node).desc().properties().get(NotedReads.PROPERTY);
        return said.isDefined() ? said.get() : null;
    }

    public boolean isDefinedAt(Object node) {
        return read(node) != null;
    }

    public Object applyOrElse(Object node, scala.Function1 otherwise) {
        Object found = read(node);
        return found == null ? otherwise.apply(node) : found;
    }
}
"""


@reaching_spark()
def note_reads(frame: DataFrame, reads: Collection[TableRead]) -> DataFrame:
    """Return a frame with a note of what it has read.

    Spark Connect keeps no notes.
    """
    if reads and not is_remote(frame.sparkSession):
        _java(frame).note(_dataset(frame), "\n".join(map(str, reads)))
    return frame


@reaching_spark()
def noted_reads(frame: DataFrame) -> frozenset[TableRead]:
    """Return what a frame and all that it was made of have read."""
    if is_remote(frame.sparkSession):
        return frozenset()
    said: str = _java(frame).reads(_dataset(frame))
    return frozenset(TableRead.parse(line) for line in said.split("\n") if line)


def _java(frame: DataFrame) -> Any:
    return java_object(frame.sparkSession, "NotedReads", _SOURCE)


def _dataset(frame: Any) -> JavaObject:
    found: JavaObject = frame._jdf
    return found
