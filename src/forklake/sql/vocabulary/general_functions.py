"""Functions of values of any type."""

from __future__ import annotations

from typing import Final

from forklake.sql.vocabulary.declaration import Declaration, Nulls, declare

GENERAL_FUNCTIONS: Final[tuple[Declaration, ...]] = (
    declare("coalesce", "value T ...", "T", "The first value that is not NULL.", Nulls.LEFT_OUT),
    declare("ifnull", "value T, other T", "T", "The first of two values that is not NULL.", Nulls.LEFT_OUT),
    declare("nullif", "value T, other T", "T", "The value, or NULL if it equals another.", Nulls.ARE_VALUES),
    declare(
        "if",
        "test BOOLEAN, value T, other T",
        "T",
        "One value if the test is true, else the other.",
        Nulls.ARE_VALUES,
    ),
    declare("greatest", "value T ...", "T", "The greatest of the values.", Nulls.LEFT_OUT),
    declare("least", "value T ...", "T", "The least of the values.", Nulls.LEFT_OUT),
    declare("constant_or_null", "value T, other ANY ...", "T", "The value, or NULL if another is."),
    declare("typeof", "value ANY", "VARCHAR", "The type of the value.", Nulls.ARE_VALUES),
    declare("pg_typeof", "value ANY", "VARCHAR", "The type of the value in lower case.", Nulls.ARE_VALUES),
    declare("error", "message VARCHAR", "NULL", "Ends the statement with a message."),
    declare("uuid gen_random_uuid uuidv4", "", "UUID", "A random UUID, of version 4.", is_varying=True),
    declare("uuidv7", "", "UUID", "A UUID that begins with the time, of version 7.", is_varying=True),
    declare("uuid_extract_version", "value UUID", "UINTEGER", "The version of a UUID."),
    declare("uuid_extract_timestamp", "value UUID", "TIMESTAMPTZ", "The time in a UUID of version 7."),
    declare(
        "hash",
        "value ANY ...",
        "UBIGINT",
        "Refused: engines do not agree on what it gives.",
        Nulls.ARE_VALUES,
        is_refused=True,
    ),
    declare("setseed", "seed DOUBLE", "NULL", "Refused: engines do not agree on what it gives.", is_refused=True),
    declare(
        "md5_number", "value VARCHAR", "UHUGEINT", "Refused: engines do not agree on what it gives.", is_refused=True
    ),
)
