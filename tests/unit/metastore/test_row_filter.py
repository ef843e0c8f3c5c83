"""Conditions on metadata rows, in memory."""

from forklake.metastore.row_filter import FoldedName, matching
from forklake.model.ids import SchemaId, TableId
from forklake.model.rows import TableRow


def table_row(number: int) -> TableRow:
    return TableRow(
        table_id=TableId(number), table_uuid="", schema_id=SchemaId(number % 2), table_name=f"T{number}", path="",
        path_is_relative=True,
    )  # fmt: skip


def test_rows_fulfil_all_parts_of_a_filter() -> None:
    rows = [table_row(number) for number in range(6)]
    assert matching(rows, {}) == rows
    assert matching(rows, {"schema_id": 1}) == [rows[1], rows[3], rows[5]]
    assert matching(rows, {"table_id": [1, 2, 3], "schema_id": 1}) == [rows[1], rows[3]]
    assert matching(rows, {"table_name": FoldedName("t4")}) == [rows[4]]
    assert matching(rows, {"table_id": []}) == []


def test_each_row_takes_one_look_however_many_values_a_filter_lists() -> None:
    looks = 0

    class Counted(int):
        def __eq__(self, other: object) -> bool:
            nonlocal looks
            looks += 1
            return int(self) == other

        __hash__ = int.__hash__

    rows = [table_row(number) for number in range(300)]
    assert len(matching(rows, {"table_id": [Counted(number) for number in range(300)]})) == 300
    assert looks <= 2 * 300
