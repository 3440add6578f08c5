"""Print the script that completes commands, options, scenes and values in bash, zsh or fish."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio completion`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = (
        "Install it for your account, and again after every update of SnakeStudio:\n\n"
        "bash  snakestudio completion bash > ~/.local/share/bash-completion/completions/snakestudio\n"
        "zsh   snakestudio completion zsh > FOLDER/_snakestudio, with FOLDER in fpath before compinit runs\n"
        "fish  snakestudio completion fish > ~/.config/fish/completions/snakestudio.fish"
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="shell that runs the script")


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio completion`; return the exit code."""
    from snakestudio.cli.completion_script import script

    print(script(options.shell), end="")
    return 0
