"""DuckDB within this process: it parses, prints and computes for others."""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = [
    "letter_case",
    "printed_texts",
    "regular_expressions",
    "results",
]

if TYPE_CHECKING:
    from forklake.duck import letter_case, printed_texts, regular_expressions, results
else:
    __getattr__ = submodules(  # they bring DuckDB
        __name__,
        "letter_case",
        "printed_texts",
        "regular_expressions",
        "results",
    )
