"""Casts of constants in SQL, which need no Spark, give what DuckDB gives."""

import pytest

from forklake.errors import InvalidInputError
from forklake.model.types.read import stored_type
from forklake.sql.expressions.casts import cast, constant
from forklake.sql.expressions.literals import ducklake_text
from tests.casts import OF_CONSTANTS, SOURCES, TARGETS, Answers, differences


def cast_constants(source: str) -> Answers:
    """Cast each value of a type to every type; a cast that only Spark can compute has no place in the answers."""
    found: Answers = {}
    kind = stored_type(source)
    for target in TARGETS:
        for text in SOURCES[source]:
            try:
                made = cast(constant(kind, ducklake_text(text, kind)), stored_type(target))
            except InvalidInputError:
                found.setdefault(target, {})[text] = None
                continue
            if made.literal is not None:
                found.setdefault(target, {})[text] = made.literal
    return found


@pytest.mark.parametrize("source", SOURCES)
def test_constants_are_cast_as_duckdb_casts_values(source: str) -> None:
    assert differences(source, cast_constants(source)) == OF_CONSTANTS.get(source, {})
