"""Functions of numbers."""

from __future__ import annotations

from typing import Final

from forklake.sql.vocabulary.declaration import Declaration, declare


def _of_double(name: str, meaning: str) -> Declaration:
    return declare(name, "x DOUBLE", "DOUBLE", meaning)


NUMBER_FUNCTIONS: Final[tuple[Declaration, ...]] = (
    declare("abs", "x NUMBER", "NUMBER", "The number without its sign."),
    declare("sign", "x NUMBER", "TINYINT", "-1, 0 or 1, as the number is negative, zero or positive."),
    declare("floor", "x NUMBER", "NUMBER", "The greatest whole number that is not greater."),
    declare("ceil ceiling", "x NUMBER", "NUMBER", "The least whole number that is not less."),
    declare(
        "round", "x NUMBER, [digits INTEGER]", "NUMBER", "The number rounded to digits after the point, halves up."
    ),
    declare(
        "round_even roundbankers",
        "x NUMBER, digits INTEGER",
        "NUMBER",
        "The number rounded to digits after the point, halves to the even digit.",
    ),
    declare("trunc", "x NUMBER, [digits INTEGER]", "NUMBER", "The number cut to digits after the point."),
    declare("even", "x DOUBLE", "DOUBLE", "The next even number away from zero."),
    declare("mod", "x NUMBER, y NUMBER", "NUMBER", "The remainder of a division; NULL by zero."),
    declare("fmod", "x NUMBER, y NUMBER", "NUMBER", "The remainder of a division rounded down."),
    declare("fdiv", "x NUMBER, y NUMBER", "DOUBLE", "The quotient rounded down."),
    declare("add", "x NUMBER, y NUMBER | x MOMENT, y INTERVAL", "ANY", "The sum, as by +."),
    declare("subtract", "x ANY, y ANY", "ANY", "The difference, as by -."),
    declare("multiply", "x NUMBER, y NUMBER", "NUMBER", "The product, as by *."),
    declare("divide", "x NUMBER, y NUMBER", "NUMBER", "The quotient without its fraction, as by //; NULL by zero."),
    declare("gcd greatest_common_divisor", "x BIGINT, y BIGINT", "BIGINT", "The greatest number that divides both."),
    declare("lcm least_common_multiple", "x BIGINT, y BIGINT", "BIGINT", "The least number that both divide."),
    declare("factorial", "x INTEGER", "HUGEINT", "The product of all whole numbers from 1."),
    declare("xor", "x INTEGER, y INTEGER", "INTEGER", "The bits that one number has, but not both."),
    declare("bit_count", "x INTEGER", "TINYINT", "How many bits are set."),
    declare("pow power", "x DOUBLE, y DOUBLE", "DOUBLE", "A number to the power of another."),
    _of_double("sqrt", "The square root."),
    _of_double("cbrt", "The cube root."),
    _of_double("exp", "e to the power of the number."),
    _of_double("ln", "The natural logarithm."),
    declare("log", "x DOUBLE | base DOUBLE, x DOUBLE", "DOUBLE", "The logarithm to base 10, or to another."),
    _of_double("log2", "The logarithm to base 2."),
    _of_double("log10", "The logarithm to base 10."),
    _of_double("sin", "The sine of an angle in radians."),
    _of_double("cos", "The cosine."),
    _of_double("tan", "The tangent."),
    _of_double("cot", "The cotangent."),
    _of_double("asin", "The angle of a sine."),
    _of_double("acos", "The angle of a cosine."),
    _of_double("atan", "The angle of a tangent."),
    declare("atan2", "y DOUBLE, x DOUBLE", "DOUBLE", "The angle of a point."),
    _of_double("sinh", "The hyperbolic sine."),
    _of_double("cosh", "The hyperbolic cosine."),
    _of_double("tanh", "The hyperbolic tangent."),
    _of_double("asinh", "The inverse hyperbolic sine."),
    _of_double("acosh", "The inverse hyperbolic cosine."),
    _of_double("atanh", "The inverse hyperbolic tangent."),
    _of_double("degrees", "An angle in radians, in degrees."),
    _of_double("radians", "An angle in degrees, in radians."),
    _of_double("gamma", "The gamma function: the factorial of the number below, for all numbers."),
    _of_double("lgamma", "The logarithm of the gamma function."),
    declare("nextafter", "x DOUBLE, toward DOUBLE", "DOUBLE", "The next float in the direction of another."),
    declare("signbit", "x DOUBLE", "BOOLEAN", "Whether the sign of a float is set, as it is of -0.0."),
    declare("pi", "", "DOUBLE", "The ratio of a circle's circumference to its diameter."),
    declare("random", "", "DOUBLE", "A random number from 0 up to, but not including, 1.", is_varying=True),
    declare("isnan", "x DOUBLE", "BOOLEAN", "Whether it is NaN."),
    declare("isinf", "x DOUBLE | x MOMENT", "BOOLEAN", "Whether it is infinite."),
    declare("isfinite", "x DOUBLE | x MOMENT", "BOOLEAN", "Whether it is neither infinite nor NaN."),
)
