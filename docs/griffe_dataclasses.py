"""What `mkdocs` is told of our dataclasses: that they have the parameters of the standard library's."""

from griffe import Alias, Extension


class StandardDataclasses(Extension):
    """Take our decorator for that of the standard library, as type checkers do."""

    def on_alias_instance(self, *, alias: Alias, **_: object) -> None:
        """Let an import of ours lead to the one whose classes are understood."""
        if alias.target_path == "forklake.model.lazy_dataclass.dataclass":
            alias.target_path = "dataclasses.dataclass"
