"""Aggregates, and functions that need a window."""

from __future__ import annotations

from typing import Final

from forklake.sql.vocabulary.declaration import Declaration, Nulls, declare


def _aggregate(names: str, parameters: str, result: str, meaning: str, nulls: Nulls = Nulls.LEFT_OUT) -> Declaration:
    return declare(names, parameters, result, meaning, nulls, "aggregate")


def _of_pairs(name: str, meaning: str) -> Declaration:
    return _aggregate(name, "y DOUBLE, x DOUBLE", "DOUBLE", meaning)


def _window(names: str, parameters: str, result: str, meaning: str) -> Declaration:
    return declare(names, parameters, result, meaning, Nulls.ARE_VALUES, "window")


AGGREGATES: Final[tuple[Declaration, ...]] = (
    _aggregate("count", "[value ANY]", "BIGINT", "How many rows there are, or how many values that are not NULL."),
    _aggregate("count_star", "", "BIGINT", "How many rows there are."),
    _aggregate("count_if countif", "test BOOLEAN", "HUGEINT", "How often the test is true."),
    _aggregate("approx_count_distinct", "value ANY", "BIGINT", "About how many different values there are."),
    _aggregate("sum", "x NUMBER", "NUMBER", "The sum; exact for whole numbers and decimals."),
    _aggregate("fsum sumkahan kahan_sum", "x DOUBLE", "DOUBLE", "The sum of floats."),
    _aggregate("avg mean", "x NUMBER", "DOUBLE", "The average."),
    _aggregate("favg", "x DOUBLE", "DOUBLE", "The average of floats."),
    _aggregate("product", "x DOUBLE", "DOUBLE", "The product."),
    _aggregate("min", "value T, [count BIGINT]", "T", "The least value, or a list of the least."),
    _aggregate("max", "value T, [count BIGINT]", "T", "The greatest value, or a list of the greatest."),
    _aggregate("arg_min argmin min_by", "value T, by ANY, [count BIGINT]", "T", "The value where another is least."),
    _aggregate("arg_max argmax max_by", "value T, by ANY, [count BIGINT]", "T", "The value where another is greatest."),
    _aggregate("any_value", "value T", "T", "The first value that is not NULL."),
    _aggregate("first arbitrary", "value T", "T", "The value of the first row.", Nulls.ARE_VALUES),
    _aggregate("last", "value T", "T", "The value of the last row.", Nulls.ARE_VALUES),
    _aggregate("list array_agg", "value T", "T[]", "All values as a list.", Nulls.ARE_VALUES),
    _aggregate(
        "string_agg group_concat listagg",
        "text VARCHAR, [separator VARCHAR]",
        "VARCHAR",
        "All texts as one, with commas or a separator between them.",
    ),
    _aggregate("histogram", "value T", "MAP(T, UBIGINT)", "How often each value occurs."),
    _aggregate("bool_and", "test BOOLEAN", "BOOLEAN", "Whether all are true."),
    _aggregate("bool_or", "test BOOLEAN", "BOOLEAN", "Whether any is true."),
    _aggregate("bit_and", "x INTEGER", "INTEGER", "The bits that all numbers have."),
    _aggregate("bit_or", "x INTEGER", "INTEGER", "The bits that any number has."),
    _aggregate("bit_xor", "x INTEGER", "INTEGER", "The bits that an odd count of numbers has."),
    _aggregate("median", "x ANY", "ANY", "The value in the middle, or what is between the two there."),
    _aggregate(
        "quantile_cont", "x ANY, share DOUBLE", "ANY", "The value below which a share is, between two if need be."
    ),
    _aggregate("quantile_disc quantile", "value T, share DOUBLE", "T", "The value of a row below which a share is."),
    _aggregate(
        "approx_quantile",
        "x NUMBER, share DOUBLE",
        "NUMBER",
        "About the value below which a share is, as DuckDB estimates.",
    ),
    _aggregate("mad", "x NUMBER", "NUMBER", "The median of the distances from the median."),
    _aggregate("entropy", "value ANY", "DOUBLE", "The entropy of the values, in bits."),
    _aggregate("geomean geometric_mean", "x DOUBLE", "DOUBLE", "The geometric mean."),
    _aggregate("weighted_avg wavg", "x NUMBER, weight NUMBER", "DOUBLE", "The average, in which numbers have weights."),
    _aggregate("skewness", "x DOUBLE", "DOUBLE", "The skewness of a sample."),
    _aggregate("kurtosis", "x DOUBLE", "DOUBLE", "The excess kurtosis of a sample."),
    _aggregate("kurtosis_pop", "x DOUBLE", "DOUBLE", "The excess kurtosis of a population."),
    _aggregate("sem", "x DOUBLE", "DOUBLE", "The standard error of the mean."),
    _aggregate("mode", "value T", "T", "The most frequent value."),
    _aggregate("stddev stddev_samp", "x DOUBLE", "DOUBLE", "The standard deviation of a sample."),
    _aggregate("stddev_pop", "x DOUBLE", "DOUBLE", "The standard deviation of a population."),
    _aggregate("variance var_samp", "x DOUBLE", "DOUBLE", "The variance of a sample."),
    _aggregate("var_pop", "x DOUBLE", "DOUBLE", "The variance of a population."),
    _of_pairs("corr", "The correlation."),
    _of_pairs("covar_pop", "The covariance of a population."),
    _of_pairs("covar_samp", "The covariance of a sample."),
    _of_pairs("regr_slope", "The slope of the line through the points."),
    _of_pairs("regr_intercept", "Where the line through the points meets the axis of y."),
    _of_pairs("regr_r2", "How well the line fits the points, from 0 to 1."),
    declare("regr_count", "y DOUBLE, x DOUBLE", "UINTEGER", "How many pairs have both.", Nulls.LEFT_OUT, "aggregate"),
    _of_pairs("regr_sxx", "The sum of squares of the distances of x from its average."),
    _of_pairs("regr_syy", "The same of y."),
    _of_pairs("regr_sxy", "The sum of products of both distances."),
    _of_pairs("regr_avgx", "The average of x where y is there, too."),
    _of_pairs("regr_avgy", "The average of y where x is there, too."),
)
WINDOW_FUNCTIONS: Final[tuple[Declaration, ...]] = (
    _window("row_number", "", "BIGINT", "The number of the row, from 1."),
    _window("rank", "", "BIGINT", "The number of the first row that is equal in order."),
    _window("dense_rank rank_dense", "", "BIGINT", "The same, with no number left out."),
    _window("percent_rank", "", "DOUBLE", "The rank from 0 to 1."),
    _window("cume_dist", "", "DOUBLE", "The share of rows that come before, or are equal in order."),
    _window(
        "ntile", "count BIGINT", "BIGINT", "The number of the part, when the rows are divided into as many equal ones."
    ),
    _window("lag", "value T, [offset BIGINT], [default T]", "T", "The value of a row before."),
    _window("lead", "value T, [offset BIGINT], [default T]", "T", "The value of a row after."),
    _window("first_value", "value T", "T", "The value of the first row of the frame."),
    _window("last_value", "value T", "T", "The value of the last row of the frame."),
    _window("nth_value", "value T, place BIGINT", "T", "The value of a row of the frame, counted from 1."),
)
