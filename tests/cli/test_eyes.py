"""What shows the state of a lake to machines: ping, and the format that Prometheus reads."""

import json
import re
from pathlib import Path

import pytest

from forklake import LakeStats, TableSize
from forklake.cli.openmetrics import openmetrics
from tests.cli.terminal import make_shop, run

FAMILY = re.compile(r"# (TYPE|UNIT|HELP) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)")
SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)+)\})? (\d+)')


def parsed(text: str) -> dict[str, dict[str, int]]:
    """Read the text format of OpenMetrics as strictly as its grammar is, and return the samples of each metric.

    Each metric is told of in one place, its type first; units end its name; counters end in ``_total``.
    """
    assert text.endswith("# EOF\n")
    metrics: dict[str, dict[str, int]] = {}
    kinds: dict[str, str] = {}
    for line in text.removesuffix("# EOF\n").splitlines():
        told = FAMILY.fullmatch(line)
        if told:
            word, name, rest = told.groups()
            assert (name not in metrics) == (word == "TYPE"), line
            assert word == "TYPE" or name == list(metrics)[-1], line
            metrics.setdefault(name, {})
            if word == "TYPE":
                assert rest in ("gauge", "counter")
                kinds[name] = rest
            assert word != "UNIT" or name.endswith(f"_{rest}")
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample, line
        name, labels, value = sample.groups()
        family = list(metrics)[-1]
        assert name == family + ("_total" if kinds[family] == "counter" else "")
        assert (labels or "") not in metrics[family]
        metrics[family][labels or ""] = int(value)
    return metrics


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path)


def test_ping_tells_product_version_and_time(shop: Path, tmp_path: Path) -> None:
    said = run("ping", lake=shop)
    assert (said.code, bool(re.fullmatch(r"sqlite, metadata of version \d+: \d+\.\d ms\n", said.out))) == (0, True)
    assert json.loads(run("ping", "--json", lake=shop).out).keys() == {"product", "version", "milliseconds"}
    assert run("ping", lake=tmp_path / "missing.db").code == 3
    (tmp_path / "other.db").write_bytes(b"no database at all")
    assert run("ping", lake=tmp_path / "other.db").code == 8
    assert run("ping", lake="postgresql://nobody@127.0.0.1:9/none").code == 8


def test_metrics_are_those_of_the_lake(shop: Path) -> None:
    run("catalog", "drop", "audit", lake=shop)
    found = parsed(run("stats", "--openmetrics", lake=shop).out)
    assert found["forklake_catalogs"] == {'kind="root"': 1, 'kind="fork"': 2}
    assert found["forklake_dropped_catalogs"] == {"": 1}
    assert found["forklake_catalogs_made"] == {"": 4}
    assert found["forklake_metadata_table_rows"]['table="ducklake_head"'] == 4
    assert found["forklake_metadata_bytes"][""] > 0
    assert found["forklake_maintenance_needs"]['verb="cleanup"'] == 0
    assert found["forklake_file_bytes"].keys() == {f'of="{of}"' for of in ("all", "live", "shared", "freed")}
    assert run("stats", "--openmetrics", "--json", lake=shop).code == 2


def test_stats_tell_the_bytes_of_files_and_what_maintenance_would_do(shop: Path) -> None:
    run("catalog", "drop", "audit", lake=shop)
    said = run("stats", lake=shop).out
    assert re.search(r"^Would free: +\d+ B if the dropped catalogs were purged$", said, re.MULTILINE)
    assert re.search(r"^compact +\d+ catalogs?$", said, re.MULTILINE)
    assert re.search(r"^cleanup +0 files of 0 that wait; 0 catalogs to collect$", said, re.MULTILINE)
    assert re.search(r"^purge +1 dropped catalog$", said, re.MULTILINE)
    found = json.loads(run("stats", "--json", lake=shop).out)
    assert found["needs"].keys() == {"reap", "flush", "expire", "compact", "rewrite", "cleanup"}
    assert found["shared_byte_count"] <= found["file_byte_count"]


def test_labels_are_escaped() -> None:
    stats = LakeStats(0, 0, 0, 0, 0, 0, 0, (TableSize('a"b\\c\nd', 1, False, None),), ())
    assert parsed("\n".join(openmetrics(stats)) + "\n")["forklake_metadata_table_rows"] == {r'table="a\"b\\c\nd"': 1}


def test_stats_leave_out_empty_tables_of_the_metadata(shop: Path) -> None:
    said = run("stats", lake=shop).out
    assert re.search(r"^ducklake_catalog +4 ", said, re.MULTILINE)
    assert "ducklake_quota" not in said
    assert re.search(r"^\d+ other tables without rows$", said, re.MULTILINE)
