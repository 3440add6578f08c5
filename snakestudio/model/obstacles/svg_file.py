"""Circles from an SVG drawing, including circular ellipses, with all transformations and units applied.

The drawing is interpreted as SVG 1.1 and 2 specify: uses, symbols and nested drawings with their
view boxes, switches, and elements hidden by styles. Only data that affects circles is retained; all
other elements are counted.
"""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from xml.etree.ElementTree import Element

import numpy as np

from snakestudio.inputs import DRAWING, InputError, count, utf8_xml
from snakestudio.model.obstacles.circles import MAX_OBSTACLES, Circle, Circles, refuse
from snakestudio.model.obstacles.svg_style import apply_styles
from snakestudio.text import counted

_ROUND = 1e-3
"""Relative difference of axes below which an ellipse is a circle: drawing programs round."""

_INCH = 96.0
"""Pixels per inch."""

_PIXELS = {
    "": 1.0,
    "px": 1.0,
    "mm": _INCH / 25.4,
    "cm": _INCH / 2.54,
    "q": _INCH / 101.6,
    "in": _INCH,
    "pt": _INCH / 72,
    "pc": _INCH / 6,
}
"""Pixels per unit."""

_PAPER = {"mm": 1.0, "cm": 10.0, "q": 0.25, "in": 25.4, "pt": 25.4 / 72, "pc": 25.4 / 6}
"""Millimetres per unit of a page size."""

_FLOAT = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_LENGTH = re.compile(rf"\s*({_FLOAT})\s*(mm|cm|q|in|pt|pc|px|%|)\s*\Z", re.IGNORECASE)
_TRANSFORM = re.compile(r"\s*,?\s*([a-zA-Z]+)\s*\(([^()]*)\)")
_ARGUMENT = re.compile(rf"({_FLOAT})(?:px|deg)?")

_SHAPES = {"rect", "line", "polyline", "polygon", "path"}
_ROUND_SHAPES = {"circle", "ellipse"}
_APART = {"defs", "symbol", "clipPath", "mask", "pattern", "marker"}
"""Elements that are drawn only where something refers to them."""

_FOLLOWED = {"svg", "g", "a", "switch", "use"}
_KEPT = {"style", *_FOLLOWED, *_ROUND_SHAPES, *_APART}
_ATTRIBUTES = {
    "id",
    "transform",
    "cx",
    "cy",
    "r",
    "rx",
    "ry",
    "x",
    "y",
    "width",
    "height",
    "viewBox",
    "preserveAspectRatio",
    "href",
    "style",
    "class",
    "display",
    "visibility",
    "systemLanguage",
    "requiredExtensions",
}
_LONGEST = 20_000
"""Largest number of characters of an attribute or of a style sheet."""
_DEEPEST = 150
"""Largest nesting depth of elements, including uses."""

_PLAIN = "export it again as plain SVG"

_Matrix = tuple[float, float, float, float, float, float]
"""Matrix in SVG notation: x' = a x + c y + e, y' = b x + d y + f, as (a, b, c, d, e, f)."""


@dataclass(frozen=True, slots=True)
class _View:
    """Coordinate system of an element."""

    matrix: _Matrix
    """Transformation from its units to pixels of the page."""
    width: float
    """Reference length of horizontal percentages, in its units."""

    height: float
    """Reference length of vertical percentages, in its units."""
    visible: bool = True
    depth: int = 0


@dataclass(slots=True)
class _DrawingContent:
    """Content of a drawing."""

    rounds: list[tuple[_Matrix, float, float, float, float]] = field(default_factory=list)
    """Circles and ellipses: matrix to pixels, centre and radii."""
    hidden: int = 0
    sizeless: int = 0
    elsewhere: int = 0
    """Number of uses of elements that are not in the file."""


def circles_of_svg(data: bytes, source: str) -> Circles:
    """Read circles from an SVG drawing, in mm if it has a paper size, otherwise in its own units ("px").

    The lower left corner of the page becomes the origin: y points down in a drawing but up on the
    ground.

    Raises `SceneError` if the file is not SVG or contains no circle.
    """
    try:
        root, others, ignored_rules = _what_places_circles(data)
        page = _page(root)
        drawn = _DrawingContent()
        _Walk(root, drawn).draw(root, page.view, root_of_all=True)
    except ElementTree.ParseError as error:
        line, column = error.position
        raise refuse(
            source,
            [f"line {line}, column {column + 1}: the file is not valid SVG; export it again."],
        ) from None
    except RecursionError:
        raise refuse(source, [f"its groups and uses are nested too deeply; {_PLAIN}."]) from None
    except InputError as error:
        raise refuse(source, [f"{error}"]) from None
    circles: list[Circle] = []
    ovals = 0
    points = drawn.sizeless
    for (a, b, c, d, e, f), cx, cy, rx, ry in drawn.rounds:
        axes = np.array([[a * rx, c * ry], [b * rx, d * ry]])
        long, short = (
            np.linalg.svd(axes, compute_uv=False) / page.per_unit
            if np.isfinite(axes).all()
            else (0.0, 0.0)
        )
        x = (a * cx + c * cy + e) / page.per_unit
        y = page.height - (b * cx + d * cy + f) / page.per_unit
        if not (math.isfinite(x) and math.isfinite(y) and short > 0):
            points += 1
        elif long - short > _ROUND * long:
            ovals += 1
        else:
            circles.append(Circle(x, y, float(long + short) / 2, f"circle {len(circles) + 1}"))
    if not circles:
        raise refuse(
            source, ["the drawing contains no circles; draw obstacles as circles, not as paths."]
        )
    notes = [
        f"Ignored {counted(number, name, names)}{why}."
        for number, name, names, why in (
            (ovals, "ellipse", "ellipses", " (not round)"),
            (points, "circle", "circles", " (no size)"),
            (drawn.hidden, "circle", "circles", " (hidden)"),
            (others, "other shape", "other shapes", ""),
            (drawn.elsewhere, "use", "uses", " (target not in the file)"),
            (ignored_rules, "style rule", "style rules", " (unknown syntax)"),
        )
        if number
    ]
    stated = (
        "from the page size"
        if page.unit == "mm"
        else "because the page has no size in mm, cm or inches"
    )
    return Circles(tuple(circles), page.unit, stated, tuple(notes))


def _what_places_circles(data: bytes) -> tuple[Element, int, int]:
    """Reduce a drawing to elements that place circles and other drawn shapes, and count ignored style rules.

    Raises `InputError` if it is not a drawing, or too large. Raises `ElementTree.ParseError` if it is
    not XML.
    """
    count(
        data.count(b"="),
        5 * DRAWING.values,
        "attributes",
        "draw only the obstacles, as circles",
    )
    parser = ElementTree.XMLParser(target=_Sieve(), encoding="utf-8")
    parser.feed(
        utf8_xml(data)
    )  # fed in one piece because the parser rescans long tokens with each piece
    root: Element = parser.close()
    ignored_rules = apply_styles(root)
    for switch in root.iter("switch"):
        chosen = next((child for child in switch if _holds(child)), None)
        switch[:] = [] if chosen is None else [chosen]
    others = _ElementCounter(root).others
    for parent in list(root.iter()):
        parent[:] = [child for child in parent if child.tag in _KEPT]
    return root, others, ignored_rules


def _holds(element: Element) -> bool:
    """Return whether the conditions of an element hold: the language is English, and no extensions are known."""
    if "requiredExtensions" in element.keys():  # noqa: SIM118  (an element is not a mapping)
        return False
    languages = element.get("systemLanguage")
    return languages is None or any(
        language.strip().lower().partition("-")[0] == "en" for language in languages.split(",")
    )


class _Sieve:
    """Builds the drawing of the elements that place circles, and of other shapes, during parsing."""

    def __init__(self) -> None:
        self._root: Element | None = None
        self._path: list[Element | None] = []
        self._elements = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of an element; namespaces are in braces before names of tags and attributes."""
        self._elements += 1
        count(self._elements, DRAWING.values, "elements", "draw only the obstacles, as circles")
        count(
            len(self._path),
            DRAWING.depth,
            "nested groups",
            "draw only the obstacles, as circles",
        )
        name = tag.rpartition("}")[2]
        parent = self._path[-1] if self._path else None
        child = None
        if self._root is None:
            if name != "svg":
                raise InputError("the file is not an SVG drawing", "choose a drawing with circles")
            child = self._root = _element(name, attributes)
        elif parent is not None and (name in _KEPT | _SHAPES or parent.tag == "switch"):
            # A switch can choose any of its children.
            child = _element(name, attributes)
            parent.append(child)
            if name not in _KEPT | _SHAPES:
                child = None
        self._path.append(child)

    def end(self, tag: str) -> None:
        """Handle the end of an element."""
        self._path.pop()

    def data(self, text: str) -> None:
        """Handle text; only that of style sheets is used."""
        inside = self._path[-1] if self._path else None
        if inside is not None and inside.tag == "style":
            inside.text = (inside.text or "") + text
            if len(inside.text) > _LONGEST:
                raise InputError(f"its style sheet is longer than {_LONGEST} characters", _PLAIN)

    def close(self) -> Element:
        """Return the drawing."""
        assert self._root is not None  # input without a root is not XML
        return self._root


def _element(name: str, attributes: dict[str, str]) -> Element:
    """Return the element with the attributes that affect circles, without namespaces."""
    values = {
        key.rpartition("}")[2]: value for key, value in sorted(attributes.items(), reverse=True)
    }
    # href before xlink:href
    used = {key: value for key, value in values.items() if key in _ATTRIBUTES}
    if any(len(value) > _LONGEST for value in used.values()):
        raise InputError(f"one of its values is longer than {_LONGEST} characters", _PLAIN)
    return Element(name, used)


class _ElementCounter:
    """Counts the drawn elements, including nested uses.

    Raises `InputError` if an element draws itself, or if there are too many for a scene.
    """

    def __init__(self, root: Element) -> None:
        self._named = _by_id(root)
        self._known: dict[str, tuple[int, int]] = {}
        self._within: set[str] = set()
        drawn, self.others = self._of(root, True)
        count(
            drawn,
            2 * MAX_OBSTACLES,
            "drawn circles and groups",
            "draw fewer, and do not repeat groups",
        )

    def _of(self, element: Element, referred: bool = False) -> tuple[int, int]:
        """Return the numbers of followed elements and of other shapes that an element draws."""
        if (
            element.get("display") == "none"
            or not _holds(element)
            or (element.tag in _APART and not referred)
        ):
            return 0, 0
        if element.tag in _SHAPES:
            return 0, int(element.get("visibility") not in ("hidden", "collapse"))
        parts: Iterator[tuple[int, int]] = map(self._of, element)
        if element.tag == "use":
            parts = iter([self._used(_reference(element))])
        drawn = 1
        others = 0
        for more, more_others in parts:
            drawn = drawn + more
            others = others + more_others
        return drawn, others

    def _used(self, name: str) -> tuple[int, int]:
        if name in self._within:
            raise InputError(f'"{name[:40]}" is drawn within itself', _PLAIN)
        if name not in self._known:
            self._within.add(name)
            count(len(self._within), DRAWING.depth, "nested uses", _PLAIN)
            self._known[name] = self._of(self._named[name], True) if name in self._named else (0, 0)
            self._within.remove(name)
        return self._known[name]


def _by_id(root: Element) -> dict[str, Element]:
    """Return the elements by id; the first of several is used."""
    named: dict[str, Element] = {}
    for element in root.iter():
        if element.get("id"):
            named.setdefault(element.get("id", ""), element)
    return named


def _reference(use: Element) -> str:
    """Return the Id that a use refers to; "" if it refers to another file."""
    href = use.get("href", "").strip()
    return href[1:] if href.startswith("#") else ""


class _Walk:
    """Traverses a drawing and collects its circles."""

    def __init__(self, root: Element, drawn: _DrawingContent) -> None:
        self._named = _by_id(root)
        self._drawn = drawn
        self._hidden: set[Element] = set()
        self._by_tag: dict[str, Callable[[Element, _View], None]] = {
            "g": self._children,
            "a": self._children,
            "switch": self._children,
            "svg": self._nested,
            "use": self._use,
            "circle": self._round,
            "ellipse": self._round,
        }

    def draw(self, element: Element, view: _View, *, root_of_all: bool = False) -> None:
        """Draw an element if it is visible."""
        if element.get("display") == "none" or not _holds(element):
            if element not in self._hidden:
                self._hidden.add(element)
                self._drawn.hidden += sum(1 for each in element.iter() if each.tag in _ROUND_SHAPES)
            return
        if view.depth > _DEEPEST:
            raise InputError("its groups and uses are nested too deeply", _PLAIN)
        own = _transform(element.get("transform", ""))
        matrix = _times(own, view.matrix) if root_of_all else _times(view.matrix, own)
        visibility = element.get("visibility", "inherit").strip()
        visible = (
            view.visible
            if visibility not in ("visible", "hidden", "collapse")
            else visibility == "visible"
        )
        view = replace(view, matrix=matrix, visible=visible, depth=view.depth + 1)
        draw = self._children if root_of_all else self._by_tag.get(element.tag)
        if draw is not None:
            draw(element, view)

    def _children(self, element: Element, view: _View) -> None:
        for child in element:
            self.draw(child, view)

    def _nested(self, element: Element, view: _View) -> None:
        self._viewport(element, view, element.get("width"), element.get("height"))

    def _use(self, element: Element, view: _View) -> None:
        used = self._named.get(_reference(element))
        if used is None:
            self._drawn.elsewhere += 1
            return
        shift = (
            _length(element.get("x"), view.width, 0.0),
            _length(element.get("y"), view.height, 0.0),
        )
        view = replace(view, matrix=_times(view.matrix, (1.0, 0.0, 0.0, 1.0, *shift)))
        if used.tag not in ("symbol", "svg"):
            self.draw(used, view)
            return
        if used.get("display") == "none":
            return
        visibility = used.get("visibility", "inherit").strip()
        if visibility in ("visible", "hidden", "collapse"):
            view = replace(view, visible=visibility == "visible")
        if view.depth > _DEEPEST:
            raise InputError("its groups and uses are nested too deeply", _PLAIN)
        view = replace(
            view,
            matrix=_times(view.matrix, _transform(used.get("transform", ""))),
            depth=view.depth + 1,
        )
        # A symbol fills the page unless its use has a size; a drawing has its own size (SVG 1.1, 5.6).

        own = used.tag == "svg"
        size = (element.get(name, used.get(name) if own else None) for name in ("width", "height"))
        self._viewport(used, view, *size)

    def _viewport(
        self, element: Element, view: _View, width: str | None, height: str | None
    ) -> None:
        """Draw the content of an element with a position, a size and optionally a view box."""
        w, h = _length(width, view.width, view.width), _length(height, view.height, view.height)
        if not (w > 0.0 and h > 0.0):
            return  # SVG 1.1, 5.1.2: a size of 0 disables rendering
        x = _length(element.get("x"), view.width, 0.0)
        y = _length(element.get("y"), view.height, 0.0)
        matrix = _times(view.matrix, (1.0, 0.0, 0.0, 1.0, x, y))
        box = _view_box(element)
        if box is not None:
            matrix = _times(matrix, _fitting(box, w, h, element.get("preserveAspectRatio", "")))
            w, h = box[2:]
        self._children(element, replace(view, matrix=matrix, width=w, height=h))

    def _round(self, element: Element, view: _View) -> None:
        if not view.visible:
            self._drawn.hidden += 1
            return
        cx = _length(element.get("cx"), view.width, 0.0)
        cy = _length(element.get("cy"), view.height, 0.0)
        if element.tag == "circle":
            rx = ry = _length(
                element.get("r"), math.hypot(view.width, view.height) / math.sqrt(2.0), 0.0
            )
        else:
            rx, ry = (
                _length(element.get(name), size, math.nan)
                for name, size in (("rx", view.width), ("ry", view.height))
            )
            # SVG 2: auto means the other radius
            rx, ry = (ry if math.isnan(rx) else rx, rx if math.isnan(ry) else ry)
        if all(map(math.isfinite, (cx, cy, rx, ry))) and min(rx, ry) > 0.0:
            self._drawn.rounds.append((view.matrix, cx, cy, rx, ry))
        else:
            self._drawn.sizeless += 1


def _length(text: str | None, full: float, otherwise: float) -> float:
    """Return the length in the units of its element.

    Parameters
    ----------
    full : float
        Reference length of percentages.
    otherwise : float
        Value if the attribute is missing or "auto".

    Returns
    -------
    float
        NaN if it cannot be parsed.
    """
    if text is None or text.strip() in ("", "auto"):
        return otherwise
    match = _LENGTH.match(text)
    if match is None:
        return math.nan
    value = float(match[1])
    unit = match[2].lower()
    return value * full / 100.0 if unit == "%" else value * _PIXELS[unit]


def _times(first: _Matrix, second: _Matrix) -> _Matrix:
    """Return the matrix that applies `second` first."""
    a, b, c, d, e, f = first
    g, h, i, j, k, m = second
    return (
        a * g + c * h,
        b * g + d * h,
        a * i + c * j,
        b * i + d * j,
        a * k + c * m + e,
        b * k + d * m + f,
    )


def _transform(text: str) -> _Matrix:
    """Return the matrix of a transform attribute.

    Raises `InputError` if it cannot be parsed, because circles would be misplaced.
    """
    matrix: _Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    text = text.strip()
    if text in ("", "none"):
        return matrix
    at = 0
    while at < len(text):
        match = _TRANSFORM.match(text, at)
        step = None if match is None else _single(match[1], match[2])
        if match is None or step is None:
            raise InputError(f'the transformation "{text[:60]}" is unknown', _PLAIN)
        matrix = _times(matrix, step)
        at = match.end()
    return matrix


def _single(name: str, arguments: str) -> _Matrix | None:
    """Return the matrix of one transformation; None if it cannot be parsed."""
    parts = [
        part for part in re.split(r"[\s,]+|(?<=[\d.])(?=[+-])(?<![eE])", arguments.strip()) if part
    ]
    matches = [_ARGUMENT.fullmatch(part) for part in parts]
    values = [float(match[1]) for match in matches if match is not None]
    if len(values) != len(parts):
        return None
    match name, values:
        case "matrix", [a, b, c, d, e, f]:
            return a, b, c, d, e, f
        case ("translate" | "translateX", [x]):
            return 1.0, 0.0, 0.0, 1.0, x, 0.0
        case "translateY", [y]:
            return 1.0, 0.0, 0.0, 1.0, 0.0, y
        case "translate", [x, y]:
            return 1.0, 0.0, 0.0, 1.0, x, y
        case "scale", [s]:
            return s, 0.0, 0.0, s, 0.0, 0.0
        case "scale", [x, y]:
            return x, 0.0, 0.0, y, 0.0, 0.0
        case "rotate", [angle]:
            c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            return c, s, -s, c, 0.0, 0.0
        case "rotate", [angle, x, y]:
            c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
            return c, s, -s, c, x - c * x + s * y, y - s * x - c * y
        case "skewX", [angle]:
            return 1.0, 0.0, math.tan(math.radians(angle)), 1.0, 0.0, 0.0
        case "skewY", [angle]:
            return 1.0, math.tan(math.radians(angle)), 0.0, 1.0, 0.0, 0.0
    return None


def _view_box(element: Element) -> tuple[float, float, float, float] | None:
    """Return the left, top, width and height of the visible area, in inner units; None if there is no view box.

    Raises `InputError` if it is not four numbers.
    """
    text = element.get("viewBox")
    if text is None:
        return None
    parts = re.split(r"[\s,]+", text.strip())
    box = [float(part) for part in parts if re.fullmatch(_FLOAT, part)]
    if not (len(box) == len(parts) == 4 and all(map(math.isfinite, box)) and min(box[2:]) > 0.0):
        raise InputError(
            f'viewBox = "{text[:60]}" is not four numbers, a position and a size', "correct it"
        )
    return box[0], box[1], box[2], box[3]


def _fitting(
    box: tuple[float, float, float, float], width: float, height: float, how: str
) -> _Matrix:
    """Return the matrix from a view box to a viewport of a given size (SVG 1.1, 7.8)."""
    x, y, w, h = box
    tokens = [token for token in how.split() if token != "defer"] or ["xMidYMid"]
    align = tokens[0]
    sx, sy = width / w, height / h
    if align != "none":
        sx = sy = max(sx, sy) if "slice" in tokens[1:] else min(sx, sy)
    fractions = {"Min": 0.0, "Mid": 0.5, "Max": 1.0}
    fx, fy = (
        (0.0, 0.0)
        if align == "none"
        else (fractions.get(align[1:4], 0.5), fractions.get(align[5:8], 0.5))
    )
    return sx, 0.0, 0.0, sy, fx * (width - w * sx) - x * sx, fy * (height - h * sy) - y * sy


@dataclass(frozen=True, slots=True)
class _Page:
    """Page of a drawing."""

    unit: str
    per_unit: float
    """Pixels of 1/96 inch per unit."""
    height: float
    """Height in units of the page."""
    view: _View


def _page(root: Element) -> _Page:
    """Return the page of a drawing. Raises `InputError` if its size or view box is invalid."""
    box = _view_box(root)
    sizes: list[float | None] = []
    paper = ""
    for name in ("height", "width"):
        match = _LENGTH.match(root.get(name, ""))
        sizes.append(
            float(match[1]) * _PIXELS[match[2].lower()] if match and match[2] != "%" else None
        )
        if match and match[2].lower() in _PAPER and not paper:
            paper = match[2].lower()
    height, width = sizes
    if any(size is not None and not 0.0 < size < math.inf for size in sizes):
        raise InputError("its page size is not positive", "set width and height")
    if box is not None:  # missing sizes follow from the view box
        if width is None:
            width = box[2] * (height / box[3]) if height is not None else box[2]
        if height is None:
            height = box[3] * (width / box[2])
    width, height = width or 0.0, height or 0.0
    matrix: _Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
    if box is not None:
        matrix = _fitting(box, width, height, root.get("preserveAspectRatio", ""))
    per_unit = _PIXELS[paper] / _PAPER[paper] if paper else 1.0
    inside = (box[2], box[3]) if box is not None else (width, height)
    return _Page("mm" if paper else "px", per_unit, height / per_unit, _View(matrix, *inside))
