"""The Java that Spark runs on.

``python -m forklake.engine.spark.driver.java`` checks that there is one.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from forklake.errors import EngineError, ForklakeError

OLDEST: Final = 17
_HINT: Final = (
    f"Install Java {OLDEST} or newer, on Debian: apt-get install openjdk-17-jre-headless;"
    " or set JAVA_HOME to where one is."
)


def check_java() -> str:
    """Return the Java that Spark will run: of JAVA_HOME, else of the PATH.

    Spark looks for it in the same order.

    Raises:
        EngineError: There is none, or it is too old for Spark; the hint says what to install.
    """
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    where = f'JAVA_HOME is "{home}"' if home else "there is no java on the PATH"
    if found is None or not Path(found).is_file():
        raise EngineError(f"Spark needs Java, and {where}; Spark was not started.", hint=_HINT)
    try:
        answer = subprocess.run([found, "-version"], capture_output=True, text=True, timeout=60, check=True).stderr
    except (OSError, subprocess.SubprocessError) as error:
        raise EngineError(
            f'Spark needs Java, and "{found}" does not run; Spark was not started.', hint=_HINT
        ) from error
    version = re.search(r'version "(?:1\.)?(\d+)', answer)
    if version is None or int(version[1]) < OLDEST:
        told = version[1] if version else "unknown"
        raise EngineError(f'Java "{found}" is of version {told}, which Spark does not run on.', hint=_HINT)
    return found


if __name__ == "__main__":
    try:
        check_java()
    except ForklakeError as problem:
        sys.exit(str(problem))
