"""Resolution of files that a robot file refers to: meshes and includes in its folder or near it, never elsewhere."""

from __future__ import annotations

import os
from pathlib import Path

from snakestudio.inputs import InputError

ENDINGS = (".urdf", ".xacro", ".sdf", ".world", ".xml", ".mjcf")
"""Extensions of robot files."""

_UPWARDS = 6
"""Number of parent folders of the robot file that are searched for packages."""


class MissingFileError(InputError):
    """A file that a robot file refers to does not exist."""


def resolved(name: str, folder: Path, subfolder: str = "") -> Path:
    """Return the path of a file that a robot file refers to.

    ``package://NAME/rest`` and ``model://NAME/rest`` refer to `rest` in a folder NAME: the folder of the
    robot file, a parent folder, or a sibling of those. Other names are relative to the folder of the
    robot file.

    Raises `MissingFileError` if the file does not exist. Raises `InputError` if the name leads out of
    the searched folders.

    Parameters
    ----------
    folder : Path
        Folder of the robot file.
    subfolder : str
        Subfolder of `folder` to which relative names refer.
    """
    text = name.strip().replace("\\", "/")
    scheme, separator, rest = text.partition("://")
    if not separator:
        scheme = ""
        rest = text
    if scheme not in ("", "file", "package", "model"):
        raise InputError(
            f'"{name}" is not a file on this computer', "copy the file next to the robot file"
        )
    _stay_inside(rest, name)
    folder = folder.resolve()
    above = [folder, *list(folder.parents)[:_UPWARDS]]
    if scheme in ("package", "model"):
        package, _, inside = rest.partition("/")
        candidates = [base / package / inside for base in above]
        candidates += [base / inside for base in above if base.name == package]
        if inside != "model.sdf":  # the model in that folder is another one
            candidates += [folder / inside, folder.parent / inside]
    else:
        path = Path(rest)
        if path.is_absolute():
            # An absolute path on another computer: the file may be next to the robot file, under
            # the last parts of its path.
            candidates = [folder.joinpath(*path.parts[-count:]) for count in (1, 2, 3)]
            candidates += [folder.parent.joinpath(*path.parts[-count:]) for count in (2, 3)]
        else:
            candidates = [folder / subfolder / path, folder / path]
    root = above[-1]
    for candidate in candidates:
        try:
            if os.path.isfile(candidate) and candidate.resolve().is_relative_to(root):
                return candidate
        except (OSError, ValueError):
            continue
    raise MissingFileError(
        f'there is no file "{name}" in the folder of the robot file or near it', "add it"
    )


def _stay_inside(rest: str, name: str) -> None:
    depth = 0
    for part in rest.split("/"):
        depth += {"..": -1, ".": 0, "": 0}.get(part, 1)
        if depth < -1:
            break
    if depth < -1 or "\0" in rest or (".." in rest.split("/") and "://" in name):
        raise InputError(
            f'"{name}" leads out of the folder of the robot file', "copy the file into that folder"
        )
