"""Messages with reasons why this machine cannot show a window, and remedies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_WITHOUT = "or run without a window: snakestudio run SCENE --video run.mp4"

NO_DISPLAY = f"There is no display for a window. Set DISPLAY to a running display, {_WITHOUT}"

_LIBRARY = re.compile(r"(lib[\w.+-]+?)\.so(?:\.(\d+)[\d.]*)?: cannot open shared object file")


def missing_library(error: str) -> str:
    """Return the message for a loader error about a missing system library; "" for any other error."""
    match = _LIBRARY.search(error)
    if match is None:
        return ""
    stem = match[1]
    number = match[2] or ""
    package = stem.lower() + ("-" if stem[-1].isdigit() and number else "") + number
    name = match[0].partition(":")[0]
    install = f"Install it (on Debian and Ubuntu: sudo apt install {package})"
    return f"Qt cannot show windows because {name} is missing. {install}, {_WITHOUT}"


def why_no_window(
    messages: Sequence[str], loader_errors: Sequence[str], environment: Mapping[str, str]
) -> str:
    """Return the reason why Qt cannot show windows, with a remedy.

    Parameters
    ----------
    messages : sequence of str
        Messages of Qt up to the failure.
    loader_errors : sequence of str
        Errors of the platform plugins that Qt could not load.
    """
    for error in loader_errors:
        if text := missing_library(error):
            return text
    platform = environment.get("QT_QPA_PLATFORM", "")
    names = [
        f"{name}={environment[name]}"
        for name in ("WAYLAND_DISPLAY", "DISPLAY")
        if environment.get(name)
    ]
    if any("could not connect to display" in message for message in messages):
        if not names:
            return NO_DISPLAY
        return f"The display ({', '.join(names)}) does not respond. Set DISPLAY to a running display, {_WITHOUT}"
    if platform:
        return f"Qt cannot show windows with QT_QPA_PLATFORM={platform}. Unset it, {_WITHOUT}"
    reported = (
        messages[-1].strip().splitlines()[0].rstrip(".") if messages else "no reason was reported"
    )
    return f"Qt cannot show windows ({reported}). Install the libraries that it needs, {_WITHOUT}"
