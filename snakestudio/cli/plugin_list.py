"""List trusted files and folders, and the plug-ins of installed packages, without running them."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `snakestudio plugin list`."""


def execute(options: argparse.Namespace) -> int:
    """Run `snakestudio plugin list`; return the exit code."""
    from snakestudio.plugins.source import installed
    from snakestudio.plugins.trust import trusted

    known = trusted()
    for folder in known.folders:
        print(f"{folder}: folder, all files in it are trusted")
    for path, digest in known.files.items():
        print(f"{path}: {_state(path, digest)}")
    for name, module in installed().items():
        digest = known.packages.get(name, "")
        print(
            f"{name} (installed, module {module}): {_state(name, digest) if digest else 'not trusted'}"
        )
    if not (known.folders or known.files or installed()):
        print("no trusted or installed plug-ins")
    return 0


def _state(plugin: str, digest: str) -> str:
    """Return whether the present content is the trusted one, as text."""
    from snakestudio.errors import PluginError
    from snakestudio.plugins.source import read_source

    try:
        now = read_source(plugin).digest
    except PluginError as error:
        return f"trusted, but cannot be read ({str(error).partition(': ')[2].rstrip('.')})"
    return (
        f"trusted ({digest[:12]})"
        if now == digest
        else "changed since it was trusted: no longer trusted"
    )
