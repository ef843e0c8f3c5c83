"""Partitioning, sort orders, name mappings, and rows that are kept in the metadata."""

import pytest

from forklake import (
    Catalog,
    ColumnDefinition,
    ColumnStats,
    Lake,
    MappedColumn,
    NameMapping,
    NewDataFile,
    PartitionField,
    SortKey,
    VariantStats,
)
from forklake.errors import CommitConflictError, InvalidInputError, NotFoundError
from tests.contract.support import last, rows

BY_YEAR = PartitionField("at", "year")
MAPPING = NameMapping((MappedColumn("ID", "id"), MappedColumn("S", "s", children=(MappedColumn("A", "a"),))))


@pytest.fixture
def shop(lake: Lake) -> Catalog:
    shop = lake.create_catalog("shop")
    columns = {"id": "INTEGER", "at": "TIMESTAMP", "s": "STRUCT(a INTEGER)", "v": "VARIANT"}
    shop.create_table("events", columns, partition_by=[BY_YEAR, "id"], sort_by=["id", SortKey("id % 7", "DESC")])
    return shop


def file(name: str, *values: str | None, **more: object) -> NewDataFile:
    return NewDataFile(f"{name}.parquet", 10, 100, partition_values=values, **more)  # type: ignore[arg-type]


def test_a_table_is_made_with_its_layout_in_one_snapshot(shop: Catalog) -> None:
    table = shop.table("events")
    assert table.inspect.partition_by == (BY_YEAR, PartitionField("id"))
    assert table.inspect.sort_by == (SortKey("id"), SortKey("id % 7", "DESC"))
    assert last(shop).changes_made == 'created_table:"main"."events"'


def test_files_carry_the_partitioning_they_were_written_with(shop: Catalog) -> None:
    shop.table("events").storage.append_files([file("a", "2026", None)])
    shop.table("events").alter.set_partitioning([PartitionField("id", "bucket(8)")])
    shop.table("events").storage.append_files([file("b", "3")])
    shop.table("events").alter.set_partitioning([])
    shop.table("events").storage.append_files([file("c")])
    assert [f.partition_values for f in shop.table("events").storage.files()] == [("2026", None), ("3",), ()]
    assert shop.table("events").inspect.partition_by == ()
    with pytest.raises(InvalidInputError, match="contains an invalid partition value for the table configuration"):
        shop.table("events").storage.append_files([file("d", "1")])


def test_setting_the_partitioning_that_is_set_changes_nothing(lake: Lake, shop: Catalog) -> None:
    before = shop.head
    shop.table("events").alter.set_partitioning([PartitionField("AT", "YEAR"), "id"])
    assert shop.head == before
    with shop.transaction() as transaction:
        transaction.table("events").alter.set_partitioning(["id"])
        transaction.table("events").alter.set_partitioning([PartitionField("id")])
        transaction.table("events").storage.append_files([file("a", "3")])
    assert rows(lake, "SELECT count(*) FROM forklake.ducklake_partition_info") == [(2,)]
    assert shop.table("events").storage.files()[0].partition_values == ("3",)
    shop.table("events").alter.set_partitioning(["id", BY_YEAR])
    assert shop.table("events").inspect.partition_by == (PartitionField("id"), BY_YEAR)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        (PartitionField("at", "century"), "Unsupported partition function century"),
        (PartitionField("id", "year"), 'Column "id" of type int32 cannot be partitioned by year'),
        (PartitionField("id", "bucket(0)"), "Bucket count must be positive"),
        (PartitionField("id", "bucket(99999999999)"), "Bucket count cannot exceed"),
        (PartitionField("s"), "Partitioning is only supported on top-level columns"),
        (PartitionField("s.a"), "Partitioning is only supported on top-level columns"),
    ],
)
def test_a_partitioning_that_makes_no_sense_is_refused(shop: Catalog, field: PartitionField, message: str) -> None:
    with pytest.raises(InvalidInputError, match=message.replace("(", r"\(").replace(")", r"\)")):
        shop.table("events").alter.set_partitioning([field])
    with pytest.raises(NotFoundError, match='does not have a column with name "nothing"'):
        shop.table("events").alter.set_partitioning(["nothing"])
    assert shop.table("events").inspect.partition_by == (BY_YEAR, PartitionField("id"))


@pytest.mark.parametrize(
    "transform", ["identity", "year", "month", "day", "hour", "epoch_year", "epoch_hour", "bucket(4)"]
)
def test_every_transform_is_kept(shop: Catalog, transform: str) -> None:
    shop.table("events").alter.set_partitioning([PartitionField("at", transform)])
    assert shop.table("events").inspect.partition_by == (PartitionField("at", transform),)


def test_a_column_that_files_are_laid_out_by_cannot_be_dropped(shop: Catalog) -> None:
    with pytest.raises(InvalidInputError, match='Cannot drop column "at" - the table is partitioned by this column'):
        shop.table("events").alter.drop_column("at")
    shop.table("events").alter.set_partitioning([])
    with pytest.raises(InvalidInputError, match='Cannot drop column "id" - the table is sorted by this column'):
        shop.table("events").alter.drop_column("id")
    shop.table("events").alter.set_sorting([])
    shop.table("events").alter.drop_column("id")


NAMES = {"s": "STRUCT(a INTEGER, b INTEGER)", "a": "INTEGER", "lower": "VARCHAR", 'd"e': "VARCHAR"}


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("key", "kept", "dropped"),
    [
        ("s.a", "s", "a"),
        ("s.a", "s.a", "s.b"),
        ("s['a']", "s.a", "s.b"),
        ('lower("d""e")', 'd"e', "lower"),
        ("lower(lower)", "lower", "s.a"),
        ("lower('a')", None, "a"),
    ],
)
def test_what_a_sort_key_names_is_not_dropped_and_all_else_is(
    lake: Lake, key: str, kept: str | None, dropped: str
) -> None:
    table = lake.create_catalog("shop").create_table("t", NAMES, sort_by=[key])
    if kept is not None:
        name = (kept,) if '"' in kept else kept
        with pytest.raises(InvalidInputError, match="the table is sorted by this column"):
            table.alter.drop_column(name)
    table.alter.drop_column(dropped)


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
@pytest.mark.parametrize("key", ["lower", '"LOWER"', "bucket(4, LOWER)", 'bucket(4, "lower")'])
def test_keys_of_both_kinds_may_quote_a_column(lake: Lake, key: str) -> None:
    table = lake.create_catalog("shop").create_table("t", NAMES, partition_by=[key], sort_by=['"LOWER"'])
    assert [field.column for field in table.inspect.partition_by] == ["lower"]


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
def test_a_field_that_files_are_sorted_by_stays_when_the_type_of_its_struct_changes(lake: Lake) -> None:
    table = lake.create_catalog("shop").create_table("t", NAMES, sort_by=["s.a"])
    with pytest.raises(InvalidInputError, match='Cannot drop column "a" - the table is sorted by this column'):
        table.alter.set_type("s", "STRUCT(b INTEGER, c INTEGER)")
    table.alter.set_type("s", "STRUCT(a BIGINT, c INTEGER)")


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("key", "column", "renamed"),
    [
        ("s.a", "a", "s.a"),
        ("s.a", "s.a", 's."x"'),
        ("lower(CAST(a AS VARCHAR))", "lower", "lower(CAST(a AS VARCHAR))"),
        ("t.a + 1", "a", '"x" + 1'),
    ],
)
def test_a_sort_key_follows_what_it_names_and_can_still_be_read(
    lake: Lake, key: str, column: str, renamed: str
) -> None:
    shop = lake.create_catalog("shop")
    table = shop.create_table("t", NAMES, sort_by=[key])
    table.alter.rename_column(column, "x")
    table.rename("u")
    assert [one.expression for one in table.inspect.sort_by] == [renamed]
    table.alter.set_sorting(table.inspect.sort_by)  # else no row could be written


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
def test_sort_keys_are_read_as_sql_reads_them(shop: Catalog) -> None:
    shop.table("events").alter.set_sorting(["id DESC", " at ASC NULLS FIRST", "s.a * 2 desc nulls last", '"ID"'])
    assert shop.table("events").inspect.sort_by == (
        SortKey("id", "DESC"),
        SortKey("at", null_order="NULLS_FIRST"),
        SortKey("s.a * 2", "DESC"),
        SortKey('"ID"'),
    )
    shop.create_table("t", {"a": "INTEGER", "a DESC": "INTEGER"}, sort_by=["a DESC"])
    assert shop.table("t").inspect.sort_by == (SortKey("a DESC"),)  # a column of that name


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("id DESCENDING NULLS", "syntax error at end of input"),
        ("id, at", 'syntax error at or near ","'),
        ("SELECT 1", 'syntax error at or near "SELECT"'),
        ("", "must have an expression"),
        ("nope", "Unmatched columns were: nope"),
        ("lower(nope) DESC", "Unmatched columns were: nope$"),
        ("no || id || nope || t.never || no", "Unmatched columns were: no, nope, never$"),
        ("sum(id)", r'"t" cannot be sorted by sum\(id\); nothing was changed. Binder Error'),
        ("(SELECT 1)", "cannot contain a subquery"),
        ("f(id)", "Scalar Function with name f does not exist"),
        ("v", "Ordering by values of type VARIANT is not supported"),
        (SortKey("id DESC"), '"t" cannot be sorted by id DESC; .* syntax error at or near "DESC"'),
        (4, r"a list of texts or SortKey, not \[4\]"),
    ],
)
def test_what_rows_cannot_be_sorted_by_is_refused_when_it_is_said(lake: Lake, key: str | SortKey, words: str) -> None:
    shop, columns = lake.create_catalog("shop"), {"id": "INTEGER", "at": "TIMESTAMP", "v": "VARIANT"}
    with pytest.raises(InvalidInputError, match=words):
        shop.create_table("t", columns, sort_by=[key])
    assert shop.tables() == []
    shop.create_table("t", columns)
    with pytest.raises(InvalidInputError, match=words):
        shop.table("t").alter.set_sorting([key])
    if words.startswith(("Unmatched", '"t"', "Ordering", "Scalar")) and isinstance(key, str):
        with pytest.raises(InvalidInputError, match=words):
            shop.sql(f"ALTER TABLE t SET SORTED BY ({key})")
    assert shop.table("t").inspect.sort_by == ()


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
def test_keys_are_given_as_lists(shop: Catalog) -> None:
    for wrong in ("id", 4, None):
        with pytest.raises(InvalidInputError, match="A table is sorted by a list"):
            shop.table("events").alter.set_sorting(wrong)  # type: ignore[arg-type]
        with pytest.raises(InvalidInputError, match="A table is partitioned by a list"):
            shop.table("events").alter.set_partitioning(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("lake_factory", ["sqlite"], indirect=True)
@pytest.mark.parametrize("kind", ["VARIANT", "GEOMETRY"])
def test_a_type_that_no_partition_can_have_is_refused_when_it_is_said(lake: Lake, kind: str) -> None:
    shop = lake.create_catalog("shop")
    for key in (PartitionField("x"), PartitionField("x", "bucket(4)")):
        with pytest.raises(InvalidInputError, match=f'Column "x" of type {kind.lower()} cannot be partitioned by'):
            shop.create_table("t", {"x": kind, "k": "INTEGER"}, partition_by=[key])


def test_a_sort_order_is_a_new_schema_version_of_the_catalog_and_none_of_the_table(lake: Lake, shop: Catalog) -> None:
    before = last(shop).schema_version
    shop.table("events").alter.set_sorting(["at"])
    assert (last(shop).schema_version, last(shop).changes_made) == (
        before + 1,
        f"altered_table:{shop.table('events').table_id}",
    )
    noted = rows(lake, "SELECT max(schema_version) FROM forklake.ducklake_schema_versions")
    assert noted == [(before,)]


def test_a_fork_lays_its_own_files_out_in_its_own_way(shop: Catalog) -> None:
    shop.table("events").storage.append_files([file("a", "2026", "1")])
    fork = shop.fork("fork")
    fork.table("events").alter.set_partitioning(["id"])
    fork.table("events").storage.append_files([file("b", "7")])
    assert [f.partition_values for f in fork.table("events").storage.files()] == [("2026", "1"), ("7",)]
    assert shop.table("events").inspect.partition_by == (BY_YEAR, PartitionField("id"))
    fork.maintenance.sever()
    assert [f.partition_values for f in fork.table("events").storage.files()] == [("2026", "1"), ("7",)]


def test_files_without_field_ids_are_found_by_name(lake: Lake, shop: Catalog) -> None:
    shop.table("events").storage.append_files(
        [file("a", "2026", "1", mapping=MAPPING), file("b", "2026", "1", mapping=MAPPING)]
    )
    one, other = shop.table("events").storage.files()
    assert one.mapping_id == other.mapping_id is not None
    found = rows(
        lake,
        "SELECT source_name, target_field_id, parent_column FROM forklake.ducklake_name_mapping ORDER BY column_id",
    )
    assert found == [("ID", 1, None), ("S", 3, None), ("A", 4, 1)]
    with pytest.raises(NotFoundError, match='does not have a column with name "nothing"'):
        shop.table("events").storage.append_files(
            [file("c", "1", "1", mapping=NameMapping((MappedColumn("x", "nothing"),)))]
        )


def test_a_fork_that_uses_an_inherited_mapping_writes_it_again_as_its_own(lake: Lake, shop: Catalog) -> None:
    shop.table("events").storage.append_files([file("a", "2026", "1", mapping=MAPPING)])
    mapping_id = shop.table("events").storage.files()[0].mapping_id
    fork = shop.fork("fork")
    for name in ("b", "c"):
        fork.table("events").storage.append_files([file(name, "2026", "2", mapping=mapping_id)])
    found = rows(lake, "SELECT catalog_id, count(*) FROM forklake.ducklake_name_mapping GROUP BY catalog_id ORDER BY 1")
    assert found == [(shop.catalog_id, 3), (fork.catalog_id, 3)]
    with pytest.raises(NotFoundError, match="uses a mapping with index"):
        fork.table("events").storage.append_files([file("d", "1", "1", mapping=99)])


def test_an_inherited_mapping_is_written_once_however_often_its_files_come_and_go(lake: Lake, shop: Catalog) -> None:
    shop.table("events").storage.append_files([file("a", "2026", "1", mapping=MAPPING)])
    mapping_id = shop.table("events").storage.files()[0].mapping_id
    fork = shop.fork("fork")
    for name in ("b", "c"):
        fork.table("events").storage.append_files([file(name, "2026", "2", mapping=mapping_id)])
        fork.table("events").storage.remove_files([fork.table("events").storage.files()[-1].data_file_id])
    with fork.transaction() as txn:
        txn.table("events").storage.append_files([file("d", "2026", "2", mapping=mapping_id)])
    found = rows(lake, "SELECT catalog_id, count(*) FROM forklake.ducklake_name_mapping GROUP BY catalog_id ORDER BY 1")
    assert found == [(shop.catalog_id, 3), (fork.catalog_id, 3)]
    fork.maintenance.sever()
    assert [f.mapping_id for f in fork.table("events").storage.files()] == [mapping_id, mapping_id]


def test_variant_statistics_belong_to_their_file(lake: Lake, shop: Catalog) -> None:
    stats = VariantStats("v", "$.a", "int64", ColumnStats(value_count=3, min_value="1", max_value="9"))
    shop.table("events").storage.append_files([file("a", "2026", "1", variant_stats=(stats,))])
    assert rows(lake, "SELECT variant_path, min_value FROM forklake.ducklake_file_variant_stats") == [("$.a", "1")]
    with pytest.raises(NotFoundError, match='does not have a variant column with name "id"'):
        shop.table("events").storage.append_files([file("b", "2026", "1", variant_stats=(VariantStats("id", "$.a"),))])


def inlined(catalog: Catalog) -> list[tuple[int, str | None]]:
    return [(row.row_id, row.values["id"]) for row in catalog.table("notes").storage.inlined_rows()]


@pytest.fixture
def notes(lake: Lake) -> Catalog:
    notes = lake.create_catalog("notes")
    notes.create_table("notes", [ColumnDefinition("id", "INTEGER", nulls_allowed=False), ("text", "VARCHAR")])
    notes.table("notes").storage.insert_inlined([{"id": "1", "text": "a"}, {"ID": "2"}])
    return notes


def test_inlined_rows_are_numbered_as_rows_of_files_are(notes: Catalog) -> None:
    notes.table("notes").storage.append_files([NewDataFile("a.parquet", 5, 50)])
    notes.table("notes").storage.insert_inlined([{"id": "3"}])
    assert inlined(notes) == [(0, "1"), (1, "2"), (7, "3")]
    assert notes.table("notes").inspect.stats.record_count == 8
    assert last(notes).changes_made == f"inlined_insert:{notes.table('notes').table_id}"


def test_inlined_rows_show_the_columns_of_today(notes: Catalog) -> None:
    notes.table("notes").alter.rename_column("text", "words")
    notes.table("notes").alter.add_column(ColumnDefinition("state", "VARCHAR", default="new"))
    assert notes.table("notes").storage.inlined_rows()[0].values == {"id": "1", "words": "a", "state": "new"}


def test_what_an_inlined_row_does_not_name_is_null_whatever_older_rows_have(notes: Catalog) -> None:
    notes.table("notes").alter.add_column(ColumnDefinition("state", "VARCHAR", default="new"))
    notes.table("notes").storage.insert_inlined([{"id": "3"}])
    assert [row.values["state"] for row in notes.table("notes").storage.inlined_rows()] == ["new", "new", None]


def test_a_fork_deletes_inlined_rows_for_itself(notes: Catalog) -> None:
    fork = notes.fork("fork")
    fork.table("notes").storage.delete_inlined([0])
    fork.table("notes").storage.insert_inlined([{"id": "9"}])
    assert inlined(notes) == [(0, "1"), (1, "2")]
    assert inlined(fork) == [(1, "2"), (fork.catalog_id << 36, "9")]
    fork.maintenance.sever()
    assert inlined(fork) == [(1, "2"), (fork.catalog_id << 36, "9")]
    with pytest.raises(NotFoundError, match="No inlined row with id 0 exists"):
        fork.table("notes").storage.delete_inlined([0])


def test_inlined_rows_that_make_no_sense_are_refused(notes: Catalog) -> None:
    with pytest.raises(InvalidInputError, match=r"NOT NULL constraint failed: notes\.id"):
        notes.table("notes").storage.insert_inlined([{"text": "x"}])
    with pytest.raises(NotFoundError, match='does not have a column with name "nothing"'):
        notes.table("notes").storage.insert_inlined([{"id": "1", "nothing": "x"}])
    assert len(inlined(notes)) == 2


def test_deletes_of_a_file_are_kept_in_the_metadata_until_the_file_ends(notes: Catalog) -> None:
    notes.table("notes").storage.append_files([NewDataFile("a.parquet", 5, 50)])
    file_id = notes.table("notes").storage.files()[0].data_file_id
    fork = notes.fork("fork")
    fork.table("notes").storage.inline_deletes({file_id: [1, 4]})
    assert fork.table("notes").storage.files()[0].inlined_deletes == (1, 4)
    assert notes.table("notes").storage.files()[0].inlined_deletes == ()
    for positions in ([4], [5], [-1]):
        with pytest.raises(InvalidInputError, match="does not exist or is deleted already"):
            fork.table("notes").storage.inline_deletes({file_id: positions})
    fork.table("notes").storage.remove_files([file_id])
    assert fork.table("notes").storage.files() == []


def test_two_transactions_that_delete_inlined_rows_conflict(notes: Catalog) -> None:
    one, other = notes.transaction(), notes.transaction()
    one.table("notes").storage.delete_inlined([0])
    other.table("notes").storage.delete_inlined([0])
    one.commit()
    with pytest.raises(CommitConflictError, match=r"attempting to delete from (inlined )?table"):
        other.commit()
