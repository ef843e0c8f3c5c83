"""Values of every type that rows can be partitioned by, edges among them, and every transform that fits each."""

from typing import Final

from forklake.model.transforms import Function, Transform

VALUES: Final[dict[str, list[str]]] = {
    "boolean": ["true", "false"],
    "int8": ["-128", "-1", "0", "34", "127"],
    "int16": ["-32768", "0", "34", "32767"],
    "int32": ["-2147483648", "-1", "0", "34", "2147483647"],
    "int64": ["-9223372036854775808", "-1", "0", "34", "9223372036854775807"],
    "uint8": ["0", "34", "255"],
    "uint16": ["0", "34", "65535"],
    "uint32": ["0", "34", "4294967295"],
    "uint64": ["0", "1", "34", "18446744073709551615"],
    "int128": ["1", "34", "-99999999999999999999", "99999999999999999999999999999999999999"],
    "uint128": ["0", "34", "99999999999999999999999999999999999999"],
    "float32": ["1.5", "0.1", "0.0", "-0.0", "1e30", "1e-45", "inf", "-inf", "nan", "-nan"],
    "float64": ["1.5", "0.1", "0.0", "-0.0", "1e20", "1e300", "5e-324", "123456789012.5", "inf", "-inf", "nan", "-nan"],
    "decimal(4,1)": ["14.2", "-0.5", "0.0", "999.9"],
    "decimal(9,2)": ["14.20", "-14.20", "0.00"],
    "decimal(18,4)": ["-14.2000", "99999999999999.9999"],
    "decimal(38,10)": ["14.2000000000", "-12345.5000000000", "0.0000000001"],
    "varchar": ["iceberg", "", "ä€漢😀", "abc", "abcd", "abcde", "abcdefgh"],
    "json": ['{"a": 1}', "null"],
    "blob": ["abc", "\\x00\\x01\\x02\\x03", "\\x00\\xFF", ""],
    "uuid": ["f79c3e09-677c-4bbd-a479-3f349cb785e7", "00000000-0000-0000-0000-000000000000"],
    "date": ["2017-11-16", "1970-01-01", "1969-12-31", "1969-01-01", "0001-01-01", "9999-12-31"],
    "time": ["22:31:08.5", "00:00:00", "00:00:00.000001", "23:59:59.999999"],
    "timetz": ["22:31:08+02", "01:02:03.5-05:30", "00:00:00+00"],
    "timestamp": [
        "2017-11-16 22:31:08",
        "1970-01-01 00:00:00",
        "1969-12-31 23:59:59.999999",
        "1969-12-31 23:00:00",
        "1960-02-29 00:00:00.5",
        "0001-01-01 00:00:00",
    ],
    "timestamp_s": ["2017-11-16 22:31:08", "1970-01-01 00:00:00", "1969-12-31 23:59:59"],
    "timestamp_ms": ["2017-11-16 22:31:08.123", "1969-12-31 23:59:59.999", "1969-12-31 23:00:00"],
    "timestamp_ns": [
        "2017-11-16 22:31:08.123456789",
        "1970-01-01 00:00:00",
        "1969-12-31 23:59:59.999999999",
        "1969-12-31 23:59:59.999999",
        "2019-12-31 23:59:59.999999999",
    ],
    "timestamptz": [
        "2020-10-25 00:30:00+00",
        "2020-10-25 01:30:00+00",
        "1969-12-31 23:59:59.5+00",
        "2017-11-16 22:31:08+00",
    ],
    "interval": ["1 day", "1 year 2 months 03:00:00", "-1 days"],
}
BEYOND_SPARK: Final[dict[str, list[str]]] = {
    "date": ["0044-03-15 (BC)", "10000-01-01", "infinity", "-infinity"],
    "timestamp": ["0044-03-15 (BC) 12:00:00", "infinity", "-infinity"],
    "timestamptz": ["0044-03-15 (BC) 12:00:00+00", "infinity"],
    "timestamp_ns": ["infinity", "-infinity"],
}
"""Values that a frame of Spark is not made of here."""

_ALL: Final = [
    *(Transform(function) for function in Function if function is not Function.BUCKET),
    *(Transform.bucket(count) for count in (1, 16, 1009, 2**31 - 1)),
]
CASES: Final = [(kind, transform) for kind in VALUES for transform in _ALL if transform.accepts(kind)]
"""Each type with each transform that it can be partitioned by."""
