"""Contact problems of steps of a run as files, for analysis and for other solvers."""

from __future__ import annotations

import io
import os
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import numpy as np

from snakestudio.engines.base import Engine
from snakestudio.errors import ExportError
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.atomic import write_atomically
from snakestudio.paths import cache_dir

ENDINGS = (".hdf5", ".h5", ".npz")
"""Suffixes: the first two are FCLIB files; the third has arrays in the program's format, with the initial guess of
the solution."""


def require_contact_problem(kind: str, path: Path) -> None:
    """Check before a run that its model has contact problems, and that one can be written to `path`.

    Raises `ExportError` otherwise.
    """
    if not FORMULATIONS[kind].contact_problems:
        known = " or ".join(
            name for name, declared in FORMULATIONS.items() if declared.contact_problems
        )
        raise ExportError(f"{path}: the model {kind} has no contact problems. Choose {known}.")
    require_ending(path)


def require_ending(path: Path) -> None:
    """Check that contact problems can be written in the format of the suffix.

    Raises `ExportError` otherwise.
    """
    if path.suffix.lower() not in ENDINGS:
        raise ExportError(
            f"{path}: the format of contact problems is unknown. Give a name that ends in .hdf5 (FCLIB) or .npz."
        )


@dataclass(frozen=True)
class EngineProblem:
    """Contact problem of the last step of an engine, as the source of an export."""

    engine: Engine

    def write_contact_problem(self, path: Path) -> None:
        """See the function `write_contact_problem`."""
        write_contact_problem(path, self.engine)


def write_contact_problem(path: Path, engine: Engine) -> None:
    """Write the contact problem of the last step of an engine, in the format of the suffix.

    Raises `ExportError` if there is none. Raises `OSError` if it cannot be written; see `write_as`.
    """
    require_contact_problem(engine.scene.model.kind, path)
    data = _content(path.suffix.lower(), engine)
    if not data:
        raise ExportError(
            "There is no contact problem before the first step. Continue the run to the step of interest."
        )
    path.write_bytes(data)


def save_failing_problem(engine: Engine) -> Path | None:
    """Save the contact problem at which an engine failed, in all formats that can represent it.

    Return a path, or None if there is no problem or no disk space. File names are unique.
    """
    stem = f"{time.strftime('%Y%m%d-%H%M%S')}-{engine.scene.model.kind}-step-{engine.step_count + 1}-{uuid4().hex[:8]}"
    own = cache_dir() / "failed-contact-problems" / f"{stem}.npz"
    try:
        data = _content(".npz", engine)
        if not data:
            return None
        own.parent.mkdir(exist_ok=True)
        write_atomically(own, data)
        write_atomically(own.with_suffix(".hdf5"), _content(".hdf5", engine))
    except (OSError, ExportError):  # ExportError: FCLIB does not support such friction
        return own if os.path.isfile(own) else None
    return own


def where_saved(engine: Engine) -> str:
    """Save the failing problem, and return its path as a sentence for messages; "" if there is none."""
    saved = save_failing_problem(engine)
    return f" The contact problem was saved as {saved}." if saved is not None else ""


def _content(ending: str, engine: Engine) -> bytes:
    """Return the content of the file; empty before the first step."""
    if ending == ".npz":
        arrays = engine.contact_problem()
        memory = io.BytesIO()
        if arrays:
            np.savez(memory, **arrays)
        return memory.getvalue()
    from snakestudio.session.fclib import fclib_bytes

    problem = engine.friction_problem()
    title = (
        f"{engine.scene.title or 'Scene'}: {engine.scene.model.kind}, "
        f"step {engine.step_count}, t = {engine.time:.6g} s"
    )
    return b"" if problem is None else fclib_bytes(problem, title)
