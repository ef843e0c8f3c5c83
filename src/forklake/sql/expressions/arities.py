"""How many arguments each function takes, so that no argument is silently ignored.

Listed are the functions that both DuckDB and forklake have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_MANY: Final = 1000
_NAMES: Final[Mapping[tuple[int, int], str]] = {
    (0, 1): "count",
    (0, 2): "map",
    (0, 0): (
        "count_star cume_dist current_date dense_rank gen_random_uuid get_current_timestamp now percent_rank pi "
        "random rank rank_dense row_number today transaction_timestamp uuid uuidv4 uuidv7"
    ),
    (1, 1): (
        "abs acos acosh any_value approx_count_distinct arbitrary array_agg array_distinct array_reverse array_unique "
        "ascii asin asinh atan atanh avg base64 bin bit_and bit_count bit_length bit_or bit_xor bool_and bool_or cbrt "
        "ceil ceiling century char_length character_length chr cos cosh cot count_if countif day dayname dayofmonth "
        "dayofweek dayofyear decade degrees encode epoch epoch_ms epoch_ns epoch_us era error even exp factorial favg "
        "first first_value flatten floor from_base64 from_hex fsum hex hour isfinite isinf isnan isodow isoyear json "
        "json_valid kahan_sum last last_day last_value lcase len length list list_any_value list_avg list_bool_and "
        "list_bool_or list_count list_distinct list_first list_last list_max list_min list_product list_reverse "
        "list_string_agg list_sum list_unique ln log10 log2 lower map_entries map_from_entries map_keys map_values "
        "md5 md5_number mean median microsecond millennium millisecond minute mode month monthname ntile octet_length "
        "ord pg_typeof product quarter radians reverse second setseed sha1 sha256 sign sin sinh sqrt stddev "
        "stddev_pop stddev_samp strlen struct_keys sum sumkahan tan tanh to_base64 to_centuries to_days to_decades "
        "to_hex to_hours to_microseconds to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds "
        "to_timestamp to_weeks to_years typeof ucase unhex unicode upper uuid_extract_timestamp "
        "uuid_extract_version var_pop var_samp variance week weekday "
        "weekofyear year yearweek"
    ),
    (1, 2): (
        "age array_length array_reverse_sort decode group_concat histogram json_array_length json_keys json_type "
        "list_reverse_sort listagg log ltrim max min quantile quantile_disc round rtrim string_agg subtract timezone "
        "trim trunc"
    ),
    (1, 3): "array_sort generate_series lag lead list_sort make_date range",
    (1, 6): "make_timestamp",
    (1, _MANY): "cardinality concat format greatest hash least printf",
    (2, 2): (
        "^@ apply array_append array_apply array_contains array_extract array_filter array_has array_has_all "
        "array_has_any array_indexof array_intersect array_position array_prepend array_push_back array_push_front "
        "array_select array_to_string array_transform atan2 contains corr covar_pop covar_samp date_add date_part "
        "date_trunc datepart datetrunc divide editdist3 element_at ends_with filter fmod gcd greatest_common_divisor "
        "instr json_extract json_extract_path json_extract_path_text json_extract_string lcm least_common_multiple "
        "left left_grapheme levenshtein list_append list_apply list_contains list_element list_extract list_filter "
        "list_has list_has_all list_has_any list_indexof list_intersect list_position list_prepend list_select "
        "list_transform map_contains map_extract map_extract_value mod multiply nth_value nullif position pow power "
        "prefix quantile_cont regr_avgx regr_avgy regr_intercept regr_r2 regr_slope repeat right right_grapheme split "
        "starts_with str_split strftime string_split string_to_array strpos strptime struct_extract struct_extract_at "
        "suffix try_strptime xor"
    ),
    (2, 3): (
        "arg_max arg_min argmax argmin array_reduce array_resize list_reduce list_resize max_by min_by reduce "
        "regexp_full_match regexp_matches regexp_split_to_array str_split_regex string_split_regex substr substring"
    ),
    (2, 4): "regexp_extract regexp_extract_all",
    (2, _MANY): "aggregate array_aggr array_aggregate concat_ws constant_or_null list_aggr list_aggregate",
    (3, 3): "date_diff date_sub datediff datesub lpad make_time replace rpad split_part translate",
    (3, 4): "array_slice list_slice regexp_replace",
}
"""Names of functions by their least and most arguments."""
_COUNTS: Final[Mapping[str, tuple[int, int]]] = {
    name: counts for counts, names in _NAMES.items() for name in names.split()
}


def takes(name: str, count: int) -> bool:
    """Return whether a function, named in lower case, takes this many arguments.

    A function that is not listed here takes any number.

    >>> takes("upper", 1), takes("upper", 2), takes("greatest", 9), takes("a_macro", 3)
    (True, False, True, True)
    """
    least, most = _COUNTS.get(name, (0, _MANY))
    return least <= count <= most


def takes_fewer(name: str, count: int) -> bool:
    """Return whether this many arguments are too many for a function."""
    return name in _COUNTS and count > _COUNTS[name][1]
