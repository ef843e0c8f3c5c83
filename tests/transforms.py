"""Values of every type that rows can be partitioned by, edges among them, and every transform that fits each."""

from typing import Final

from forklake.model import types
from forklake.model.transforms import Function, Transform
from forklake.model.types import Type

VALUES: Final[dict[Type, list[str]]] = {
    types.BOOLEAN: ["true", "false"],
    types.INT8: ["-128", "-1", "0", "34", "127"],
    types.INT16: ["-32768", "0", "34", "32767"],
    types.INT32: ["-2147483648", "-1", "0", "34", "2147483647"],
    types.INT64: ["-9223372036854775808", "-1", "0", "34", "9223372036854775807"],
    types.UINT8: ["0", "34", "255"],
    types.UINT16: ["0", "34", "65535"],
    types.UINT32: ["0", "34", "4294967295"],
    types.UINT64: ["0", "1", "34", "18446744073709551615"],
    types.INT128: ["1", "34", "-99999999999999999999", "99999999999999999999999999999999999999"],
    types.UINT128: ["0", "34", "99999999999999999999999999999999999999"],
    types.FLOAT32: ["1.5", "0.1", "0.0", "-0.0", "1e30", "1e-45", "inf", "-inf", "nan", "-nan"],
    types.FLOAT64: [
        "1.5",
        "0.1",
        "0.0",
        "-0.0",
        "1e20",
        "1e300",
        "5e-324",
        "123456789012.5",
        "inf",
        "-inf",
        "nan",
        "-nan",
    ],
    types.Decimal(4, 1): ["14.2", "-0.5", "0.0", "999.9"],
    types.Decimal(9, 2): ["14.20", "-14.20", "0.00"],
    types.Decimal(18, 4): ["-14.2000", "99999999999999.9999"],
    types.Decimal(38, 10): ["14.2000000000", "-12345.5000000000", "0.0000000001"],
    types.VARCHAR: ["iceberg", "", "ä€漢😀", "abc", "abcd", "abcde", "abcdefgh"],
    types.JSON: ['{"a": 1}', "null"],
    types.BLOB: ["abc", "\\x00\\x01\\x02\\x03", "\\x00\\xFF", ""],
    types.UUID: ["f79c3e09-677c-4bbd-a479-3f349cb785e7", "00000000-0000-0000-0000-000000000000"],
    types.DATE: ["2017-11-16", "1970-01-01", "1969-12-31", "1969-01-01", "0001-01-01", "9999-12-31"],
    types.TIME: ["22:31:08.5", "00:00:00", "00:00:00.000001", "23:59:59.999999"],
    types.TIMETZ: ["22:31:08+02", "01:02:03.5-05:30", "00:00:00+00"],
    types.TIMESTAMP: [
        "2017-11-16 22:31:08",
        "1970-01-01 00:00:00",
        "1969-12-31 23:59:59.999999",
        "1969-12-31 23:00:00",
        "1960-02-29 00:00:00.5",
        "0001-01-01 00:00:00",
    ],
    types.TIMESTAMP_S: ["2017-11-16 22:31:08", "1970-01-01 00:00:00", "1969-12-31 23:59:59"],
    types.TIMESTAMP_MS: ["2017-11-16 22:31:08.123", "1969-12-31 23:59:59.999", "1969-12-31 23:00:00"],
    types.TIMESTAMP_NS: [
        "2017-11-16 22:31:08.123456789",
        "1970-01-01 00:00:00",
        "1969-12-31 23:59:59.999999999",
        "1969-12-31 23:59:59.999999",
        "2019-12-31 23:59:59.999999999",
    ],
    types.TIMESTAMPTZ: [
        "2020-10-25 00:30:00+00",
        "2020-10-25 01:30:00+00",
        "1969-12-31 23:59:59.5+00",
        "2017-11-16 22:31:08+00",
    ],
    types.INTERVAL: ["1 day", "1 year 2 months 03:00:00", "-1 days"],
}
BEYOND_SPARK: Final[dict[Type, list[str]]] = {
    types.DATE: ["0044-03-15 (BC)", "10000-01-01", "infinity", "-infinity"],
    types.TIMESTAMP: ["0044-03-15 (BC) 12:00:00", "infinity", "-infinity"],
    types.TIMESTAMPTZ: ["0044-03-15 (BC) 12:00:00+00", "infinity"],
    types.TIMESTAMP_NS: ["infinity", "-infinity"],
}
"""Values that a frame of Spark is not made of here."""

_ALL: Final = [
    *(Transform(function) for function in Function if function is not Function.BUCKET),
    *(Transform.bucket(count) for count in (1, 16, 1009, 2**31 - 1)),
]
CASES: Final = [(kind, transform) for kind in VALUES for transform in _ALL if transform.accepts(kind)]
"""Each type with each transform that it can be partitioned by."""
