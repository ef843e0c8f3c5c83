"""Positions of rows that are counted, where files are read from beginning to end.

Spark's reader makes an object for each position that it is asked for, which takes as long as reading several columns.
Here Spark numbers the rows of a task, and each file remembers the number of its first row: what is computed twice, even
at once, comes out the same. It is right only if each file is read as a whole, by one task and without a filter, and if
each row is numbered; as the numbers are not deterministic to Spark, it moves no filter below them. All classes are such
as executors have.
"""

from __future__ import annotations

from typing import Final

SOURCE: Final = r"""
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute;
import org.apache.spark.sql.catalyst.expressions.*;
import org.apache.spark.sql.catalyst.expressions.objects.Invoke;
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser$;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.internal.SQLConf;
import org.apache.spark.sql.types.*;

public class RowCounters {
    /** Each task gets a number for each file, and plans show them. */
    private static final int MOST_FILES = 1000;
    private static final String NUMBER = "_ducklake_forklake_row_of_task";

    /** Rows with their positions under a name, given the column with the place of a row's file among some files. */
    public static Dataset located(Dataset rows, String file, int files, String name) {
        Column number = ExpressionUtils.column(new MonotonicallyIncreasingID()).as(NUMBER);
        ArrayList firsts = new ArrayList();
        for (int i = 0; i < files; i++) firsts.add(new AtomicLong(-1));
        Expression given = new Literal(firsts, new ObjectType(ArrayList.class));
        Expression place = ExpressionUtils.expression(functions.col(file).cast("int"));
        Expression first = invoke(given, "get", new ObjectType(AtomicLong.class), new Expression[] {place});
        Column known = ExpressionUtils.column(invoke(first, "get", DataTypes.LongType, new Expression[0]));
        Column own = functions.col(NUMBER);
        Expression none = ExpressionUtils.expression(functions.lit(Long.valueOf(-1)));
        Column before = ExpressionUtils.column(invoke(
            first, "compareAndExchange", DataTypes.LongType, new Expression[] {none, ExpressionUtils.expression(own)}));
        Column begun = functions.when(before.lt(Long.valueOf(0)), own).otherwise(known);
        Column start = functions.when(known.lt(Long.valueOf(0)), begun).otherwise(known);
        Column all = functions.col("*");
        Dataset numbered = rows.select(seq(new Column[] {all, number}));
        return numbered.select(seq(new Column[] {all, own.minus(start).as(name)}));
    }

    private static Expression invoke(Expression target, String name, DataType type, Expression[] arguments) {
        return new Invoke(target, name, type, seq(arguments), seq(new Object[0]), true, false, false);
    }

    /** Whether rows are the same each time that they are computed: counted positions are. */
    public static boolean isDeterministic(Dataset rows) {
        return isSteady(((org.apache.spark.sql.classic.Dataset) rows).queryExecution().analyzed());
    }

    private static boolean isSteady(LogicalPlan plan) {
        if (plan.deterministic()) return true;
        for (Iterator each = all(plan.expressions()); each.hasNext(); ) {
            Expression one = (Expression) each.next();
            if (!one.deterministic() && !(one instanceof Alias && isCounted((Alias) one))) return false;
        }
        for (Iterator each = all(plan.children()); each.hasNext(); ) {
            if (!isSteady((LogicalPlan) each.next())) return false;
        }
        return true;
    }

    private static boolean isCounted(Alias one) {
        if (one.child() instanceof MonotonicallyIncreasingID) return one.name().equals(NUMBER);
        return one.child() instanceof Subtract && NUMBER.equals(nameOf(((Subtract) one.child()).left()));
    }

    private static String nameOf(Object one) {
        return one instanceof AttributeReference ? ((AttributeReference) one).name() : null;
    }

    /** Whether Parquet may leave out rows by a condition, as a part of it compares a column as it is. */
    public static boolean mayPrune(String condition) {
        return !condition.isEmpty() && compares(CatalystSqlParser$.MODULE$.parseExpression(condition));
    }

    private static boolean compares(Expression one) {
        if (isColumn(one)) return true;
        boolean joins = one instanceof And || one instanceof Or || one instanceof Not;
        for (Iterator each = all(one.children()); each.hasNext(); ) {
            Expression part = (Expression) each.next();
            if (joins ? compares(part) : isColumn(part) && !(one instanceof IsNotNull)) return true;
        }
        return false;
    }

    private static boolean isColumn(Expression one) {
        return one instanceof Cast ? isColumn(((Cast) one).child()) : one instanceof UnresolvedAttribute;
    }

    /** Whether files are few, and keep as many tasks busy, read as a whole, as their parts would. */
    public static boolean areEven(SparkSession given, long largest, long all, int files) {
        if (files > MOST_FILES) return false;
        org.apache.spark.sql.classic.SparkSession session = (org.apache.spark.sql.classic.SparkSession) given;
        SQLConf conf = session.sessionState().conf();
        scala.Option least = conf.filesMinPartitionNum();
        int tasks = least.isDefined() ? ((Integer) least.get()).intValue() : session.leafNodeDefaultParallelism();
        long share = (all + files * conf.filesOpenCostInBytes()) / tasks;
        return largest <= Math.min(conf.filesMaxPartitionBytes(), Math.max(conf.filesOpenCostInBytes(), share));
    }

    private static Iterator all(scala.collection.immutable.Seq items) {
        return scala.jdk.javaapi.CollectionConverters.asJava(items).iterator();
    }

    private static scala.collection.immutable.Seq seq(Object[] items) {
        return scala.jdk.javaapi.CollectionConverters.asScala(Arrays.asList(items)).toSeq();
    }
}

/** Parquet that is read as a whole, by one task and without a filter. */
public class WholeParquet extends FloatAwareParquet {
    public WholeParquet(String withoutNaN) { super(withoutNaN); }

    public boolean isSplitable(SparkSession session, scala.collection.immutable.Map options, Path path) {
        return false;
    }

    public scala.Function1 buildReaderWithPartitionValues(
            SparkSession session, StructType held, StructType values, StructType wanted,
            scala.collection.immutable.Seq filters, scala.collection.immutable.Map options, Configuration conf) {
        scala.collection.immutable.Seq none = scala.jdk.javaapi.CollectionConverters.asScala(new ArrayList()).toSeq();
        return super.buildReaderWithPartitionValues(session, held, values, wanted, none, options, conf);
    }

    /** Whether Spark asks this class, whatever its release. */
    public static boolean isAsked(SparkSession session, Path path) {
        FileFormat format = new WholeParquet("");
        return !format.isSplitable(session, scala.collection.immutable.Map$.MODULE$.empty(), path);
    }
}
"""
