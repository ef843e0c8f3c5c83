"""Options: what they may be."""

import pytest

from forklake.model.option_rules import OPTIONS, normalise


@pytest.mark.parametrize(
    ("key", "value", "stored"),
    [
        ("auto_compact", True, "true"),
        ("auto_compact", "FALSE", "false"),
        ("auto_compact", 1, "true"),
        ("parquet_version", 2, "V2"),
        ("parquet_version", "v1", "V1"),
        ("parquet_compression", "ZSTD", "zstd"),
        ("parquet_row_group_size", "1000", "1000"),
        ("parquet_row_group_size_bytes", "1 GiB", "1 GiB"),
        ("small_writes", "SPARK", "spark"),
        ("data_inlining_row_limit", 0, "0"),
        ("rewrite_delete_threshold", 0.5, "0.5"),
        ("rewrite_delete_threshold", "1", "1"),
        ("target_file_size", "1GB", "1GB"),
    ],
)
def test_a_value_is_stored_in_one_form(key: str, value: object, stored: str) -> None:
    assert normalise(key, value) == stored
    assert normalise(key, stored) == stored


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("auto_compact", "maybe"),
        ("auto_compact", 2),
        ("parquet_version", -1),
        ("parquet_version", 1.5),
        ("parquet_version", ""),
        ("parquet_version", "²"),
        ("parquet_version", 3),
        ("parquet_compression", "lzo"),
        ("parquet_row_group_size", 0),
        ("parquet_row_group_size_bytes", "0"),
        ("target_file_size", "large"),
        ("target_file_size", "-1MB"),
        ("data_inlining_row_limit", "²"),
        ("small_writes", "worker"),
        ("rewrite_delete_threshold", -0.1),
        ("rewrite_delete_threshold", 1.1),
        ("rewrite_delete_threshold", "nan"),
        ("rewrite_delete_threshold", "half"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(key: str, value: object) -> None:
    with pytest.raises(ValueError, match=f'Option "{key}"'):
        normalise(key, value)


def test_every_default_is_a_value_the_option_can_have() -> None:
    for key, kind in OPTIONS.items():
        assert kind.description
        assert kind.default is None or normalise(key, kind.default) == kind.default
