"""Circles from a drawing: SVG circles, and ellipses that are circles, with every transformation and unit applied."""

from __future__ import annotations

import io
import math
import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np

from snakestudio.model.obstacle_import import Circle, Circles, refuse

__all__ = ["circles_of_svg"]

_ROUND = 1e-3
"""An ellipse whose axes differ by less than this fraction is a circle: drawing programs round."""

_PAPER = {"mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72, "pc": 25.4 / 6}
"""Millimetres in the units that a page may have."""

_LENGTH = re.compile(r"\s*[+-]?[\d.]+(?:[eE][+-]?\d+)?\s*(mm|cm|in|pt|pc|px|%)?\s*\Z")


def circles_of_svg(data: bytes, source: str) -> Circles:
    """Read circles from an SVG drawing, in mm where it has a size on paper, else in its own units ("px").

    The lower left corner of the page becomes the origin: in a drawing y points down, on the ground up.

    Raises
    ------
    SceneError
        If it is no SVG, or there is no circle in it.
    """
    from svgelements import SVG, Shape
    from svgelements import Circle as Round
    from svgelements import Ellipse as Oval

    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        line, column = error.position
        raise refuse(source, [f"line {line}, column {column + 1}: this is not valid SVG; export it again."]) from None
    if root.tag.rpartition("}")[2] != "svg":
        raise refuse(source, ["this is not an SVG drawing; give one with circles in it."])
    unit, per_unit, height = _page(root)
    try:
        drawing: Any = SVG.parse(io.BytesIO(data), reify=False, ppi=96)
    except Exception as error:  # whatever a foreign drawing does to the library is a sentence for the user
        raise refuse(source, [f"this drawing cannot be read ({error}); export it again as plain SVG."]) from None
    circles: list[Circle] = []
    others = ovals = points = 0
    for element in drawing.elements():
        if not isinstance(element, Round | Oval):
            others += isinstance(element, Shape)
            continue
        m = element.transform
        axes = np.array([[m.a * element.rx, m.c * element.ry], [m.b * element.rx, m.d * element.ry]], dtype=float)
        long, short = np.linalg.svd(axes, compute_uv=False) / per_unit
        centre = m.point_in_matrix_space((element.cx, element.cy))
        x, y = float(centre.x) / per_unit, height - float(centre.y) / per_unit
        if not (math.isfinite(x) and math.isfinite(y) and short > 0):
            points += 1
        elif long - short > _ROUND * long:
            ovals += 1
        else:
            circles.append(Circle(x, y, float(long + short) / 2, f"circle {len(circles) + 1}"))
    if not circles:
        raise refuse(source, ["there is no circle in this drawing; draw obstacles as circles, not as paths."])
    notes = [
        f"{count} {name if count == 1 else names} left out{why}."
        for count, name, names, why in (
            (ovals, "ellipse", "ellipses", ", not being round"),
            (points, "circle", "circles", ", having no size"),
            (others, "other shape", "other shapes", ""),
        )
        if count
    ]
    stated = "as the page's size says" if unit == "mm" else "as the page has no size in mm, cm or inches"
    return Circles(tuple(circles), unit, stated, tuple(notes))


def _page(root: ElementTree.Element) -> tuple[str, float, float]:
    """Unit of the result, pixels of 1/96 inch in it, and height of the page in it."""
    width, height = root.get("width", ""), root.get("height", "")
    match = _LENGTH.match(height) or _LENGTH.match(width)
    paper = match is not None and match[1] in _PAPER
    box = [float(part) for part in re.findall(r"[+-]?[\d.]+(?:[eE][+-]?\d+)?", root.get("viewBox", ""))[:4]]
    from svgelements import Length

    # In the library's own pixels, which are off by half a millionth where it comes from mm.
    per_unit = float(Length(f"1{match[1]}").value(ppi=96)) / _PAPER[match[1]] if match and paper else 1.0
    match = _LENGTH.match(height)
    if match is not None and match[1] != "%":
        pixels = float(Length(height).value(ppi=96))
    else:
        pixels = box[3] if len(box) == 4 else 0.0
    return ("mm" if paper else "px"), per_unit, pixels / per_unit
