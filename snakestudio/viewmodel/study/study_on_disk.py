"""A study in its file: every change is saved at once, and what somebody else writes there is taken up."""

from __future__ import annotations

from pathlib import Path

from snakestudio.errors import SnakeStudioError, StudyError
from snakestudio.model.scene_file import file_digest
from snakestudio.paths import is_shipped_scene
from snakestudio.study.description import StudyFields
from snakestudio.study.study_file import load_study, named_from, save_study, scene_of

_GONE = "{} is not there any more: it was deleted or moved. Save it again, or in another place."
_STAYS = "{} comes with the program and stays as it is; save it in another place."


class StudyOnDisk:
    """A study that is edited. It may make no sense while it is (see `description.problems`), and is saved all the same.

    Raises `StudyError` if there is no such file.

    Attributes
    ----------
    study : StudyFields
        As it is edited; of a file that cannot be read, as it was before, or empty.
    unreadable : str
        Why the file cannot be read, a sentence a line; "" if it can. Nothing is written over it
        then.
    shipped : bool
        Whether it comes with the program, and stays as it is.
    unsaved : str
        Why what is edited is not in the file, in a sentence; "" if it is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.study = StudyFields(scene="?")
        self.unreadable = self.unsaved = ""
        self.shipped = is_shipped_scene(self.path)
        self._digest = file_digest(self.path)
        self._in_file = self.study
        if self._digest is None:
            load_study(self.path)  # says why
            raise StudyError(f"{path}: it cannot be read.")
        self._read()

    def _read(self) -> None:
        try:
            self.study = self._in_file = load_study(self.path, whole=False)
            self.unreadable = self.unsaved = ""
        except SnakeStudioError as error:
            self.unreadable = str(error).replace(f"{self.path}: ", "")

    @property
    def missing(self) -> bool:
        """Whether somebody took the file away; it is written again only where that is asked for."""
        return self._digest is None

    @property
    def pending(self) -> bool:
        """Whether there are changes that are not in the file, and were not when it was taken away."""
        return self.study != self._in_file

    def look(self) -> bool:
        """Take up what somebody else did with the file since; whether there was something.

        Changes that could not be saved are kept: they are not in the file, and the file's are.
        """
        digest = file_digest(self.path)
        if digest == self._digest or self.pending or (digest is None and self.unreadable):
            return False
        self._digest = digest
        if digest is None:
            self.unsaved = _GONE.format(self.path.name)
        else:
            self._read()
        return True

    def edit(self, study: StudyFields) -> None:
        """Have another study in its place, and save it."""
        if self.unreadable or (study == self.study and not self.unsaved):
            return
        self.study = study
        if self.missing or file_digest(self.path) is None:
            self._digest, self.unsaved = None, _GONE.format(self.path.name)
            return
        self.save()

    def save(self) -> None:
        """Save it; `unsaved` says if that cannot be done."""
        if self.shipped:
            self.unsaved = _STAYS.format(self.path.name) if self.pending else ""
            return
        try:
            save_study(self.study, self.path)
            self._digest = file_digest(self.path)
            self._in_file = self.study
            self.unsaved = ""
        except StudyError as error:
            self.unsaved = str(error)

    def save_as(self, path: Path) -> None:
        """Save it in another place, where it stays from now on, with the way to its scene as it is from there.

        Raises `StudyError` if it cannot be written there; then nothing has changed.
        """
        path = path.resolve()
        if is_shipped_scene(path):
            raise StudyError(_STAYS.format(path.name))
        scene = named_from(path.parent, scene_of(self.study, self.path))
        study = self.study.model_copy(update={"scene": scene})
        save_study(study, path)
        self.path, self.study, self._in_file, self._digest = path, study, study, file_digest(path)
        self.unreadable = ""
        self.unsaved = ""
        self.shipped = False


def new_study_path(scene: Path) -> Path:
    """Where a new study of a scene goes: beside it, under its name, where nothing is yet."""
    stem = scene.with_suffix("")
    number = 1
    path = Path(f"{stem}.study.toml")
    while path.exists() or path.with_suffix(".results").exists():
        number += 1
        path = Path(f"{stem}-{number}.study.toml")
    return path
