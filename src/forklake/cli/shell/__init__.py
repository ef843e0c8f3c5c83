"""The interactive shell of `forklake sql`, and scripts.

``loop``
    Reads statements at a terminal, and prints their results until the input ends.
``commands``
    The commands of the shell itself, such as ``.tables``.
``completer``
    What the Tab key offers.
``opening``
    Sessions on a lake that is named.
``script``
    Statements that come together: their results, and where one of them failed.
"""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = ["loop"]

if TYPE_CHECKING:
    from forklake.cli.shell import loop
else:
    __getattr__ = submodules(__name__, *__all__)  # it brings the line editor
