"""Contact problems of a run's steps as files, for a closer look and for other solvers."""

from __future__ import annotations

import io
import time
from pathlib import Path
from uuid import uuid4

import numpy as np

from snakestudio.engines.base import Engine
from snakestudio.errors import ExportError
from snakestudio.kinds.formulation import FORMULATIONS
from snakestudio.model.atomic import write_atomically
from snakestudio.paths import cache_dir

ENDINGS = (".hdf5", ".h5", ".npz")
"""FCLIB by the first two; by the third our own arrays, with what the solution began from."""


def see_that_there_is_one(kind: str, path: Path) -> None:
    """Before a run: a model has contact problems, and one can be written under a name.

    Raises `ExportError` if not.
    """
    if not FORMULATIONS[kind].contact_problems:
        known = " or ".join(
            name for name, declared in FORMULATIONS.items() if declared.contact_problems
        )
        raise ExportError(f"{path}: the model {kind} solves no contact problems; choose {known}.")
    if path.suffix.lower() not in ENDINGS:
        raise ExportError(
            f"{path}: a contact problem is written as .hdf5 (FCLIB) or .npz; give it such an ending."
        )


def write_contact_problem(path: Path, engine: Engine) -> None:
    """Write the contact problem of an engine's last step, in the format that the name's ending says.

    Raises `ExportError` if there is none, or it cannot be written.
    """
    see_that_there_is_one(engine.scene.model.kind, path)
    data = _content(path.suffix.lower(), engine)
    if not data:
        raise ExportError(
            f"{path}: no step was taken yet; let the run go on to the one whose contact problem you want."
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, data)
    except OSError as error:
        why = error.strerror or str(error)
        raise ExportError(
            f"{path}: the file cannot be written ({why}); choose another folder or free some space."
        ) from None


def save_failing_problem(engine: Engine) -> Path | None:
    """Save the contact problem that an engine failed at, in the formats that can hold it.

    None if there is none or no room. The names of all files so saved differ.
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
    except (OSError, ExportError):  # the second: FCLIB does not know such friction
        return own if own.is_file() else None
    return own


def where_saved(engine: Engine) -> str:
    """The same, and where that is, as a sentence that goes on from why; "" if there is none."""
    saved = save_failing_problem(engine)
    return f" The contact problem was saved as {saved}." if saved is not None else ""


def _content(ending: str, engine: Engine) -> bytes:
    """What the file holds; nothing if there was no step yet."""
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
