"""`forklake catalog export` and `import`, and the page that describes them."""

import doctest
import json
from pathlib import Path

from click.testing import CliRunner

from forklake import Lake
from forklake.cli.command import Root
from forklake.cli.transfer import export_command, import_command
from tests.interop.ducklake import state, url_of, write

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "ducklake.md"


def test_a_catalog_is_imported_and_exported_by_commands(small_lake: Lake, tmp_path: Path) -> None:
    source = tmp_path / "source.ducklake"
    write(url_of(source), tmp_path / "data", "CREATE TABLE t (i INTEGER)", "INSERT INTO t VALUES (1), (2)")
    program = Root("catalog", commands=[export_command, import_command])
    lake = f"--lake=sqlite:{tmp_path / 'lake.db'}"

    imported = CliRunner().invoke(program, ["import", "shop", str(source), lake])
    assert (imported.exit_code, imported.output) == (0, 'Imported "shop" with 1 table and 3 snapshots.\n')
    target = tmp_path / "new.sqlite"
    exported = CliRunner().invoke(program, ["export", "shop", str(target), "--at", "1", lake])
    assert exported.output == (
        'Exported "shop" with 1 table and 0 data files, as snapshot 1.\n'
        f"DuckDB opens it: ATTACH 'ducklake:sqlite:{target}' AS lake\n"
    )
    assert state(url_of(target)) == state(url_of(source), 1)

    again = CliRunner().invoke(program, ["export", "shop", str(target), lake])
    assert again.exit_code == 4
    assert "exists; nothing was exported" in again.output
    whole = CliRunner().invoke(program, ["export", "shop", str(tmp_path / "all.ducklake"), "--history", "--json", lake])
    assert json.loads(whole.output)["snapshot_id"] == 2


def test_the_examples_of_the_guide_run() -> None:
    code = "".join(f"{line}\n" for line in GUIDE.read_text("utf-8").splitlines())
    test = doctest.DocTestParser().get_doctest(code, {}, "ducklake.md", str(GUIDE), 0)
    assert len(test.examples) > 8
    said: list[str] = []
    doctest.DocTestRunner().run(test, out=said.append)
    assert not said, "".join(said)
