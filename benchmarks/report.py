"""Figures, and the three ways to show them: a table, JSON, Markdown."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import groupby
from math import log
from typing import Any, Literal

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Aim:
    """What a figure should reach, as a ratio to its reference or by itself."""

    sense: Literal["at most", "at least"]
    bound: float
    of: Literal["ratio", "value"] = "ratio"


@dataclass(frozen=True, slots=True)
class Figure:
    """One measurement beside its reference from the same run."""

    group: str
    name: str
    value: float
    unit: str
    reference: float | None = None
    reference_name: str = ""
    aim: Aim | None = None

    @property
    def ratio(self) -> float | None:
        """The value as a multiple of the reference."""
        return self.value / self.reference if self.reference else None

    @property
    def is_met(self) -> bool | None:
        """Whether the aim is reached; None if there is none."""
        if self.aim is None:
            return None
        reached = self.value if self.aim.of == "value" else self.ratio
        if reached is None:
            return False
        return reached <= self.aim.bound if self.aim.sense == "at most" else reached >= self.aim.bound

    def as_json(self) -> dict[str, Any]:
        """Return all that is known of the figure."""
        return asdict(self) | {"ratio": self.ratio, "met": self.is_met}

    def cells(self) -> tuple[str, ...]:
        """Return the figure as a row of a table."""
        aim = ""
        if self.aim is not None:
            sign = "≤" if self.aim.sense == "at most" else "≥"
            aim = f"{sign} {_number(self.aim.bound)}{'x' if self.aim.of == 'ratio' else f' {self.unit}'}"
        reference = "" if self.reference is None else f"{_number(self.reference)} {self.unit}"
        return (
            self.name,
            f"{_number(self.value)} {self.unit}",
            reference,
            self.reference_name,
            "" if self.ratio is None else f"{_number(self.ratio)}x",
            aim,
            {None: "", True: "yes", False: "NO"}[self.is_met],
        )


COLUMNS = ("what", "ours", "reference", "which is", "ratio", "aim", "met")


def machine() -> dict[str, str]:
    """Describe the machine and the programs in words that are the same on every machine of its kind."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "cores": str(os.cpu_count()),
        "memory": f"{memory:.0f} GiB",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "psycopg": version("psycopg"),
    }


def to_json(figures: Iterable[Figure], about: Mapping[str, str]) -> str:
    """Return everything as one JSON document."""
    return json.dumps(
        {
            "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "machine": dict(about),
            "figures": [figure.as_json() for figure in figures],
        },
        indent=2,
    )


def show(figures: Sequence[Figure], console: Console) -> None:
    """Print a table for each group."""
    for group, members in groupby(figures, key=lambda figure: figure.group):
        table = Table(title=group, title_justify="left", title_style="bold")
        for column in COLUMNS:
            table.add_column(column, justify="right" if column in ("ours", "reference", "ratio", "aim") else "left")
        for figure in members:
            style = {None: None, True: "green", False: "red"}[figure.is_met]
            *cells, met = figure.cells()
            table.add_row(*cells, f"[{style}]{met}[/]" if style else met)
        console.print(table)


def to_markdown(figures: Sequence[Figure], about: Mapping[str, str], runs: int) -> str:
    """Return a page with a Markdown table for each group."""
    programs = ", ".join(
        f"{name} {about[name]}" for name in ("python", "psycopg", "postgres", "sqlite") if name in about
    )
    chosen = (
        ""
        if runs == 1
        else f" Of {runs} runs of each benchmark the least disturbed is shown, judged by its references."
    )
    lines = [
        "# Benchmarks",
        "",
        f"Measured on {datetime.now(UTC):%Y-%m-%d} on {about['cores']} cores and {about['memory']} of memory"
        f" ({about['system']}; {programs}) by `make bench`, with fsync on.{chosen}",
        "",
        "The machine is shared, so the times wander; each figure stands beside its reference from the same run, and"
        " the ratio is what counts. The client and the server share the cores.",
        "",
    ]
    for group, members in groupby(figures, key=lambda figure: figure.group):
        lines += [f"## {group[0].upper()}{group[1:]}", "", f"| {' | '.join(COLUMNS)} |"]
        lines.append("|---|--:|--:|---|--:|--:|---|")
        lines += [f"| {' | '.join(figure.cells())} |" for figure in members]
        lines.append("")
    return "\n".join(lines)


def least_disturbed(runs: Sequence[list[Figure]]) -> list[Figure]:
    """Return the run whose references, not ours, were fastest."""

    def slowness(figures: list[Figure]) -> float:
        """The logarithm of the references' mean, counted so that less is faster."""
        return sum(
            log(figure.reference) * (-1 if figure.unit == "/s" else 1)
            for figure in figures
            if figure.reference and figure.unit in ("ms", "s", "/s")
        )

    return min(runs, key=slowness)


def _number(value: float) -> str:
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"
