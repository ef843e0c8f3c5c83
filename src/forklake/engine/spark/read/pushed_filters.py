"""Filters that Spark may hand to Parquet without losing a matching row.

In SQL zero has no sign, and NaN is the greatest number and equals itself. In Parquet -0.0 is less than 0.0,
also in dictionaries and Bloom filters, and the bounds of most writers leave NaN out. Spark filters again
whatever comes from Parquet, so a filter may be widened, or not be handed over at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from pyspark.sql.types import DataType, DoubleType, FloatType, StructType

ColumnPath = tuple[str, ...]
"""The names of a column and of the fields of structs in it, from the outside in."""

SOURCE: Final = r"""
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser$;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.sources.*;
import org.apache.spark.sql.types.StructType;

/** Parquet, to which zeros are handed with the sign that keeps both, and what NaN may fulfil only if there is none. */
public class FloatAwareParquet extends ParquetFileFormat {
    private final HashSet withoutNaN;

    /** Takes the names of columns that hold no NaN; character 0 is between names, character 1 between their parts. */
    public FloatAwareParquet(String withoutNaN) {
        this.withoutNaN = new HashSet(Arrays.asList(withoutNaN.toLowerCase().split("\\u0000")));
    }

    /** What reads is made by Spark's own class, as executors do not have this one. */
    public scala.Function1 buildReaderWithPartitionValues(
            SparkSession session, StructType held, StructType values, StructType wanted,
            scala.collection.immutable.Seq filters, scala.collection.immutable.Map options, Configuration conf) {
        ArrayList kept = new ArrayList();
        for (int i = 0; i < filters.length(); i++) {
            Filter filter = widened((Filter) filters.apply(i), false);
            if (filter != null) kept.add(filter);
        }
        return new ParquetFileFormat().buildReaderWithPartitionValues(
            session, held, values, wanted, scala.jdk.javaapi.CollectionConverters.asScala(kept).toSeq(), options, conf);
    }

    /** A filter that leaves out no row of the given one, and if it is negated lets no more in; null: there is none. */
    private Filter widened(Filter filter, boolean negated) {
        if (filter instanceof Not) {
            Filter child = widened(((Not) filter).child(), true);
            return child == null ? null : new Not(child);
        }
        if (filter instanceof And) {
            Filter left = widened(((And) filter).left(), negated);
            Filter right = widened(((And) filter).right(), negated);
            if (left != null && right != null) return new And(left, right);
            return negated ? null : left == null ? right : left;
        }
        if (filter instanceof Or) {
            Filter left = widened(((Or) filter).left(), negated);
            Filter right = widened(((Or) filter).right(), negated);
            return left == null || right == null ? null : new Or(left, right);
        }
        return compared(filter, negated);
    }

    private Filter compared(Filter filter, boolean negated) {
        if (filter instanceof EqualTo) {
            EqualTo it = (EqualTo) filter;
            if (mayBeNaN(it.attribute(), it.value(), negated || isNaN(it.value()))) return null;
            if (!isZero(it.value())) return it;
            return new Or(new EqualTo(it.attribute(), zero(it.value(), true)),
                          new EqualTo(it.attribute(), zero(it.value(), false)));
        }
        if (filter instanceof EqualNullSafe) {
            EqualNullSafe it = (EqualNullSafe) filter;
            if (mayBeNaN(it.attribute(), it.value(), negated || isNaN(it.value()))) return null;
            if (!isZero(it.value())) return it;
            return new Or(new EqualNullSafe(it.attribute(), zero(it.value(), true)),
                          new EqualNullSafe(it.attribute(), zero(it.value(), false)));
        }
        if (filter instanceof GreaterThan) {
            GreaterThan it = (GreaterThan) filter;
            if (mayBeNaN(it.attribute(), it.value(), true)) return null;
            return new GreaterThan(it.attribute(), zero(it.value(), false));
        }
        if (filter instanceof GreaterThanOrEqual) {
            GreaterThanOrEqual it = (GreaterThanOrEqual) filter;
            if (mayBeNaN(it.attribute(), it.value(), true)) return null;
            return new GreaterThanOrEqual(it.attribute(), zero(it.value(), true));
        }
        if (filter instanceof LessThan) {
            LessThan it = (LessThan) filter;
            if (mayBeNaN(it.attribute(), it.value(), negated)) return null;
            return new LessThan(it.attribute(), zero(it.value(), true));
        }
        if (filter instanceof LessThanOrEqual) {
            LessThanOrEqual it = (LessThanOrEqual) filter;
            if (mayBeNaN(it.attribute(), it.value(), negated)) return null;
            return new LessThanOrEqual(it.attribute(), zero(it.value(), false));
        }
        return filter instanceof In ? oneOf((In) filter, negated) : filter;
    }

    /** Spark takes the zeros of a list for one, so the other has its own filter. */
    private Filter oneOf(In filter, boolean negated) {
        Object[] values = (Object[]) filter.values().clone();
        Filter other = null;
        for (int i = 0; i < values.length; i++) {
            if (mayBeNaN(filter.attribute(), values[i], negated || isNaN(values[i]))) return null;
            if (isZero(values[i])) other = new EqualTo(filter.attribute(), zero(values[i], true));
            values[i] = zero(values[i], false);
        }
        Filter each = new In(filter.attribute(), values);
        return other == null ? each : new Or(each, other);
    }

    /** Whether a column may hold NaN, if that matters; one that is compared with no float does not. */
    private boolean mayBeNaN(String column, Object value, boolean matters) {
        if (!matters || !(value instanceof Double || value instanceof Float)) return false;
        scala.collection.immutable.Seq parts = CatalystSqlParser$.MODULE$.parseMultipartIdentifier(column);
        return !withoutNaN.contains(parts.mkString("\u0001").toLowerCase());
    }

    private static boolean isNaN(Object value) {
        return value instanceof Double && ((Double) value).isNaN() || value instanceof Float && ((Float) value).isNaN();
    }

    private static boolean isZero(Object value) {
        return value instanceof Double && ((Double) value).doubleValue() == 0
            || value instanceof Float && ((Float) value).floatValue() == 0;
    }

    /** Zero with the sign asked for; any other value as it is. */
    private static Object zero(Object value, boolean negative) {
        if (!isZero(value)) return value;
        if (value instanceof Double) return Double.valueOf(negative ? -0.0 : 0.0);
        return Float.valueOf(negative ? -0.0f : 0.0f);
    }
}
"""

_BY_VALUE: Final = ("parquet.filter.dictionary.enabled", "parquet.filter.bloom.enabled")
_BY_BOUNDS: Final = ("parquet.filter.stats.enabled", "parquet.filter.columnindex.enabled")
_BY_ROW: Final = ("parquet.filter.record-level.enabled",)


def filter_options(schema: StructType, without_nan: Collection[ColumnPath]) -> dict[str, str]:
    """Return reader options that keep Parquet from filtering wrongly.

    They are for readers whose filters cannot be widened. Bounds keep both zeros; they are used unless a column
    may hold NaN. Filters on other columns are then given up too: the options do not distinguish columns.
    """
    floats = list(_floats(schema, ()))
    if not floats:
        return {}
    unused = (*_BY_VALUE, *_BY_ROW, *(() if all(path in without_nan for path in floats) else _BY_BOUNDS))
    return dict.fromkeys(unused, "false")


def _floats(kind: DataType, path: ColumnPath) -> Iterator[ColumnPath]:
    """Yield the float columns that Spark makes filters for.

    Those in lists or maps have none.
    """
    if isinstance(kind, FloatType | DoubleType):
        yield path
    elif isinstance(kind, StructType):
        for field in kind.fields:
            yield from _floats(field.dataType, (*path, field.name))
