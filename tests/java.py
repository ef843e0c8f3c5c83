"""The Java processes of the tests: short lives, for which Java is told not to prepare for long ones.

``python -m tests.java`` writes the classes that Spark loads to an archive in the virtual environment, ready for use. A
Java process that finds it there starts with a third of the work; one that does not fit it leaves it alone.
"""

import os
import sys
import tempfile
from pathlib import Path

ARCHIVE = Path(sys.prefix) / "spark.jsa"
OPTIONS = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:MetaspaceSize=400m -Xshare:auto -Xlog:disable"
"""Code is compiled once, quickly, and kept: by default there is little room, and what is thrown out is compiled again.

Classes are not collected at the start, when nearly all are in use. What Java says of an archive is of no interest.
"""


def start_quickly() -> None:
    """Let every Spark that this process or a child of it starts have these options, unless the caller has said any."""
    os.environ.setdefault("SPARK_SUBMIT_OPTS", with_archive())


def with_archive() -> str:
    """Return the options, and the archive if there is one."""
    return f'{OPTIONS} "-XX:SharedArchiveFile={ARCHIVE}"' if ARCHIVE.exists() else OPTIONS


def write_archive() -> None:
    """Run some of everything, and write the classes that this took to the archive."""
    from forklake import Settings, connect  # noqa: PLC0415 - after the options are set
    from forklake.engine.spark.driver import gateway  # noqa: PLC0415

    written = ARCHIVE.with_suffix(".new")
    with tempfile.TemporaryDirectory() as directory:
        os.environ["SPARK_SUBMIT_OPTS"] = f'{OPTIONS} "-XX:ArchiveClassesAtExit={written}"'
        settings = Settings(spark={"spark.master": "local[2]", "spark.driver.memory": "1g"})
        with connect(settings=settings) as connection:
            connection.sql(_SOME_OF_EVERYTHING.format(directory=directory))
            java = gateway.process()
            assert java is not None
            assert java.stdin is not None
            java.stdin.close()  # the way it is told to end
            java.wait()
    written.replace(ARCHIVE)


_SOME_OF_EVERYTHING = """
ATTACH 'ducklake:{directory}/lake.db' AS shop (CATALOG 'shop', DATA_PATH '{directory}/data', CREATE_IF_NOT_EXISTS true);
USE shop; SET engine = 'spark';
CREATE TABLE orders AS SELECT i AS id, 'item ' || i AS item, uuid() AS key, i / 3.0 AS price FROM range(3000) t(i);
INSERT INTO orders SELECT id + 3000, upper(item), key, price FROM orders WHERE id % 7 < 3;
UPDATE orders SET price = price * 2 WHERE id % 100 = 7;
DELETE FROM orders WHERE id > 1000;
MERGE INTO orders USING (SELECT i AS id FROM range(995, 1005) t(i)) s USING (id)
  WHEN MATCHED THEN UPDATE SET item = 'merged' WHEN NOT MATCHED THEN INSERT (id, item) VALUES (id, 'new');
SELECT item, count(*), sum(price), list(id ORDER BY id), row_number() OVER (ORDER BY item)
  FROM orders JOIN (SELECT DISTINCT id AS other FROM orders) ON id = other GROUP BY item ORDER BY ALL LIMIT 5;
"""

if __name__ == "__main__":
    write_archive()
