"""A study in its file: every change is saved at once, and what somebody else writes there is taken up."""

from __future__ import annotations

from pathlib import Path

from snakestudio.errors import SnakeStudioError, StudyError
from snakestudio.model.scene_file import file_digest
from snakestudio.paths import is_shipped_scene
from snakestudio.study.description import StudyFields
from snakestudio.study.study_file import load_study, named_from, save_study

__all__ = ["StudyOnDisk", "new_study_path"]

_STAYS = "{} comes with the program and stays as it is; save it in another place."


class StudyOnDisk:
    """A study that is edited. It may make no sense while it is (see `description.problems`), and is saved all the same.

    Parameters
    ----------
    path : Path

    Attributes
    ----------
    study : StudyFields
        As it is edited; of a file that cannot be read, as it was before, or empty.
    unreadable : str
        Why the file cannot be read, a sentence a line; "" if it can. Nothing is written over it then.
    shipped : bool
        Whether it comes with the program, and stays as it is.
    unsaved : str
        Why the last changes are not in the file, in a sentence; "" if they are.

    Raises
    ------
    StudyError
        If there is no such file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.study = StudyFields(scene="?")
        self.unreadable = self.unsaved = ""
        self.shipped = is_shipped_scene(self.path)
        self._digest = file_digest(self.path)
        if self._digest is None:
            load_study(self.path)  # says why
            raise StudyError(f"{path}: it cannot be read.")
        self._read()

    def _read(self) -> None:
        try:
            self.study = load_study(self.path, whole=False)
            self.unreadable = ""
        except SnakeStudioError as error:
            self.unreadable = str(error).replace(f"{self.path}: ", "")

    def look(self) -> bool:
        """Take up what somebody else wrote to the file since; whether there was something.

        Changes that could not be saved are kept: they are not in the file, and the file's are.
        """
        digest = file_digest(self.path)
        if digest is None or digest == self._digest or self.unsaved:
            return False
        self._digest = digest
        self._read()
        return True

    def edit(self, study: StudyFields) -> None:
        """Have another study in its place, and save it."""
        if self.unreadable or (study == self.study and not self.unsaved):
            return
        self.study = study
        self.save()

    def save(self) -> None:
        """Save it; `unsaved` says if that cannot be done."""
        if self.shipped:
            self.unsaved = _STAYS.format(self.path.name)
            return
        try:
            save_study(self.study, self.path)
            self._digest = file_digest(self.path)
            self.unsaved = ""
        except StudyError as error:
            self.unsaved = str(error)

    def save_as(self, path: Path) -> None:
        """Save it in another place, where it stays from now on, with the way to its scene as it is from there.

        Raises
        ------
        StudyError
            If it cannot be written there; then nothing has changed.
        """
        path = path.resolve()
        if is_shipped_scene(path):
            raise StudyError(_STAYS.format(path.name))
        scene = named_from(path.parent, self.path.parent / self.study.scene)
        study = self.study.model_copy(update={"scene": scene})
        save_study(study, path)
        self.path, self.study, self._digest = path, study, file_digest(path)
        self.unreadable, self.unsaved, self.shipped = "", "", False


def new_study_path(scene: Path) -> Path:
    """Where a new study of a scene goes: beside it, under its name, where nothing is yet."""
    stem, number = scene.with_suffix(""), 1
    path = Path(f"{stem}.study.toml")
    while path.exists() or path.with_suffix(".results").exists():
        number += 1
        path = Path(f"{stem}-{number}.study.toml")
    return path
