"""Which definitions a change stores are trusted."""

from __future__ import annotations

from dataclasses import replace

from forklake.model.change import (
    AddColumn,
    Change,
    CreateMacro,
    CreateTable,
    CreateView,
    RenameView,
    SetDefault,
    SetSorting,
)
from forklake.model.definitions import ColumnDefinition


def distrust(change: Change) -> Change:
    """Return a change whose definitions are marked."""
    match change:
        case CreateView() | RenameView() | SetDefault():
            return replace(change, trusted=False)
        case CreateMacro(implementations=bodies):
            return replace(change, implementations=tuple(replace(one, trusted=False) for one in bodies))
        case SetSorting(keys=keys):
            return replace(change, keys=tuple(replace(one, trusted=False) for one in keys))
        case CreateTable(columns=columns):
            return replace(change, columns=tuple(map(_distrust_column, columns)))
        case AddColumn(column=column):
            return replace(change, column=_distrust_column(column))
    return change


def _distrust_column(column: ColumnDefinition) -> ColumnDefinition:
    return replace(column, trusted=False, children=tuple(map(_distrust_column, column.children)))
