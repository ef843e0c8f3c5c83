"""The first rows in the order of a column, where a query asks for no others."""

from __future__ import annotations

from forklake.model.ids import ColumnId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.predicate import Nothing, Predicate
from forklake.model.types import Type


@dataclass(frozen=True, slots=True)
class TopRows:
    """The rows that come first by a column, NULL last.

    Of rows with the same value, any may be those.

    Attributes:
        column: The column, for messages.
        column_id: The column.
        type: Its type.
        is_descending: Whether the greatest come first.
        excluded: Holds for each row that the query leaves out, if none of the columns that it is about is NULL there.
        count: How many rows are asked for; 0 while that is not known.
    """

    column: str
    column_id: ColumnId
    type: Type
    is_descending: bool
    excluded: Predicate = Nothing()
    count: int = 0
