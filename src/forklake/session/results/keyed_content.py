"""The rows of a result whose files are reached with the secrets of its session."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from forklake.engine.engine import Frame
from forklake.files.access.keyring import Keyring
from forklake.model.lazy_dataclass import dataclass
from forklake.session.results.result import Result
from forklake.session.results.result_content import ResultContent, Row


def keep_keyring(result: Result | None, keyring: Keyring) -> Result | None:
    """Return a result whose rows are read with credentials, if there are any."""
    if result is None or not keyring.credentials:
        return result
    return result.with_content(lambda content: KeyedContent(content, keyring))


@dataclass(frozen=True, slots=True)
class KeyedContent:
    """Rows that are read with the credentials of the statement they come from."""

    content: ResultContent
    keyring: Keyring

    def rows(self) -> list[Row]:
        """Return all rows."""
        with self.keyring.use():
            return self.content.rows()

    def first(self, count: int) -> list[Row]:
        """Return the first rows."""
        with self.keyring.use():
            return self.content.first(count)

    def head(self, count: int) -> KeyedContent:
        """Return the first rows as another content."""
        return KeyedContent(self.content.head(count), self.keyring)

    def table(self) -> pa.Table:
        """Return all rows, with the types of data files."""
        with self.keyring.use():
            return self.content.table()

    def frame(self, names: Sequence[str]) -> Frame:
        """Return all rows as a frame, whose tasks bring the credentials along."""
        with self.keyring.use():
            return self.content.frame(names)
