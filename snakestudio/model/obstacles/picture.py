"""Untrusted image files: the only code that opens them, restricted to certain formats and sizes.

A library that reads every image format runs other programs for some of them, and allocates
gigabytes for a large image in a few kilobytes. So formats are limited to a list, and the size is
read from the header before anything is decompressed.
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
"""Accepted formats, by their names in Pillow."""

REMEDY = "choose a grey-scale PNG, TIFF, JPEG, BMP or PGM file"

LARGEST = 4096
"""Largest width and height, pixels."""


def grey_values(path: Path) -> NDArray[np.float64]:
    """Return the grey values from 0 to 1 of an image, first row at the bottom.

    Raises `InputError` if the file is not an image of one of the `KINDS`, or has less than 2 or more
    than `LARGEST` pixels in either direction.
    """
    from PIL import Image

    with opened(path, PICTURE) as file:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "error"
                )  # Pillow warns about damaged files and rejected sizes
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
        except Exception:  # any error of the library: OSError, SyntaxError, struct.error, ...
            raise InputError("it is not a readable image", REMEDY) from None
    if not np.isfinite(grey).all():
        raise InputError("it contains values that are not numbers", REMEDY)
    return np.ascontiguousarray(grey[::-1] / (65535.0 if deep and grey.max() > 255.0 else 255.0))


def scene_picture(name: str, base_dir: Path | None) -> NDArray[np.float64]:
    """Return the grey values from 0 to 1 of an image of a scene, first row at the bottom; shared, so read-only.

    Raises `InputError` if the file is unusable; the message names the file.
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
    """`grey_values`; `stamp` (of the file) causes a changed file to be read again."""
    return grey_values(path)


def _size(pixels: str) -> InputError:
    return InputError(f"it has {pixels} pixels", f"use 2 to {LARGEST} pixels in each direction")
