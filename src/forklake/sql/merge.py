"""What an update and a merge set and ask, bound to the columns of a table and of a source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from forklake.catalog.names import column_name, column_names
from forklake.errors import InvalidInputError, NotFoundError
from forklake.model.field import Field
from forklake.model.merge import Clause, Merge, MergeDelete, MergeInsert, MergeUpdate, Side
from forklake.model.names import fold
from forklake.sql.condition import condition, equal_columns, value_expression

TARGET: Final = "target"
SOURCE: Final = "source"
_JOINED: Final = "the merge"


@dataclass(frozen=True, slots=True)
class MergeClauses:
    """What a merge does with rows that match, with those of the source that do not, and with those of the table.

    Something else than lists of the right kinds cannot be made into one (InvalidInputError).
    """

    matched: Sequence[MergeUpdate | MergeDelete] = ()
    not_matched: Sequence[MergeInsert] = ()
    not_matched_by_source: Sequence[MergeUpdate | MergeDelete] = ()

    def __post_init__(self) -> None:
        for side, given, kinds in (
            ("matched", self.matched, (MergeUpdate, MergeDelete)),
            ("not_matched", self.not_matched, (MergeInsert,)),
            ("not_matched_by_source", self.not_matched_by_source, (MergeUpdate, MergeDelete)),
        ):
            if not isinstance(given, tuple | list) or not all(isinstance(clause, kinds) for clause in given):
                names = " and ".join(kind.__name__ for kind in kinds)
                raise InvalidInputError(
                    f'What a merge does with rows that are "{side}" is a list of {names}, not {given!r};'
                    " nothing was changed."
                )

    @property
    def is_any(self) -> bool:
        """Whether there is anything to do."""
        return bool(self.matched or self.not_matched or self.not_matched_by_source)


def bind_assignments(
    assignments: Mapping[str, str], table: str, fields: Sequence[Field]
) -> tuple[tuple[str, str], ...]:
    """Return the columns that an update sets, as the table names them, and what to, in Spark SQL.

    Raises:
        InvalidInputError: Nothing is set, a column is set twice, or an expression is not understood.
        NotFoundError: There is no such column.
    """
    if isinstance(assignments, Mapping) and not assignments:
        raise InvalidInputError("An update must set a column; nothing was changed.")
    return tuple(
        (name, value_expression(text, table, fields)) for name, text in _by_column(assignments, table, fields).items()
    )


def bind_merge(on: str, clauses: MergeClauses, fields: Sequence[Field], source: Sequence[Field]) -> Merge:
    """Return a merge in Spark SQL; columns are those of ``target`` and of ``source``.

    Raises:
        InvalidInputError: A condition or an expression is not understood.
        NotFoundError: There is no such column.
    """
    if isinstance(on, str) and not on.strip():
        raise InvalidInputError("A merge needs a condition that says which rows match; nothing was changed.")
    target = Field(None, TARGET, "struct", tuple(fields))
    both = (target, Field(None, SOURCE, "struct", tuple(source)))
    shared = _shared(fields, source)
    bound: list[Clause] = []
    for side, given, visible in (
        ("matched", clauses.matched, both),
        ("not matched", clauses.not_matched, both[1:]),
        ("not matched by source", clauses.not_matched_by_source, both[:1]),
    ):
        bound += [_clause(side, clause, fields, visible, shared) for clause in given]  # type: ignore[arg-type]
    return Merge(condition(on, _JOINED, both).spark_sql, tuple(bound), tuple(source), tuple(_keys(on, both)))


def matching_keys(on: Sequence[str], table: str, names: Sequence[str]) -> str:
    """Return the condition that rows of target and source have equal keys.

    Raises:
        InvalidInputError: There are no keys.
        NotFoundError: There is no such column.
    """
    keys = column_names([on] if isinstance(on, str) else on)
    if not keys:
        raise InvalidInputError("An upsert needs key columns; nothing was changed.")
    fields = [Field(None, name, "varchar") for name in names]
    quoted = [f'"{_column(key, table, fields).name.replace(chr(34), chr(34) * 2)}"' for key in keys]
    return " AND ".join(f"{TARGET}.{name} = {SOURCE}.{name}" for name in quoted)


def _keys(on: str, both: Sequence[Field]) -> Iterator[tuple[str, str]]:
    """Yield the columns of the target that must equal columns of the source."""
    target, source = both
    for pair in equal_columns(on):
        names = {fold(names[0]): names[1] for names in pair if len(names) == 2}
        if names.keys() == {TARGET, SOURCE}:
            yield (
                _column(names[TARGET], TARGET, target.children).name,
                _column(names[SOURCE], SOURCE, source.children).name,
            )


def _clause(
    side: Side,
    given: MergeUpdate | MergeDelete | MergeInsert,
    fields: Sequence[Field],
    visible: Sequence[Field],
    shared: Mapping[str, str],
) -> Clause:
    when = None if given.when is None else condition(given.when, _JOINED, visible).spark_sql
    match given:
        case MergeDelete():
            return Clause(side, "delete", when)
        case MergeUpdate(set=values):
            deed = "update"
        case MergeInsert(values=values):
            deed = "insert"
    if values is None and side == "not matched by source":
        raise InvalidInputError("An update of rows that the source does not have must say what to set.")
    chosen = shared if values is None else _by_column(values, TARGET, fields)
    bound = tuple((name, value_expression(text, _JOINED, visible)) for name, text in chosen.items())
    return Clause(side, deed, when, bound)  # type: ignore[arg-type]


def _shared(fields: Sequence[Field], source: Sequence[Field]) -> dict[str, str]:
    """Return what sets each column that both have to the source's value."""
    theirs = {fold(field.name): field.name.replace('"', '""') for field in source}
    return {field.name: f'{SOURCE}."{theirs[fold(field.name)]}"' for field in fields if fold(field.name) in theirs}


def _by_column(values: Mapping[str, str], table: str, fields: Sequence[Field]) -> dict[str, str]:
    if not isinstance(values, Mapping):
        raise InvalidInputError(
            f"What columns become is a mapping of their names to SQL, not {values!r}; nothing was changed.",
            hint='For example: {"price": "price * 2"}.',
        )
    found: dict[str, str] = {}
    for name, text in values.items():
        column = _column(name, table, fields).name
        if column in found:
            raise InvalidInputError(f'Column "{column}" is set twice; nothing was changed.')
        if not isinstance(text, str):
            raise InvalidInputError(
                f'Column "{column}" is set to {text!r}, which is no text of an expression; nothing was changed.',
                hint="Values are SQL: '1', \"'text'\", 'price * 2', 'NULL'.",
            )
        found[column] = text
    return found


def _column(name: str, table: str, fields: Sequence[Field]) -> Field:
    found = next((field for field in fields if fold(field.name) == fold(column_name(name))), None)
    if found is None:
        raise NotFoundError(f'Table "{table}" does not have a column with name "{name}"; nothing was changed.')
    return found
