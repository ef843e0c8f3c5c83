"""Diffs against full copies: the rows of a diff, applied to one version, give the other, and the counts are theirs."""

from typing import Any

from forklake import Catalog, Diff, RowCounts, TableDiff
from tests.merges.ground import rows_of
from tests.merges.truth import State, Table

Row = dict[str, Any]
_NOTHING = Table("", {}, {})


def compare(before: Catalog, after: Catalog, states: tuple[State, State], told: str) -> RowCounts:
    """Compare two versions with what they should hold; return how many rows differ in all."""
    diff = before.diff(after)
    tables = {int(table.table_id): table for table in diff.tables}
    total = [0, 0, 0]
    for number in {*states[0], *states[1]}:
        one, other = (state.get(number, _NOTHING) for state in states)
        found = tables.pop(number, None)
        if found is None:
            assert (one.name, one.columns, one.rows) == (other.name, other.columns, other.rows), told
            continue
        assert (found.is_new, found.is_dropped) == (number not in states[0], number not in states[1]), told
        counts = _check_rows(diff, found, one, other, f"{told}: {found}")
        total = [one + more for one, more in zip(total, _numbers(counts), strict=True)]
    assert not tables, told
    return RowCounts(*total)


def _check_rows(diff: Diff, found: TableDiff, one: Table, other: Table, told: str) -> RowCounts:
    shown = other if not found.is_dropped else one
    was, now = _named_rows(one, shown), _named_rows(other, shown) if not found.is_dropped else {}
    rows = rows_of(diff.rows(found))
    # Of a column that the first has not, its rows say nothing.
    known = {about.name for column, about in shown.columns.items() if found.is_dropped or column in one.columns}
    result, ids = dict(was), set()
    added = []
    for row in rows:
        kind, row_id, key = row.pop("change_type"), row.pop("rowid"), row["k"]
        assert (kind, row_id) not in ids, told
        ids.add((kind, row_id))
        if kind in ("delete", "update_preimage"):
            before = result.pop(key)
            assert all(before[name] == row[name] for name in known), f"{told}: {kind} of {row} instead of {before}"
        else:
            added.append(row)
    for row in added:
        assert row["k"] not in result, f"{told}: insertion of {row}"
        result[row["k"]] = row
    assert result == now, f"{told}: {result} instead of {now}"
    updated = [key for key in one.rows.keys() & other.rows.keys() if one.rows[key] != other.rows[key]]
    counts = RowCounts(len(other.rows.keys() - one.rows), len(one.rows.keys() - other.rows), len(updated))
    assert diff.count_rows(found) == counts, told
    assert found.rows in (None, counts), told
    kinds = [kind for kind, _ in ids]
    by_kind = RowCounts(kinds.count("insert"), kinds.count("delete"), kinds.count("update_postimage"))
    assert by_kind == counts, told
    return counts


def _named_rows(table: Table, shown: Table) -> dict[int, Row]:
    """Return rows by key, with the columns of the table as it is shown."""
    return {
        key: {"k": key, **{shown.columns[column].name: value for column, value in shown.shown(values).items()}}
        for key, values in table.rows.items()
    }


def _numbers(counts: RowCounts) -> tuple[int, int, int]:
    return counts.inserted, counts.deleted, counts.updated
