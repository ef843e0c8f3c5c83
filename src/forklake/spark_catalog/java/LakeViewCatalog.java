package forklake;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.catalyst.analysis.NoSuchViewException;
import org.apache.spark.sql.catalyst.analysis.ViewAlreadyExistsException;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.optimizer.ComputeCurrentTime$;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.logical.Project;
import org.apache.spark.sql.catalyst.plans.logical.Union;
import org.apache.spark.sql.connector.catalog.*;
import org.apache.spark.sql.types.StructType;

/**
 * A catalog of a lake that makes views, too.
 *
 * <p>Spark 4.2 was the first to know such catalogs. Views are read as everything is: by the plan of their rows.
 */
public class LakeViewCatalog extends LakeCatalog implements RelationCatalog {
  public Relation loadRelation(Identifier id) throws NoSuchTableException {
    if (isLookedUpByCommand()) {
      View view = viewOf(id);
      if (view != null) return view;
    }
    return loadTable(id);
  }

  public Table loadTable(Identifier id) throws NoSuchTableException {
    return super.loadTable(id);
  }

  /** Commands want to know a view for one; queries want its rows. */
  private static boolean isLookedUpByCommand() {
    StackTraceElement[] callers = new Throwable().getStackTrace();
    for (int i = 0; i < callers.length; i++) {
      if (callers[i].getMethodName().contains("lookupTableOrView")) return true;
      if (callers[i].getClassName().endsWith(".RelationResolution")) return false;
    }
    return false;
  }

  public View loadView(Identifier id) throws NoSuchViewException {
    View found = viewOf(id);
    if (found == null) throw new NoSuchViewException(id);
    return found;
  }

  private View viewOf(Identifier id) {
    Map facts = (Map) read("view", words(id));
    if (facts == null) return null;
    String[] home = new String[] {(String) facts.get("schema")};
    View.Builder made = new View.Builder();
    made.withSchema(schema(id));
    made.withProperties((Map) facts.get("properties"));
    return made.withQueryText((String) facts.get("text"))
        .withCurrentCatalog(name)
        .withCurrentNamespace(home)
        .withSqlConfigs(new HashMap())
        .withSchemaMode("EVOLUTION")
        .withQueryColumnNames(new String[0])
        .build();
  }

  /** A view whose query cannot be read any more can still be dropped and replaced. */
  private StructType schema(Identifier id) {
    try {
      return ((V1Table) super.loadTable(id)).v1Table().schema();
    } catch (IllegalArgumentException error) {
      return new StructType();
    } catch (NoSuchTableException error) {
      return new StructType();
    }
  }

  public boolean tableExists(Identifier id) {
    return super.tableExists(id);
  }

  public boolean viewExists(Identifier id) {
    return read("view", words(id)) != null;
  }

  public Identifier[] listTables(String[] namespace) throws NoSuchNamespaceException {
    return identifiers("only_tables", namespace);
  }

  public Identifier[] listViews(String[] namespace) throws NoSuchNamespaceException {
    return identifiers("views", namespace);
  }

  public TableSummary[] listTableSummaries(String[] namespace) throws NoSuchNamespaceException {
    return summaries(listTables(namespace), TableSummary.MANAGED_TABLE_TYPE);
  }

  public TableSummary[] listRelationSummaries(String[] namespace) throws NoSuchNamespaceException {
    TreeMap all = new TreeMap();
    TableSummary[] tables = listTableSummaries(namespace);
    for (int i = 0; i < tables.length; i++) all.put(tables[i].identifier().name(), tables[i]);
    TableSummary[] views = summaries(listViews(namespace), TableSummary.VIEW_TABLE_TYPE);
    for (int i = 0; i < views.length; i++) all.put(views[i].identifier().name(), views[i]);
    return (TableSummary[]) all.values().toArray(new TableSummary[0]);
  }

  private static TableSummary[] summaries(Identifier[] of, String type) {
    TableSummary[] made = new TableSummary[of.length];
    for (int i = 0; i < made.length; i++) made[i] = TableSummary.of(of[i], type);
    return made;
  }

  public View createView(Identifier id, View view) throws ViewAlreadyExistsException, NoSuchNamespaceException {
    Object made = define(id, view, "create");
    if (made == null) throw new NoSuchNamespaceException(id.namespace());
    if (made.equals("false")) throw new ViewAlreadyExistsException(id);
    return view;
  }

  public View createOrReplaceView(Identifier id, View view) throws ViewAlreadyExistsException, NoSuchNamespaceException {
    Object made = define(id, view, "create or replace");
    if (made == null) throw new NoSuchNamespaceException(id.namespace());
    if (made.equals("false")) throw new ViewAlreadyExistsException(id); // a table has the name
    return view;
  }

  public View replaceView(Identifier id, View view) throws NoSuchViewException {
    Object made = define(id, view, "replace");
    if (made == null || made.equals("false")) throw new NoSuchViewException(id);
    return view;
  }

  private Object define(Identifier id, View view, String how) {
    Map words = words(id);
    words.put("how", how);
    words.put("text", view.queryText());
    words.put("columns", view.schema().json());
    words.put("properties", view.properties());
    words.put("mode", view.schemaMode());
    words.put("in_use", view.currentNamespace());
    words.put("catalog_in_use", view.currentCatalog());
    return ask("create_view", words, null);
  }

  /** Whether two queries mean the same. */
  public static boolean meanSame(SparkSession spark, LogicalPlan one, LogicalPlan other) {
    return Meaning.same(spark, one, other);
  }

  public boolean dropView(Identifier id) {
    return ask("drop_view", words(id), null) != null;
  }

  public void renameView(Identifier from, Identifier to) throws NoSuchViewException, ViewAlreadyExistsException {
    Map words = words(from);
    words.put("new_schema", to.namespace());
    words.put("new_name", to.name());
    Object done = ask("rename_view", words, null);
    if (done == null) throw new NoSuchViewException(from);
    if (done.equals("false")) throw new ViewAlreadyExistsException(to);
  }
}

/** Whether two queries over the same frames compute the same, as far as their plans tell. */
class Meaning {
  private Meaning() {}

  static boolean same(SparkSession spark, LogicalPlan one, LogicalPlan other) {
    ArrayList both = new ArrayList();
    both.add(one);
    both.add(other);
    // The clock is asked once for the two, not once for each.
    LogicalPlan now = ComputeCurrentTime$.MODULE$.apply(new Union(LakeCatalog.seq(both), false, false));
    LogicalPlan first = plain(spark, (LogicalPlan) now.children().apply(0));
    return first.sameResult(plain(spark, (LogicalPlan) now.children().apply(1)));
  }

  /** Returns what the optimizer makes of a plan, without columns that only have another name. */
  private static LogicalPlan plain(SparkSession spark, LogicalPlan plan) {
    org.apache.spark.sql.classic.SparkSession session = (org.apache.spark.sql.classic.SparkSession) spark;
    LogicalPlan best = (LogicalPlan) session.sessionState().optimizer().execute(plan);
    HashMap renamed = new HashMap();
    best.foreach(new Renamings(renamed));
    if (renamed.isEmpty()) return best;
    LogicalPlan bare = (LogicalPlan) best.transformAllExpressionsWithSubqueries(new Origins(renamed));
    return (LogicalPlan) bare.transformUpWithSubqueries(new Idle());
  }
}

/** Finds the columns that are others by another name. */
class Renamings extends scala.runtime.AbstractFunction1 {
  private final Map found;

  Renamings(Map found) {
    this.found = found;
  }

  public Object apply(Object plan) {
    for (scala.collection.Iterator it = ((LogicalPlan) plan).expressions().iterator(); it.hasNext(); ) {
      Object made = it.next();
      if (made instanceof Alias && ((Alias) made).child() instanceof AttributeReference)
        found.put(((Alias) made).exprId(), ((Alias) made).child());
    }
    return null;
  }
}

/** Puts the column itself for each that has only another name. */
class Origins extends scala.runtime.AbstractPartialFunction {
  private final Map renamed;

  Origins(Map renamed) {
    this.renamed = renamed;
  }

  private Object origin(Object of) {
    Object found = null;
    if (of instanceof AttributeReference) found = renamed.get(((AttributeReference) of).exprId());
    else if (of instanceof Alias) found = renamed.get(((Alias) of).exprId());
    if (found == null) return null;
    for (Object next = found; next != null; next = renamed.get(((AttributeReference) next).exprId())) found = next;
    return found;
  }

  public boolean isDefinedAt(Object expression) {
    return origin(expression) != null;
  }

  public Object applyOrElse(Object expression, scala.Function1 otherwise) {
    Object found = origin(expression);
    return found == null ? otherwise.apply(expression) : found;
  }
}

/** Leaves out projections of all columns as they are. */
class Idle extends scala.runtime.AbstractPartialFunction {
  public boolean isDefinedAt(Object plan) {
    return plan instanceof Project && ((Project) plan).projectList().equals(((Project) plan).child().output());
  }

  public Object applyOrElse(Object plan, scala.Function1 otherwise) {
    return isDefinedAt(plan) ? ((Project) plan).child() : otherwise.apply(plan);
  }
}
