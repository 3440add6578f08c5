"""Shared parts of all printed drawings: style, colours, file formats and metadata."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

from snakestudio._version import __version__
from snakestudio.drawing.style import Colour, colour
from snakestudio.errors import ExportError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".pdf", ".svg", ".png")
"""Extensions of the files that can be written."""

INK: Colour = colour("#1b2027")
PALE: Colour = colour("#5c6b7a")
"""Colours of bodies and texts, and of auxiliary lines and secondary texts."""

PLAIN: Any = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 7.0,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    # Text stays text, and the same drawing gives the same bytes.
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
    "svg.hashsalt": "snakestudio",
}
"""Common style, without colours."""

STYLE: Any = {
    **PLAIN,
    "axes.edgecolor": PALE,
    "xtick.color": PALE,
    "ytick.color": PALE,
    "axes.labelcolor": PALE,
    "text.color": INK,
    "path.simplify": False,
    "text.parse_math": False,  # names may contain dollar signs
}
"""Style of plans and reports, with an unobtrusive frame."""


def printed_suffix(path: Path, what: str) -> str:
    """Return the lower-case extension of a drawing's file if it can be written; `what` names the drawings in messages.

    Raises `ExportError` if it cannot.
    """
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise ExportError(
            f"{path}: {what} are written as {', '.join(FORMATS)}. Use one of these extensions."
        )
    return suffix


def save_figure(figure: Figure, path: Path, **options: Any) -> None:
    """Write a figure after it is drawn completely; `options` are those of matplotlib's `savefig`.

    The PDF backend fails if the disk becomes full during drawing.

    Raises `OSError` if it cannot be written.
    """
    drawn = io.BytesIO()
    figure.savefig(drawn, format=path.suffix.lower()[1:], **options)
    path.write_bytes(drawn.getvalue())


def about_file(
    suffix: str, title: str = "", caption: str = "", source: str = ""
) -> dict[str, str | None]:
    """Return the metadata of a drawing's file, without a date: the same drawing gives the same bytes.

    Parameters
    ----------
    suffix : str
        One of `FORMATS`.
    source : str
        Data to reproduce the drawing.
    """
    program = f"SnakeStudio {__version__}"
    if suffix == ".svg":
        texts = {"Title": title, "Description": caption, "Creator": program, "Source": source}
    elif suffix == ".png":
        texts = {"Title": title, "Description": caption, "Software": program, "Source": source}
    else:
        texts = {
            "Title": title,
            "Subject": caption,
            "Creator": program,
            "Producer": program,
            "Keywords": source,
        }
    undated = {".svg": "Date", ".pdf": "CreationDate"}
    about: dict[str, str | None] = {name: text for name, text in texts.items() if text}
    return about | ({undated[suffix]: None} if suffix in undated else {})
