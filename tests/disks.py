"""Small and read-only disks for tests."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def full_disk(place: Path) -> Iterator[None]:
    """Let a directory be a file system with room for a megabyte."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a file system cannot be mounted here")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)


@contextmanager
def read_only(directory: Path) -> Iterator[None]:
    """Let nothing be written into a directory; root, who may write anywhere, sees it as a read-only disk."""
    if os.geteuid():
        directory.chmod(0o555)
        try:
            yield
        finally:
            directory.chmod(0o755)
        return
    mounts = (["--bind", str(directory), str(directory)], ["-o", "remount,ro,bind", str(directory)])
    if shutil.which("mount") is None or any(_mount(arguments) for arguments in mounts):
        reason = "a file system cannot be mounted here"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(directory)], check=True)


def _mount(arguments: list[str]) -> int:
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode
