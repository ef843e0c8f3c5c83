"""The classes of column types, and one row of facts for each type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from forklake.model.keywords import identifier
from forklake.model.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from forklake.model.field import Field

Unit = Literal["s", "ms", "us", "ns"]


@dataclass(frozen=True, slots=True)
class Type:
    """The type of a column, of a field or of an expression.

    Types are values: two are equal if they say the same. ``str`` of one is DuckLake's name for it.
    """

    @property
    def name(self) -> str:
        """DuckLake's name, as the metadata has it; of a nested type without what is in it."""
        return self.facts.name

    @property
    def sql_name(self) -> str:
        """DuckDB's name, with all that is nested in the type."""
        return self.facts.sql_name

    @property
    def children(self) -> tuple[Field, ...]:
        """The fields of a struct, the element of a list, key and value of a map.

        Other types have none.
        """
        return ()

    @property
    def facts(self) -> Facts:
        """What modules that know nothing else of the type ask for."""
        return FACTS[self]

    @property
    def stored_as(self) -> Type:
        """The type that our files hold values as."""
        return self.facts.stored_as or self

    @property
    def shown_as(self) -> Type:
        """The type that users of Spark and Arrow see values as.

        Spark and Arrow do not have all types of DuckLake.
        """
        return self.facts.shown_as or self

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a type.

    Attributes:
        name: DuckLake's name.
        sql_name: DuckDB's name.
        duckdb_id: The number of the type in DuckDB's listings.
        aliases: What else it is called.
        sql_aliases: What it is called in SQL only. DuckLake may mean another type by the same word.
        stored_as: The type that our files hold it as, if it is another.
        shown_as: The type that readers are shown it as, if it is another.
        is_comparable: Whether SQL compares values at all.
        is_ordered: Whether SQL has an order of values.
        has_bounds: Whether bounds in statistics tell which values lie between them.
        is_kept_as_text: Whether the metadata can hold values: rows of small inserts, keys of partitions.
    """

    name: str
    sql_name: str
    duckdb_id: int | None
    aliases: tuple[str, ...] = ()
    sql_aliases: tuple[str, ...] = ()
    stored_as: Type | None = None
    shown_as: Type | None = None
    is_comparable: bool = True
    is_ordered: bool = True
    has_bounds: bool = True
    is_kept_as_text: bool = True


# ---- types that are not nested ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Boolean(Type):
    """True and false."""


@dataclass(frozen=True, slots=True)
class Number(Type):
    """What can be added: integers, floats and decimals."""


@dataclass(frozen=True, slots=True)
class Integer(Number):
    """Whole numbers of a fixed size."""

    bits: int
    is_signed: bool = True

    @property
    def digits(self) -> int:
        """How many digits the largest value has, as far as 38 of them are kept."""
        return min(len(str(2 ** (self.bits - self.is_signed))), MAX_PRECISION)

    @property
    def is_native(self) -> bool:
        """Whether Java and standard SQL have it: signed, and 64 bits at most."""
        return self.is_signed and self.bits <= 64

    @property
    def is_wide(self) -> bool:
        """Whether it has values that 64 bits with a sign do not hold."""
        return self.bits > 64 or (self.bits == 64 and not self.is_signed)

    @property
    def low(self) -> int:
        """The least value."""
        return -self.high - 1 if self.is_signed else 0

    @property
    def high(self) -> int:
        """The greatest value."""
        return (1 << self.bits - self.is_signed) - 1

    @property
    def least_shown(self) -> int:
        """The least value that Spark has, in 38 digits at most."""
        return max(self.low, -_MOST_DIGITS)

    @property
    def most_shown(self) -> int:
        """The greatest value that Spark has."""
        return min(self.high, _MOST_DIGITS)

    def holds(self, other: Integer) -> bool:
        """Return whether every value of another type is one of this."""
        if self.is_signed == other.is_signed:
            return other.bits <= self.bits
        return self.is_signed and other.bits < self.bits


@dataclass(frozen=True, slots=True)
class Float(Number):
    """Floating-point numbers of 32 or 64 bits."""

    bits: int


@dataclass(frozen=True, slots=True)
class Decimal(Number):
    """Numbers with a fixed number of digits, ``scale`` of them behind the point."""

    precision: int
    scale: int

    @property
    def name(self) -> str:
        """DuckLake's name."""
        return f"decimal({self.precision},{self.scale})"

    @property
    def sql_name(self) -> str:
        """DuckDB's name."""
        return f"DECIMAL({self.precision},{self.scale})"

    @property
    def facts(self) -> Facts:
        """The same for all decimals."""
        return _DECIMAL


@dataclass(frozen=True, slots=True)
class Varchar(Type):
    """Text."""


@dataclass(frozen=True, slots=True)
class Json(Type):
    """Text that is JSON."""


@dataclass(frozen=True, slots=True)
class Blob(Type):
    """Bytes."""


@dataclass(frozen=True, slots=True)
class Uuid(Type):
    """Identifiers of 16 bytes."""


@dataclass(frozen=True, slots=True)
class Date(Type):
    """Days."""


@dataclass(frozen=True, slots=True)
class Time(Type):
    """Times of day, in microseconds; if it is zoned, each with its offset from UTC."""

    is_zoned: bool = False


@dataclass(frozen=True, slots=True)
class Timestamp(Type):
    """Moments, counted in a unit; if it is zoned, in UTC."""

    unit: Unit = "us"
    is_zoned: bool = False


@dataclass(frozen=True, slots=True)
class Interval(Type):
    """Spans of months, days and microseconds."""


@dataclass(frozen=True, slots=True)
class Geometry(Type):
    """Shapes; old lakes have columns for shapes of one kind."""

    kind: str = "geometry"

    @property
    def name(self) -> str:
        """DuckLake's name."""
        return self.kind

    @property
    def sql_name(self) -> str:
        """DuckDB's name."""
        return self.kind.upper()

    @property
    def facts(self) -> Facts:
        """The same for shapes of all kinds."""
        return _GEOMETRY


@dataclass(frozen=True, slots=True)
class Variant(Type):
    """Values that each have a type of their own."""


@dataclass(frozen=True, slots=True)
class Null(Type):
    """The type of a NULL that nothing has given a type; no column has it."""


@dataclass(frozen=True, slots=True)
class Unknown(Type):
    """A type that the metadata names and we do not know.

    A column of this type can be listed, but not read.
    """

    text: str

    @property
    def name(self) -> str:
        """The name in the metadata."""
        return self.text

    @property
    def sql_name(self) -> str:
        """The name in the metadata, in capitals as SQL has them."""
        return self.text.upper()

    @property
    def facts(self) -> Facts:
        """What holds of a type that nobody knows."""
        return _UNKNOWN


# ---- nested types ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Nested(Type):
    """What has fields."""

    def with_children(self, children: tuple[Field, ...]) -> Type:
        """Return the type with other fields in place of its own."""
        raise NotImplementedError

    @property
    def facts(self) -> Facts:
        """The same for all types of the class."""
        return NESTED[type(self)]


@dataclass(frozen=True, slots=True)
class List(Nested):
    """Lists."""

    element: Field

    @property
    def children(self) -> tuple[Field, ...]:
        """The element."""
        return (self.element,)

    @property
    def sql_name(self) -> str:
        """DuckDB's name."""
        return f"{self.element.type.sql_name}[]"

    def with_children(self, children: tuple[Field, ...]) -> List:
        """Return lists of something else."""
        return List(*children)


@dataclass(frozen=True, slots=True)
class Map(Nested):
    """Maps from keys, each there once, to values."""

    key: Field
    value: Field

    @property
    def children(self) -> tuple[Field, ...]:
        """Key and value."""
        return self.key, self.value

    @property
    def sql_name(self) -> str:
        """DuckDB's name."""
        return f"MAP({self.key.type.sql_name}, {self.value.type.sql_name})"

    def with_children(self, children: tuple[Field, ...]) -> Map:
        """Return maps of something else."""
        return Map(*children)


@dataclass(frozen=True, slots=True)
class Struct(Nested):
    """Fields with names; those of a row that SQL makes have none."""

    fields: tuple[Field, ...]

    @property
    def children(self) -> tuple[Field, ...]:
        """The fields."""
        return self.fields

    @property
    def sql_name(self) -> str:
        """DuckDB's name."""
        parts = (f"{field.name and f'{identifier(field.name)} '}{field.type.sql_name}" for field in self.fields)
        return f"STRUCT({', '.join(parts)})"

    def with_children(self, children: tuple[Field, ...]) -> Struct:
        """Return structs with other fields."""
        return Struct(children)


# ---- constants and facts ---------------------------------------------------------------------------------------------

MAX_PRECISION: Final = 38
"""The most digits of a decimal."""
MAX_LEVELS: Final = 98
"""How deeply a column may be nested: a struct is one level, a list or map two, as in Parquet.

PyArrow reads no file with more.
"""
_MOST_DIGITS: Final[int] = 10**38 - 1

BOOLEAN: Final = Boolean()
INT8: Final = Integer(8)
INT16: Final = Integer(16)
INT32: Final = Integer(32)
INT64: Final = Integer(64)
INT128: Final = Integer(128)
UINT8: Final = Integer(8, is_signed=False)
UINT16: Final = Integer(16, is_signed=False)
UINT32: Final = Integer(32, is_signed=False)
UINT64: Final = Integer(64, is_signed=False)
UINT128: Final = Integer(128, is_signed=False)
FLOAT32: Final = Float(32)
FLOAT64: Final = Float(64)
VARCHAR: Final = Varchar()
JSON: Final = Json()
BLOB: Final = Blob()
UUID: Final = Uuid()
DATE: Final = Date()
TIME: Final = Time()
TIMETZ: Final = Time(is_zoned=True)
TIMESTAMP: Final = Timestamp()
TIMESTAMP_S: Final = Timestamp("s")
TIMESTAMP_MS: Final = Timestamp("ms")
TIMESTAMP_NS: Final = Timestamp("ns")
TIMESTAMPTZ: Final = Timestamp(is_zoned=True)
INTERVAL: Final = Interval()
GEOMETRY: Final = Geometry()
VARIANT: Final = Variant()
NULL: Final = Null()

_WIDE: Final = Decimal(MAX_PRECISION, 0)
_DECIMAL: Final = Facts("decimal", "DECIMAL", 21, ("numeric",), ("dec",))
_GEOMETRY: Final = Facts(
    "geometry",
    "GEOMETRY",
    60,
    shown_as=BLOB,
    is_comparable=False,
    is_ordered=False,
    has_bounds=False,
    is_kept_as_text=False,
)
_UNKNOWN: Final = Facts("unknown", "UNKNOWN", None)

FACTS: Final[dict[Type, Facts]] = {
    BOOLEAN: Facts("boolean", "BOOLEAN", 10, ("bool", "logical")),
    INT8: Facts("int8", "TINYINT", 11, ("tinyint", "int1")),
    INT16: Facts("int16", "SMALLINT", 12, ("smallint", "int2", "short")),
    INT32: Facts("int32", "INTEGER", 13, ("integer", "int", "int4", "signed"), ("integral",)),
    INT64: Facts("int64", "BIGINT", 14, ("bigint", "long"), ("int8", "oid")),
    INT128: Facts("int128", "HUGEINT", 50, ("hugeint",), stored_as=_WIDE, shown_as=_WIDE),
    UINT8: Facts("uint8", "UTINYINT", 28, ("utinyint",), shown_as=INT16),
    UINT16: Facts("uint16", "USMALLINT", 29, ("usmallint",), shown_as=INT32),
    UINT32: Facts("uint32", "UINTEGER", 30, ("uinteger",), shown_as=INT64),
    UINT64: Facts("uint64", "UBIGINT", 31, ("ubigint",), shown_as=Decimal(20, 0)),
    UINT128: Facts("uint128", "UHUGEINT", 49, ("uhugeint",), stored_as=_WIDE, shown_as=_WIDE),
    FLOAT32: Facts("float32", "FLOAT", 22, ("float", "real", "float4")),
    FLOAT64: Facts("float64", "DOUBLE", 23, ("double", "float8", "double precision")),
    VARCHAR: Facts(
        "varchar",
        "VARCHAR",
        25,
        ("text", "string", "char", "bpchar"),
        ("nvarchar", "character", "char varying", "character varying"),
    ),
    JSON: Facts("json", "JSON", 25, stored_as=VARCHAR, shown_as=VARCHAR, has_bounds=False),
    BLOB: Facts("blob", "BLOB", 26, ("bytea", "binary", "varbinary"), has_bounds=False),
    UUID: Facts("uuid", "UUID", 54, (), ("guid",), shown_as=VARCHAR),
    DATE: Facts("date", "DATE", 15),
    TIME: Facts("time", "TIME", 16, shown_as=VARCHAR),
    TIMETZ: Facts(
        "timetz",
        "TIME WITH TIME ZONE",
        34,
        ("time with time zone",),
        stored_as=VARCHAR,
        shown_as=VARCHAR,
        is_ordered=False,
        has_bounds=False,
    ),
    TIMESTAMP: Facts("timestamp", "TIMESTAMP", 19, ("datetime", "timestamp_us")),
    TIMESTAMP_S: Facts("timestamp_s", "TIMESTAMP_S", 17, shown_as=TIMESTAMP),
    TIMESTAMP_MS: Facts("timestamp_ms", "TIMESTAMP_MS", 18, shown_as=TIMESTAMP),
    TIMESTAMP_NS: Facts("timestamp_ns", "TIMESTAMP_NS", 20, shown_as=VARCHAR),
    TIMESTAMPTZ: Facts("timestamptz", "TIMESTAMP WITH TIME ZONE", 32, ("timestamp with time zone",)),
    INTERVAL: Facts("interval", "INTERVAL", 27, stored_as=VARCHAR, shown_as=VARCHAR, has_bounds=False),
    GEOMETRY: _GEOMETRY,
    VARIANT: Facts(
        "variant", "VARIANT", 109, is_comparable=False, is_ordered=False, has_bounds=False, is_kept_as_text=False
    ),
    NULL: Facts("null", '"NULL"', 1),
}
"""What is known of each type that is neither nested nor a decimal."""

NESTED: Final[dict[type[Type], Facts]] = {
    List: Facts("list", "LIST", 101, has_bounds=False),
    Map: Facts("map", "MAP", 102, has_bounds=False),
    Struct: Facts("struct", "STRUCT", 100, has_bounds=False),
}
"""What is known of all lists, all maps and all structs."""
