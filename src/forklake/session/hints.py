"""Hints of errors, as SQL."""

from __future__ import annotations

from datetime import datetime
from typing import Final, assert_never

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
from forklake.model.keywords import identifier
from forklake.model.quoting import quote_text

NOTHING_ATTACHED: Final = "..."
"""What stands for an alias in hints where nothing is attached."""


def in_sql(alias: str, hint: Hint) -> str:
    """Return a hint as SQL that the user can run.

    ``alias`` is the attached catalog that the SQL names.
    """
    lake = quote_text(alias)
    match hint:
        case ListCatalogs(prefix, None):
            rest = f", prefix => {quote_text(prefix)}" if prefix else ""
            return f"`FROM ducklake_catalogs({lake}{rest})` lists the catalogs of the lake."
        case ListCatalogs(_, at):
            when = f"TIMESTAMPTZ {quote_text(at.isoformat(sep=' '))}" if isinstance(at, datetime) else at
            return f"`FROM ducklake_catalogs({lake}, at => {when})` lists the catalogs that there were."
        case ListSnapshots():
            return f"`FROM ducklake_snapshots({lake})` lists the versions of the catalog."
        case ListTags():
            return f"`FROM ducklake_tags({lake})` lists the tags of its versions."
        case UndropCatalog(catalog_id):
            return f"`CALL ducklake_undrop_catalog({lake}, {catalog_id})` brings it back."
        case RenewCatalog(name):
            given = f"{lake}, {quote_text(name)}, INTERVAL 2 hours"
            return f"`CALL ducklake_renew({given})` gives it more time, until it is dropped."
        case NameById(catalog_id):
            return (
                f"Say which by its id: `CALL ducklake_undrop_catalog({lake}, {catalog_id})`, or"
                f" `CALL ducklake_purge_catalog({lake}, {catalog_id})`."
            )
        case AllowExisting():
            return "Use if_not_exists := true to return existing catalog."
        case ForkAgain():
            return "Look whether it is there, or fork it again with if_not_exists := true."
        case SetDataPath():
            return "`ATTACH ... (DATA_PATH '...')` sets it, once; it is kept."
        case GiveMessage():
            return f"Say `CALL ducklake_set_commit_message({lake}, 'author', 'message')` in the transaction."
        case CommitAgain():
            return f"Look with `FROM ducklake_snapshots({lake})` whether it happened before you say it again."
        case ChooseSide():
            return "Choose a side with STRATEGY ours or theirs, or change one of them first."
        case LookAtDropped(schema, name, story, snapshot):
            called = ".".join(identifier(part) for part in (alias, schema, name))
            return story if snapshot is None else f"{story} `FROM {called} AT (VERSION => {snapshot})` is what it held."
        case UpgradeLake():
            return (
                "Make a backup, then bring it to the version of this release: with the command "
                '"upgrade" of the command line, or the function of that name in Python.'
            )
        case ImportCatalog(url, schema):
            within = "" if schema is None else f", metadata_schema => {quote_text(schema)}"
            first = ""
            if alias == NOTHING_ATTACHED:
                first, lake = "ATTACH 'ducklake:lake.db' AS lake; ", "'lake'"
            call = f"{first}CALL ducklake_import_catalog({lake}, 'name', {quote_text(url)}{within})"
            return f"`{call}` makes a catalog of it, and copies no data."
    assert_never(hint)
