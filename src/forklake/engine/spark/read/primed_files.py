"""Parquet files with metadata handed to Spark: status, and values per file.

Spark asks no file system, and shows the values of a file as columns. This uses internals of Spark, through
a few lines of Java. The driver compiles them with the compiler that comes with Spark. What goes to the
executors is made of classes that they have.
"""

from __future__ import annotations

import hashlib
import struct
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.types import StructType

from forklake.engine.spark.driver.hadoop import hadoop_path
from forklake.engine.spark.read.pushed_filters import SOURCE as PUSHED_FILTERS
from forklake.engine.spark.read.pushed_filters import ColumnPath
from forklake.files import storage
from forklake.model.scan import ScanFile

Value = int | str | bytes | None

_SOURCE: Final = r"""
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.WritableComparator;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.execution.datasources.*;
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.*;
import org.apache.spark.unsafe.types.UTF8String;

public class PrimedFiles {
    /** Takes all files in one text, path and size in turn, since each call from Python costs a round trip. */
    public Dataset rows(SparkSession session, String files, String options, String schema, String valueSchema,
                        byte[] values, String key, String withoutNaN) {
        PrimedCache cache = new PrimedCache(files);
        StructType held = (StructType) DataType.fromJson(schema);
        StructType shown = (StructType) DataType.fromJson(valueSchema);
        scala.collection.immutable.Map given = scala.collection.immutable.Map$.MODULE$.empty();
        String[] parts = options.split("\\u0000");
        for (int i = 0; i < parts.length; i += 2) {
            given = (scala.collection.immutable.Map) given.updated(parts[i], parts[i + 1]);
        }
        scala.Option spec = scala.Option.apply(
            shown.length() == 0 ? null : new PartitionSpec(shown, seq(partitions(cache, shown.length(), values))));
        FileIndex index = new PrimedFileIndex(
            session, seq(cache.paths), given, scala.Option.apply(held), cache, spec, key);
        return session.baseRelationToDataFrame(new HadoopFsRelation(
            index, shown, held, scala.Option.empty(), new FloatAwareParquet(withoutNaN), given, session));
    }

    /** Each file is a partition of its own: what holds for all rows of a partition costs nothing to read. */
    private static List partitions(PrimedCache cache, int width, byte[] values) {
        ByteBuffer in = ByteBuffer.wrap(values);
        ArrayList made = new ArrayList();
        for (int i = 0; i < cache.paths.size(); i++) {
            Object[] row = new Object[width];
            for (int j = 0; j < width; j++) row[j] = value(in);
            made.add(new PartitionPath(new GenericInternalRow(row), (Path) cache.paths.get(i)));
        }
        return made;
    }

    private static Object value(ByteBuffer in) {
        byte kind = in.get();
        if (kind == 'n') return null;
        if (kind == 'i') return Long.valueOf(in.getLong());
        byte[] bytes = new byte[in.getInt()];
        in.get(bytes);
        return kind == 's' ? (Object) UTF8String.fromBytes(bytes) : (Object) bytes;
    }

    /** Whether a bit is not set in a bitmap of big-endian words of 32 bits; bits beyond its end are not. */
    public Column isUnset(String bitmap, String position) {
        Column bits = functions.col(bitmap);
        Column place = functions.col(position).cast("int");
        Column offset = functions.shiftleft(functions.shiftright(place, 5), 2);
        ArrayList arguments = new ArrayList();
        arguments.add(ExpressionUtils.expression(bits));
        arguments.add(ExpressionUtils.expression(offset));
        Column word = ExpressionUtils.column(new StaticInvoke(
            WritableComparator.class, DataTypes.IntegerType, "readInt", seq(arguments), seq(new ArrayList()),
            true, false, true, scala.Option.empty()));
        Column bit = functions.getbit(word, place.bitwiseAND(Integer.valueOf(31)));
        Column isWithin = functions.shiftright(place, 3).lt(functions.octet_length(bits));
        return functions.when(isWithin, bit.equalTo(Integer.valueOf(0))).otherwise(Boolean.TRUE);
    }

    /** Whether files of such columns are read in batches: row by row, a file's values would be copied into each row. */
    public boolean isBatched(SparkSession session, String schema) {
        return new ParquetFileFormat().supportBatch(session, (StructType) DataType.fromJson(schema));
    }

    /** The column that Spark's reader fills with the positions of rows. */
    public String positionColumn() { return ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME(); }

    private static scala.collection.immutable.Seq seq(List items) {
        return scala.jdk.javaapi.CollectionConverters.asScala(items).toSeq();
    }
}

public class PrimedFileIndex extends InMemoryFileIndex {
    private final PrimedCache cache;
    private final String key;

    public PrimedFileIndex(SparkSession session, scala.collection.immutable.Seq paths,
                           scala.collection.immutable.Map options, scala.Option schema, PrimedCache cache,
                           scala.Option spec, String key) {
        super(session, paths, options, schema, cache, spec, scala.Option.empty());
        this.cache = cache;
        this.key = key;
    }

    /** To Spark a partition is a directory; here it is a file. */
    public scala.collection.immutable.Map leafDirToChildrenFiles() { return cache.children; }

    /** Spark takes scans of equal indexes for the same rows, so what is deleted must count. */
    public boolean equals(Object other) {
        return other instanceof PrimedFileIndex && ((PrimedFileIndex) other).key.equals(key);
    }
    public int hashCode() { return key.hashCode(); }
}

public class PrimedCache extends FileStatusCache {
    private final HashMap statuses = new HashMap();
    public final ArrayList paths = new ArrayList();
    public final scala.collection.immutable.Map children;

    public PrimedCache(String files) {
        String[] parts = files.split("\\u0000");
        scala.collection.mutable.Builder each = scala.collection.immutable.Map$.MODULE$.newBuilder();
        for (int i = 0; i < parts.length; i += 2) {
            Path path = new Path(parts[i]);
            FileStatus[] one = {new FileStatus(Long.parseLong(parts[i + 1]), false, 1, 134217728L, 0L, path)};
            statuses.put(path, one);
            paths.add(path);
            each.addOne(new scala.Tuple2(path, one));
        }
        children = (scala.collection.immutable.Map) each.result();
    }

    public scala.Option getLeafFiles(Path path) { return scala.Option.apply(statuses.get(path)); }
    public void putLeafFiles(Path path, FileStatus[] files) {}
    public void invalidateAll() {}
}
"""
_NO_VALUES: Final = StructType([])
_compiling: Final = threading.Lock()
_compiled: dict[Any, Any] = {}
"""The object, by the connection to the JVM that has it; the last one only."""


def read_primed(
    spark: SparkSession,
    files: Sequence[ScanFile],
    schema: StructType,
    options: Mapping[str, str],
    value_schema: StructType = _NO_VALUES,
    values: Sequence[Sequence[Value]] = (),
    without_nan: Iterable[ColumnPath] = (),
) -> DataFrame:
    """Return the rows of some files, then the values of their files as columns.

    Each path occurs once.

    Args:
        spark: A session with a JVM in reach.
        files: What to read.
        schema: The columns of the files.
        options: The reader's options.
        value_schema: The types of the values: bigint, string or binary. A condition on them alone skips whole
            files.
        values: The values of each file, in the order of the files.
        without_nan: The float columns that are known to hold no NaN. For others, Spark hands Parquet no filter
            that NaN satisfies.

    Raises:
        Py4JError: Spark's internals are not as expected.
    """
    text = "\0".join(part for file in files for part in (hadoop_path(file.path), str(byte_count(file))))
    packed = b"".join(_pack(value) for of_file in values for value in of_file)
    key = hashlib.sha256(text.encode() + b"\0" + packed).hexdigest()
    given = "\0".join(part for option in options.items() for part in option)
    known = "\0".join("\1".join(path) for path in without_nan)
    made = _java(spark).rows(
        spark._jsparkSession, text, given, schema.json(), value_schema.json(), bytearray(packed), key, known
    )
    return DataFrame(made, spark)


def position_column(spark: SparkSession) -> str:
    """Return the name of the bigint column that Spark fills with row positions.

    It holds them if it is among the columns that are asked for.
    """
    return str(_java(spark).positionColumn())


def is_unset(spark: SparkSession, bitmap: str, position: str) -> Column:
    """Return whether a position is not in a `bitmap`, given both columns' names."""
    from pyspark.sql.classic.column import Column as OfJava  # noqa: PLC0415 - not there without the JVM

    return OfJava(_java(spark).isUnset(bitmap, position))


def is_batched(spark: SparkSession, schema: StructType) -> bool:
    """Return whether files with such columns are read in batches.

    Only then is a large value of a file not copied into each row.
    """
    return bool(_java(spark).isBatched(spark._jsparkSession, schema.json()))


def byte_count(file: ScanFile) -> int:
    """Return the size of a file.

    Spark skips files of no bytes, so where the metadata has no size, storage is asked.
    """
    return file.file_size_bytes if file.file_size_bytes > 0 else storage.size(file.path)


def _pack(value: Value) -> bytes:
    match value:
        case None:
            return b"n"
        case int():
            return b"i" + struct.pack(">q", value)
        case str():
            encoded = value.encode()
            return b"s" + struct.pack(">i", len(encoded)) + encoded
    return b"b" + struct.pack(">i", len(value)) + value


def _java(spark: SparkSession) -> Any:
    """Return an object of the Java class, which is compiled once per JVM."""
    gateway: Any = spark.sparkContext._gateway
    with _compiling:
        found = _compiled.get(gateway)
        if found is None:
            loader = gateway.jvm.java.lang.Thread.currentThread().getContextClassLoader()
            for source in (PUSHED_FILTERS, _SOURCE):
                compiler = gateway.jvm.org.codehaus.janino.SimpleCompiler()
                compiler.setParentClassLoader(loader)
                compiler.cook(source)
                loader = compiler.getClassLoader()
            loaded = loader.loadClass("PrimedFiles")
            none = gateway.new_array(gateway.jvm.java.lang.Class, 0)
            nothing = gateway.new_array(gateway.jvm.java.lang.Object, 0)
            found = loaded.getConstructor(none).newInstance(nothing)
            _compiled.clear()
            _compiled[gateway] = found
        return found
