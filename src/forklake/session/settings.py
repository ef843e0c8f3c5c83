"""Settings and variables of a session: SET and RESET."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final

from forklake.config import ENGINE_CHOICES, EngineChoice, RetryPolicy
from forklake.errors import InvalidInputError, NotFoundError
from forklake.model.flags import read_flag
from forklake.model.lazy_dataclass import dataclass
from forklake.model.names import fold, nearest
from forklake.model.option_rules import byte_count

if TYPE_CHECKING:
    from forklake.session.safety.confinement import Policy


def _count(value: Any) -> int:
    if isinstance(value, bool) or not str(value).lstrip("+").isdecimal():
        raise ValueError
    return int(value)


def _number(value: Any) -> float:
    return float(value)


def _flag(value: Any) -> bool:
    found = read_flag(value)
    if found is None:
        raise ValueError
    return found


def _engine(value: Any) -> str:
    name = fold(str(value))
    if name not in ENGINE_CHOICES:
        raise InvalidInputError(
            f'Setting "engine" cannot be {value!r}; it was left as it is.', hint=f"One of {', '.join(ENGINE_CHOICES)}."
        )
    return name


def _zone(value: Any) -> str:
    text = str(value)
    if text.lower().removeprefix("etc/") not in _UTC:
        raise InvalidInputError(
            f'Setting "TimeZone" cannot be {text!r}: moments are shown, and times without a zone are read, in UTC. It'
            " was left as it is.",
            hint=f"Say the zone in the query: moment AT TIME ZONE '{text}'.",
        )
    return text


def _file_size(value: Any) -> str:
    if byte_count(str(value)) == 0:
        raise ValueError
    return str(value)


_UTC: Final = frozenset(
    {"utc", "uct", "z", "zulu", "universal", "greenwich", "gmt", "gmt0", "gmt+0", "gmt-0", "+00", "+00:00"}
)
"""What UTC is called."""
SETTINGS: Final[dict[str, tuple[Any, Callable[[Any], Any]]]] = {
    "ducklake_max_retry_count": (10, _count),
    "ducklake_retry_wait_ms": (100, _count),
    "ducklake_retry_backoff": (1.5, _number),
    "ducklake_default_data_inlining_row_limit": (0, _count),
    "ducklake_target_file_size": ("", _file_size),
    "enable_external_access": (True, _flag),
    "engine": ("auto", _engine),
    "lock_configuration": (False, _flag),
    "preserve_insertion_order": (True, _flag),
    "python_enable_replacements": (True, _flag),
    "timezone": ("UTC", _zone),
}
"""By name: the default, and what turns a value into one of the setting."""
_OF_POLICY: Final = ("enable_external_access", "lock_configuration")
"""Settings that the session shares with its cursors, and that cannot be taken back."""
IGNORED: Final = frozenset(
    {
        "enable_object_cache",
        "enable_progress_bar",
        "immediate_transaction_mode",
        "max_memory",
        "memory_limit",
        "parquet_metadata_cache",
        "threads",
        "worker_threads",
    }
)
"""Settings of DuckDB's own engine: SET takes them and does nothing, and they never have a value here."""


@dataclass(slots=True)
class SessionSettings:
    """The settings that one session has set; all others have their defaults.

    Attributes:
        policy: What the session may reach; the settings about it are kept there.
        given: The retry policy of the session, unless SET changes it.
        engine: The engine of the session, unless SET changes it.
    """

    policy: Policy
    given: RetryPolicy = field(default_factory=RetryPolicy)
    engine: EngineChoice = "auto"
    values: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)

    def set(self, name: str, value: Any) -> None:
        """Set a setting.

        Raises:
            NotFoundError: There is no such setting.
            InvalidInputError: It cannot have the value.
            PermissionDeniedError: The settings are locked.
        """
        key = fold(name)
        self.policy.check_setting(key)
        if key in IGNORED:
            return
        kind = self._kind(name)
        try:
            found = kind[1](value)
        except (TypeError, ValueError):
            raise InvalidInputError(
                f'Invalid Input Error: Setting "{name}" cannot be {value!r}; it was left as it is.'
            ) from None
        if key in _OF_POLICY:
            self._set_reach(key, found)
        else:
            self.values[key] = found

    def _set_reach(self, key: str, value: bool) -> None:
        """Set what the session and its cursors may reach; there is no way back."""
        if key == "lock_configuration" and value:
            self.policy.lock()
        elif key == "enable_external_access" and not value:
            self.policy.confine()
        elif value != self.get(key):
            raise InvalidInputError(
                f"Invalid Input Error: Cannot change {key} setting while database is running; it was left as it is."
            )

    def reset(self, name: str) -> None:
        """Give a setting its default again.

        Raises:
            NotFoundError: There is no such setting.
            PermissionDeniedError: The settings are locked.
        """
        self.policy.check_setting(fold(name))
        if fold(name) not in IGNORED:
            default, _ = self._kind(name)
            if fold(name) in _OF_POLICY:
                self._set_reach(fold(name), default)
        self.values.pop(fold(name), None)

    def get(self, name: str) -> Any:
        """Return a setting.

        Raises:
            NotFoundError: There is no such setting.
        """
        if fold(name) in IGNORED:
            return None
        if fold(name) in self.values:
            return self.values[fold(name)]
        default = self._kind(name)[0]
        return {
            "enable_external_access": not self.policy.is_confined,
            "engine": self.engine,
            "lock_configuration": self.policy.is_locked,
            "ducklake_max_retry_count": self.given.max_retry_count,
            "ducklake_retry_wait_ms": round(self.given.wait_seconds * 1000),
            "ducklake_retry_backoff": self.given.backoff,
        }.get(fold(name), default)

    @property
    def retry(self) -> RetryPolicy:
        """The retry policy of this session.

        It applies to commits, and to statements that are transactions of their own.
        """
        wait = self.values.get("ducklake_retry_wait_ms")
        return RetryPolicy(
            self.get("ducklake_max_retry_count"),
            self.given.wait_seconds if wait is None else wait / 1000,
            self.get("ducklake_retry_backoff"),
        )

    @property
    def option_defaults(self) -> dict[str, str]:
        """Defaults of catalog options in this session, used where none is set."""
        limit = self.values.get("ducklake_default_data_inlining_row_limit")
        return {} if limit is None else {"data_inlining_row_limit": str(limit)}

    @property
    def option_overrides(self) -> dict[str, str]:
        """Catalog options of this session that count before all that are set."""
        size = self.values.get("ducklake_target_file_size")
        return {} if size is None else {"target_file_size": str(byte_count(size))}

    def forget(self, name: str) -> None:
        """Forget a variable; it need not exist."""
        self.variables.pop(fold(name), None)

    def _kind(self, name: str) -> tuple[Any, Callable[[Any], Any]]:
        found = SETTINGS.get(fold(name))
        if found is None:
            near = nearest(name, SETTINGS)
            raise NotFoundError(
                f'Catalog Error: unrecognized configuration parameter "{name}"'
                + (f"\n\nDid you mean: {near}" if near else "")
            )
        return found
