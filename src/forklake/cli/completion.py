"""`forklake completion`: shell completion of commands and catalog names."""

from __future__ import annotations

import click
from click.shell_completion import ShellComplete, get_completion_class

from forklake.cli import output
from forklake.cli.command import Command


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    It completes commands, their options, and the names of catalogs, which come from the lake of --lake or
    FORKLAKE_LAKE.

    With --json: `shell` and `script`.

    Examples:
      forklake completion bash >> ~/.bashrc
      forklake completion zsh >> ~/.zshrc
      forklake completion fish > ~/.config/fish/completions/forklake.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    # The base class only fills in the template; bash's own looks for the version of a bash first.
    script = ShellComplete.source(kind(context.find_root().command, {}, "forklake", "_FORKLAKE_COMPLETE"))
    output.show({"shell": shell, "script": script}, lambda: [script])
