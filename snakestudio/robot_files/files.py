"""Files that a robot file names: meshes and includes, looked for in its folder and near it, and never elsewhere."""

from __future__ import annotations

from pathlib import Path

from snakestudio.inputs import InputError

ENDINGS = (".urdf", ".xacro", ".sdf", ".world", ".xml", ".mjcf")
"""Of robot files."""

_UPWARDS = 6
"""Folders above the robot file in which a package is looked for."""


class MissingFileError(InputError):
    """A file that a robot file names is not there."""


def resolved(name: str, folder: Path, subfolder: str = "") -> Path:
    """The file that a robot file names.

    ``package://NAME/rest`` and ``model://NAME/rest`` mean `rest` in a folder NAME: the robot file's
    own one, one above it, or one next to those. Other names are relative to the robot file's
    folder.

    Raises `MissingFileError` if there is no such file. Raises `InputError` if the name leads out of
    the folders that are searched.

    Parameters
    ----------
    folder : Path
        Of the robot file.
    subfolder : str
        Where relative names start, in `folder`.
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
        candidates += [folder / inside, folder.parent / inside]
    else:
        path = Path(rest)
        if path.is_absolute():
            # An absolute path of another computer: the file may be next to the robot file, under
            # its last names.
            candidates = [folder.joinpath(*path.parts[-count:]) for count in (1, 2, 3)]
            candidates += [folder.parent.joinpath(*path.parts[-count:]) for count in (2, 3)]
        else:
            candidates = [folder / subfolder / path, folder / path]
    root = above[-1]
    for candidate in candidates:
        try:
            if candidate.is_file() and candidate.resolve().is_relative_to(root):
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
