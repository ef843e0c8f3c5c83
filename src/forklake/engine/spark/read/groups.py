"""Groups of files that are read together: same columns, held in the same way."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from forklake.engine.spark.read.pushed_filters import ColumnPath
from forklake.files.parquet.footer import known_footers, resolve_fields
from forklake.model import types
from forklake.model.field import Field, leaves
from forklake.model.ids import ColumnId, SnapshotId
from forklake.model.lazy_dataclass import dataclass
from forklake.model.numbering import Numbering
from forklake.model.scan import MappedField, ScanFile, ScanPlan
from forklake.model.types import Type

_ROW_WIDTH: Final = 8
_WIDTHS: Final = {
    **dict.fromkeys(("boolean", "int8", "uint8"), 1),
    **dict.fromkeys(("int16", "uint16"), 2),
    **dict.fromkeys(("int32", "float32", "date"), 4),
    **dict.fromkeys(("varchar", "json", "uuid"), 20),
    **dict.fromkeys(("blob", "geometry"), 100),
    "variant": 2048,
}
_OTHER_WIDTH: Final = 8
_VECTORIZED_ONLY: Final[frozenset[Type]] = frozenset({types.UUID, types.TIMESTAMP_NS, types.INTERVAL})


@dataclass(frozen=True, slots=True)
class FileGroup:
    """Files that one scan reads.

    Attributes:
        fields: The columns of the table that the files hold, with their names and types in the files.
        from_path: The columns of the table with values in directory names, and their names there.
        upto: Rows of later snapshots are left out; None if there are none.
        numbering: How the snapshots that rows carry are numbered, if not by our ids.
        is_dirty: Whether each of the files has deleted rows.
        needs_arrow: Whether Spark's own reader cannot read the files.
        without_nan: The float columns, and float fields of structs, that hold no NaN in any of the files.
        files: The files, in the order of the plan.
        places: Their places among all files of the plan.
        takes_deleted: Whether deleted rows are read, and no others.
        share: How much of the files the columns are, by the widths of their types: from 0 to 1.
        only_filter: The only filter that the rows will get, in Spark SQL; None if it is not known.
    """

    fields: tuple[Field, ...]
    from_path: tuple[tuple[ColumnId, str], ...]
    upto: SnapshotId | None
    is_dirty: bool
    needs_arrow: bool
    numbering: Numbering | None = None
    without_nan: frozenset[ColumnPath] = frozenset()
    files: tuple[ScanFile, ...] = ()
    places: tuple[int, ...] = ()
    takes_deleted: bool = False
    share: float = 1.0
    only_filter: str | None = None


def group_files(
    plan: ScanPlan, needed: Sequence[Field], *, takes_deleted: bool = False, only_filter: str | None = None
) -> list[FileGroup]:
    """Return the files of a plan in groups, in the order of their first files.

    What is not needed makes no difference: columns that are not asked for, and columns, or parts of them, that
    the table no longer has. Files that are known to hold no NaN have groups of their own, as Parquet may filter
    them better. Footers are read, several at a time, only of files whose columns the plan does not know.

    Raises:
        DataFileError: A footer that is needed cannot be read.
    """
    footers = iter(known_footers([file for file in plan.files if file.fields is None]))
    shapes = _Shapes(needed)
    seen: Counter[str] = Counter()
    found: dict[tuple[Any, ...], FileGroup] = {}
    files: dict[tuple[Any, ...], list[tuple[ScanFile, int]]] = {}
    for place, file in enumerate(plan.files):
        needs_arrow = file.encryption_key is not None or not _spark_opens(file.path)
        if file.fields is None:
            footer = next(footers)
            shape = shapes.number(resolve_fields(footer, plan.fields, file.mapping))
            needs_arrow = needs_arrow or footer.needs_arrow
        else:
            shape = shapes.number(file.fields)
        from_path = tuple(_partitions(file.mapping or (), needed))
        upto = file.read_upto if file.is_cut else None
        is_dirty = file.deletes is not None or bool(file.inlined_deletes)
        # A file that a table has twice is read twice, and by the path alone its rows could not be told apart.
        has_no_nan = shapes.float_ids(shape) <= file.without_nan
        key = (shape, from_path, upto, is_dirty, needs_arrow, id(file.numbering), has_no_nan, seen[file.path])
        seen[file.path] += 1
        if key not in found:
            found[key] = FileGroup(shapes.fields(shape), from_path, upto, is_dirty, needs_arrow, file.numbering)
        files.setdefault(key, []).append((file, place))
    width = _width(plan.fields)
    return [
        replace(
            _fill(group, files[key]),
            takes_deleted=takes_deleted,
            share=min(1.0, _width(group.fields) / width),
            only_filter=only_filter,
        )
        for key, group in found.items()
        if group.is_dirty or not takes_deleted
    ]


def _width(fields: Sequence[Field]) -> int:
    """Return about how many bytes a row takes, as Spark counts them."""
    return _ROW_WIDTH + sum(_WIDTHS.get(field.type.name, _OTHER_WIDTH) for _, field in leaves(fields))


def _fill(group: FileGroup, located: Sequence[tuple[ScanFile, int]]) -> FileGroup:
    files, places = zip(*located, strict=True)
    known = frozenset.intersection(*{file.without_nan for file in files})
    without_nan = frozenset(path for path, column_id in _floats(group.fields) if column_id in known)
    return replace(group, files=files, places=places, without_nan=without_nan)


class _Shapes:
    """The different sets of columns that files hold, numbered.

    Comparing numbers is cheap, comparing columns is not. Files that were written alike share one tuple of
    fields, which is looked at once.
    """

    def __init__(self, needed: Sequence[Field]) -> None:
        self._needed = needed
        self._by_identity: dict[int, tuple[tuple[Field, ...], int]] = {}
        self._by_value: dict[tuple[Field, ...], int] = {}
        self._float_ids: dict[int, frozenset[ColumnId]] = {}

    def number(self, held: tuple[Field, ...]) -> int:
        if id(held) not in self._by_identity:
            pruned = _prune(held, self._needed)
            # The tuple is kept with its number, lest another one gets its identity.
            self._by_identity[id(held)] = held, self._by_value.setdefault(pruned, len(self._by_value))
        return self._by_identity[id(held)][1]

    def fields(self, number: int) -> tuple[Field, ...]:
        return list(self._by_value)[number]

    def float_ids(self, number: int) -> frozenset[ColumnId]:
        """Return the float columns that Spark makes filters for."""
        if number not in self._float_ids:
            self._float_ids[number] = frozenset(column_id for _, column_id in _floats(self.fields(number)))
        return self._float_ids[number]


def needs_vectors(fields: Sequence[Field], *, in_parts: bool = False) -> bool:
    """Return whether only Spark's vectorized reader can read the columns.

    Its other reader lacks some types in lists.
    """
    return any(
        (in_parts and field.type in _VECTORIZED_ONLY)
        or needs_vectors(field.children, in_parts=in_parts or isinstance(field.type, types.List | types.Map))
        for field in fields
    )


def _prune(held: Sequence[Field], needed: Sequence[Field]) -> tuple[Field, ...]:
    """Return the needed columns of a file, and fields of structs, in table order."""
    known = {field.column_id: field for field in held if field.column_id is not None}
    return tuple(_prune_within(known[field.column_id], field) for field in needed if field.column_id in known)


def _prune_within(held: Field, needed: Field) -> Field:
    if held.type.name != needed.type.name or not needed.children:
        return held
    if isinstance(held.type, types.Struct):
        # A struct of nothing else still tells which rows are NULL, so its first field is read.
        return held.with_children(_prune(held.children, needed.children) or held.children[:1])
    parts = zip(held.children, needed.children, strict=True)
    return held.with_children(tuple(_prune_within(part, below) for part, below in parts))


def _floats(fields: Sequence[Field], above: ColumnPath = ()) -> Iterator[tuple[ColumnPath, ColumnId]]:
    """Yield the float columns, and those in structs, by their names in the files."""
    for field in fields:
        path = (*above, field.name)
        if isinstance(field.type, types.Float) and field.column_id is not None:
            yield path, field.column_id
        elif isinstance(field.type, types.Struct):
            yield from _floats(field.children, path)


def _partitions(mapping: Sequence[MappedField], needed: Sequence[Field]) -> Iterator[tuple[ColumnId, str]]:
    known = {field.column_id for field in needed}
    return ((part.column_id, part.source_name) for part in mapping if part.is_partition and part.column_id in known)


def _spark_opens(path: str) -> bool:
    """Return whether Spark's reader opens a file.

    Spark skips hidden files silently, and Hadoop refuses colons in names.

    >>> _spark_opens("/t/a.parquet"), _spark_opens("/t/_a.parquet"), _spark_opens("/t/10:30.parquet")
    (True, False, False)
    """
    name = posixpath.basename(path)
    return not name.startswith(("_", ".")) and ":" not in name
