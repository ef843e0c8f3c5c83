package forklake;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.analysis.AnalysisContext;
import org.apache.spark.sql.catalyst.analysis.EliminateView$;
import org.apache.spark.sql.catalyst.analysis.NamespaceAlreadyExistsException;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.analysis.ResolvedNamespace;
import org.apache.spark.sql.catalyst.analysis.TableAlreadyExistsException;
import org.apache.spark.sql.catalyst.catalog.CatalogStorageFormat;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.catalog.CatalogTableType;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.expressions.objects.AssertNotNull;
import org.apache.spark.sql.catalyst.plans.logical.AnalyzeTables;
import org.apache.spark.sql.catalyst.plans.logical.DeleteFromTable;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.MergeIntoTable;
import org.apache.spark.sql.catalyst.plans.logical.OverwriteByExpression;
import org.apache.spark.sql.catalyst.plans.logical.OverwritePartitionsDynamic;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.UpdateTable;
import org.apache.spark.sql.catalyst.plans.logical.View;
import org.apache.spark.sql.catalyst.trees.CurrentOrigin;
import org.apache.spark.sql.connector.catalog.*;
import org.apache.spark.sql.connector.catalog.procedures.BoundProcedure;
import org.apache.spark.sql.connector.catalog.procedures.ProcedureParameter;
import org.apache.spark.sql.connector.catalog.procedures.UnboundProcedure;
import org.apache.spark.sql.connector.expressions.Expressions;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.connector.expressions.filter.Predicate;
import org.apache.spark.sql.connector.read.LocalScan;
import org.apache.spark.sql.connector.read.Scan;
import org.apache.spark.sql.connector.read.ScanBuilder;
import org.apache.spark.sql.connector.write.*;
import org.apache.spark.sql.execution.SparkStrategy;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation;
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation;
import org.apache.spark.sql.sources.InsertableRelation;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A catalog of a lake as a catalog of a Spark session.
 *
 * <p>It holds no logic of lakes: each question goes to Python, as one text in JSON and at most one object, and the answer
 * is a text in JSON, an object, or null for "there is none". A text that begins with NUL is an error. Spark's own Janino
 * compiles this file, so there are raw types and no lambdas in it.
 */
public class LakeCatalog implements StagingTableCatalog, SupportsNamespaces, ProcedureCatalog {
  /** The table function of the texts that reads become. */
  static final String FUNCTION = "__forklake_plan";

  private static final String READS = "SELECT * FROM " + FUNCTION;

  /** The options of reads, which Spark itself follows. */
  private static final List MOMENTS = java.util.Arrays.asList(new String[] {"versionasof", "timestampasof"});

  /** The property of views that tells what is read: the attachment, and the key of the table. */
  static final String READ = "forklake.read";

  /** The property that tells the same to whoever takes the rows as a frame; the engine knows its name. */
  static final String ROWS = "forklake.rows";

  private static final Pattern COMMAND =
      Pattern.compile(
          "(?:\\s|--[^\\n]*\\n|/\\*.*?\\*/)*(?:ALTER|ANALYZE|CREATE|DROP|LOAD|MSCK|REPAIR|SHOW|TRUNCATE)\\b",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  static final ObjectMapper JSON = new ObjectMapper();
  private static final int KEPT_PLANS = 256;
  private static final ConcurrentHashMap BRIDGES = new ConcurrentHashMap();
  private static final Map KEPT = Collections.synchronizedMap(new Recent(KEPT_PLANS));
  /** Plans by key. The statement that resolved a table holds its plan, so it is here until Spark has asked for it. */
  private static final Map PLANS = new HashMap();
  private static final Map STATEMENTS = new HashMap();
  private static final ReferenceQueue ENDED = new ReferenceQueue();
  private static long statementCount = 0;

  String name;
  private String bridge;

  // ---- Python ------------------------------------------------------------------------------------------------------

  public static void register(String bridge, BiFunction python) {
    BRIDGES.put(bridge, python);
  }

  public static void unregister(String bridge) {
    BRIDGES.remove(bridge);
    synchronized (KEPT) {
      for (Iterator it = KEPT.keySet().iterator(); it.hasNext(); ) if (((String) it.next()).startsWith(bridge + "/")) it.remove();
    }
  }

  Object ask(String question, Map words, Object given) {
    BiFunction python = (BiFunction) BRIDGES.get(bridge);
    if (python == null)
      throw new IllegalArgumentException(
          bridge.isEmpty()
              ? "Catalog \"" + name + "\" is named by a setting, and attached by nobody; nothing was done.\nHint: Leave out the"
                  + " setting spark.sql.catalog." + name + ", and call forklake.attach(spark, lake, catalog=...) in Python."
              : "Catalog \"" + name + "\" is detached from this session; nothing was done.");
    Map all = new HashMap(words);
    all.put("question", question);
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

  Object read(String question, Map words) {
    String text = (String) ask(question, words, null);
    try {
      return text == null ? null : JSON.readValue(text, Object.class);
    } catch (java.io.IOException error) {
      throw new IllegalStateException(error);
    }
  }

  static Map words(Identifier id) {
    Map words = new HashMap();
    words.put("schema", id.namespace());
    words.put("name", id.name());
    return words;
  }

  /** The statement that is being analysed: all its tables have one relation cache. */
  static synchronized Statement statement() {
    for (Object gone = ENDED.poll(); gone != null; gone = ENDED.poll()) STATEMENTS.remove(gone);
    Same key = new Same(AnalysisContext.get().relationCache(), ENDED);
    Statement known = (Statement) STATEMENTS.get(key);
    if (known == null) {
      known = new Statement(++statementCount);
      STATEMENTS.put(key, known);
    }
    return known;
  }

  // ---- the catalog -------------------------------------------------------------------------------------------------

  public void initialize(String name, CaseInsensitiveStringMap options) {
    this.name = name;
    this.bridge = (String) options.getOrDefault("bridge", "");
  }

  public String name() {
    if (!(this instanceof ViewCatalog)) refuseViews();
    return name;
  }

  /** Up to Spark 4.1 no catalog but Spark's own makes views, and it asks only for the name of ours to say so. */
  private void refuseViews() {
    StackTraceElement[] callers = new Throwable().getStackTrace();
    for (int i = 0; i < callers.length && i < 6; i++)
      if (callers[i].getMethodName().matches("missingCatalogViewsAbilityError|catalogOperationNotSupported"))
        throw new IllegalArgumentException(
            "This release of Spark cannot make, alter, list or drop views of a lake, only read them: nothing was changed in"
                + " catalog \"" + name + "\".\nHint: Spark 4.2 can; so can catalog.views and forklake's own SQL.");
  }

  public Set capabilities() {
    return Collections.singleton(TableCatalogCapability.SUPPORT_COLUMN_DEFAULT_VALUE);
  }

  public String[] defaultNamespace() {
    return new String[] {"main"};
  }

  // ---- reads -------------------------------------------------------------------------------------------------------

  public Table loadTable(Identifier id) throws NoSuchTableException {
    return relation(id, words(id));
  }

  public Table loadTable(Identifier id, String version) throws NoSuchTableException {
    Map words = words(id);
    words.put("version", version);
    return relation(id, words);
  }

  public Table loadTable(Identifier id, long micros) throws NoSuchTableException {
    Map words = words(id);
    words.put("micros", Long.valueOf(micros));
    return relation(id, words);
  }

  /**
   * Spark expands a V1 table of the type VIEW, whichever catalog it is of and at whichever version. Its text calls a table
   * function that answers with the plan of Python's DataFrame.
   */
  private Table relation(Identifier id, Map words) throws NoSuchTableException {
    refuseStreams();
    String command = command();
    if (command != null) words.put("command", command);
    boolean isNow = !words.containsKey("version") && !words.containsKey("micros");
    Statement statement = statement();
    words.put("statement", Long.valueOf(statement.number));
    String found = (String) ask("resolve", words, null);
    if (found == null) throw new NoSuchTableException(id);
    String key = bridge + "/" + found;
    Plan plan = (Plan) KEPT.get(key);
    if (plan == null) {
      words.put("key", found);
      Map facts = (Map) read("describe", words);
      // A view of the lake may be computed over temporary views, which no stored view of Spark may name.
      LogicalPlan of = EliminateView$.MODULE$.apply((LogicalPlan) ask("plan", words, null));
      plan = new Plan(of, facts);
      KEPT.put(key, plan);
    }
    statement.hold(plan);
    synchronized (PLANS) {
      for (Iterator it = PLANS.values().iterator(); it.hasNext(); ) if (((WeakReference) it.next()).get() == null) it.remove();
      PLANS.put(key, new WeakReference(plan));
    }
    String text = READS + "('" + key.replace("\\", "\\\\").replace("'", "\\'") + "')";
    String rows = isNow ? (String) plan.facts.get("rows") : null;
    return new LakeRelation(this, id, plan, viewOf(id, plan.of.schema(), text, isNow ? key : null, rows));
  }

  /** Spark would say that a stream cannot read or write a view. */
  private static void refuseStreams() {
    if (isCalledBy(".DataStreamReader"))
      throw new IllegalArgumentException(
          "readStream.table() cannot read a table of a lake; nothing was read.\nHint: spark.readStream.format(\"forklake\") can,"
              + " after forklake.register(spark).");
    if (isCalledBy(".DataStreamWriter"))
      throw new IllegalArgumentException(
          "writeStream.toTable() cannot write into a table of a lake; nothing was written.\nHint:"
              + " writeStream.format(\"forklake\") can, after forklake.register(spark).");
  }

  /** The text of the statement that a table is looked up for, if it is a command. */
  private static String command() {
    scala.Option text = CurrentOrigin.get().sqlText();
    return text.isDefined() && COMMAND.matcher((String) text.get()).lookingAt() ? (String) text.get() : null;
  }

  /** Spark does not say what a table is looked up for. */
  static boolean isCalledBy(String nameEnd) {
    StackTraceElement[] callers = new Throwable().getStackTrace();
    for (int i = 0; i < callers.length; i++) if (callers[i].getClassName().endsWith(nameEnd)) return true;
    return false;
  }

  /**
   * Refuses options of reads, of which Spark says nothing to a catalog. Since 4.3 what it has looked up for a statement is kept
   * with them, and a table's rows are asked for after that.
   */
  static void checkReads() {
    scala.collection.Iterator it = AnalysisContext.get().relationCache().iterator();
    while (it.hasNext()) {
      scala.Tuple2 known = (scala.Tuple2) it.next();
      if (!isOurs((LogicalPlan) known._2())) continue;
      Map options;
      try {
        options = ((CaseInsensitiveStringMap) known._1().getClass().getMethod("options", new Class[0]).invoke(known._1(), new Object[0])).asCaseSensitiveMap();
      } catch (ReflectiveOperationException before43) {
        return;
      }
      for (Iterator names = options.keySet().iterator(); names.hasNext(); ) {
        String name = (String) names.next();
        if (!MOMENTS.contains(name.toLowerCase(java.util.Locale.ROOT)))
          throw new IllegalArgumentException(
              "A read of a table of a lake has no option \"" + name + "\"; nothing was read.\nHint: versionAsOf and timestampAsOf"
                  + " choose a snapshot. spark.read.format(\"forklake\") reads changes: it has the options changes,"
                  + " startingVersion and endingVersion, and those that Delta has for them.");
      }
    }
  }

  private static boolean isOurs(LogicalPlan found) {
    if (found instanceof org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias)
      return isOurs(((org.apache.spark.sql.catalyst.plans.logical.SubqueryAlias) found).child());
    if (!(found instanceof org.apache.spark.sql.catalyst.plans.logical.View)) return false;
    scala.Option text = ((org.apache.spark.sql.catalyst.plans.logical.View) found).desc().viewText();
    return text.isDefined() && ((String) text.get()).startsWith(READS);
  }

  static LogicalPlan plan(String key) {
    synchronized (PLANS) {
      WeakReference found = (WeakReference) PLANS.get(key);
      Plan plan = found == null ? null : (Plan) found.get();
      if (plan == null) throw new IllegalArgumentException("There is no plan " + key + "; nothing was read.");
      return plan.of;
    }
  }

  /** The constructor grows with releases: what it has more is filled with Scala's own defaults, by name. */
  private CatalogTable viewOf(Identifier id, StructType schema, String text, String read, String rows) {
    try {
      Class module = Class.forName(CatalogTable.class.getName() + "$", true, CatalogTable.class.getClassLoader());
      Object companion = module.getField("MODULE$").get(null);
      Method apply = null;
      Method[] methods = module.getMethods();
      for (int i = 0; i < methods.length; i++)
        if (methods[i].getName().equals("apply") && (apply == null || methods[i].getParameterCount() > apply.getParameterCount()))
          apply = methods[i];
      Map properties = new HashMap();
      properties.put("view.schemaMode", "EVOLUTION"); // no casts: the schema is the plan's
      if (read != null) properties.put(READ, read);
      if (rows != null) properties.put(ROWS, rows);
      Object[] given = new Object[apply.getParameterCount()];
      String[] space = id.namespace().length == 0 ? defaultNamespace() : id.namespace();
      given[0] = new TableIdentifier(id.name(), scala.Option.apply(space[space.length - 1]), scala.Option.apply(name));
      given[1] = CatalogTableType.VIEW();
      given[2] = CatalogStorageFormat.empty();
      given[3] = schema;
      for (int i = 4; i < given.length; i++) {
        String parameter = apply.getParameters()[i].getName();
        if (parameter.equals("viewText") || parameter.equals("viewOriginalText")) given[i] = scala.Option.apply(text);
        else if (parameter.equals("properties"))
          given[i] = scala.collection.immutable.Map$.MODULE$.from(scala.jdk.javaapi.CollectionConverters.asScala(properties));
        else if (parameter.equals("multipartIdentifier")) {
          ArrayList parts = new ArrayList();
          parts.add(name);
          for (int j = 0; j < space.length; j++) parts.add(space[j]);
          parts.add(id.name());
          given[i] = scala.Option.apply(scala.jdk.javaapi.CollectionConverters.asScala((List) parts).toList());
        } else given[i] = module.getMethod("apply$default$" + (i + 1), new Class[0]).invoke(companion, new Object[0]);
      }
      return (CatalogTable) apply.invoke(companion, given);
    } catch (ReflectiveOperationException error) {
      throw new IllegalStateException(error);
    }
  }

  // ---- targets of changes ------------------------------------------------------------------------------------------

  public Table loadTable(Identifier id, Set privileges) throws NoSuchTableException {
    return target(id);
  }

  private Target target(Identifier id) throws NoSuchTableException {
    Map words = words(id);
    long statement = statement().number;
    words.put("statement", Long.valueOf(statement));
    Map facts = (Map) read("target", words);
    if (facts == null) throw new NoSuchTableException(id);
    return new Target(this, id, facts, statement);
  }

  // ---- definitions -------------------------------------------------------------------------------------------------

  public boolean tableExists(Identifier id) {
    return read("exists", words(id)) != null;
  }

  public Identifier[] listTables(String[] namespace) throws NoSuchNamespaceException {
    return identifiers("tables", namespace);
  }

  Identifier[] identifiers(String question, String[] namespace) throws NoSuchNamespaceException {
    Map words = new HashMap();
    words.put("schema", namespace);
    List names = (List) read(question, words);
    if (names == null) throw new NoSuchNamespaceException(namespace);
    Identifier[] found = new Identifier[names.size()];
    for (int i = 0; i < found.length; i++) found[i] = Identifier.of(namespace, (String) names.get(i));
    return found;
  }

  public Table createTable(Identifier id, Column[] columns, Transform[] keys, Map properties)
      throws TableAlreadyExistsException, NoSuchNamespaceException {
    refuseStreams();
    return create(id, definition(id, columns, keys, properties), null);
  }

  private Table create(Identifier id, Map words, Object frame)
      throws TableAlreadyExistsException, NoSuchNamespaceException {
    Object made = ask("create_table", words, frame);
    if (made == null) throw new NoSuchNamespaceException(id.namespace());
    if (made.equals("false")) throw new TableAlreadyExistsException(id);
    try {
      return target(id);
    } catch (NoSuchTableException error) {
      throw new IllegalStateException(error);
    }
  }

  static Map definition(Identifier id, Column[] columns, Transform[] keys, Map properties) {
    Map words = words(id);
    words.put("columns", CatalogV2Util.v2ColumnsToStructType(columns).json());
    ArrayList texts = new ArrayList();
    for (int i = 0; i < keys.length; i++) texts.add(key(keys[i]));
    words.put("keys", texts);
    words.put("properties", properties);
    return words;
  }

  /** A partition key: its name, then its arguments; columns as lists of parts. */
  private static List key(Transform transform) {
    ArrayList parts = new ArrayList();
    parts.add(transform.name());
    for (int i = 0; i < transform.arguments().length; i++) {
      Object argument = transform.arguments()[i];
      if (argument instanceof org.apache.spark.sql.connector.expressions.NamedReference)
        parts.add(((org.apache.spark.sql.connector.expressions.NamedReference) argument).fieldNames());
      else if (argument instanceof org.apache.spark.sql.connector.expressions.Literal)
        parts.add(((org.apache.spark.sql.connector.expressions.Literal) argument).value());
      else parts.add(argument.toString());
    }
    return parts;
  }

  public Table alterTable(Identifier id, TableChange[] changes) throws NoSuchTableException {
    Map words = words(id);
    ArrayList all = new ArrayList();
    for (int i = 0; i < changes.length; i++) all.add(change(changes[i]));
    words.put("changes", all);
    try {
      if (ask("alter_table", words, null) == null) throw new NoSuchTableException(id);
    } catch (IllegalArgumentException error) {
      throw new UnsupportedOperationException(error.getMessage()); // the other one Spark wraps, and Python shows a trace
    }
    return target(id);
  }

  private static Map change(TableChange change) {
    Map words = new HashMap();
    words.put("kind", change.getClass().getSimpleName());
    if (change instanceof TableChange.ColumnChange) words.put("column", ((TableChange.ColumnChange) change).fieldNames());
    if (change instanceof TableChange.AddColumn) {
      TableChange.AddColumn add = (TableChange.AddColumn) change;
      String own = add.fieldNames()[add.fieldNames().length - 1];
      Column made = Column.create(own, add.dataType(), add.isNullable(), add.comment(), add.defaultValue(), null);
      words.put("columns", CatalogV2Util.v2ColumnsToStructType(new Column[] {made}).json());
      words.put("position", add.position() == null ? null : add.position().toString());
    } else if (change instanceof TableChange.RenameColumn) words.put("name", ((TableChange.RenameColumn) change).newName());
    else if (change instanceof TableChange.UpdateColumnType)
      words.put("type", ((TableChange.UpdateColumnType) change).newDataType().json());
    else if (change instanceof TableChange.UpdateColumnNullability)
      words.put("nullable", Boolean.valueOf(((TableChange.UpdateColumnNullability) change).nullable()));
    else if (change instanceof TableChange.UpdateColumnComment)
      words.put("comment", ((TableChange.UpdateColumnComment) change).newComment());
    else if (change instanceof TableChange.DeleteColumn) words.put("if_exists", ((TableChange.DeleteColumn) change).ifExists());
    else if (change instanceof TableChange.UpdateColumnDefaultValue)
      words.put("default", ((TableChange.UpdateColumnDefaultValue) change).newDefaultValue());
    else if (change instanceof TableChange.SetProperty) {
      words.put("property", ((TableChange.SetProperty) change).property());
      words.put("value", ((TableChange.SetProperty) change).value());
    } else if (change instanceof TableChange.RemoveProperty)
      words.put("property", ((TableChange.RemoveProperty) change).property());
    return words;
  }

  public boolean dropTable(Identifier id) {
    return ask("drop_table", words(id), null) != null;
  }

  public void renameTable(Identifier from, Identifier to) throws NoSuchTableException, TableAlreadyExistsException {
    Map words = words(from);
    words.put("new_schema", to.namespace());
    words.put("new_name", to.name());
    Object done = ask("rename_table", words, null);
    if (done == null) throw new NoSuchTableException(from);
    if (done.equals("false")) throw new TableAlreadyExistsException(to);
  }

  // ---- tables with their rows, in one commit -------------------------------------------------------------------------

  public StagedTable stageCreate(Identifier id, Column[] columns, Transform[] keys, Map properties) {
    return new Staged(this, id, columns, keys, properties, "create");
  }

  public StagedTable stageReplace(Identifier id, Column[] columns, Transform[] keys, Map properties)
      throws NoSuchTableException {
    if (!tableExists(id)) throw new NoSuchTableException(id);
    return new Staged(this, id, columns, keys, properties, "replace");
  }

  public StagedTable stageCreateOrReplace(Identifier id, Column[] columns, Transform[] keys, Map properties) {
    return new Staged(this, id, columns, keys, properties, "create or replace");
  }

  void commitStaged(Identifier id, Map words, Object frame) {
    Object made = ask("create_table", words, frame);
    // What Spark has looked for before has changed since.
    if (made == null) throw new IllegalArgumentException("There is no schema for \"" + id + "\" any more; nothing was created.");
    if (made.equals("false")) throw new IllegalArgumentException("There is a \"" + id + "\" by now; nothing was created.");
  }

  // ---- schemas -----------------------------------------------------------------------------------------------------

  public String[][] listNamespaces() {
    List names = (List) read("schemas", new HashMap());
    String[][] found = new String[names.size()][];
    for (int i = 0; i < found.length; i++) found[i] = new String[] {(String) names.get(i)};
    return found;
  }

  public String[][] listNamespaces(String[] namespace) throws NoSuchNamespaceException {
    if (namespace.length == 0) return listNamespaces();
    loadNamespaceMetadata(namespace);
    return new String[0][];
  }

  public Map loadNamespaceMetadata(String[] namespace) throws NoSuchNamespaceException {
    Map words = new HashMap();
    words.put("schema", namespace);
    Map found = (Map) read("schema", words);
    if (found == null) throw new NoSuchNamespaceException(namespace);
    return found;
  }

  public void createNamespace(String[] namespace, Map properties) throws NamespaceAlreadyExistsException {
    Map words = new HashMap();
    words.put("schema", namespace);
    words.put("properties", properties);
    if (ask("create_schema", words, null) == null) throw new NamespaceAlreadyExistsException(namespace);
  }

  public void alterNamespace(String[] namespace, NamespaceChange[] changes) {
    throw new IllegalArgumentException("Schemas of a lake have no properties; nothing was changed.");
  }

  public boolean dropNamespace(String[] namespace, boolean cascade) throws NoSuchNamespaceException {
    Map words = new HashMap();
    words.put("schema", namespace);
    words.put("cascade", Boolean.valueOf(cascade));
    if (ask("drop_schema", words, null) == null) throw new NoSuchNamespaceException(namespace);
    return true;
  }

  // ---- procedures --------------------------------------------------------------------------------------------------

  public Identifier[] listProcedures(String[] namespace) {
    boolean here = namespace.length == 0 || (namespace.length == 1 && namespace[0].equalsIgnoreCase("system"));
    List names = (List) read("procedures", new HashMap());
    Identifier[] found = new Identifier[here ? names.size() : 0];
    for (int i = 0; i < found.length; i++) found[i] = Identifier.of(new String[] {"system"}, (String) names.get(i));
    return found;
  }

  public UnboundProcedure loadProcedure(Identifier id) {
    try {
      return new Procedure(this, id, (List) read("procedure", words(id)));
    } catch (IllegalArgumentException error) {
      return new NoProcedure(id, error); // thrown here, Spark would not say why
    }
  }

  // ---- the session: the table function, and how changes of rows are run ----------------------------------------------

  public static synchronized void install(SparkSession spark) {
    org.apache.spark.sql.classic.SparkSession session = (org.apache.spark.sql.classic.SparkSession) spark;
    ExpressionInfo info = new ExpressionInfo(LakeCatalog.class.getName(), FUNCTION);
    FunctionIdentifier full = new FunctionIdentifier(FUNCTION, scala.Option.apply("builtin"), scala.Option.apply("system"));
    session.sessionState().tableFunctionRegistry().registerFunction(full, info, new PlanFunction());
    try {
      // Up to 4.1 a name has one part, and is built in if the registry of all sessions has it.
      FunctionIdentifier bare = new FunctionIdentifier(FUNCTION);
      session.sessionState().tableFunctionRegistry().registerFunction(bare, info, new PlanFunction());
      org.apache.spark.sql.catalyst.analysis.TableFunctionRegistry$.MODULE$.builtin().registerFunction(bare, info, new PlanFunction());
    } catch (AssertionError since42) {
    }
    scala.collection.immutable.Seq known = session.experimental().extraStrategies();
    for (scala.collection.Iterator it = known.iterator(); it.hasNext(); ) if (it.next() instanceof ChangeStrategy) return;
    session.experimental().extraStrategies_$eq((scala.collection.immutable.Seq) known.prepended(new ChangeStrategy()));
  }

  /** Spark has no way to forget a catalog. */
  public static void forget(SparkSession spark, String name) throws ReflectiveOperationException {
    Object manager = ((org.apache.spark.sql.classic.SparkSession) spark).sessionState().catalogManager();
    Field field = manager.getClass().getDeclaredField("catalogs");
    field.setAccessible(true);
    Object catalogs = field.get(manager);
    synchronized (manager) {
      if (catalogs instanceof scala.collection.mutable.Map) ((scala.collection.mutable.Map) catalogs).remove(name);
    }
  }

  /**
   * A statement that changes a table may read it, too, and Spark then takes the target for what is read. Returns the plan
   * with each such read as a projection of the rows; each has the numbers of its columns.
   */
  public static LogicalPlan withReads(LogicalPlan plan) {
    return (LogicalPlan) plan.transformDownWithSubqueries(new ReadTarget());
  }

  /** Returns a value without Spark's checks that it is not NULL, which do not name the column; ours do. */
  public static Expression withoutNullChecks(Expression value) {
    return (Expression) value.transformDown(new NullCheck());
  }

  static LogicalPlan planOf(Dataset rows) {
    return ((org.apache.spark.sql.classic.Dataset) rows).queryExecution().analyzed();
  }

  static Dataset withReads(Dataset rows) {
    LogicalPlan plan = planOf(rows);
    LogicalPlan read = withReads(plan);
    if (read == plan) return rows;
    read.setAnalyzed();
    org.apache.spark.sql.classic.SparkSession session = (org.apache.spark.sql.classic.SparkSession) rows.sparkSession();
    return org.apache.spark.sql.classic.Dataset$.MODULE$.ofRows(session, read);
  }

  /** The keys of this attachment's tables that a plan reads as they are when it is analysed, at no version that it names. */
  List reads(LogicalPlan plan) {
    ArrayList found = new ArrayList();
    String own = bridge + "/";
    scala.collection.Iterator it = ((scala.collection.Seq) plan.collectWithSubqueries(new ReadKey())).iterator();
    while (it.hasNext()) {
      String key = (String) it.next();
      if (key.startsWith(own)) found.add(key.substring(own.length()));
    }
    return found;
  }

  static scala.collection.immutable.Seq seq(List items) {
    return (scala.collection.immutable.Seq) scala.jdk.javaapi.CollectionConverters.asScala(items).toList();
  }

  /** Runs a change of rows. Spark copies nodes, by a constructor that takes what the node is made of. */
  public static class ChangeExec extends org.apache.spark.sql.execution.datasources.v2.V2CommandExec {
    private final Target target;
    private final LogicalPlan plan;

    public ChangeExec(Object target, LogicalPlan plan) {
      this.target = (Target) target;
      this.plan = plan;
    }

    public scala.collection.immutable.Seq run() {
      LogicalPlan query = plan; // what Spark hands over is optimised: there are no views in it any more
      if (plan instanceof OverwriteByExpression && ((OverwriteByExpression) plan).analyzedQuery().isDefined())
        query = (LogicalPlan) ((OverwriteByExpression) plan).analyzedQuery().get();
      target.ask("change", query, plan);
      return seq(new ArrayList());
    }

    public scala.collection.immutable.Seq output() {
      return seq(new ArrayList());
    }

    public scala.collection.immutable.Seq children() {
      return seq(new ArrayList());
    }

    public org.apache.spark.sql.execution.SparkPlan withNewChildrenInternal(scala.collection.immutable.IndexedSeq children) {
      return this;
    }

    public int productArity() {
      return 2;
    }

    public Object productElement(int n) {
      return n == 0 ? (Object) target : (Object) plan;
    }

    public boolean canEqual(Object other) {
      return other instanceof ChangeExec;
    }
  }
}

/** A statement that is analysed: its number, and the plans of its tables, which Spark asks for later. */
class Statement {
  final long number;
  private final ArrayList plans = new ArrayList();

  Statement(long number) {
    this.number = number;
  }

  synchronized void hold(Plan plan) {
    plans.add(plan);
  }
}

/** A key that is equal only to itself, and does not keep it from being collected. */
class Same extends WeakReference {
  private final int hash;

  Same(Object of, ReferenceQueue ended) {
    super(of, ended);
    this.hash = System.identityHashCode(of);
  }

  public int hashCode() {
    return hash;
  }

  public boolean equals(Object other) {
    return this == other || (other instanceof Same && get() != null && get() == ((Same) other).get());
  }
}

class Recent extends LinkedHashMap {
  private final int most;

  Recent(int most) {
    super(16, 0.75f, true);
    this.most = most;
  }

  protected boolean removeEldestEntry(Map.Entry eldest) {
    return size() > most;
  }
}

/** The rows of a table at a snapshot as Spark computes them, and what Python says of the table. */
class Plan {
  final LogicalPlan of;
  final Map facts;

  Plan(LogicalPlan of, Map facts) {
    this.of = of;
    this.facts = facts;
  }

  static Transform[] keys(Map facts) {
    List keys = (List) facts.get("keys");
    Transform[] found = new Transform[keys.size()];
    for (int i = 0; i < found.length; i++) {
      List key = (List) keys.get(i);
      String name = (String) key.get(0);
      String column = (String) key.get(1);
      if (name.equals("identity")) found[i] = Expressions.identity(column);
      else if (name.equals("years")) found[i] = Expressions.years(column);
      else if (name.equals("months")) found[i] = Expressions.months(column);
      else if (name.equals("days")) found[i] = Expressions.days(column);
      else if (name.equals("hours")) found[i] = Expressions.hours(column);
      else if (name.equals("bucket")) found[i] = Expressions.bucket(((Number) key.get(2)).intValue(), new String[] {column});
      else
        found[i] =
            Expressions.apply(name, new org.apache.spark.sql.connector.expressions.Expression[] {Expressions.column(column)});
    }
    return found;
  }
}

class PlanFunction extends scala.runtime.AbstractFunction1 {
  public Object apply(Object given) {
    LakeCatalog.checkReads();
    Expression key = (Expression) ((scala.collection.immutable.Seq) given).apply(Integer.valueOf(0));
    return LakeCatalog.plan(String.valueOf(key.eval(null)));
  }
}

/** What a read of a table resolves to. */
class LakeRelation extends V1Table implements TruncatableTable {
  private final LakeCatalog catalog;
  private final Identifier id;
  private final Plan plan;

  LakeRelation(LakeCatalog catalog, Identifier id, Plan plan, CatalogTable view) {
    super(view);
    this.catalog = catalog;
    this.id = id;
    this.plan = plan;
  }

  public String name() {
    return catalog.name() + "." + id;
  }

  public Map properties() {
    return (Map) plan.facts.get("properties");
  }

  public Transform[] partitioning() {
    // spark.catalog knows columns and buckets only, and fails on all else.
    return LakeCatalog.isCalledBy(".classic.Catalog") ? new Transform[0] : Plan.keys(plan.facts);
  }

  public boolean truncateTable() {
    catalog.ask("truncate", LakeCatalog.words(id), null);
    return true;
  }
}

/** What the target of a change resolves to: the table at the snapshot of the statement. */
class Target implements SupportsWrite, SupportsRead {
  final LakeCatalog catalog;
  final Identifier id;
  private final Map facts;
  private final long statement;

  Target(LakeCatalog catalog, Identifier id, Map facts, long statement) {
    this.catalog = catalog;
    this.id = id;
    this.facts = facts;
    this.statement = statement;
  }

  Object ask(String question, LogicalPlan plan, Object given) {
    Map words = words();
    words.put("reads", catalog.reads(plan));
    return catalog.ask(question, words, given);
  }

  /** The rows as the statement sees them. */
  LogicalPlan rows() {
    return (LogicalPlan) catalog.ask("plan", words(), null);
  }

  private Map words() {
    Map words = LakeCatalog.words(id);
    words.put("statement", Long.valueOf(statement));
    return words;
  }

  public String name() {
    return catalog.name() + "." + id;
  }

  public String toString() {
    return name();
  }

  public StructType schema() {
    return (StructType) DataType.fromJson((String) facts.get("columns"));
  }

  public Map properties() {
    return (Map) facts.get("properties");
  }

  public Transform[] partitioning() {
    return Plan.keys(facts);
  }

  public Set capabilities() {
    return EnumSet.of(
        TableCapability.BATCH_READ,
        TableCapability.BATCH_WRITE,
        TableCapability.V1_BATCH_WRITE,
        TableCapability.TRUNCATE,
        TableCapability.OVERWRITE_BY_FILTER,
        TableCapability.OVERWRITE_DYNAMIC);
  }

  public WriteBuilder newWriteBuilder(LogicalWriteInfo info) {
    checkOptions(info.options().asCaseSensitiveMap());
    return new Rows(this);
  }

  /** Options of other formats replace fewer rows, or add columns: to leave them out would do something else. */
  static void checkOptions(Map options) {
    if (options.isEmpty()) return;
    throw new IllegalArgumentException(
        "A write into a table of a lake has no option \"" + options.keySet().iterator().next() + "\"; nothing was changed.\n"
            + "Hint: writeTo().overwrite(condition) and REPLACE WHERE replace the rows of a condition, overwritePartitions()"
            + " those of partitions, createOrReplace() the columns too; ALTER TABLE adds columns.");
  }

  public ScanBuilder newScanBuilder(CaseInsensitiveStringMap options) {
    return new NoScan(schema());
  }

  void write(Dataset rows, boolean all) {
    Dataset read = LakeCatalog.withReads(rows);
    ask(all ? "overwrite" : "append", LakeCatalog.planOf(rows), read);
  }
}

/** A table that is to be, with its rows. */
class Staged extends Target implements StagedTable {
  private final Map words;
  private Dataset rows = null;

  Staged(LakeCatalog catalog, Identifier id, Column[] columns, Transform[] keys, Map properties, String how) {
    super(catalog, id, facts(columns, properties), 0);
    this.words = LakeCatalog.definition(id, columns, keys, properties);
    this.words.put("how", how);
  }

  private static Map facts(Column[] columns, Map properties) {
    Map facts = new HashMap();
    facts.put("columns", CatalogV2Util.v2ColumnsToStructType(columns).json());
    facts.put("properties", properties);
    facts.put("keys", new ArrayList());
    return facts;
  }

  void write(Dataset given, boolean all) {
    rows = given;
  }

  public void commitStagedChanges() {
    words.put("reads", rows == null ? new ArrayList() : catalog.reads(LakeCatalog.planOf(rows)));
    catalog.commitStaged(id, words, rows);
  }

  public void abortStagedChanges() {
    rows = null;
  }
}

/** Spark plans a scan of the target of a change, which is never run. */
class NoScan implements ScanBuilder, Scan {
  private final StructType schema;

  NoScan(StructType schema) {
    this.schema = schema;
  }

  public Scan build() {
    return this;
  }

  public StructType readSchema() {
    return schema;
  }
}

/** Rows for a table. Those that replace the rows of a condition or of partitions are planned by ChangeStrategy. */
class Rows implements SupportsOverwriteV2, SupportsDynamicOverwrite, V1Write, InsertableRelation {
  private final Target target;
  private boolean all = false;

  Rows(Target target) {
    this.target = target;
  }

  public WriteBuilder truncate() {
    all = true;
    return this;
  }

  public WriteBuilder overwrite(Predicate[] predicates) {
    return this;
  }

  public WriteBuilder overwriteDynamicPartitions() {
    return this;
  }

  public Write build() {
    return this;
  }

  public InsertableRelation toInsertableRelation() {
    return this;
  }

  public void insert(Dataset rows, boolean ignored) {
    target.write(rows, all);
  }
}

/** Hands changes of lake tables to Python, as plans. */
class ChangeStrategy extends SparkStrategy {
  public scala.collection.immutable.Seq apply(LogicalPlan plan) {
    if (plan instanceof AnalyzeTables && catalogOf(((AnalyzeTables) plan).child()) instanceof LakeCatalog)
      throw new IllegalArgumentException(
          "Statistics of tables of a lake are kept by each write; nothing was done.\nHint: There is nothing to analyze.");
    boolean changes =
        plan instanceof UpdateTable
            || plan instanceof DeleteFromTable
            || plan instanceof MergeIntoTable
            || plan instanceof OverwritePartitionsDynamic
            || (plan instanceof OverwriteByExpression && !isAll(((OverwriteByExpression) plan).deleteExpr()));
    ArrayList found = new ArrayList();
    if (changes) {
      // The table is the first thing that each of them is made of.
      scala.Option relation = ((LogicalPlan) ((scala.Product) plan).productElement(0)).find(new IsTarget());
      if (relation.isDefined() && plan instanceof OverwriteByExpression)
        Target.checkOptions(scala.jdk.javaapi.CollectionConverters.asJava(((OverwriteByExpression) plan).writeOptions()));
      if (relation.isDefined() && plan instanceof OverwritePartitionsDynamic)
        Target.checkOptions(scala.jdk.javaapi.CollectionConverters.asJava(((OverwritePartitionsDynamic) plan).writeOptions()));
      if (relation.isDefined()) found.add(new LakeCatalog.ChangeExec(IsTarget.target(relation.get()), plan));
    }
    return LakeCatalog.seq(found);
  }

  private static Object catalogOf(LogicalPlan namespace) {
    return namespace instanceof ResolvedNamespace ? ((ResolvedNamespace) namespace).catalog() : null;
  }

  private static boolean isAll(Expression condition) {
    return condition instanceof org.apache.spark.sql.catalyst.expressions.Literal && Boolean.TRUE.equals(condition.eval(null));
  }
}

class IsTarget extends scala.runtime.AbstractFunction1 {
  static Target target(Object plan) {
    Object relation = plan instanceof DataSourceV2ScanRelation ? ((DataSourceV2ScanRelation) plan).relation() : plan;
    if (!(relation instanceof DataSourceV2Relation)) return null;
    Object table = ((DataSourceV2Relation) relation).table();
    return table instanceof Target ? (Target) table : null;
  }

  public Object apply(Object plan) {
    return Boolean.valueOf(target(plan) != null);
  }
}

/** Replaces the target of a change by its rows. */
class ReadTarget extends scala.runtime.AbstractPartialFunction {
  public boolean isDefinedAt(Object plan) {
    return IsTarget.target(plan) != null;
  }

  public Object applyOrElse(Object plan, scala.Function1 otherwise) {
    if (!isDefinedAt(plan)) return otherwise.apply(plan);
    LogicalPlan rows = IsTarget.target(plan).rows();
    HashMap known = new HashMap();
    for (scala.collection.Iterator it = rows.output().iterator(); it.hasNext(); ) {
      Attribute column = (Attribute) it.next();
      known.put(column.name(), column);
    }
    ArrayList columns = new ArrayList();
    for (scala.collection.Iterator it = ((LogicalPlan) plan).output().iterator(); it.hasNext(); ) {
      Attribute wanted = (Attribute) it.next();
      Expression column = (Expression) known.get(wanted.name());
      scala.collection.immutable.Seq none = LakeCatalog.seq(new ArrayList());
      columns.add(new Alias(column, wanted.name(), wanted.exprId(), none, scala.Option.apply(null), none));
    }
    return new Project(LakeCatalog.seq(columns), rows);
  }
}

class NullCheck extends scala.runtime.AbstractPartialFunction {
  public boolean isDefinedAt(Object value) {
    return value instanceof AssertNotNull;
  }

  public Object applyOrElse(Object value, scala.Function1 otherwise) {
    return isDefinedAt(value) ? ((AssertNotNull) value).child() : otherwise.apply(value);
  }
}

/** What a view of ours reads. */
class ReadKey extends scala.runtime.AbstractPartialFunction {
  private static Object key(Object plan) {
    return plan instanceof View ? ((View) plan).desc().properties().getOrElse(LakeCatalog.READ, new Nothing()) : null;
  }

  public boolean isDefinedAt(Object plan) {
    return key(plan) != null;
  }

  public Object applyOrElse(Object plan, scala.Function1 otherwise) {
    Object found = key(plan);
    return found == null ? otherwise.apply(plan) : found;
  }
}

class Nothing extends scala.runtime.AbstractFunction0 {
  public Object apply() {
    return null;
  }
}

/** A procedure of the schema "system". */
class Procedure implements UnboundProcedure {
  private final LakeCatalog catalog;
  private final Identifier id;
  private final List described;

  Procedure(LakeCatalog catalog, Identifier id, List described) {
    this.catalog = catalog;
    this.id = id;
    this.described = described;
  }

  public String name() {
    return id.name();
  }

  /** Its parameters, those that may be left out in brackets. */
  public String description() {
    StringBuilder text = new StringBuilder(name()).append('(');
    for (int i = 0; i < described.size(); i++) {
      Map one = (Map) described.get(i);
      String said = one.get("name") + " " + one.get("type");
      text.append(i == 0 ? "" : ", ").append(Boolean.TRUE.equals(one.get("required")) ? said : "[" + said + "]");
    }
    return text.append(')').toString();
  }

  public BoundProcedure bind(StructType given) {
    return new Call(catalog, id, description(), described);
  }
}

/**
 * A procedure that is called; its rows are those of the DataFrame that Python answers with.
 *
 * It is another object than the one that is looked up: what is bound already, Spark takes for one whose arguments are in order.
 */
class Call implements BoundProcedure {
  private final LakeCatalog catalog;
  private final Identifier id;
  private final String description;
  private final ProcedureParameter[] parameters;

  Call(LakeCatalog catalog, Identifier id, String description, List described) {
    this.catalog = catalog;
    this.id = id;
    this.description = description;
    this.parameters = new ProcedureParameter[described.size()];
    for (int i = 0; i < parameters.length; i++) {
      Map one = (Map) described.get(i);
      ProcedureParameter.Builder builder =
          ProcedureParameter.in((String) one.get("name"), DataType.fromDDL((String) one.get("type")));
      parameters[i] = Boolean.TRUE.equals(one.get("required")) ? builder.build() : builder.defaultValue("NULL").build();
    }
  }

  public String name() {
    return id.name();
  }

  public String description() {
    return description;
  }

  public boolean isDeterministic() {
    return false;
  }

  public ProcedureParameter[] parameters() {
    return parameters;
  }

  public Iterator call(InternalRow given) {
    Map arguments = new HashMap();
    for (int i = 0; i < parameters.length; i++) {
      Object value = given.isNullAt(i) ? null : given.get(i, parameters[i].dataType());
      arguments.put(parameters[i].name(), value instanceof Number || value instanceof Boolean || value == null ? value : value.toString());
    }
    Map words = LakeCatalog.words(id);
    words.put("arguments", arguments);
    org.apache.spark.sql.classic.Dataset rows = (org.apache.spark.sql.classic.Dataset) catalog.ask("call", words, null);
    ArrayList scans = new ArrayList();
    if (rows != null) scans.add(new Answer(rows.schema(), rows.queryExecution().executedPlan().executeCollect()));
    return scans.iterator();
  }
}

/** What is called, and is not there. */
class NoProcedure implements UnboundProcedure {
  private final Identifier id;
  private final IllegalArgumentException reason;

  NoProcedure(Identifier id, IllegalArgumentException reason) {
    this.id = id;
    this.reason = reason;
  }

  public String name() {
    return id.name();
  }

  public String description() {
    throw reason;
  }

  public BoundProcedure bind(StructType given) {
    throw reason;
  }
}

class Answer implements LocalScan {
  private final StructType schema;
  private final InternalRow[] rows;

  Answer(StructType schema, InternalRow[] rows) {
    this.schema = schema;
    this.rows = rows;
  }

  public InternalRow[] rows() {
    return rows;
  }

  public StructType readSchema() {
    return schema;
  }
}
