"""Failures in Spark, translated to errors of ours.

DataFrames are lazy: a job that the caller runs on a frame of ours fails with Spark's exceptions, with our
text where we raise it. Jobs that we run ourselves run in `guard_scan`, `guard_table` or `guard_jobs`, which
translate. Whether files exist is not checked beforehand: the job that reads a file finds out, and a check
costs a round trip per file.
"""

from __future__ import annotations

import errno
import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from typing import Final, ParamSpec, TypeVar
from urllib.parse import unquote
from uuid import uuid4

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.errors import AnalysisException, PySparkException

from forklake import errors
from forklake.engine.spark.driver.gateway import losses
from forklake.engine.spark.driver.quiet import quiet
from forklake.engine.spark.driver.session import GONE, detect_loss, existing_session, hint_of_loss, is_remote
from forklake.engine.spark.read.file_index import url_encode
from forklake.errors import DataFileError, EngineError, ForklakeError, InvalidInputError, NotFoundError
from forklake.files.access import storage
from forklake.model.lazy_dataclass import dataclass
from forklake.model.scan import ScanPlan

P = ParamSpec("P")
T = TypeVar("T")

SPARK_ERRORS: Final = (PySparkException, Py4JError, ConnectionError)
"""What Spark's Python side raises; the last one if its Java process is gone."""

_JOBS: Final = logging.getLogger("forklake.job")

_OURS: Final = re.compile(r"^forklake\.errors\.(\w+): (.+?)(?:\nHint: (.+?))?$", re.MULTILINE)
_RAISED: Final = re.compile(r"\[USER_RAISED_EXCEPTION\] (.+?)(?: SQLSTATE: \w+|$)", re.DOTALL)
_NO_PYTHON: Final = re.compile(r"\b(LAMBDA_FUNCTION_WITH_PYTHON_UDF|PYTHON_UDF_IN_ON_CLAUSE)\b")
_NOT_THERE: Final = {
    "LAMBDA_FUNCTION_WITH_PYTHON_UDF": "Not implemented Error: Spark calls no function that DuckDB computes within a"
    " lambda, or within a function that is made of one.",
    "PYTHON_UDF_IN_ON_CLAUSE": "Not implemented Error: Spark calls no function that DuckDB computes in the condition of"
    " an outer, semi or anti join with columns of both sides.",
}
"""Where functions of Python cannot be called."""
_FILE: Final = re.compile(r"(?:while reading file|read footer for file:?|footer for file:?) (\S+?)\.?(?:\s|$)")
_CAUSE: Final = re.compile(r"^Caused by: [\w.$]+: (.+)$", re.MULTILINE)
_UNRESOLVED: Final = re.compile(r"\[UNRESOLVED_COLUMN[^\]]*\].*?with name (`.+?`) cannot be resolved", re.DOTALL)
_SENTENCE: Final = re.compile(r"\[[A-Z_.]+\] (.+?)(?: SQLSTATE: \w+|\n|$)", re.DOTALL)
_TOO_LONG: Final = re.compile(r"(?:(\S+) cannot be represented as Decimal\(38, |Decimal precision (\d+) exceeds max)")
_STATE: Final = re.compile(r"SQLSTATE: (\w{5})")
_ADVICE: Final = re.compile(r" (?:Use [`']try_|If necessary set |Correct the value as per ).*", re.DOTALL)
_MEMORY: Final = ("OutOfMemoryError", "MemoryError", "exceeding memory limits")
_NUMBERS: Final = {
    "No space left on device": errno.ENOSPC,
    "Disk quota exceeded": errno.EDQUOT,
    "File too large": errno.EFBIG,
    "Permission denied": errno.EACCES,
    "Read-only file system": errno.EROFS,
    "Parent path is not a directory": errno.ENOTDIR,
    "Not a directory": errno.ENOTDIR,
    "File name too long": errno.ENAMETOOLONG,
    "Input/output error": errno.EIO,
    "Too many open files": errno.EMFILE,
}
_EITHER_WAY: Final = frozenset({errno.EACCES, errno.EIO, errno.EMFILE})
_SYSTEM: Final = re.compile(
    r"^.*\b(?:java\.n?io|org\.apache\.hadoop)\.[\w.$]+(?:Exception|Error): (?!Cannot run program|\[[A-Z])"
    rf".*?({'|'.join(_NUMBERS)}).*$((?:\n\s+at .*$)*)",
    re.MULTILINE,
)
"""An exception of Java's that tells what the operating system said, and where it was thrown."""
_SCRATCH: Final = re.compile(r"at org\.apache\.spark\.(?:storage|shuffle|util\.collection)\.")
_THROWN: Final = re.compile(r"^: [\w.$]+: (.+)$", re.MULTILINE)
_NOTHING_SAID: Final = re.compile(r"\s*(?:Exception thrown in awaitResult:?\s*)?$")
"""What Spark says of an exception of another thread: it is the cause that tells something."""
_NO_MODULE: Final = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_OTHER_PYTHON: Final = re.compile(r"Python in worker has different version: ([\d.]+) than that in driver: ([\d.]+)")
_STOPPED: Final = ("stopped SparkContext", "SparkContext was shut down", "SparkContext has been shutdown")
_UNREACHABLE: Final = ("StatusCode.UNAVAILABLE", "failed to connect to all addresses")
_LOST_ROWS: Final = "CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND"
_LOST: Final = ("ExecutorLostFailure", "Python worker exited unexpectedly", "Executor heartbeat timed out")


class LostRowsError(EngineError):
    """Rows that Spark kept between two jobs went with the executor that had them.

    Nothing was committed.
    """


def retry_lost_rows(work: Callable[P, T]) -> Callable[P, T]:
    """Let a function begin again that loses rows which it had Spark keep.

    That is done twice at most. It must leave nothing behind when it fails.
    """

    @wraps(work)
    def until_kept(*args: P.args, **kwargs: P.kwargs) -> T:
        for _ in range(2):
            with suppress(LostRowsError):
                return work(*args, **kwargs)
            _JOBS.warning("Rows that were kept are lost with the process of Spark that had them; they are found again")
        return work(*args, **kwargs)

    return until_kept


@contextmanager
def guard_scan(plan: ScanPlan) -> Iterator[None]:
    """Run jobs that read the files of a plan, and translate their failures.

    Ctrl-C cancels the jobs of this block, and only those.

    Raises:
        DataFileError: A file is missing, damaged, or cannot be decrypted.
        InvalidInputError: A value cannot be converted, or an expression cannot be computed.
        EngineError: A job failed for another reason.
    """
    with guard_jobs(f'table "{plan.table}"', [file.path for file in plan.files]):
        yield


@contextmanager
def guard_table(table: str) -> Iterator[None]:
    """Run jobs that write a table or work on it; as `guard_scan`."""
    with guard_jobs(f'table "{table}"'):
        yield


@contextmanager
def guard_jobs(what: str, paths: Iterable[str] = ()) -> Iterator[None]:
    """Run jobs; as `guard_scan`, with a name for what they work on."""
    tag = f"forklake-{uuid4()}"
    since = losses()
    jobs = _jobs()
    begun = time.monotonic()
    _JOBS.debug("Jobs %s begin", tag)
    try:
        with quiet():
            if jobs is not None:
                jobs.add(tag)
            yield
        _JOBS.info("Jobs %s ended after %.3f s", tag, time.monotonic() - begun)
    except SPARK_ERRORS as error:
        _JOBS.info("Jobs %s failed after %.3f s: %s", tag, time.monotonic() - begun, type(error).__name__)
        raise translation(error, what, paths, since) from error
    except KeyboardInterrupt:
        if jobs is not None:
            with suppress(*SPARK_ERRORS):
                jobs.cancel(tag)
        raise
    finally:
        if jobs is not None:
            with suppress(*SPARK_ERRORS):
                jobs.remove(tag)


@contextmanager
def reaching_spark() -> Iterator[None]:
    """Build frames; if Spark is lost meanwhile, raise an error of ours.

    All other errors pass.

    Raises:
        EngineError: The Java process is gone, or Spark was stopped in it.
    """
    since = losses()
    try:
        with quiet():
            yield
    except SPARK_ERRORS as error:
        found = loss(error, "nothing was done", since)
        if found is None:
            raise
        raise found from error


def loss(error: Exception, outcome: str, since: int | None) -> EngineError | None:
    """Return the error to raise if an exception means that Spark is lost; else None.

    The connection to a lost Spark is dropped.

    Args:
        error: Any exception.
        outcome: What became of the statement that failed.
        since: The number of `losses` when the statement began, None if unknown: another thread may have found
            Java gone and dropped the connection.
    """
    text = str(error)
    if isinstance(error, PySparkException) and any(sign in text for sign in _UNREACHABLE):
        return EngineError(
            f"The Spark Connect server cannot be reached; {outcome}.",
            hint="Is it running? If it was started again, make a new SparkSession.builder.remote(...), and give that.",
        )
    # Where the answer to a call does not come, Py4J says no more than that.
    is_unanswered = isinstance(error, Py4JError) and not isinstance(error, Py4JJavaError)
    if not is_unanswered and not isinstance(error, ConnectionError) and not any(sign in text for sign in _STOPPED):
        return None
    if found := detect_loss(outcome):
        return found
    if isinstance(error, Py4JNetworkError | ConnectionError) and since is not None and losses() > since:
        return EngineError(f"{GONE}; {outcome}.", hint=hint_of_loss())
    return None


def translation(error: Exception, what: str, paths: Iterable[str] = (), since: int | None = None) -> ForklakeError:
    """Return an exception of Spark as an error of ours.

    Args:
        error: The exception.
        what: What the job worked on: ``table "orders"``.
        paths: The files that it read, as messages should name them.
        since: As in `loss`.
    """
    text = str(error)
    if ours := _OURS.findall(text):
        return _own_error(*ours[-1])
    if place := _NO_PYTHON.search(text):
        return InvalidInputError(_NOT_THERE[place[1]])
    if raised := _RAISED.search(text):
        return InvalidInputError(raised[1].strip())
    if file := _FILE.search(text):
        return _file_error(_plan_path(file[1], paths), what, text)
    if system := _SYSTEM.search(text):
        return _system_error(_NUMBERS[system[1]], what, is_scratch=_SCRATCH.search(system[2]) is not None)
    if any(sign in text for sign in _MEMORY):
        return EngineError(
            f"Spark ran out of memory on {what}; nothing was committed.",
            hint='Give it more with "spark.driver.memory" or "spark.executor.memory", or read fewer columns at a time.',
        )
    if module := _NO_MODULE.search(text):
        return EngineError(
            f'Executors have no Python module "{module[1]}"; the job on {what} failed and nothing was committed.',
            hint="Install forklake where executors run, and name that Python in PYSPARK_PYTHON.",
        )
    if versions := _OTHER_PYTHON.search(text):
        return EngineError(
            f"Executors run Python {versions[1]}, and this process runs Python {versions[2]}; the job on {what} failed"
            " and nothing was committed.",
            hint="Name the same version of Python for both, in PYSPARK_PYTHON, before the session is made.",
        )
    if found := loss(error, f"the job on {what} failed and nothing was committed", since):
        return found
    if _LOST_ROWS in text:
        return LostRowsError(f"A process of Spark died with rows that were kept for {what}; nothing was committed.")
    if any(sign in text for sign in _LOST):
        return EngineError(f"A process of Spark died while it worked on {what}; nothing was committed.")
    if "cancelled" in text.partition("\tat ")[0]:
        return EngineError(f"The job on {what} was cancelled; nothing was committed.")
    if unresolved := _UNRESOLVED.search(text):
        name = unresolved[1].removeprefix("`").removesuffix("`").replace("``", "`")
        return NotFoundError(f'{what[:1].upper()}{what[1:]} does not have a column with name "{name}"')
    return _other_error(error, what, text)


def _other_error(error: Exception, what: str, text: str) -> ForklakeError:
    sentence = _SENTENCE.search(text) or _THROWN.search(text)
    first = (
        sentence[1] if sentence else next((line for line in text.splitlines() if line.strip()), type(error).__name__)
    )
    if _NOTHING_SAID.match(first) and (causes := _CAUSE.findall(text)):
        first = causes[-1]
    # What Spark advises is to be done in its own dialect and settings.
    first = _ADVICE.sub("", first)
    if long := _TOO_LONG.search(first):
        number = long[1] or f"A number of {long[2]} digits"
        return InvalidInputError(f"Out of Range Error: {number} has more than the 38 digits that Spark holds.")
    state = _STATE.search(text)
    # Classes 21, 22 and 42 are what SQL calls too many rows, data exceptions, and errors in the statement.
    if isinstance(error, AnalysisException) or (state is not None and state[1][:2] in ("21", "22", "42")):
        return InvalidInputError(first.strip())
    return EngineError(f"A job on {what} failed, and nothing was committed: {first.strip()}")


def _own_error(name: str, message: str, hint: str) -> ForklakeError:
    """Return the error that a task of ours raised in a Python worker."""
    found = getattr(errors, name, None)
    kind = found if isinstance(found, type) and issubclass(found, ForklakeError) else EngineError
    return kind(message, hint=hint or storage.hint_for(message))


def _system_error(number: int, what: str, *, is_scratch: bool) -> ForklakeError:
    """Return the error for a file that the operating system refused.

    It is a file of the table, or a temporary file of Spark.
    """
    reason = storage.reason_of(number)
    if is_scratch:
        return EngineError(
            f"Spark could not write its temporary files for {what}: {reason}; nothing was committed.",
            hint='They lie where "spark.local.dir" says: free some space there, or start Spark with another place.',
        )
    outcome = "could not be read or written" if number in _EITHER_WAY else "was not written"
    message = f"A file of {what} {outcome}: {reason}; nothing was committed."
    return DataFileError(message, hint=storage.hint_for(message))


def _file_error(path: str, what: str, text: str) -> DataFileError:
    hint = None
    if system := _SYSTEM.search(text):
        # Java speaks of a file that is not found also where it may not be opened.
        reason = f"{storage.reason_of(_NUMBERS[system[1]])}."
    elif "FILE_NOT_EXIST" in text or "FileNotFoundException" in text:
        reason, hint = "there is no such file.", "Was it moved or removed by something other than the lake?"
    elif "is not a Parquet file" in text or "EOFException" in text:
        reason = "it is damaged or no Parquet file."
    elif mismatch := re.search(r"Data type mismatch.+?(?= SQLSTATE|\n|$)", text):
        reason = mismatch[0]
    elif "ParquetCryptoRuntimeException" in text:
        reason = "it is encrypted, and the metadata has no key for it."
    else:
        causes = _CAUSE.findall(text)
        reason = causes[-1] if causes else "it cannot be read."
    return DataFileError(f'Cannot read data file "{path}" of {what}: {reason}', hint=hint)


def _plan_path(shown: str, paths: Iterable[str]) -> str:
    """Return the path of a file that Spark shows as a URL."""
    bare = re.sub(r"^file:/+", "/", shown)
    for path in paths:
        if url_encode(storage.local_path(path)) == bare:
            return path
    return unquote(bare)


@dataclass(frozen=True, slots=True)
class _Jobs:
    """How jobs of this thread are tagged, and how tagged jobs are cancelled."""

    add: Callable[[str], object]
    remove: Callable[[str], object]
    cancel: Callable[[str], object]


def _jobs() -> _Jobs | None:
    """Return the jobs of the active session; None if there is no session."""
    spark = existing_session()
    if spark is None:
        return None
    if is_remote(spark):
        return _Jobs(spark.addTag, spark.removeTag, spark.interruptTag)
    # A session knows its tags by the thread of the JVM, and an interrupt leaves Python with another one.
    context = spark.sparkContext
    return _Jobs(context.addJobTag, context.removeJobTag, context.cancelJobsWithTag)
