"""Names, texts and paths, quoted as SQL takes them."""

from __future__ import annotations

import re
from typing import Final

_MAGIC: Final = re.compile(r"[*?[]")


def quote_name(name: str) -> str:
    """Return a name as a quoted identifier.

    >>> quote_name('the "old" one')
    '"the ""old"" one"'
    """
    return '"' + name.replace('"', '""') + '"'


def unquote_name(text: str) -> str:
    """Return the name that an identifier stands for, quoted or not.

    >>> unquote_name('"my ""own"" table"'), unquote_name("orders")
    ('my "own" table', 'orders')
    """
    return text[1:-1].replace('""', '"') if text.startswith('"') else text


def quote_text(text: str) -> str:
    """Return a text as a quoted literal.

    >>> print(quote_text("it's"))
    'it''s'
    """
    return "'" + text.replace("'", "''") + "'"


def quote_spark_name(name: str) -> str:
    """Return a name as a quoted identifier of Spark, whatever it contains.

    >>> quote_spark_name("a.b`c")
    '`a.b``c`'
    """
    return "`" + name.replace("`", "``") + "`"


def as_pattern(path: str) -> str:
    """Return the pattern that matches one local file and no other.

    To DuckDB each path is one.

    >>> as_pattern("/data/a[1]/b*.csv")
    '/data/a[[]1]/b[*].csv'
    """
    return _MAGIC.sub(r"[\g<0>]", path)
