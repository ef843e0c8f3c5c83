package forklake;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.plans.logical.Filter;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCapability;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.write.LogicalWriteInfo;
import org.apache.spark.sql.connector.write.SupportsTruncate;
import org.apache.spark.sql.connector.write.V1Write;
import org.apache.spark.sql.connector.write.Write;
import org.apache.spark.sql.connector.write.WriteBuilder;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.execution.datasources.v2.python.PythonDataSourceV2;
import org.apache.spark.sql.execution.datasources.v2.python.PythonTable;
import org.apache.spark.sql.execution.streaming.Sink;
import org.apache.spark.sql.execution.streaming.sources.ForeachBatchSink;
import org.apache.spark.sql.sources.InsertableRelation;
import org.apache.spark.sql.sources.StreamSinkProvider;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * Format "forklake" where the Python of the driver can be asked; Spark finds the class by the name of the format, before the
 * data source of Python, which it is everywhere else.
 *
 * <p>Rows are read by the plan of Python's DataFrame, and written by Python's handle of the table. Streams are read by the data
 * source of Python. Spark's own Janino compiles this file, so there are raw types and no lambdas in it.
 */
public class DefaultSource extends PythonDataSourceV2 implements StreamSinkProvider {
  private static final String FORMAT = "forklake";

  /** The setting of a session that tells who answers for it. Copies of the session, as streams make them, have it, too. */
  private static final String SETTING = "spark.forklake.source";

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ConcurrentHashMap BRIDGES = new ConcurrentHashMap();

  /** The snapshot that the columns were read of, which is then the one that is read. */
  private Object seen = null;
  private String rows = null;

  /** Lets Python answer for a session. */
  public static synchronized void register(SparkSession session, BiFunction python) {
    BRIDGES.put(session.sessionUUID(), python);
    session.conf().set(SETTING, session.sessionUUID());
    scala.collection.immutable.Seq rules = session.experimental().extraOptimizations();
    for (scala.collection.Iterator it = rules.iterator(); it.hasNext(); ) if (it.next() instanceof ReadSource) return;
    session.experimental().extraOptimizations_$eq((scala.collection.immutable.Seq) rules.prepended(new ReadSource()));
  }

  /** Who answers in the session that is in use; null if nobody does. Another session may be in use when rows are computed. */
  private static BiFunction python() {
    return python(SparkSession.active());
  }

  private static BiFunction python(SparkSession session) {
    scala.Option bridge = session.conf().getOption(SETTING);
    return bridge.isDefined() ? (BiFunction) BRIDGES.get(bridge.get()) : null;
  }

  static Object ask(BiFunction python, String question, Map options, Map words, Object given) {
    Map all = new HashMap(words);
    all.put("question", question);
    all.put("options", options);
    Object answer;
    try {
      answer = python.apply(JSON.writeValueAsString(all), given);
    } catch (java.io.IOException error) {
      throw new IllegalStateException(error);
    }
    if (answer instanceof String && ((String) answer).startsWith("\u0000"))
      throw new IllegalArgumentException(((String) answer).substring(1));
    return answer;
  }

  public StructType inferSchema(CaseInsensitiveStringMap options) {
    BiFunction python = python();
    if (python == null) return super.inferSchema(options);
    String answer = (String) ask(python, "columns", options.asCaseSensitiveMap(), new HashMap(), null);
    try {
      Map found = (Map) JSON.readValue(answer, Map.class);
      seen = found.get("version");
      rows = (String) found.get("rows");
      return (StructType) DataType.fromJson((String) found.get("columns"));
    } catch (java.io.IOException error) {
      throw new IllegalStateException(error);
    }
  }

  public Table getTable(StructType schema, Transform[] partitioning, Map properties) {
    BiFunction python = python();
    if (python == null) return new TaskTable(this, FORMAT, schema);
    boolean named = new CaseInsensitiveStringMap(properties).containsKey("lake");
    return new SourceTable(this, FORMAT, schema, python, seen, rows, named);
  }

  public Sink createSink(
      SQLContext context,
      scala.collection.immutable.Map options,
      scala.collection.immutable.Seq partitionColumns,
      OutputMode mode) {
    Map given = new HashMap(scala.jdk.javaapi.CollectionConverters.asJava(options));
    Map words = new HashMap();
    words.put("mode", mode.toString());
    words.put("partitioned", Boolean.valueOf(!partitionColumns.isEmpty()));
    BiFunction python = python((SparkSession) context.sparkSession());
    if (python == null)
      throw new IllegalArgumentException(
          "The format forklake is not known in this session; nothing was written.\nHint: forklake.register(spark).");
    ask(python, "stream", given, words, null);
    return new SourceSink(python, given, words);
  }
}

/**
 * A table that Python in Spark's tasks reads and writes. Streams are written by the sink all the same: Spark asks for the table of
 * a stream that is written while another session may be in use, and only the sink is given the session of the stream.
 */
class TaskTable extends PythonTable {
  TaskTable(DefaultSource source, String name, StructType schema) {
    super(source, name, schema);
  }

  public Set capabilities() {
    return EnumSet.of(
        TableCapability.BATCH_READ, TableCapability.MICRO_BATCH_READ, TableCapability.BATCH_WRITE, TableCapability.TRUNCATE);
  }
}

/** A table of a lake, named by options. */
class SourceTable extends PythonTable {
  private final BiFunction python;
  private final Object seen;
  private final String rows;

  /** Whether options name it: of a table of its own catalog, Spark does not keep them. */
  private final boolean named;

  SourceTable(DefaultSource source, String name, StructType schema, BiFunction python, Object seen, String rows, boolean named) {
    super(source, name, schema);
    this.named = named;
    this.python = python;
    this.seen = seen;
    this.rows = rows;
  }

  /** What is read, as a note for whoever takes the rows as a frame. */
  public Map properties() {
    Map found = new HashMap();
    if (rows != null) found.put("forklake.rows", rows);
    return found;
  }

  /** Streams are written by a sink. */
  public Set capabilities() {
    return EnumSet.of(
        TableCapability.BATCH_READ,
        TableCapability.MICRO_BATCH_READ,
        TableCapability.BATCH_WRITE,
        TableCapability.V1_BATCH_WRITE,
        TableCapability.TRUNCATE);
  }

  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    if (!named)
      throw new IllegalArgumentException(
          "A table of Spark's own catalog with format forklake could not be read: Spark does not keep its options. Nothing was"
              + " written.\nHint: Say save(), or writeTo() of a catalog that Lake.attach made.");
    return new SourceRows(python, info.options().asCaseSensitiveMap());
  }

  /** The rows as Python's DataFrame computes them, as columns that are known already. */
  LogicalPlan rows(Map options, scala.collection.immutable.Seq columns) {
    Map words = new HashMap();
    words.put("version", seen);
    words.put("columns", schema().json());
    return as((LogicalPlan) DefaultSource.ask(python, "rows", options, words, null), columns);
  }

  /** Returns a plan with columns that other nodes know by their numbers. */
  static LogicalPlan as(LogicalPlan plan, scala.collection.immutable.Seq columns) {
    ArrayList named = new ArrayList();
    scala.collection.immutable.Seq none = seq(new ArrayList());
    scala.collection.Iterator found = plan.output().iterator();
    for (scala.collection.Iterator it = columns.iterator(); it.hasNext(); ) {
      Attribute wanted = (Attribute) it.next();
      Attribute column = (Attribute) found.next();
      boolean is = column.exprId().equals(wanted.exprId());
      named.add(is ? (Object) column : new Alias(column, wanted.name(), wanted.exprId(), none, scala.Option.apply(null), none));
    }
    return new Project(seq(named), plan);
  }

  private static scala.collection.immutable.Seq seq(ArrayList items) {
    return (scala.collection.immutable.Seq) scala.jdk.javaapi.CollectionConverters.asScala(items).toList();
  }
}

/** Replaces scans of tables by their rows, each with what is computed and left out right above it. */
class ReadSource extends Rule {
  public TreeNode apply(TreeNode plan) {
    return plan.transformDown(new ReadChain());
  }
}

class ReadChain extends scala.runtime.AbstractPartialFunction {
  private static DataSourceV2ScanRelation scan(Object plan) {
    Object below = plan;
    while (below instanceof Project || below instanceof Filter)
      below = below instanceof Project ? ((Project) below).child() : ((Filter) below).child();
    if (!(below instanceof DataSourceV2ScanRelation)) return null;
    DataSourceV2ScanRelation found = (DataSourceV2ScanRelation) below;
    return found.relation().table() instanceof SourceTable ? found : null;
  }

  public boolean isDefinedAt(Object plan) {
    return scan(plan) != null;
  }

  public Object applyOrElse(Object plan, scala.Function1 otherwise) {
    DataSourceV2ScanRelation scan = scan(plan);
    if (scan == null) return otherwise.apply(plan);
    SourceTable table = (SourceTable) scan.relation().table();
    LogicalPlan rows = table.rows(scan.relation().options().asCaseSensitiveMap(), scan.output());
    LogicalPlan read = (LogicalPlan) ((LogicalPlan) plan).transformDown(new ReadScan(scan, rows));
    // The optimizer keeps names and types, and drops aliases, which give columns their numbers.
    LogicalPlan optimized = (LogicalPlan) SparkSession.active().sessionState().optimizer().execute(read);
    return SourceTable.as(optimized, ((LogicalPlan) plan).output());
  }
}

class ReadScan extends scala.runtime.AbstractPartialFunction {
  private final Object scan;
  private final Object rows;

  ReadScan(Object scan, Object rows) {
    this.scan = scan;
    this.rows = rows;
  }

  public boolean isDefinedAt(Object plan) {
    return plan == scan;
  }

  public Object applyOrElse(Object plan, scala.Function1 otherwise) {
    return plan == scan ? rows : otherwise.apply(plan);
  }
}

/** Rows for a table. */
class SourceRows implements SupportsTruncate, V1Write, InsertableRelation {
  private final BiFunction python;
  private final Map options;
  private boolean all = false;

  SourceRows(BiFunction python, Map options) {
    this.python = python;
    this.options = options;
  }

  public WriteBuilder truncate() {
    all = true;
    return this;
  }

  public Write build() {
    return this;
  }

  public InsertableRelation toInsertableRelation() {
    return this;
  }

  public void insert(Dataset rows, boolean ignored) {
    Map words = new HashMap();
    words.put("all", Boolean.valueOf(all));
    DefaultSource.ask(python, "write", options, words, rows);
  }
}

/** Writes the batches of a stream, as foreachBatch would. */
class SourceSink extends scala.runtime.AbstractFunction2 implements Sink {
  private final BiFunction python;
  private final Map options;
  private final Map words;

  SourceSink(BiFunction python, Map options, Map words) {
    this.python = python;
    this.options = options;
    this.words = words;
  }

  public void addBatch(long number, Dataset rows) {
    try {
      new ForeachBatchSink(this, ((org.apache.spark.sql.classic.Dataset) rows).exprEnc()).addBatch(number, rows);
    } catch (Exception error) {
      // Spark would tell of a function of the user's.
      if (error.getCause() instanceof IllegalArgumentException) throw (IllegalArgumentException) error.getCause();
      throw new IllegalStateException(error);
    }
  }

  public Object apply(Object rows, Object number) {
    Map all = new HashMap(words);
    all.put("batch", number);
    return DefaultSource.ask(python, "batch", options, all, rows);
  }

  public String toString() {
    return "forklake";
  }
}
