"""Faults in code of plug-ins, detected from the frames of a traceback or of a thread.

The globals of the module of a plug-in name it (`MARK`); a package is recognised by the name of its
modules.
"""

from __future__ import annotations

import linecache
import logging
import os
import traceback
from pathlib import Path
from types import FrameType, TracebackType

from snakestudio.errors import MistakeError, PluginRuntimeError
from snakestudio.plugins.loaded import find, loaded
from snakestudio.text import sentences

log = logging.getLogger("snakestudio.plugins")

MARK = "__snakestudio_plugin__"
"""Name of the global of a plug-in's module that has the name of the plug-in."""


_MOST_FRAMES = 30


class PluginCancelled(BaseException):
    """Raised by the handler of Ctrl+C in code of a plug-in in the main thread; `except Exception` does not catch it."""


def plugin_of(frame: FrameType) -> str:
    """Return the name of the plug-in whose code a frame runs; "" if there is none."""
    name = frame.f_globals.get(MARK)
    if name is not None:
        return str(name)
    module = frame.f_globals.get("__name__", "")
    for plugin in loaded():
        if plugin.source.module and f"{module}.".startswith(
            f"{plugin.source.module.partition('.')[0]}."
        ):
            return plugin.name
    return ""


def owner(frame: FrameType | None) -> str:
    """Return the name of the plug-in that called, directly or indirectly, the code of a frame; "" if there is none."""
    while frame is not None:
        if name := plugin_of(frame):
            return name
        frame = frame.f_back
    return ""


def fault_of(error: BaseException) -> PluginRuntimeError | None:
    """Return the fault for an exception that code of a plug-in, or a function it called, raised; None otherwise."""
    if isinstance(error, PluginRuntimeError):
        return error
    step: TracebackType | None = error.__traceback__
    while step is not None and not plugin_of(step.tb_frame):
        step = step.tb_next
    if step is None:
        return None
    name = plugin_of(step.tb_frame)
    last = step
    while step is not None:
        if plugin_of(step.tb_frame):
            last = step
        step = step.tb_next
    file = last.tb_frame.f_code.co_filename
    plugin = find(name)
    mistake = import_mistake(error, None if plugin and plugin.source.module else Path(file).parent)
    if mistake is not None:
        text = f"{file}, line {last.tb_lineno}: {sentences(*mistake)}"
        return PluginRuntimeError(name, text, _text(error))
    at = f"line {last.tb_lineno} of {file}"
    return PluginRuntimeError(name, _sentence(name, error, at), _text(error))


def import_mistake(error: BaseException, folder: Path | None) -> tuple[str, str] | None:
    """Return the problem of a failed import in a plug-in, and its remedy; None for other exceptions.

    Parameters
    ----------
    folder : Path or None
        Folder of a plug-in that is a file; None for a package.
    """
    if not isinstance(error, ImportError):
        return None
    remedy = "put the code into this file, or make a package with an entry point (docs/plugins.md)"
    if not isinstance(error, ModuleNotFoundError):
        if folder is None or "relative import" not in message_of(error):
            return None
        return "a plug-in is a single file and cannot import files next to it", remedy
    top = str(error.name or "").partition(".")[0]
    if not top or top == "snakestudio":
        return None
    if folder is not None and (os.path.isfile(folder / f"{top}.py") or os.path.isdir(folder / top)):
        what = f'the module "{error.name}" is next to the plug-in, which is a single file and cannot import it'
        return what, remedy
    return (
        f'the module "{error.name}" is not installed',
        f"install it where SnakeStudio is: pip install {top}",
    )


def fault_in(plugin: str, what: str, error: BaseException) -> PluginRuntimeError:
    """Return the fault for an exception in a call of a plug-in, also if no frame is of the plug-in.

    Parameters
    ----------
    what : str
        Class or function that was called, such as "Wag.reference".
    """
    if isinstance(error, MistakeError):  # raised by a base class of the plug-in's class
        text = sentences(f"the plug-in {plugin} failed: {error.message}", error.remedy)
        return PluginRuntimeError(plugin, text)
    return fault_of(error) or PluginRuntimeError(plugin, _sentence(plugin, error, f"in {what}"))


def _sentence(name: str, error: BaseException, at: str) -> str:
    if isinstance(error, PluginCancelled):
        return f"The plug-in {name} was cancelled in {at.removeprefix('in ')}."
    if isinstance(error, SystemExit):
        what = "asked the program to exit, which a plug-in cannot"
        remedy = "Raise an exception there instead."
    elif isinstance(error, MemoryError):
        what = "ran out of memory"
        remedy = "Release what it no longer needs."
    elif isinstance(error, RecursionError):
        what = "called itself too deeply"
        remedy = "End the recursion."
    else:
        text = message_of(error)
        what = f"raised {type(error).__name__}" + (f": {text}" if text else "")
        remedy = "Fix the plug-in, and run the scene again."
        missing = str(getattr(error, "name", ""))
        if isinstance(error, AttributeError) and at.startswith("in ") and missing.startswith("_"):
            remedy = "Call super().__init__ with the same arguments in its __init__."
    return f"The plug-in {name} {what} ({at}). {remedy}"


def message_of(error: BaseException) -> str:
    """Return the first line of the message of an exception; "" if it cannot be formatted."""
    try:
        return str(error).strip().partition("\n")[0][:300]
    except BaseException:
        return ""


def _text(error: BaseException) -> str:
    """Return the traceback with the frames of plug-ins only."""
    frames = [each for each in traceback.walk_tb(error.__traceback__) if plugin_of(each[0])]
    lines = traceback.StackSummary.extract(iter(frames), limit=-_MOST_FRAMES).format()
    try:
        last = traceback.format_exception_only(error)
    except BaseException:  # of its __str__
        last = [f"{type(error).__name__}\n"]
    return "".join(["Traceback (frames of plug-ins only):\n", *lines, *last])


def cache_source(path: str, text: str) -> None:
    """Make tracebacks show the lines that run, even if the file has changed."""
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
