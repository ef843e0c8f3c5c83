"""Secrets: what is kept under a name and never shown.

They are options of ATTACH, and credentials of object stores.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any, Final

from forklake.errors import AlreadyExistsError, InvalidInputError, NotFoundError
from forklake.files.access.keyring import Credential, Keyring, closest_scope
from forklake.metastore.location import with_database_kind
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold
from forklake.session.safety.store_secrets import STORE_OPTIONS, read_credential, shown_credential
from forklake.sql.statements import CreateSecret, DropSecret

UNNAMED: Final = "__default_ducklake"
_OPTIONS: Final = {
    "ducklake": (
        *("metadata_path", "metadata_schema", "metadata_catalog", "metadata_parameters"),
        *("data_path", "catalog", "encrypted"),
    ),
    "postgres": ("host", "port", "database", "user", "password", "passfile", "sslmode"),
    "s3": STORE_OPTIONS,
}
"""What secrets of each type hold."""
_IGNORED: Final = ("type", "provider", "scope")
_WORDS: Final = {"database": "dbname"}
"""What libpq calls an option of a secret, if it has another name for it."""


@dataclass(frozen=True, slots=True)
class _Secret:
    """Options of one type, by name; of type s3, a credential."""

    kind: str
    options: Mapping[str, Any] = field(repr=False)
    credential: Credential | None = field(default=None, repr=False)


@dataclass(slots=True)
class Secrets:
    """The secrets that a session and its cursors share.

    Attributes:
        keyring: Those of type s3.
    """

    _by_name: dict[str, _Secret] = field(default_factory=dict, repr=False)
    keyring: Keyring = field(default_factory=Keyring, repr=False)
    _changing: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def create(self, statement: CreateSecret) -> None:
        """Run CREATE SECRET.

        Raises:
            InvalidInputError: It is of another type, or an option is not known.
            AlreadyExistsError: There is one of that name.
        """
        kind = fold(str(statement.options.get("type", "")))
        if kind not in _OPTIONS:
            raise InvalidInputError(
                f"Secret type '{kind}' does not exist: a secret is of type {' or '.join(_OPTIONS)}; none was made."
            )
        provider = statement.options.get("provider")
        said = "default provider 'config'" if provider is None else f"provider '{provider}'"
        for name in statement.options:
            if name not in _OPTIONS[kind] + _IGNORED:
                raise InvalidInputError(
                    f"Binder Error: Unknown parameter '{name}' for secret type '{kind}' with {said}; none was made.",
                    hint=f"Parameters: {', '.join(_OPTIONS[kind])}.",
                )
        with self._changing:
            self._create(statement, kind)

    def _create(self, statement: CreateSecret, kind: str) -> None:
        key = fold(statement.name or f"__default_{kind}")
        if key in self._by_name and not statement.or_replace:
            if statement.if_not_exists:
                return
            raise AlreadyExistsError(f"Temporary secret with name '{key}' already exists!")
        kept = {name: value for name, value in statement.options.items() if name not in _IGNORED}
        if kind == "ducklake":
            _check_parameters(kept.get("metadata_parameters"))
        self._keep(key, _Secret(kind, {}, read_credential(statement)) if kind == "s3" else _Secret(kind, kept))

    def drop(self, statement: DropSecret) -> None:
        """Run DROP SECRET.

        Raises:
            NotFoundError: There is none of that name.
        """
        key = fold(statement.name)
        with self._changing:
            is_there = key in self._by_name
            if is_there:
                self._keep(key, None)
        if not is_there and not statement.if_exists:
            raise NotFoundError(f"Failed to remove non-existent secret with name '{statement.name}'")

    def _keep(self, name: str, secret: _Secret | None) -> None:
        """Keep a secret under a name, or forget the one that has it."""
        kept = {one: known for one, known in self._by_name.items() if one != name}
        self._by_name = kept if secret is None else dict(sorted([*kept.items(), (name, secret)]))
        found = (one.credential for one in self._by_name.values())
        self.keyring = Keyring(tuple(one for one in found if one is not None))

    def list_rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of ``duckdb_secrets()``, in the order of names.

        Of options of ATTACH not even which ones there are is shown.
        """
        for name, secret in self._by_name.items():
            if secret.credential is not None:
                yield shown_credential(name, secret.credential)
            else:
                text = f"name={name};type={secret.kind};provider=config"
                yield name, secret.kind, "config", False, "memory", [], text

    def which(self, path: str, kind: str) -> str | None:
        """Return which secret of a type counts for a path; None if none does."""
        known = [(name, secret.credential) for name, secret in self._by_name.items() if secret.kind == fold(kind)]
        found = closest_scope(path, (() if one is None else one.scopes for _, one in known))
        return None if found is None else known[found][0]

    def options_for(self, path: str, *, is_needed: bool = True) -> Mapping[str, Any]:
        """Return the options of the secret for ``ducklake:path``.

        It is the secret whose name is the path, or the unnamed one if the path is empty. No options if there is no
        such secret.

        Raises:
            NotFoundError: The path is empty, there is no unnamed secret, and one is needed.
        """
        found = self._by_name.get(fold(path or UNNAMED))
        is_there = found is not None and found.kind == "ducklake"
        if not is_there and not path and is_needed:
            raise NotFoundError(
                "Default secret was not found: there is none of type ducklake.",
                hint="CREATE SECRET (TYPE ducklake, METADATA_PATH '...')",
            )
        if found is None or not is_there:
            return {}
        parameters = {
            fold(str(name)): value for name, value in (found.options.get("metadata_parameters") or {}).items()
        }
        kept = {name: value for name, value in found.options.items() if name != "metadata_parameters"}
        path = with_database_kind(str(kept.get("metadata_path") or ""), str(parameters.get("type") or ""))
        options = {**kept, "metadata_path": path}
        return options if "secret" not in parameters else {**options, "meta_secret": parameters["secret"]}

    def postgres_words(self, name: str | None) -> Mapping[str, str]:
        """Return what a secret of type postgres says, by libpq's names.

        Without a name it is the unnamed one, and nothing if there is none.

        Raises:
            NotFoundError: There is none of the name.
        """
        found = self._by_name.get(fold(name or "__default_postgres"))
        if found is None or found.kind != "postgres":
            if name is None:
                return {}
            raise NotFoundError(f"Secret with name '{name}' and type postgres was not found; nothing was attached.")
        return {_WORDS.get(word, word): str(value) for word, value in found.options.items() if value is not None}


def _check_parameters(parameters: Any) -> None:
    """Refuse parameters of the metadata database other than its type and secret.

    Raises:
        InvalidInputError: There is another, or they are no map.
    """
    known = ("type", "secret")
    names = [fold(str(name)) for name in parameters] if isinstance(parameters, Mapping) else [""]
    if parameters is not None and any(name not in known for name in names):
        raise InvalidInputError("METADATA_PARAMETERS is a map of TYPE and SECRET; no secret was made.")
