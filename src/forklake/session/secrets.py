"""Secrets: options of ATTACH, kept under a name and never shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from forklake.errors import AlreadyExistsError, InvalidInputError, NotFoundError
from forklake.model.names import fold
from forklake.sql.statements import CreateSecret, DropSecret

UNNAMED: Final = "__default_ducklake"
_OPTIONS: Final = ("metadata_path", "data_path", "metadata_schema", "metadata_catalog", "catalog", "encrypted")
_IGNORED: Final = ("type", "provider", "scope")


@dataclass(slots=True)
class Secrets:
    """The secrets that a session and its cursors share."""

    _by_name: dict[str, Mapping[str, Any]] = field(default_factory=dict, repr=False)

    def create(self, statement: CreateSecret) -> None:
        """Run CREATE SECRET.

        Raises:
            InvalidInputError: It is of another type, or an option is not known.
            AlreadyExistsError: There is one of that name.
        """
        kind = str(statement.options.get("type", ""))
        if fold(kind) != "ducklake":
            raise InvalidInputError(f'A secret is of type ducklake, not "{kind}"; none was made.')
        for name in statement.options:
            if name not in _OPTIONS + _IGNORED:
                raise InvalidInputError(
                    f'Unknown parameter "{name}" for secret type "ducklake"; none was made.',
                    hint=f"Parameters: {', '.join(_OPTIONS)}.",
                )
        key = fold(statement.name or UNNAMED)
        if key in self._by_name and not statement.or_replace:
            if statement.if_not_exists:
                return
            raise AlreadyExistsError(f"Persistent secret with name '{statement.name or UNNAMED}' already exists!")
        self._by_name[key] = {name: value for name, value in statement.options.items() if name not in _IGNORED}

    def drop(self, statement: DropSecret) -> None:
        """Run DROP SECRET.

        Raises:
            NotFoundError: There is none of that name.
        """
        if self._by_name.pop(fold(statement.name), None) is None and not statement.if_exists:
            raise NotFoundError(f"Failed to remove non-existent secret with name '{statement.name}'")

    def names(self) -> list[str]:
        """Return the names of all secrets, in order."""
        return sorted(self._by_name)

    def options_for(self, path: str, *, is_needed: bool = True) -> Mapping[str, Any]:
        """Return the options of the secret for ``ducklake:path``.

        It is the secret whose name is the path, or the unnamed one if the path is empty. No options if there is no
        such secret.

        Raises:
            NotFoundError: The path is empty, there is no unnamed secret, and one is needed.
        """
        found = self._by_name.get(fold(path or UNNAMED))
        if found is None and not path and is_needed:
            raise NotFoundError(
                "Default secret was not found: there is none of type ducklake.",
                hint="CREATE SECRET (TYPE ducklake, METADATA_PATH '...')",
            )
        return {} if found is None else {"metadata_path": "", **found}
