"""Circles from a drawing: SVG circles, and ellipses that are circles, with every transformation and unit applied.

Only what places circles is given to the library: groups, uses and the circles themselves, no more of them than a scene
has obstacles. All else of a foreign drawing is counted and left.
"""

from __future__ import annotations

import io
import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from typing import Any

import numpy as np

from snakestudio.inputs import DRAWING, InputError, count
from snakestudio.model.obstacles.circles import MAX_OBSTACLES, Circle, Circles, refuse

__all__ = ["circles_of_svg"]

_ROUND = 1e-3
"""An ellipse whose axes differ by less than this fraction is a circle: drawing programs round."""

_PAPER = {"mm": 1.0, "cm": 10.0, "in": 25.4, "pt": 25.4 / 72, "pc": 25.4 / 6}
"""Millimetres in the units that a page may have."""

_FLOAT = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_LENGTH = re.compile(rf"\s*{_FLOAT}\s*(mm|cm|in|pt|pc|px|%)?\s*\Z")

_SHAPES = {"rect", "line", "polyline", "polygon", "path"}
_ROUND_SHAPES = {"circle", "ellipse"}
_APART = {"defs", "symbol", "clipPath", "mask", "pattern", "marker"}
"""What is drawn only where something refers to it."""

_KEPT = {"svg", "g", "a", "switch", "use", "style", *_ROUND_SHAPES, *_APART}
_ATTRIBUTES = {
    "id", "transform", "cx", "cy", "r", "rx", "ry", "x", "y", "width", "height", "viewBox", "preserveAspectRatio",
    "href", "style", "class", "display", "visibility",
}  # fmt: skip
_LONGEST = 20_000
"""Characters of an attribute, or of a style sheet."""

_PLAIN = "export it again as plain SVG"


def circles_of_svg(data: bytes, source: str) -> Circles:
    """Read circles from an SVG drawing, in mm where it has a size on paper, else in its own units ("px").

    The lower left corner of the page becomes the origin: in a drawing y points down, on the ground up.

    Raises
    ------
    SceneError
        If it is no SVG, or there is no circle in it.
    """
    from svgelements import SVG
    from svgelements import Circle as Round
    from svgelements import Ellipse as Oval

    try:
        root, others = _what_places_circles(data)
    except ElementTree.ParseError as error:
        line, column = error.position
        raise refuse(source, [f"line {line}, column {column + 1}: this is not valid SVG; export it again."]) from None
    except InputError as error:
        raise refuse(source, [f"{error}."]) from None
    unit, per_unit, height = _page(root, source)
    circles: list[Circle] = []
    ovals = points = 0
    try:
        drawing: Any = SVG.parse(io.BytesIO(ElementTree.tostring(root)), reify=False, ppi=96)
        for element in drawing.elements():
            if not isinstance(element, Round | Oval):
                continue
            m = element.transform
            axes = np.array([[m.a * element.rx, m.c * element.ry], [m.b * element.rx, m.d * element.ry]], dtype=float)
            long, short = np.linalg.svd(axes, compute_uv=False) / per_unit if np.isfinite(axes).all() else (0.0, 0.0)
            centre = m.point_in_matrix_space((element.cx, element.cy))
            x, y = float(centre.x) / per_unit, height - float(centre.y) / per_unit
            if not (math.isfinite(x) and math.isfinite(y) and short > 0):
                points += 1
            elif long - short > _ROUND * long:
                ovals += 1
            else:
                circles.append(Circle(x, y, float(long + short) / 2, f"circle {len(circles) + 1}"))
    except Exception as error:  # whatever a foreign drawing does to the library is a sentence for the user
        raise refuse(source, [f"this drawing cannot be read ({error}); export it again as plain SVG."]) from None
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


def _what_places_circles(data: bytes) -> tuple[ElementTree.Element, int]:
    """The drawing with nothing in it but what places circles, and how many other shapes are drawn.

    Raises
    ------
    InputError
        If it is no drawing, or larger than any with obstacles in it.
    ElementTree.ParseError
        If it is no XML.
    """
    count(data.count(b"="), 5 * DRAWING.values, "attributes in it", "draw the obstacles alone, as circles")
    parser = ElementTree.XMLParser(target=_Sieve())
    parser.feed(data)  # in one piece: what is long is else begun anew with every piece
    root: ElementTree.Element = parser.close()
    others = _Counted(root).others
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag in _SHAPES]:
            parent.remove(child)
    root.set("xmlns", "http://www.w3.org/2000/svg")
    return root, others


class _Sieve:
    """Builds the drawing of those elements that place circles, and of other shapes, while it is parsed."""

    def __init__(self) -> None:
        self._root: ElementTree.Element | None = None
        self._path: list[ElementTree.Element | None] = []
        self._elements = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element begins; its tag and attributes have their namespaces in braces before them."""
        self._elements += 1
        count(self._elements, DRAWING.values, "elements in it", "draw the obstacles alone, as circles")
        count(len(self._path), DRAWING.depth, "groups in each other", "draw the obstacles alone, as circles")
        name, parent, made = tag.rpartition("}")[2], self._path[-1] if self._path else None, None
        if self._root is None:
            if name != "svg":
                raise InputError("this is not an SVG drawing", "give one with circles in it")
            made = self._root = _element(name, attributes)
        elif parent is not None and name in _KEPT | _SHAPES:
            made = _element(name, attributes)
            parent.append(made)
        self._path.append(made)

    def end(self, tag: str) -> None:
        """It ends."""
        self._path.pop()

    def data(self, text: str) -> None:
        """Text, of which only a style sheet's is looked at."""
        inside = self._path[-1] if self._path else None
        if inside is not None and inside.tag == "style":
            inside.text = (inside.text or "") + text
            if len(inside.text) > _LONGEST:
                raise InputError(f"its style sheet is longer than {_LONGEST} characters", _PLAIN)

    def close(self) -> ElementTree.Element:
        """The drawing."""
        assert self._root is not None  # or it would be no XML
        return self._root


def _element(name: str, attributes: dict[str, str]) -> ElementTree.Element:
    """An element with those of its attributes that place circles, without namespaces."""
    values = {key.rpartition("}")[2]: value for key, value in attributes.items()}
    kept = {key: value for key, value in values.items() if key in _ATTRIBUTES}
    if any(len(value) > _LONGEST for value in kept.values()):
        raise InputError(f"a value in it is longer than {_LONGEST} characters", _PLAIN)
    return ElementTree.Element(name, kept)


class _Counted:
    """How much a drawing draws, uses of uses and all.

    Raises
    ------
    InputError
        If it draws itself, or more than a scene may have.
    """

    def __init__(self, root: ElementTree.Element) -> None:
        self._named = {element.get("id", ""): element for element in root.iter()}
        self._known: dict[str, tuple[int, int]] = {}
        self._within: set[str] = set()
        drawn, self.others = self._of(root, True)
        count(drawn, 2 * MAX_OBSTACLES, "circles and groups drawn", "draw fewer, and no group again and again")

    def _of(self, element: ElementTree.Element, referred: bool = False) -> tuple[int, int]:
        """Elements for the library, and other shapes, that an element draws."""
        hidden = element.get("display") == "none" or "display:none" in element.get("style", "").replace(" ", "")
        if hidden or (element.tag in _APART and not referred):
            return 0, 0
        if element.tag in _SHAPES:
            return 0, 1
        parts: Iterator[tuple[int, int]] = map(self._of, element)
        if element.tag == "use":
            parts = iter([self._used(element.get("href", "").strip().removeprefix("#"))])
        drawn, others = 1, 0
        for more, more_others in parts:
            drawn, others = drawn + more, others + more_others
        return drawn, others

    def _used(self, name: str) -> tuple[int, int]:
        if name in self._within:
            raise InputError(f'"{name[:40]}" is drawn within itself', _PLAIN)
        if name not in self._known:
            self._within.add(name)
            count(len(self._within), DRAWING.depth, "uses in each other", _PLAIN)
            self._known[name] = self._of(self._named[name], True) if name in self._named else (0, 0)
            self._within.remove(name)
        return self._known[name]


def _page(root: ElementTree.Element, source: str) -> tuple[str, float, float]:
    """Unit of the result, pixels of 1/96 inch in it, and height of the page in it."""
    width, height = root.get("width", ""), root.get("height", "")
    match = _LENGTH.match(height) or _LENGTH.match(width)
    paper = match is not None and match[1] in _PAPER
    given = root.get("viewBox")
    parts = re.split(r"[\s,]+", (given or "").strip())
    box = [float(part) for part in parts if re.fullmatch(_FLOAT, part)]
    sound = len(box) == len(parts) == 4 and all(map(math.isfinite, box)) and min(box[2:]) > 0.0
    if given is not None and not sound:
        raise refuse(source, [f'viewBox = "{given[:60]}" is not four numbers, a place and a size; mend it.'])
    from svgelements import Length

    # In the library's own pixels, which are off by half a millionth where it comes from mm.
    per_unit = float(Length(f"1{match[1]}").value(ppi=96)) / _PAPER[match[1]] if match and paper else 1.0
    match = _LENGTH.match(height)
    pixels = box[3] if sound else 0.0
    if match is not None and match[1] != "%":
        pixels = float(Length(height).value(ppi=96))
    return ("mm" if paper else "px"), per_unit, pixels / per_unit
