"""Study in its file: changes are saved immediately, and external changes of the file are adopted."""

from __future__ import annotations

import os
from pathlib import Path

from snakestudio.errors import SnakeStudioError, StudyError
from snakestudio.model.scene_file import file_digest
from snakestudio.paths import is_shipped_scene
from snakestudio.study.description import StudyFields
from snakestudio.study.study_file import load_study, named_from, save_study, scene_of

_GONE = "{} was deleted or moved. Save it again, or in another location."
_STAYS = "{} is bundled and cannot be changed. Save it in another location."


class StudyOnDisk:
    """Study that is edited. It can be invalid meanwhile (see `description.problems`), and is saved anyway.

    Raises `StudyError` if the file does not exist.

    Attributes
    ----------
    study : StudyFields
        Edited study; if the file cannot be read, its previous content, or an empty study.
    unreadable : str
        Reasons why the file cannot be read, one sentence per line; "" if it can. An unreadable file is not
        overwritten.
    shipped : bool
        Whether it is bundled and cannot be changed.
    unsaved : str
        Reason why edits are not saved, as a sentence; "" if they are.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.study = StudyFields(scene="?")
        self.unreadable = self.unsaved = ""
        self.shipped = is_shipped_scene(self.path)
        self._digest = file_digest(self.path)
        self._in_file = self.study
        if self._digest is None:
            load_study(self.path)  # raises an error with the reason
            raise StudyError(f"{path} cannot be read. Check the file.")
        self._read()

    def _read(self) -> None:
        try:
            self.study = self._in_file = load_study(self.path, strict=False)
            self.unreadable = self.unsaved = ""
        except SnakeStudioError as error:
            self.unreadable = str(error).replace(f"{self.path}: ", "")

    @property
    def missing(self) -> bool:
        """Whether the file was removed; it is only written again on request."""
        return self._digest is None

    @property
    def pending(self) -> bool:
        """Whether there are changes that are not saved, and were not when the file was removed."""
        return self.study != self._in_file

    def reload_changes(self) -> bool:
        """Adopt external changes of the file; return whether there were any.

        Edits that could not be saved are preserved in memory; the file has the external changes.
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
        """Replace the study and save it."""
        if self.unreadable or (study == self.study and not self.unsaved):
            return
        self.study = study
        if self.missing or file_digest(self.path) is None:
            self._digest, self.unsaved = None, _GONE.format(self.path.name)
            return
        self.save()

    def save(self) -> None:
        """Save the study; `unsaved` has the reason if this fails."""
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
        """Save the study to another path and use that from now on, with an adjusted relative path to its scene.

        Raises `StudyError` if it cannot be written; nothing is changed then.
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
    """Return an unused path for a new study of a scene, next to the scene and with its name."""
    stem = scene.with_suffix("")
    number = 1
    path = Path(f"{stem}.study.toml")
    while os.path.exists(path) or os.path.exists(path.with_suffix(".results")):
        number += 1
        path = Path(f"{stem}-{number}.study.toml")
    return path
