"""Export of a recording to a run file: exact to the bit, with changes, events, checkpoints and data for viewers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from snakestudio.export.files import replacing
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

    Raises `ExportError` if the file cannot be written.

    Parameters
    ----------
    recording : Recording
        With at least one row.
    scene_file : str, optional
        Name of the scene's file.
    progress : callable, optional
        Called with the finished fraction; the export is cancelled without a file when it returns False.
    base_dir : Path, optional
        Folder to which file names in the scene are relative.

    Returns
    -------
    bool
        False if it was cancelled.
    """
    with replacing(local_path(path)) as partial, partial.path.open("wb", buffering=0) as file:
        partial.keep = copy_run(recording, file, Origin(scene_file or "", base_dir), progress)
    return partial.keep
