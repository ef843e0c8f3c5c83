"""Defaults of macro parameters, as DuckLake stores them."""

from __future__ import annotations

import pytest

from forklake.ducklake.exported_rows import with_typed_default
from forklake.model.ids import MacroId
from forklake.model.rows import MacroParameterRow


@pytest.mark.parametrize(
    ("declared", "default", "kind"),
    [
        ("unknown", "5", "int32"),
        ("int64", "1", "int32"),
        ("decimal(10,2)", "1.5", "decimal(2,1)"),
        ("float64", "3000000000", "int64"),
        ("varchar", "1", "varchar"),
        ("date", "2020-01-01", "date"),
        ("boolean", "true", "boolean"),
    ],
)
def test_a_number_keeps_its_own_type_as_the_default_of_another_number(declared: str, default: str, kind: str) -> None:
    row = MacroParameterRow(
        macro_id=MacroId(1),
        impl_id=0,
        column_id=0,
        parameter_name="x",
        parameter_type=declared,
        default_value=default,
        default_value_type="literal",
    )
    found = with_typed_default(row)
    assert (found.default_value, found.default_value_type) == (default, kind)
