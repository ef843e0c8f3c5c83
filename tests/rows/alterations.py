"""Random transactions that write rows and alter their table, as statements that DuckDB and the lake both take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from forklake import ColumnDefinition, PartitionField, Transaction
from forklake.model.promotions import is_promotion
from forklake.model.types.read import definition_of, read_scalar, read_type
from tests.rows.driver_changes import change_rows

TABLE: Final = "t"
KEY: Final = "k"

VALUES: Final[Mapping[str, Sequence[str]]] = {
    "BOOLEAN": ("true", "false"),
    "TINYINT": ("-128", "0", "7", "127"),
    "SMALLINT": ("-32768", "5", "700"),
    "INTEGER": ("-7", "16777217", "2147483647"),
    "BIGINT": ("9007199254740993", "-3", "123456789012"),
    "HUGEINT": ("-12345678901234567890123456789012345678", "12"),
    "UTINYINT": ("0", "200", "255"),
    "USMALLINT": ("65535", "1"),
    "UINTEGER": ("4000000000", "3"),
    "UBIGINT": ("18446744073709551615", "4"),
    "UHUGEINT": ("12345678901234567890123456789012345678", "5"),
    "FLOAT": ("0.1", "-2.5", "3.4e38", "inf", "nan", "-0.0", "16777216"),
    "REAL": ("0.25", "1e10"),
    "DOUBLE": ("0.1", "1e300", "nan", "-inf", "2.5"),
    "DECIMAL(3,0)": ("-123", "4"),
    "DECIMAL(4,1)": ("12.5", "-0.1", "1.0"),
    "DECIMAL(9,2)": ("1234567.25", "0.1", "-3.50"),
    "DECIMAL(18,3)": ("123456789012345.125", "0.001"),
    "DECIMAL(22,3)": ("1234567890123456789.125", "-1.5"),
    "DECIMAL(38,0)": ("-12345678901234567890123456789012345678", "6"),
    "DATE": ("1960-02-29", "2020-01-02", "1969-12-31"),
    "TIMESTAMP": ("1960-01-02 03:04:05.123456", "2020-02-29 00:00:00"),
    "TIMESTAMP_S": ("2020-01-02 03:04:05", "1969-12-31 23:59:59"),
    "TIMESTAMP_MS": ("2020-01-02 03:04:05.123", "1969-12-31 23:59:59.999"),
    "TIMESTAMP_NS": ("2020-01-02 03:04:05.123456789", "2262-01-01 00:00:00"),
    "TIMESTAMP WITH TIME ZONE": ("2020-01-02 03:04:05.5+00", "1960-01-01 00:00:00+00"),
    "VARCHAR": ("a", "", "it''s", "null", "\N{DUCK}", "[1, 2]"),
    "UUID": ("00000000-0000-0000-0000-000000000001", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
    "TIME": ("12:34:56.789", "00:00:00"),
    "INTERVAL": ("1 year 2 days", "03:00:00"),
}
"""By type of DuckDB, texts of values that mean the same to both; quotes are doubled."""

_INNER: Final = tuple(name for name in VALUES if name not in ("VARCHAR", "INTERVAL", "TIME", "UUID"))
_PARTS: Final = ("year", "month", "day", "epoch_day")
WIDER: Final[Mapping[str, Sequence[str]]] = {
    old: [
        # A file is read as what its column is now. So a number that became a float is not rounded to 32 bits on the way
        # to 64, as it is in DuckDB: it stays a float here.
        "REAL" if new == "FLOAT" else new
        for new in VALUES
        if is_promotion(read_scalar(old), read_scalar(new))
    ]
    for old in VALUES
    if old != "REAL"
}


@dataclass(frozen=True, slots=True)
class Type:
    """A type: a scalar, a list (``inner`` has its element), a map, or a struct (``inner`` has its fields)."""

    kind: str
    inner: Mapping[str, "Type"] = field(default_factory=dict)

    def __str__(self) -> str:
        if self.kind == "LIST":
            return f"{self.inner['element']}[]"
        if self.kind == "MAP":
            return f"MAP(VARCHAR, {self.inner['value']})"
        if self.kind == "STRUCT":
            return f"STRUCT({', '.join(f'{name} {kind}' for name, kind in self.inner.items())})"
        return self.kind


Columns = dict[str, Type]
"""The columns of the table beside its key, by name."""


# ---- statements ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Statement:
    """Something that a transaction does. ``sql`` is what DuckDB is told, None if it knows no such thing."""

    @property
    def sql(self) -> str | None:
        raise NotImplementedError

    @property
    def own_sql(self) -> str:
        """What the lake is told in SQL."""
        return self.sql or ""

    def run(self, transaction: Transaction) -> None:
        """Do it by the Python API."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Create(Statement):
    columns: Columns

    @property
    def sql(self) -> str:
        columns = "".join(f', "{name}" {kind}' for name, kind in self.columns.items())
        return f"CREATE TABLE {TABLE} ({KEY} INTEGER{columns})"

    def run(self, transaction: Transaction) -> None:
        columns = {KEY: "INTEGER"} | {name: str(kind) for name, kind in self.columns.items()}
        transaction.create_table(TABLE, columns)


@dataclass(frozen=True, slots=True)
class Insert(Statement):
    columns: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]

    @property
    def sql(self) -> str:
        names = ", ".join(f'"{name}"' for name in self.columns)
        rows = ", ".join(f"({', '.join(map(_literal, row))})" for row in self.rows)
        return f"INSERT INTO {TABLE} ({names}) VALUES {rows}"

    def run(self, transaction: Transaction) -> None:
        transaction.table(TABLE).append([dict(zip(self.columns, map(_plain, row), strict=True)) for row in self.rows])


@dataclass(frozen=True, slots=True)
class Change(Statement):
    """An UPDATE of one column, or a DELETE if there is none."""

    keys: tuple[int, ...]
    column: str | None = None
    value: str | None = None

    @property
    def sql(self) -> str:
        where = f"WHERE {KEY} IN ({', '.join(map(str, self.keys))})"
        if self.column is None:
            return f"DELETE FROM {TABLE} {where}"
        return f'UPDATE {TABLE} SET "{self.column}" = {_literal(self.value)} {where}'

    def run(self, transaction: Transaction) -> None:
        values = None if self.column is None else {self.column: _plain(self.value)}
        change_rows(transaction, TABLE, KEY, [str(key) for key in self.keys], values)


@dataclass(frozen=True, slots=True)
class Alter(Statement):
    """An ALTER that both know."""


@dataclass(frozen=True, slots=True)
class AddColumn(Alter):
    path: tuple[str, ...]
    type: Type
    default: str | None = None

    @property
    def sql(self) -> str:
        default = "" if self.default is None else f" DEFAULT {_default(self.type, self.default)}"
        return f"ALTER TABLE {TABLE} ADD COLUMN {_path(self.path)} {self.type}{default}"

    def run(self, transaction: Transaction) -> None:
        made = definition_of(self.path[-1], read_type(str(self.type)))
        column = ColumnDefinition(made.name, made.type, default=_plain(self.default), children=made.children)
        transaction.table(TABLE).alter.add_column(column, parent=self.path[:-1] or None)


@dataclass(frozen=True, slots=True)
class DropColumn(Alter):
    path: tuple[str, ...]

    @property
    def sql(self) -> str:
        return f"ALTER TABLE {TABLE} DROP COLUMN {_path(self.path)}"

    def run(self, transaction: Transaction) -> None:
        transaction.table(TABLE).alter.drop_column(self.path)


@dataclass(frozen=True, slots=True)
class Rename(Alter):
    path: tuple[str, ...]
    name: str

    @property
    def sql(self) -> str:
        return f'ALTER TABLE {TABLE} RENAME COLUMN {_path(self.path)} TO "{self.name}"'

    def run(self, transaction: Transaction) -> None:
        transaction.table(TABLE).alter.rename_column(self.path, self.name)


@dataclass(frozen=True, slots=True)
class Retype(Alter):
    column: str
    type: Type

    @property
    def sql(self) -> str:
        return f'ALTER TABLE {TABLE} ALTER COLUMN "{self.column}" SET DATA TYPE {self.type}'

    def run(self, transaction: Transaction) -> None:
        transaction.table(TABLE).alter.set_type((self.column,), str(self.type))


@dataclass(frozen=True, slots=True)
class SetDefault(Alter):
    column: str
    type: Type
    default: str | None

    @property
    def sql(self) -> str:
        action = "DROP DEFAULT" if self.default is None else f"SET DEFAULT {_default(self.type, self.default)}"
        return f'ALTER TABLE {TABLE} ALTER COLUMN "{self.column}" {action}'

    def run(self, transaction: Transaction) -> None:
        transaction.table(TABLE).alter.set_default((self.column,), _plain(self.default))


@dataclass(frozen=True, slots=True)
class SetNotNull(Alter):
    column: str
    is_set: bool

    @property
    def sql(self) -> str:
        return f'ALTER TABLE {TABLE} ALTER COLUMN "{self.column}" {"SET" if self.is_set else "DROP"} NOT NULL'

    def run(self, transaction: Transaction) -> None:
        # Only Spark reads rows to look for NULL.
        alter = transaction.table(TABLE).alter
        if self.is_set:
            alter.set_not_null((self.column,), may_read=False)
        else:
            alter.drop_not_null((self.column,))


@dataclass(frozen=True, slots=True)
class Lay(Statement):
    """Partition the files to come, or sort them; none resets it."""

    keys: tuple[tuple[str, str], ...] = ()
    is_sorted: bool = False

    @property
    def sql(self) -> None:
        return None

    @property
    def own_sql(self) -> str:
        what = "SORTED BY" if self.is_sorted else "PARTITIONED BY"
        if not self.keys:
            return f"ALTER TABLE {TABLE} RESET {what}"
        keys = ", ".join(_key(f'"{name}"', transform) for name, transform in self.keys)
        return f"ALTER TABLE {TABLE} SET {what} ({keys})"

    def run(self, transaction: Transaction) -> None:
        if self.is_sorted:
            transaction.table(TABLE).alter.set_sorting([f'"{name}"' for name, _ in self.keys])
        else:
            transaction.table(TABLE).alter.set_partitioning(
                [PartitionField(name, transform) for name, transform in self.keys]
            )


@dataclass(frozen=True, slots=True)
class Flush(Statement):
    """Let files hold what the metadata held before the transaction."""

    @property
    def sql(self) -> None:
        return None

    @property
    def own_sql(self) -> str:
        return "-- flush"

    def run(self, transaction: Transaction) -> None:
        transaction.maintenance.flush_inlined()


def _key(column: str, transform: str) -> str:
    if transform == "identity":
        return column
    return f"bucket(3, {column})" if transform.startswith("bucket") else f"{transform}({column})"


def _literal(value: str | None) -> str:
    return "NULL" if value is None else f"'{value}'"


def _default(kind: Type, value: str) -> str:
    """Return a default that means the same after the column has become of a wider type."""
    return value if kind.kind == "BOOLEAN" else f"'{value}'"


def _plain(value: str | None) -> str | None:
    return None if value is None else value.replace("''", "'")


def _path(path: Sequence[str]) -> str:
    return ".".join(f'"{name}"' for name in path)


# ---- random ones -----------------------------------------------------------------------------------------------------


class Writer:
    """Writes random statements, and keeps track of the columns and keys that they leave."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.columns: Columns = {}
        self._next_key = 0
        self._keys: list[int] = []

    def create(self) -> Create:
        """Return the statement that makes the table."""
        self.columns = {name: self._type() for name in self._rng.sample("abcd", self._rng.randint(1, 3))}
        return Create(dict(self.columns))

    def rows(self, count: int, *, with_null: bool = True) -> Insert:
        """Return an INSERT into all columns, or some."""
        keys = range(self._next_key, self._next_key + count)
        self._next_key += count
        # What another one writes is not changed by the transaction that does not see it.
        self._keys += keys if with_null else ()
        names = [name for name in self.columns if not with_null or self._rng.random() < 0.9]
        return Insert(
            (KEY, *names),
            tuple(
                (str(key), *(self._value(self.columns[name], nulls=0.2 * with_null) for name in names)) for key in keys
            ),
        )

    def statement(self) -> Statement | None:
        """Return a statement for the columns that there are now; None if the one that was thought of makes no sense."""
        kind = self._rng.choices(
            ["insert", "update", "delete", "retype", "add", "drop", "rename", "default", "null", "lay", "flush"],
            [5, 3, 2, 7, 3, 2, 2, 1, 1, 1, 1],
        )[0]
        match kind:
            case "insert":
                return self.rows(self._rng.choice([1, 2, 7]))
            case "update" | "delete" if self._keys:
                return self._change(is_update=kind == "update")
            case "flush":
                return Flush()
            case "retype":
                return self._retype()
            case "add":
                return self._add()
            case "drop":
                return self._drop()
            case "rename":
                return self._rename()
            case "default" | "null" | "lay" if self.columns:
                return self._trait(kind)
        return None

    def _change(self, *, is_update: bool) -> Change | None:
        keys = tuple(self._rng.sample(self._keys, self._rng.randint(1, len(self._keys))))
        if not is_update:
            self._keys = [key for key in self._keys if key not in keys]
            return Change(keys)
        if not self.columns:
            return None
        name = self._rng.choice(list(self.columns))
        return Change(keys, name, self._value(self.columns[name], nulls=0.2))

    def _retype(self) -> Retype | None:
        names = list(self.columns)
        self._rng.shuffle(names)
        for name in names:
            wider = self._wider(self.columns[name])
            if wider is not None:
                self.columns[name] = wider
                return Retype(name, wider)
        return None

    def _wider(self, kind: Type) -> Type | None:
        if not kind.inner:
            found = WIDER.get(kind.kind)
            return Type(self._rng.choice(found)) if found else None
        names = [name for name in kind.inner if name != "key"]
        self._rng.shuffle(names)
        for name in names:
            wider = self._wider(kind.inner[name])
            if wider is not None:
                return Type(kind.kind, {**kind.inner, name: wider})
        return None

    def _add(self) -> AddColumn | None:
        structs = [name for name, kind in self.columns.items() if kind.kind == "STRUCT"]
        if structs and self._rng.random() < 0.5:
            name = self._rng.choice(structs)
            inner = self.columns[name].inner
            free = [one for one in "xyz" if one not in inner]
            if not free:
                return None
            kind = Type(self._rng.choice(_INNER))
            self.columns[name] = Type("STRUCT", {**inner, free[0]: kind})
            return AddColumn((name, free[0]), kind)
        free = [one for one in "abcd" if one not in self.columns]
        if not free:
            return None
        name, kind = self._rng.choice(free), self._type()
        self.columns[name] = kind
        has_default = not kind.inner and self._rng.random() < 0.6
        return AddColumn((name,), kind, self._value(kind, nulls=0) if has_default else None)

    def _drop(self) -> DropColumn | None:
        path = self._some_path()
        if path is None:
            return None
        if len(path) == 2:
            inner = dict(self.columns[path[0]].inner)
            if len(inner) == 1:
                return None
            del inner[path[1]]
            self.columns[path[0]] = Type("STRUCT", inner)
        else:
            del self.columns[path[0]]
        return DropColumn(path)

    def _rename(self) -> Rename | None:
        path = self._some_path()
        if path is None:
            return None
        beside = self.columns[path[0]].inner if len(path) == 2 else self.columns
        free = [one for one in ("xyz" if len(path) == 2 else "abcd") if one not in beside]
        if not free:
            return None
        new = self._rng.choice(free)
        renamed = {new if name == path[-1] else name: kind for name, kind in beside.items()}
        if len(path) == 2:
            self.columns[path[0]] = Type("STRUCT", renamed)
        else:
            self.columns = renamed
        return Rename(path, new)

    def _trait(self, kind: str) -> Statement | None:
        name = self._rng.choice(list(self.columns))
        column = self.columns[name]
        if kind == "null":
            return SetNotNull(name, self._rng.random() < 0.6)
        if kind == "default":
            if column.inner:
                return None
            return SetDefault(name, column, self._rng.choice([None, self._value(column, nulls=0)]))
        if self._rng.random() < 0.3:
            return Lay(is_sorted=self._rng.random() < 0.5)
        if column.inner or column.kind == "INTERVAL":
            return Lay(((KEY, "identity"),))
        if self._rng.random() < 0.3:
            return Lay(((name, "identity"),), is_sorted=True)
        transforms = ["identity", "bucket(3)"]
        if column.kind.startswith(("DATE", "TIMESTAMP")):
            transforms += _PARTS
        return Lay(((name, self._rng.choice(transforms)),))

    def _some_path(self) -> tuple[str, ...] | None:
        paths: list[tuple[str, ...]] = [(name,) for name in self.columns]
        paths += [(name, one) for name, kind in self.columns.items() if kind.kind == "STRUCT" for one in kind.inner]
        return self._rng.choice(paths) if paths else None

    def _type(self) -> Type:
        chance = self._rng.random()
        if chance < 0.15:
            names = self._rng.sample("xyz", self._rng.randint(1, 2))
            return Type("STRUCT", {name: Type(self._rng.choice(_INNER)) for name in names})
        if chance < 0.25:
            return Type("LIST", {"element": Type(self._rng.choice(_INNER))})
        if chance < 0.3:
            return Type("MAP", {"key": Type("VARCHAR"), "value": Type(self._rng.choice(_INNER))})
        return Type(self._rng.choice(list(VALUES)))

    def _value(self, kind: Type, *, nulls: float) -> str | None:
        if self._rng.random() < nulls:
            return None
        if kind.kind == "STRUCT":
            parts = [f"''{name}'': {self._value(one, nulls=nulls) or 'NULL'}" for name, one in kind.inner.items()]
            return "{" + ", ".join(parts) + "}"
        if kind.kind == "LIST":
            count = self._rng.randint(0, 2)
            return f"[{', '.join(self._value(kind.inner['element'], nulls=nulls) or 'NULL' for _ in range(count))}]"
        if kind.kind == "MAP":
            keys = self._rng.sample("pq", self._rng.randint(0, 2))
            return (
                "{"
                + ", ".join(f"{key}={self._value(kind.inner['value'], nulls=nulls) or 'NULL'}" for key in keys)
                + "}"
            )
        return self._rng.choice(VALUES[kind.kind])
