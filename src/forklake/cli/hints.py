"""Hints of errors, as commands."""

from __future__ import annotations

import shlex
from datetime import datetime
from typing import assert_never

from forklake.model.hint import (
    AllowExisting,
    ChooseSide,
    CommitAgain,
    ForkAgain,
    GiveMessage,
    Hint,
    ImportCatalog,
    ListCatalogs,
    ListSnapshots,
    ListTags,
    LookAtDropped,
    NameById,
    RenewCatalog,
    SetDataPath,
    UndropCatalog,
    UpgradeLake,
)


def on_command_line(hint: Hint) -> str:
    """Return a hint as a command that the user can run."""
    match hint:
        case ListCatalogs(prefix, None):
            rest = f" --prefix {shlex.quote(prefix)}" if prefix else ""
            return f"`forklake catalog list{rest}` lists the catalogs of the lake."
        case ListCatalogs(_, at):
            when = at.isoformat() if isinstance(at, datetime) else at
            return f"`forklake catalog list --at {when}` lists the catalogs that there were."
        case ListSnapshots():
            return "`forklake snapshot list CATALOG` lists the versions of the catalog."
        case ListTags():
            return "`forklake catalog tags CATALOG` lists the tags of its versions."
        case UndropCatalog(catalog_id):
            return f"`forklake catalog undrop --id {catalog_id}` brings it back."
        case RenewCatalog(name):
            return f"`forklake catalog renew {shlex.quote(name)} 2h` gives it more time, until it is dropped."
        case NameById(catalog_id):
            return f"Say which by its id, as in `--id {catalog_id}`."
        case AllowExisting():
            return "Use --if-not-exists to leave the existing catalog as it is."
        case ForkAgain():
            return "Look whether it is there, or fork one name again with --if-not-exists."
        case SetDataPath():
            return "`forklake init --data-path PATH` sets it, once; it is kept."
        case GiveMessage():
            return "In `forklake sql`, a transaction gets a message by `CALL ducklake_set_commit_message(...)`."
        case CommitAgain():
            return "Look with `forklake snapshot list CATALOG` whether it happened before you try again."
        case ChooseSide():
            return "Choose a side with --strategy ours or theirs, or change one of them first."
        case LookAtDropped(schema, name, story, snapshot):
            within = "" if schema == "main" else f" --schema {shlex.quote(schema)}"
            command = f"forklake table show CATALOG {shlex.quote(name)}{within} --at {snapshot}"
            return story if snapshot is None else f"{story} `{command}` shows it as it was."
        case UpgradeLake():
            return "Make a backup, then `forklake upgrade --lake URL` brings it to the version of this release."
        case ImportCatalog(url, schema):
            within = "" if schema is None else f" --metadata-schema {shlex.quote(schema)}"
            command = f"forklake --lake lake.db catalog import NAME {shlex.quote(url)}{within}"
            return f"`{command}` makes a catalog of it, in a new lake if need be, and copies no data."
    assert_never(hint)
