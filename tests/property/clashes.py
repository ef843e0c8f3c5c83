"""When two commits stand in each other's way."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Touch:
    """What others have to know of a change: of which kind it is, and of what."""

    kind: str
    key: int
    name: str = ""
    schema: int | None = None
    files: frozenset[int] = frozenset()


# Tables and views share their names.
RELATIONS = ("created table", "created view")
_ENTRIES = (*RELATIONS, "created macro")
_APPENDS = ("inserted", "inlined insert")
_ALTERS = ("altered",)
WITHOUT_NEW_VERSION = (*_APPENDS, "deleted", "inlined delete")

# Ours cannot follow theirs on the same thing.
_CLASHES = {
    ("dropped table", "dropped table"),
    ("dropped schema", "dropped schema"),
    ("dropped view", "dropped view"),
    ("dropped macro", "dropped macro"),
    ("altered view", "dropped view"),
    ("altered view", "altered view"),
    *((ours, "dropped table") for ours in (*_ALTERS, *_APPENDS, "deleted", "inlined delete")),
    *((ours, theirs) for ours in (*_ALTERS, *_APPENDS, "deleted", "inlined delete") for theirs in _ALTERS),
    *((ours, theirs) for ours in _APPENDS for theirs in ("deleted", "inlined delete")),
    *((ours, theirs) for ours in ("deleted", "inlined delete") for theirs in _APPENDS),
    ("inlined delete", "inlined delete"),
}


def clash(ours: Touch, theirs: Touch) -> bool:
    """Whether our change cannot follow theirs."""
    match ours.kind, theirs.kind:
        case "created schema", "created schema":
            return ours.name.lower() == theirs.name.lower()
        case (mine, other) if (mine in RELATIONS and other in RELATIONS) or mine == other == "created macro":
            return (ours.schema, ours.name.lower()) == (theirs.schema, theirs.name.lower())
        case (mine, "dropped schema") if mine in _ENTRIES:
            return ours.schema == theirs.key
        case ("dropped schema", other) if other in _ENTRIES:
            return ours.key == theirs.schema
        case "deleted", "deleted":
            return ours.key == theirs.key and bool(ours.files & theirs.files)
    return (ours.kind, theirs.kind) in _CLASHES and ours.key == theirs.key
