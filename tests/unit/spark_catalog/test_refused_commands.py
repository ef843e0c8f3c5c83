"""Which commands of Spark are refused in our words, by how they begin."""

import pytest

from forklake.errors import InvalidInputError
from forklake.spark_catalog.refused_commands import check_command


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE shop.main.orders ADD CONSTRAINT c CHECK (id > 0)",
        "alter table `a b`.main.`x``y`\n  add constraint c primary key (id)",
        "-- why\n/* and\nhow */ ALTER TABLE t DROP CONSTRAINT IF EXISTS c",
        "ALTER TABLE t ADD IF NOT EXISTS PARTITION (d = 1)",
        "ALTER TABLE t DROP PARTITION (d = 1)",
        "ALTER TABLE t PARTITION (d = 1) RENAME TO PARTITION (d = 2)",
        "ALTER TABLE t RECOVER PARTITIONS",
        "MSCK REPAIR TABLE t",
        "TRUNCATE TABLE t PARTITION (d = 1)",
        "ANALYZE TABLE t COMPUTE STATISTICS",
        "LOAD DATA INPATH 'x' INTO TABLE t",
        "ALTER TABLE t SET SERDEPROPERTIES ('a' = 'b')",
        "SHOW CREATE TABLE t AS SERDE",
        "CREATE INDEX i ON t (id)",
        "CREATE TABLE IF NOT EXISTS s LIKE t",
        "/**/" * 100 + "ANALYZE TABLE t",
    ],
)
def test_a_command_without_use_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(InvalidInputError, match="nothing was done") as found:
        check_command(text)
    assert found.value.hint


@pytest.mark.parametrize(
    "text",
    [
        "ALTER TABLE t ADD COLUMN partition INT",
        "ALTER TABLE t ALTER COLUMN c COMMENT 'DROP CONSTRAINT, ANALYZE TABLE t'",
        "ALTER TABLE t DROP COLUMN constraint",
        "ALTER TABLE t SET TBLPROPERTIES ('serde' = 'x')",
        "CREATE TABLE s AS SELECT * FROM t WHERE a LIKE 'x'",
        "SHOW CREATE TABLE t",
        "TRUNCATE TABLE t",
        "SELECT 1 -- ANALYZE TABLE t",
        "/* one of many */ " * 100 + "SELECT 1",
    ],
)
def test_other_statements_go_on(text: str) -> None:
    check_command(text)
