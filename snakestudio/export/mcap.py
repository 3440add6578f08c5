"""Export of a recording to a run file: exact to the bit, with changes, events, checkpoints and data for viewers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from snakestudio.inputs import local_path
from snakestudio.model.recording import Recording
from snakestudio.runfile.mcap.about import Origin
from snakestudio.runfile.mcap.copying import copy_run


def write_mcap(
    path: str | Path,
    recording: Recording,
    scene_file: str | None = None,
    progress: Callable[[float], bool] | None = None,
    *,
    base_dir: Path | None = None,
) -> bool:
    """Write a recording as a run file.

    Raises `OSError` if the file cannot be written; an incomplete file remains. See `write_as`.

    Parameters
    ----------
    recording : Recording
        With at least one row.
    scene_file : str, optional
        Name of the scene's file.
    progress : callable, optional
        Called with the finished fraction; the file remains incomplete when it returns False.
    base_dir : Path, optional
        Folder to which file names in the scene are relative.

    Returns
    -------
    bool
        False if it was cancelled.
    """
    with local_path(path).open("wb", buffering=0) as file:
        return copy_run(recording, file, Origin(scene_file or "", base_dir), progress)
