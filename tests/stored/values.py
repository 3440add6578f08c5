"""Contents of states and run files, without names of classes, programs and machines: they must never change."""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

Leaf = tuple[str, str]
"""Location of a value as text, and the value itself to the bit."""


def leaves(value: Any, where: str = "") -> Iterator[Leaf]:
    """All numbers, texts and arrays in a state, in its order.

    Scenes are omitted: their contents are compared elsewhere. Arrays are described by type, shape and a
    digest of the bytes, numbers by all digits.
    """
    if isinstance(value, np.ndarray):
        digest = hashlib.blake2b(np.ascontiguousarray(value).tobytes(), digest_size=8).hexdigest()
        yield where, f"{value.dtype.str}{list(value.shape)} {digest}"
    elif isinstance(value, np.generic):
        yield where, f"{value.dtype.str} {value.tobytes().hex()}"
    elif isinstance(value, float):
        yield where, value.hex()
    elif value is None or isinstance(value, bool | int | str):
        yield where, repr(value)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{where}[{key!r}]")
    elif hasattr(value, "model_dump"):
        if type(value).__name__ != "Scene":
            yield from leaves(value.model_dump(), where)
    else:
        for name, item in _parts(value):
            yield from leaves(item, f"{where}.{name}")


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    if is_dataclass(value):
        names: tuple[str, ...] = tuple(each.name for each in fields(value))
    elif isinstance(value, tuple | list) and not hasattr(value, "_fields"):
        yield from ((str(number), item) for number, item in enumerate(value))
        return
    elif hasattr(value, "_fields"):
        names = value._fields
    elif hasattr(value, "strain") and hasattr(
        value, "beam"
    ):  # a strain law is described by its strain
        names = ("strain", "beam")
    elif hasattr(value, "law") and hasattr(
        value, "count"
    ):  # likewise the supports of a continuous body
        names = ("law", "count")
    else:
        raise TypeError(
            f"a state holds {type(value).__qualname__}, of which it is not known what it is made of"
        )
    yield from ((name, getattr(value, name)) for name in names)


def table_of(run_file: Path) -> bytes:
    """Return the export of a run file as CSV, without the two lines that name program and machine."""
    from snakestudio.cli import main

    table = run_file.with_suffix(".csv")
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(["export", str(run_file), "--csv", str(table)]) == 0
    lines = table.read_bytes().splitlines(keepends=True)
    table.unlink()
    assert lines[0].startswith(b"# SnakeStudio ")
    assert lines[1].startswith(b"# made with: ")
    return b"".join(lines[2:])
