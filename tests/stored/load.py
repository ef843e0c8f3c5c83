"""Opens stored lakes: copies of what earlier versions wrote."""

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import psycopg

STORED = Path(__file__).parent
HOME = "@HOME@"
"""Stands for the directory of the lake in what is kept."""


def load(version: str, product: str, home: Path, url: str) -> None:
    """Put a stored lake at a URL, where nothing is yet, and its files into a new directory."""
    shutil.copytree(STORED / version / product, home)
    text = script(version, product).replace(HOME, str(home))
    if product == "postgresql":
        with psycopg.connect(url, autocommit=True) as server:
            server.execute(text.encode())
    elif product == "duckdb":
        with duckdb.connect(url.partition(":")[2]) as database:
            database.execute(f"BEGIN; {text} COMMIT")
    else:
        file = sqlite3.connect(url.partition(":")[2])
        file.executescript(f"BEGIN; {text} COMMIT")
        file.close()


def script(version: str, product: str) -> str:
    """Return the SQL that makes a stored lake."""
    return (STORED / version / f"{product}.sql").read_text(encoding="utf-8")


def stored_content(version: str) -> Any:
    """Return what the catalogs showed to the release that wrote them; the same in each database."""
    return json.loads((STORED / version / "shown.json").read_text(encoding="utf-8"))
