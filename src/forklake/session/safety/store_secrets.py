"""Secrets of type s3: what CREATE SECRET says about an object store."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from forklake.errors import InvalidInputError
from forklake.files.access.keyring import Credential
from forklake.model.flags import read_flag
from forklake.model.names import fold
from forklake.sql.statements import CreateSecret

STORE_OPTIONS: Final = ("key_id", "secret", "session_token", "region", "endpoint", "url_style", "use_ssl")
"""What secrets of type s3 hold, beside their scope."""
PROVIDERS: Final = ("config", "credential_chain")
_SCOPES: Final = ("s3://", "s3n://", "s3a://")
_REDACTED: Final = ("secret", "session_token")
_DEFAULT: Final = Credential(_SCOPES)


def read_credential(statement: CreateSecret) -> Credential:
    """Return what a secret of type s3 says; its parameters are known ones.

    Raises:
        InvalidInputError: A value does not fit.
    """
    options = statement.options
    if statement.storage not in (None, "memory"):
        raise InvalidInputError(
            "Secrets of type s3 are kept in memory, as long as their session lasts; a persistent one is not made.",
            hint="Say CREATE SECRET without PERSISTENT and IN.",
        )
    key_id, secret, token = (_text(options, name) for name in ("key_id", "secret", "session_token"))
    if (key_id is None) != (secret is None) or (token is not None and key_id is None):
        raise InvalidInputError(
            "KEY_ID and SECRET are given together, and SESSION_TOKEN only with them; no secret was made."
        )
    endpoint = _text(options, "endpoint")
    if endpoint is not None and "/" in endpoint:
        raise InvalidInputError(
            "ENDPOINT is the name of a host, with its port if need be; no secret was made.",
            hint="Leave out http:// and say USE_SSL false.",
        )
    return Credential(
        scopes=_scopes(options.get("scope")),
        key_id=key_id,
        secret=secret,
        session_token=token,
        region=_text(options, "region"),
        endpoint=endpoint,
        url_style=_url_style(_text(options, "url_style")),
        use_ssl=_use_ssl(options.get("use_ssl")),
        is_found=_provider(options) == "credential_chain",
    )


def _provider(options: Mapping[str, Any]) -> str:
    """Return who has the keys.

    Raises:
        InvalidInputError: There is no such provider.
    """
    found = fold(str(options.get("provider") or PROVIDERS[0]))
    if found not in PROVIDERS:
        raise InvalidInputError(
            f"Invalid Input Error: Secret provider '{found}' not found for type 's3'; none was made.",
            hint=f"Providers: {', '.join(PROVIDERS)}.",
        )
    return found


def _text(options: Mapping[str, Any], name: str) -> str | None:
    value = options.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, str | int)):
        # The value itself may be what is not to be shown.
        raise InvalidInputError(f"{name.upper()} is a text; no secret was made.")
    return None if value is None or value == "" else str(value)


def _scopes(given: Any) -> tuple[str, ...]:
    found = _SCOPES if given is None else (given,) if isinstance(given, str) else given
    if not isinstance(found, list | tuple) or not all(isinstance(one, str) for one in found):
        raise InvalidInputError(
            "Invalid Input Error: Create Secret scope must be of type VARCHAR or LIST(VARCHAR); none was made."
        )
    return tuple(found) or _SCOPES


def _url_style(given: str | None) -> Literal["vhost", "path"]:
    match fold(given or "vhost"):
        case "vhost":
            return "vhost"
        case "path":
            return "path"
    raise InvalidInputError(
        "Invalid Input Error: Incorrect setting found for url_style, allowed values are: 'path' or 'vhost'; no secret"
        " was made."
    )


def _use_ssl(given: Any) -> bool:
    found = True if given is None else read_flag(given)
    if found is None:
        raise InvalidInputError("USE_SSL is true or false; no secret was made.")
    return found


def shown_credential(name: str, credential: Credential) -> tuple[Any, ...]:
    """Return a row of ``duckdb_secrets()``; what is to be hidden is redacted."""
    provider = PROVIDERS[1 if credential.is_found else 0]
    values: dict[str, Any] = {option: getattr(credential, option) for option in sorted(STORE_OPTIONS)}
    values |= {option: "redacted" for option in _REDACTED if values[option] is not None}
    said = ";".join(
        f"{option}={str(value).lower() if isinstance(value, bool) else value}"
        for option, value in values.items()
        if value != getattr(_DEFAULT, option)
    )
    scopes = list(credential.scopes)
    text = f"name={name};type=s3;provider={provider};serializable=true;scope={','.join(scopes)};{said}"
    return name, "s3", provider, False, "memory", scopes, text
