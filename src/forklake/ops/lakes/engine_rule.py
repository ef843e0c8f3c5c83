"""Which engine runs a statement, or a verb of a handle."""

from __future__ import annotations

from forklake.config import EngineChoice
from forklake.errors import EngineError
from forklake.extras import absence, is_installed
from forklake.model.lazy_dataclass import dataclass
from forklake.ops.lakes.runtime import Setup, leaves_large_to_engine


@dataclass(frozen=True, slots=True)
class EngineRule:
    """The engine that was chosen, and what it is chosen from.

    Attributes:
        setup: The settings and the engine of the lake.
        choice: The engine that the session chose, or else the settings or the environment.
    """

    setup: Setup
    choice: EngineChoice

    @property
    def leaves_large_to_spark(self) -> bool:
        """Whether Spark computes a query that reads much, for no other reason.

        Without PySpark, this process does.
        """
        return self.choice == "auto" and leaves_large_to_engine(self.setup.settings)

    def check_spark(self, reason: str) -> None:
        """Refuse what needs Spark where Spark is not used, or not installed.

        Raises:
            NotInstalledError: PySpark is not installed.
            EngineError: The engine is ``local``.
        """
        missing = absence("spark", reason) if self.setup.is_spark and not is_installed("spark") else None
        if self.choice == "local":
            raise EngineError(
                f"This statement needs Spark ({reason}), and the engine is 'local'; it was not run.",
                hint="With the engine 'auto' (SET engine = 'auto', or Settings(engine='auto')), Spark runs what this"
                f" process does not.{'' if missing is None else f' {missing.hint}'}",
            )
        if missing is not None:
            raise missing


def rule_of(setup: Setup) -> EngineRule:
    """Return the rule for handles: the engine of the settings, or of the process."""
    return EngineRule(setup, setup.choice)
