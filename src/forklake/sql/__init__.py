"""SQL in DuckDB's words: from text to typed Spark SQL.

A text takes this way; each step knows only what stands before it:

``parse``
    Text to `statements`: what was said, with expressions and queries as trees of sqlglot. Nothing is looked up.
``query``
    `bind_query`: a query's tree to a `BoundQuery`, which is Spark SQL over the relations that it scans, with DuckDB's
    types. Names are looked up through the protocol `relation.Names`, which whoever runs the statement implements.
``expressions``
    One expression: the binder walks the tree, a site says what names mean where it stands, and what comes out is
    `Bound`: Spark SQL, type, and what it says about columns, for files to be left out by. Operators and casts too.
``functions``
    What DuckDB's functions are in Spark's words; anything that is not named there is refused.
``rows``
    What INSERT, UPDATE, DELETE and MERGE, or the same calls from Python, do to each row of a table.
``portable``, ``spark_text``
    Texts that are stored in a catalog; queries in Spark's own SQL.

No module here reads metadata, rows or files, or knows Spark other than by its language.
"""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = ["function_names", "language", "parse", "rows"]

if TYPE_CHECKING:
    from forklake.sql import function_names, language, parse, rows
else:
    __getattr__ = submodules(__name__, *__all__)  # they bring sqlglot
