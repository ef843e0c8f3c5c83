"""A check that all is well with a lake, for the end of a test."""

from forklake import Lake


def check_sound(lake: Lake, *, files: bool = True, deep: bool = False) -> None:
    """Check the lake as `forklake fsck` does: nothing is found, but for notes.

    Args:
        lake: The lake.
        files: Look at the files, too. Many tests name files that they never write.
        deep: Open the files.
    """
    found = lake.maintenance.check(files=files, deep=deep)
    assert found.is_sound, "\n".join(
        f"{one.severity} {one.code} in catalog {one.catalog_id}: {one.message}"
        for one in found.findings
        if one.severity != "note"
    )
