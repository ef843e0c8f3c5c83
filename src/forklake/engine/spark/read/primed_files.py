"""Parquet files with metadata handed to Spark: status, and values per file.

Spark asks no file system, and shows the values of a file as columns. This uses internals of Spark, through
a few lines of Java. The driver compiles them with the compiler that comes with Spark. What goes to the
executors is made of classes that they have.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from forklake.engine.spark.driver.compiled_java import java_object
from forklake.engine.spark.driver.hadoop import hadoop_path
from forklake.engine.spark.read.pushed_filters import SOURCE as PUSHED_FILTERS
from forklake.engine.spark.read.pushed_filters import ColumnPath
from forklake.engine.spark.read.row_counters import SOURCE as ROW_COUNTERS
from forklake.files.access import storage
from forklake.model.lazy_dataclass import dataclass
from forklake.model.scan import ScanFile


@dataclass(frozen=True, slots=True)
class Bitmap:
    """Rows of a file, as bytes that were deflated.

    They are words of 32 bits, the high byte first: row ``p`` is bit ``p % 32`` of word ``p // 32``. Rows beyond the
    last word are not in the bitmap.
    """

    deflated: bytes
    byte_count: int

    @classmethod
    def of(cls, words: NDArray[np.int64]) -> Bitmap:
        """Return the bitmap that `forklake.files.parquet.deletes.bitmap` makes."""
        spelled = words.astype("<i8").view("<u4").astype(">u4").tobytes()
        return cls(zlib.compress(spelled, 1), len(spelled))


Value = int | str | Bitmap | None


@dataclass(frozen=True, slots=True)
class FileValues:
    """What is known of files, for their rows to have.

    Attributes:
        schema: The types of the values: bigint, string, or binary for a bitmap. A condition on them alone skips
            whole files.
        rows: The values of each file, in the order of the files.
        bitmap: The name of the bitmap among them, if there is one.
        is_chosen: Whether the rows in the bitmap are returned; if not, the others are.
    """

    schema: StructType
    rows: Sequence[Sequence[Value]]
    bitmap: str | None = None
    is_chosen: bool = False


_SOURCE: Final = r"""
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
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
    /** What Spark counts for a row beside its columns. */
    private static final double ROW = 8;

    /** The place of a file among the files that are read. */
    private static final String FILE = "_ducklake_forklake_file_place";

    /** Takes all files in one text, path and size in turn, since each call from Python costs a round trip. */
    private Dataset rows(SparkSession session, PrimedCache cache, String options, StructType held, StructType shown,
                         byte[] values, String key, String withoutNaN, double width, boolean isCounted)
                         throws DataFormatException {
        scala.collection.immutable.Map given = scala.collection.immutable.Map$.MODULE$.empty();
        String[] parts = options.split("\\u0000");
        for (int i = 0; i < parts.length; i += 2) {
            given = (scala.collection.immutable.Map) given.updated(parts[i], parts[i + 1]);
        }
        scala.Option spec = scala.Option.apply(
            shown.length() == 0 ? null : new PartitionSpec(shown, seq(partitions(cache, shown, values, isCounted))));
        double share = (ROW + held.defaultSize() + shown.defaultSize()) / width;
        FileIndex index = new PrimedFileIndex(
            session, seq(cache.paths), given, scala.Option.apply(held), cache, spec, key, share);
        FileFormat format = isCounted ? new WholeParquet(withoutNaN) : new FloatAwareParquet(withoutNaN);
        return session.baseRelationToDataFrame(new HadoopFsRelation(
            index, shown, held, scala.Option.empty(), format, given, session));
    }

    public Dataset plain(SparkSession session, String files, String options, String schema, String key,
                         String withoutNaN, double share) throws DataFormatException {
        StructType held = type(schema);
        double width = (ROW + held.defaultSize()) / share;
        return rows(session, new PrimedCache(files), options, held, new StructType(), new byte[0], key, withoutNaN,
                    width, false);
    }

    /**
     * Rows with the values of their files, and their positions under a name. Those in the bitmap among the values
     * are left out, or all others are, and then the bitmap. Without a name for positions, only columns of files are
     * left. Null: a file has a column of the name that Spark's reader fills with positions; or rows would not be read
     * in batches, and a bitmap would be copied into each of them. Positions are counted if the only filter of the rows
     * is given and Parquet has no use for it.
     */
    public Dataset located(SparkSession session, String files, String options, String schema, String key,
                           String withoutNaN, double share, String valueSchema, byte[] values, String bitmap,
                           boolean isSet, String position, String onlyFilter) throws DataFormatException {
        String index = ParquetFileFormat.ROW_INDEX_TEMPORARY_COLUMN_NAME();
        PrimedCache cache = new PrimedCache(files);
        boolean isCounted = onlyFilter != null && (position != null || bitmap != null) && cache.areEven(session)
            && !RowCounters.mayPrune(onlyFilter) && WholeParquet.isAsked(session, (Path) cache.paths.get(0));
        StructType held = type(schema);
        StructType shown = type(valueSchema);
        StructType located = isCounted ? held : held.add(index, DataTypes.LongType);
        StructType all = located;
        ArrayList columns = new ArrayList();
        for (int i = 0; i < held.length(); i++) {
            if (held.fieldNames()[i].equalsIgnoreCase(index)) return null;
            columns.add(functions.col("`" + held.fieldNames()[i].replace("`", "``") + "`"));
        }
        for (int i = 0; i < shown.length(); i++) {
            all = all.add(shown.apply(i));
            String name = shown.fieldNames()[i];
            if (position != null && !name.equals(bitmap)) columns.add(functions.col(name));
        }
        if (bitmap != null && !new ParquetFileFormat().supportBatch(session, all)) return null;
        if (position != null) columns.add(functions.col(index).as(position));
        double width = (ROW + held.defaultSize()) / share;
        if (isCounted) shown = shown.add(FILE, DataTypes.LongType);
        Dataset found = rows(session, cache, options, located, shown, values, key, withoutNaN, width, isCounted);
        if (isCounted) found = RowCounters.located(found, FILE, cache.paths.size(), index);
        if (bitmap != null) found = found.where(isSet ? functions.not(isUnset(bitmap, index)) : isUnset(bitmap, index));
        return found.select(seq(columns));
    }

    public boolean isDeterministic(Dataset rows) { return RowCounters.isDeterministic(rows); }

    private static StructType type(String json) { return (StructType) DataType.fromJson(json); }

    /** Each file is a partition of its own: what holds for all rows of a partition costs nothing to read. */
    private static List partitions(PrimedCache cache, StructType shown, byte[] values, boolean isCounted)
            throws DataFormatException {
        int width = shown.length();
        ByteBuffer in = ByteBuffer.wrap(values);
        ArrayList made = new ArrayList();
        for (int i = 0; i < cache.paths.size(); i++) {
            Object[] row = new Object[width];
            for (int j = 0; j < width; j++) row[j] = isCounted && j == width - 1 ? Long.valueOf(i) : value(in);
            made.add(new PartitionPath(new GenericInternalRow(row), (Path) cache.paths.get(i)));
        }
        return made;
    }

    private static Object value(ByteBuffer in) throws DataFormatException {
        byte kind = in.get();
        if (kind == 'n') return null;
        if (kind == 'i') return Long.valueOf(in.getLong());
        byte[] bytes = new byte[in.getInt()];
        in.get(bytes);
        return kind == 's' ? (Object) UTF8String.fromBytes(bytes) : (Object) inflated(bytes);
    }

    /** Bytes come deflated, behind their number: Python's way to Java is slow. */
    private static byte[] inflated(byte[] packed) throws DataFormatException {
        byte[] bytes = new byte[ByteBuffer.wrap(packed).getInt()];
        Inflater inflater = new Inflater();
        inflater.setInput(packed, 4, packed.length - 4);
        for (int done = 0; done < bytes.length; ) {
            int more = inflater.inflate(bytes, done, bytes.length - done);
            if (more == 0) throw new DataFormatException("A bitmap has too few bytes.");
            done += more;
        }
        inflater.end();
        return bytes;
    }

    /** Whether a bit is not set in a bitmap of big-endian words of 32 bits; bits beyond its end are not. */
    private static Column isUnset(String bitmap, String position) {
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

    private static scala.collection.immutable.Seq seq(List items) {
        return scala.jdk.javaapi.CollectionConverters.asScala(items).toSeq();
    }
}

public class PrimedFileIndex extends InMemoryFileIndex {
    private final PrimedCache cache;
    private final String key;
    private final double share;

    public PrimedFileIndex(SparkSession session, scala.collection.immutable.Seq paths,
                           scala.collection.immutable.Map options, scala.Option schema, PrimedCache cache,
                           scala.Option spec, String key, double share) {
        super(session, paths, options, schema, cache, spec, scala.Option.empty());
        this.cache = cache;
        this.key = key;
        this.share = share;
    }

    /** By this Spark chooses joins. It takes all of a file for the columns of a scan, so only their share is told. */
    public long sizeInBytes() { return (long) Math.ceil(cache.byteCount * share); }

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
    public final long byteCount;
    private final long largest;

    public PrimedCache(String files) {
        String[] parts = files.split("\\u0000");
        scala.collection.mutable.Builder each = scala.collection.immutable.Map$.MODULE$.newBuilder();
        long bytes = 0;
        long most = 0;
        for (int i = 0; i < parts.length; i += 2) {
            Path path = new Path(parts[i]);
            bytes += Long.parseLong(parts[i + 1]);
            most = Math.max(most, Long.parseLong(parts[i + 1]));
            FileStatus[] one = {new FileStatus(Long.parseLong(parts[i + 1]), false, 1, 134217728L, 0L, path)};
            statuses.put(path, one);
            paths.add(path);
            each.addOne(new scala.Tuple2(path, one));
        }
        byteCount = bytes;
        largest = most;
        children = (scala.collection.immutable.Map) each.result();
    }

    public boolean areEven(SparkSession session) {
        return RowCounters.areEven(session, largest, byteCount, paths.size());
    }

    public scala.Option getLeafFiles(Path path) { return scala.Option.apply(statuses.get(path)); }
    public void putLeafFiles(Path path, FileStatus[] files) {}
    public void invalidateAll() {}
}
"""


def read_primed(
    spark: SparkSession,
    files: Sequence[ScanFile],
    schema: StructType,
    options: Mapping[str, str],
    without_nan: Iterable[ColumnPath] = (),
    share: float = 1.0,
) -> DataFrame:
    """Return the rows of some files.

    Each path occurs once.

    Args:
        spark: A session with a JVM in reach.
        files: What to read.
        schema: The columns of the files.
        options: The reader's options.
        without_nan: The float columns that are known to hold no NaN. For others, Spark hands Parquet no filter
            that NaN satisfies.
        share: How much of the files the columns are, about: Spark chooses joins by how much a scan reads.

    Raises:
        Py4JError: Spark's internals are not as expected.
    """
    made = _java(spark).plain(spark._jsparkSession, *_texts(files, schema, options, without_nan, b""), share)
    return DataFrame(made, spark)


def read_located(
    spark: SparkSession,
    files: Sequence[ScanFile],
    schema: StructType,
    options: Mapping[str, str],
    without_nan: Iterable[ColumnPath],
    values: FileValues,
    position: str | None,
    share: float = 1.0,
    only_filter: str | None = None,
) -> DataFrame | None:
    """Return the rows of some files, then the values of their files, then positions.

    Each path occurs once. The bitmap among the values says which rows are returned, and is not returned itself.
    None: Spark cannot tell positions here, or would copy a bitmap into each row.

    Args:
        spark: A session with a JVM in reach.
        files: What to read.
        schema: The columns of the files.
        options: The reader's options.
        without_nan: As for `read_primed`.
        values: What is known of each file.
        position: The name of the column with the positions of rows; None to return the columns of files alone.
        share: As for `read_primed`.
        only_filter: The only filter that the rows will get, in Spark SQL; empty for none. Then positions may be counted
            (`row_counters`), and the rows must not be used twice in one query. None: it is not known.

    Raises:
        Py4JError: Spark's internals are not as expected.
    """
    packed = b"".join(_pack(value) for of_file in values.rows for value in of_file)
    made = _java(spark).located(
        spark._jsparkSession,
        *_texts(files, schema, options, without_nan, packed),
        share,
        values.schema.json(),
        bytearray(packed),
        values.bitmap,
        values.is_chosen,
        position,
        only_filter,
    )
    return None if made is None else DataFrame(made, spark)


def is_deterministic(rows: DataFrame) -> bool:
    """Return whether rows are the same each time that they are computed.

    Positions that are counted are.

    Args:
        rows: Rows of a session with a JVM in reach.

    Raises:
        Py4JError: Spark's internals are not as expected.
    """
    return cast("bool", _java(rows.sparkSession).isDeterministic(cast("Any", rows)._jdf))


def _texts(
    files: Sequence[ScanFile],
    schema: StructType,
    options: Mapping[str, str],
    without_nan: Iterable[ColumnPath],
    packed: bytes,
) -> tuple[str, ...]:
    """Return files, options, schema, key and float columns as texts for Java."""
    text = "\0".join(part for file in files for part in (hadoop_path(file.path), str(byte_count(file))))
    key = hashlib.sha256(text.encode() + b"\0" + packed).hexdigest()
    given = "\0".join(part for option in options.items() for part in option)
    return text, given, schema.json(), key, "\0".join("\1".join(path) for path in without_nan)


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
    return b"b" + struct.pack(">ii", len(value.deflated) + 4, value.byte_count) + value.deflated


def _java(spark: SparkSession) -> Any:
    return java_object(spark, "PrimedFiles", PUSHED_FILTERS, ROW_COUNTERS, _SOURCE)
