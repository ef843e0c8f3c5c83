"""The size of a lake in the text format of OpenMetrics, which Prometheus reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from forklake import LakeStats

Sample = tuple[dict[str, str], int]


def openmetrics(stats: LakeStats) -> Iterator[str]:
    """Yield the lines of the exposition, the last one ``# EOF``."""
    yield from _family(
        "forklake_catalogs",
        "gauge",
        "Live catalogs, by whether they were forked.",
        [({"kind": "root"}, stats.root_count), ({"kind": "fork"}, stats.fork_count)],
    )
    yield from _family(
        "forklake_dropped_catalogs", "gauge", "Dropped catalogs that can be brought back.", [({}, stats.dropped_count)]
    )
    made = stats.catalog_count + stats.dropped_count + stats.purged_count
    yield from _family("forklake_catalogs_made", "counter", "Catalogs that were ever made.", [({}, made)])
    yield from _family(
        "forklake_catalogs_purged", "counter", "Catalogs that were given up for good.", [({}, stats.purged_count)]
    )
    yield from _family(
        "forklake_snapshots", "gauge", "Retained snapshots of all catalogs.", [({}, stats.snapshot_count)]
    )
    yield from _family(
        "forklake_metadata_bytes", "gauge", "Size of the metadata database.", [({}, stats.byte_count)], unit="bytes"
    )
    yield from _family(
        "forklake_metadata_table_rows",
        "gauge",
        "Rows of a metadata table, estimated if it is large.",
        [({"table": each.name}, each.row_count) for each in stats.tables],
    )
    yield from _family(
        "forklake_metadata_table_bytes",
        "gauge",
        "Size of a metadata table with its indexes.",
        [({"table": each.name}, each.byte_count) for each in stats.tables if each.byte_count is not None],
        unit="bytes",
    )
    yield from _files_and_needs(stats)
    yield "# EOF"


def _files_and_needs(stats: LakeStats) -> Iterator[str]:
    yield from _family(
        "forklake_files", "gauge", "Data files and delete files that rows name.", [({}, stats.file_count)]
    )
    yield from _family(
        "forklake_file_bytes",
        "gauge",
        "Bytes of these files: all, shown by live catalogs, seen by forks too, free if dropped catalogs were purged.",
        [
            ({"of": "all"}, stats.file_byte_count),
            ({"of": "live"}, stats.live_byte_count),
            ({"of": "shared"}, stats.shared_byte_count),
            ({"of": "freed"}, stats.freed_byte_count),
        ],
        unit="bytes",
    )
    yield from _family(
        "forklake_maintenance_needs",
        "gauge",
        "Catalogs, or for cleanup files, that a verb of maintenance would act on.",
        [({"verb": verb}, count) for verb, count in stats.needs.counts.items()],
    )
    yield from _family(
        "forklake_scheduled_files", "gauge", "Files that wait for deletion.", [({}, stats.needs.scheduled_count)]
    )
    yield from _family(
        "forklake_due_catalogs", "gauge", "Catalogs that wait for collection.", [({}, stats.needs.due_count)]
    )


def _family(name: str, kind: str, about: str, samples: Sequence[Sample], unit: str | None = None) -> Iterator[str]:
    """Yield the lines of one metric; that of a counter ends in ``_total``."""
    yield f"# TYPE {name} {kind}"
    if unit is not None:
        yield f"# UNIT {name} {unit}"
    yield f"# HELP {name} {about}"
    suffix = "_total" if kind == "counter" else ""
    for labels, value in samples:
        inner = ",".join(f'{key}="{_escape(text)}"' for key, text in labels.items())
        yield f"{name}{suffix}{f'{{{inner}}}' if inner else ''} {value}"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
