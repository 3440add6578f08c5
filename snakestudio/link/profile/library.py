"""Where profiles are: those that come with the program, and the user's own."""

from __future__ import annotations

from pathlib import Path

from snakestudio import paths
from snakestudio.errors import Problem, ProfileError
from snakestudio.inputs import local_path
from snakestudio.link.profile.editing import axes_of_scene
from snakestudio.link.profile.loading import dump_profile, load_profile
from snakestudio.model.atomic import write_atomically
from snakestudio.model.scene import Scene


def shipped() -> list[Path]:
    """The profiles that come with the program, templates for others."""
    return sorted(paths.resource("profiles").glob("*.toml"))


def own() -> list[Path]:
    """The profiles in the user's folder."""
    return sorted(paths.profiles_dir().glob("*.toml"))


def find_profile(name: str | Path) -> Path:
    """The file of a profile that is named by its path, or by the bare name of a shipped one or one of the user's.

    Raises `ProfileError` if there is none.
    """
    path = local_path(name)
    if path.suffix or path.exists() or len(path.parts) > 1:
        return path
    known = {each.stem: each for each in (*shipped(), *own())}
    if path.name not in known:
        raise ProfileError(
            f"There is no profile called {name}; give the path of one, or one of {', '.join(sorted(known))}."
        )
    return known[path.name]


def new_profile(template: str | Path, folder: str | Path, scene: Scene | None = None) -> Path:
    """Copy a profile and its DBC into a folder, which is made if it is missing, as a lab's own to change.

    With a scene the name and the axes are those of its robot, see `axes_of_scene`.

    Raises `ProfileError` if there is no such template, or one of the files is there already, or
    cannot be written; or if the scene's robot has no joint axes.
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
            if path.exists():
                problem = Problem(
                    "error", "", "there is a file of this name already", "give another folder"
                )
                raise ProfileError(f"{path}: {problem.sentence_for()}", [problem])
        write_atomically(folder / dbc.name, dbc.read_bytes())
        write_atomically(target, data)
    except OSError as error:
        raise ProfileError(
            f"{folder}: the profile cannot be written there ({error.strerror}); give another folder."
        ) from None
    return target
