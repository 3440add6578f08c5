"""Pictures of others: the one place that opens them, of the kinds that are wanted and no larger than is needed.

A library that reads any kind of picture runs other programs for some of them, and takes gigabytes
for a large one of a few kilobytes. So the kind is one of a list, and the size is read from the
picture's head before anything is unpacked.
"""

from __future__ import annotations

import warnings
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from snakestudio.errors import UsageError
from snakestudio.inputs import PICTURE, InputError, local_path, opened

KINDS = ("PNG", "JPEG", "TIFF", "BMP", "PPM")
"""As Pillow calls them."""

REMEDY = "give a grey-scale PNG, TIFF, JPEG, BMP or PGM file"

LARGEST = 4096
"""Pixels either way."""


def grey_values(path: Path) -> NDArray[np.float64]:
    """Grey values 0 to 1 of a picture, first row at the bottom.

    Raises `InputError` if it is no picture of one of the `KINDS`, or has less than 2 or more than
    `LARGEST` pixels either way.
    """
    from PIL import Image

    with opened(path, PICTURE) as file:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # of damage, and of sizes that are refused here
                with Image.open(file, formats=KINDS) as image:
                    width, height = image.size
                    if not (min(width, height) >= 2 and max(width, height) <= LARGEST):
                        raise _size(f"{width} x {height}")
                    deep = image.mode.startswith("I") or image.mode == "F"
                    grey = np.asarray(image.convert("F"), dtype=np.float64)
        except InputError:
            raise
        except (Image.DecompressionBombError, Image.DecompressionBombWarning):
            raise _size("far too many") from None
        except Exception:  # whatever a foreign picture does to the library: OSError, SyntaxError, struct.error, ...
            raise InputError("it is no picture that can be read", REMEDY) from None
    if not np.isfinite(grey).all():
        raise InputError("it holds values that are no numbers", REMEDY)
    return np.ascontiguousarray(grey[::-1] / (65535.0 if deep and grey.max() > 255.0 else 255.0))


def scene_picture(name: str, base_dir: Path | None) -> NDArray[np.float64]:
    """Grey values 0 to 1 of a picture that a scene names, first row at the bottom; shared, so not to be written to.

    Raises `InputError` if it cannot be used; the message names the file.
    """
    try:
        path = local_path(name, base_dir)
    except UsageError as reason:
        raise InputError(str(reason).rstrip("."), REMEDY) from None
    try:
        return _read(path, path.stat().st_mtime_ns)
    except InputError as reason:
        raise InputError(f"'{path}' cannot be used ({reason.message})", reason.remedy) from None
    except (OSError, ValueError) as reason:
        why = getattr(reason, "strerror", None) or "this is not a path"
        raise InputError(f"'{path}' cannot be used ({why})", REMEDY) from None


@lru_cache(maxsize=4)
def _read(path: Path, stamp: int) -> NDArray[np.float64]:
    """`grey_values`; `stamp` (of the file) makes a changed file be read again."""
    return grey_values(path)


def _size(pixels: str) -> InputError:
    return InputError(f"it has {pixels} pixels", f"give 2 to {LARGEST} either way")
