"""Variants as Arrow arrays, in their plain encoding."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from forklake.files.arrow import compute as pc
from forklake.files.arrow.schema import VARIANT_TYPE
from forklake.files.arrow.variant_depth import check_depth

_NULL: Final = b"\x00"
"""The variant that is null, in place of which columns have NULL."""


def is_plain(kind: pa.DataType) -> bool:
    """Return whether no part of the variants of a file is shredded."""
    return "typed_value" not in {part.name for part in kind}


def plain_variants(values: pa.StructArray) -> pa.Array:
    """Return variants of a file that are not shredded; a variant that is null is NULL.

    Raises:
        InvalidInputError: One is nested too deeply.
    """
    value, metadata = (pc.struct_field(values, name) for name in ("value", "metadata"))
    is_null = pc.fill_null(pc.equal(value, pa.scalar(_NULL, value.type)), True)
    parts = [value.cast(pa.binary()), metadata.cast(pa.binary())]
    check_depth(parts[0])
    return pa.StructArray.from_arrays(parts, fields=list(VARIANT_TYPE), mask=pc.or_(is_null, values.is_null()))
