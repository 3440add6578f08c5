"""A picture file for every frame, numbered: what cutting programs and LaTeX's animations read."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from snakestudio.errors import ExportError
from snakestudio.model.atomic import replacing

__all__ = ["PictureFiles", "picture_pattern", "writing_pictures"]

_NUMBER = re.compile(r"%0?\d*d")


def picture_pattern(path: Path) -> Path:
    """The name of each picture with a place for its number: ``robot_%05d.png`` of ``robot.png``.

    Raises
    ------
    ExportError
        If the name has more than one such place, or other percent signs.
    """
    places = _NUMBER.findall(path.name)
    if len(places) > 1 or path.name.count("%") > len(places):
        raise ExportError(f"{path}: write the number's place once, like robot_%05d.png.")
    return path if places else path.with_name(f"{path.stem}_%05d{path.suffix}")


class PictureFiles:
    """Pictures being written into a folder.

    Parameters
    ----------
    folder : Path
    pattern : str
        Name of each with a place for its number.
    """

    def __init__(self, folder: Path, pattern: str) -> None:
        self._folder, self._pattern = folder, pattern
        self.count = 0

    def write(self, frame: NDArray[np.uint8]) -> None:
        """Add a frame, (height, width, 3), RGB."""
        Image.fromarray(frame).save(self._folder / (self._pattern % self.count), compress_level=4)
        self.count += 1


@contextlib.contextmanager
def writing_pictures(pattern: Path) -> Iterator[PictureFiles]:
    """Pictures that get their names when all are whole, in place of an earlier sequence of that name.

    They are thrown away where the block ends with an exception.

    Raises
    ------
    ExportError
        If the folder cannot be made or written to.
    """
    folder: Path | None = None
    try:
        pattern.parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=".pictures.partial", dir=pattern.parent))
        files = PictureFiles(folder, pattern.name)
        yield files
        for number in range(files.count):
            name = pattern.name % number
            with replacing(pattern.parent / name, alone=True) as partial:
                os.replace(folder / name, partial.path)
        # An earlier sequence may have been longer: its end would be taken for this one's.
        number = files.count
        while (rest := pattern.parent / (pattern.name % number)).exists():
            rest.unlink()
            number += 1
    except OSError as error:
        raise ExportError(
            f"{pattern}: the pictures cannot be written ({error.strerror or error}); choose another folder or free "
            "some space."
        ) from None
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
