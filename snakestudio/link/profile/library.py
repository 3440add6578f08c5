"""Folders of profiles: those of the program, and those of the user."""

from __future__ import annotations

import os
from pathlib import Path

from snakestudio import paths
from snakestudio.errors import Problem, ProfileError
from snakestudio.inputs import local_path
from snakestudio.link.profile.editing import axes_of_scene
from snakestudio.link.profile.loading import dump_profile, load_profile
from snakestudio.model.atomic import write_atomically
from snakestudio.model.scene import Scene


def shipped() -> list[Path]:
    """Return the bundled profiles, which are templates for others."""
    return sorted(paths.resource("profiles").glob("*.toml"))


def own() -> list[Path]:
    """Return the profiles in the user's folder."""
    return sorted(paths.profiles_dir().glob("*.toml"))


def find_profile(name: str | Path) -> Path:
    """Return the file of a profile, given by its path or by the name of a bundled profile or one of the user's.

    Raises `ProfileError` if there is none.
    """
    path = local_path(name)
    if path.suffix or os.path.exists(path) or len(path.parts) > 1:
        return path
    known = {each.stem: each for each in (*shipped(), *own())}
    if path.name not in known:
        raise ProfileError(
            f"There is no profile called {name}. Use a path, or one of {', '.join(sorted(known))}."
        )
    return known[path.name]


def new_profile(template: str | Path, folder: str | Path, scene: Scene | None = None) -> Path:
    """Copy a profile and its DBC into a folder for editing; the folder is created if it is missing.

    With a scene, the name and the axes are those of its robot: see `axes_of_scene`.

    Raises `ProfileError` if the template does not exist, one of the files exists already or cannot
    be written, or the scene's robot has no joint axes.
    """
    source = find_profile(template)
    folder = local_path(folder)
    profile = load_profile(source).profile
    dbc = source.parent / profile.dbc
    data = source.read_bytes()
    if scene is not None:
        update = {
            "name": scene.robot.name,
            "description": scene.title,
            "axes": axes_of_scene(scene, profile),
        }
        data = dump_profile(profile.model_copy(update=update), data.decode("utf-8-sig")).encode(
            "utf-8"
        )
    target = folder / source.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in (target, folder / dbc.name):
            if os.path.exists(path):
                problem = Problem(
                    "error", "", "a file with this name exists already", "choose another folder"
                )
                raise ProfileError(f"{path}: {problem.sentence_for()}", [problem])
        write_atomically(folder / dbc.name, dbc.read_bytes())
        write_atomically(target, data)
    except OSError as error:
        raise ProfileError(
            f"{folder}: The profile cannot be written there ({error.strerror}). Choose another folder."
        ) from None
    return target
