"""Names of columns: patterns of them, and the check of names that plug-ins give to channels."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from snakestudio.plugins.result_types import described

_CHANNEL = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,79}")

REFERENCE = "docs/reference/columns.md"
"""Page that lists the built-in columns."""


def pattern_of(names: Iterable[str]) -> re.Pattern[str]:
    r"""Return the pattern of whole column names; `{}` in a name is any number, `*` any word.

    >>> bool(pattern_of(("link_{}_x_m",)).fullmatch("link_3_x_m"))
    True
    """
    parts = (
        re.escape(name).replace(r"\{\}", r"\d+").replace(r"\*", r"\w+") for name in sorted(names)
    )
    return re.compile("|".join(parts))


def channels_mistake(channels: Any, what: str = "channels") -> tuple[str, str] | None:
    """Return the problem of the names of channels by themselves, and its remedy; None if they are valid."""
    if not isinstance(channels, tuple) or not all(isinstance(name, str) for name in channels):
        return f"{what} = {described(channels)}", 'give a tuple of names, such as ("phase_rad",)'
    for name in channels:
        if not _CHANNEL.fullmatch(name):
            return (
                f'"{name[:80]}" is not a valid name of a channel',
                "use letters, digits and _, and begin with a letter",
            )
        if channels.count(name) > 1:
            return f'two channels have the name "{name}"', "rename one of them"
    return None
