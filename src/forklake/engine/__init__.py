"""How rows are read, computed and written.

`engine` is the protocol of engines. `spark` implements it; `local` reads small tables in this process.
"""

from typing import TYPE_CHECKING

from forklake.model.submodules import submodules

__all__ = ["draw_line"]

if TYPE_CHECKING:
    from forklake.engine import draw_line
else:
    __getattr__ = submodules(__name__, *__all__)  # it brings rich
