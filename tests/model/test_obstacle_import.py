"""Obstacles from tables and drawings: units, transformations, and errors with line numbers."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.errors import SceneError
from snakestudio.model.obstacles.circles import Circles, circles_of_csv
from snakestudio.model.obstacles.importing import as_cylinders, bounds, read_circles, with_imported
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.svg_file import circles_of_svg
from snakestudio.model.scene import Scene
from tests.wording import naming


def numbers(result: Circles) -> list[tuple[float, float, float]]:
    return [(c.x, c.y, c.radius) for c in result.circles]


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("0.5,1,0.25\n-2,3e-1,.125\n", "m"),
        ("x,y,radius\n0.5, 1, 0.25\n\n# a remark\n-2,0.3,0.125\n", "m"),
        ("X_mm;Y_mm;R_mm\n0,5;1;0,25\n-2;0,3;0,125\n", "mm"),
        ("y [cm]\tx [cm]\tdiameter [cm]\n1\t0.5\t0.5\n0.3\t-2\t0.25\n", "cm"),
        ("centre_x (m), centre_y (m), r (m)\n0.5,1,0.25\n-2,0.3,0.125", "m"),
        ("0.5 1   0.25\r\n-2 0.3 0.125\r\n", "m"),
        ('"x";"y";"d"\n"0.5";"1";"0.5"\n"-2";"0.3";"0.25"\n', "m"),
    ],
)
def test_table_of_circles(text: str, unit: str) -> None:
    result = circles_of_csv(text, "a.csv")
    assert numbers(result) == [(0.5, 1.0, 0.25), (-2.0, 0.3, 0.125)]
    assert result.unit == unit


def test_names_are_used_and_other_columns_reported() -> None:
    result = circles_of_csv("name,x,y,r,colour\nleft pipe,1,2,0.1,red\n", "a.csv")
    assert result.circles[0].name == "left pipe"
    assert result.notes == ("Ignored columns: colour.",)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", [naming("no obstacles")]),
        ("x,y,radius\n", [naming("line 1")]),
        ("x,radius\n1,2\n", [naming("line 1")]),
        ("x,y\n1,2\n", [naming("line 1")]),
        ("x_mm,y_m,r\n1,2,3\n", [naming("line 1", "(m, mm)")]),
        (
            "1,2,0.1\n1,2\n\n3,4,0\n5,a,1\n6,7,-0.1\n,1,1\n1,nan,1\n1,2,inf\n",
            [
                "line 2: 2 values instead of 3 (x, y, radius)",
                naming("line 4", "radius 0", "than 0"),
                naming("line 5: y"),
                naming("line 6", "-0.1", "than 0"),
                "line 7: x is missing",
                naming('line 8: y "nan"'),
                naming('line 9: radius "inf"'),
            ],
        ),
    ],
)
def test_every_invalid_line_is_reported(text: str, sentences: list[str]) -> None:
    with pytest.raises(SceneError) as caught:
        circles_of_csv(text, "a.csv")
    lines = str(caught.value).splitlines()
    assert len(lines) == len(sentences)
    for line, sentence in zip(lines, sentences, strict=True):
        assert line == naming("a.csv: ", sentence)


def test_report_of_many_invalid_lines_is_short() -> None:
    with pytest.raises(SceneError, match=r"and 980 more problems") as caught:
        circles_of_csv("1,2,0.1\n" + "1,2\n" * 1000, "a.csv")
    assert len(caught.value.problems) == 1000


@given(st.text(max_size=80))
def test_any_table_gives_circles_or_a_message(text: str) -> None:
    with contextlib.suppress(SceneError):  # anything else is a bug
        result = circles_of_csv(text, "a.csv")
        assert all(
            math.isfinite(c.x) and math.isfinite(c.y) and c.radius > 0 for c in result.circles
        )


SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {}>{}</svg>'
)


def drawing(page: str, content: str) -> Circles:
    return circles_of_svg(SVG.format(page, content).encode(), "a.svg")


def test_paper_drawing_is_in_mm_from_its_lower_left_corner() -> None:
    result = drawing(
        'width="20cm" height="100mm" viewBox="0 0 400 200"', '<circle cx="100" cy="50" r="20"/>'
    )
    assert result.unit == "mm"
    assert numbers(result) == [pytest.approx((50.0, 75.0, 10.0), rel=1e-12)]
    (pipe,) = as_cylinders(result, "mm", 10.0, "a")
    assert (pipe.x_m, pipe.y_m, pipe.radius_m) == (0.5, 0.75, 0.1)


@pytest.mark.parametrize(
    ("height", "millimetres"),
    [("1in", 25.4), ("2.54cm", 25.4), ("72pt", 25.4), ("6pc", 25.4)],
)
def test_units_of_paper(height: str, millimetres: float) -> None:
    result = drawing(
        f'width="{height}" height="{height}" viewBox="0 0 10 10"', '<circle cx="0" cy="0" r="5"/>'
    )
    assert numbers(result) == [pytest.approx((0.0, millimetres, millimetres / 2), rel=1e-9)]


def test_drawing_without_size_is_in_user_units() -> None:
    result = drawing('viewBox="-10 -10 40 20"', '<circle cx="0" cy="5" r="2"/>')
    assert result.unit == "px"
    assert numbers(result) == [pytest.approx((10.0, 5.0, 2.0))]


def test_transformations_are_applied() -> None:
    content = (
        '<g transform="translate(10,20) rotate(30) scale(2)"><ellipse cx="10" cy="0" rx="3" ry="3"/></g>'
        '<g transform="scale(1,0.5)"><ellipse cx="50" cy="100" rx="4" ry="8"/></g>'
        '<g transform="matrix(-1 0 0 1 80 0)"><circle cx="10" cy="10" r="1"/></g>'
    )
    result = drawing('width="100" height="100" viewBox="0 0 100 100"', content)
    turned = (
        10 + 20 * math.cos(math.radians(30)),
        100 - (20 + 20 * math.sin(math.radians(30))),
        6.0,
    )
    assert numbers(result) == [
        pytest.approx(turned),
        pytest.approx((50.0, 50.0, 4.0)),
        pytest.approx((70.0, 90.0, 1.0)),
    ]


def test_other_shapes_are_omitted_and_reported() -> None:
    content = (
        '<defs><circle id="pipe" r="7"/><clipPath id="clip"><circle r="9"/></clipPath></defs>'
        '<use xlink:href="#pipe" x="40" y="60"/><circle cx="1" cy="1" r="1" display="none"/>'
        '<ellipse cx="3" cy="3" rx="2" ry="1"/><circle cx="3" cy="3" r="0"/><rect width="3" height="3"/>'
    )
    result = drawing('width="100" height="100" viewBox="0 0 100 100"', content)
    assert numbers(result) == [pytest.approx((40.0, 40.0, 7.0))]
    assert result.notes[0] == "Ignored 1 ellipse (not round)."
    assert "Ignored 1 other shape." in result.notes


PEG = '<circle cx="5" cy="5" r="4"/>'
SYMBOL = '<symbol id="peg" viewBox="0 0 10 10"{}>' + PEG + "</symbol>"


@pytest.mark.parametrize(
    ("content", "circle"),
    [
        (
            SYMBOL.format("") + '<use href="#peg" x="20" y="30" width="20" height="20"/>',
            (30, 60, 8),
        ),
        (
            SYMBOL.format("") + '<use href="#peg" x="20" y="30" width="60" height="20"/>',
            (50, 60, 8),
        ),
        (
            SYMBOL.format(' preserveAspectRatio="xMaxYMin"')
            + '<use href="#peg" x="20" y="30" width="60" height="20"/>',
            (70, 60, 8),
        ),
        (
            SYMBOL.format(' preserveAspectRatio="xMinYMax slice"')
            + '<use href="#peg" y="60" width="40" height="20"/>',
            (20, 40, 16),
        ),
        (SYMBOL.format("") + '<use href="#peg"/>', (50, 50, 40)),
        (
            SYMBOL.format("")
            + '<g id="g"><use href="#peg" width="10" height="10"/></g><use href="#g" x="50" y="20" '
            'visibility="visible"/>',
            (5, 95, 4),
        ),
        (
            '<defs><svg id="s" width="40" height="40" viewBox="0 0 10 10">' + PEG + "</svg></defs>"
            '<use href="#s" x="20" y="30"/>',
            (40, 50, 16),
        ),
        (
            '<defs><g id="g" transform="translate(20,10) scale(3)">'
            + PEG
            + '</g></defs><use href="#g" x="20" y="30"/>',
            (55, 45, 12),
        ),
        (
            '<svg x="20" y="40" width="50%" height="40" viewBox="0 0 10 10">' + PEG + "</svg>",
            (45, 40, 16),
        ),
        ('<circle cx="50%" cy="25%" r="10%"/>', (50, 75, 10)),
        ('<circle cx="150" cy="50" r="10" transform="rotate(90,100,50)"/>', (100, 0, 10)),
        ('<circle cx="10" cy="10" r="5" transform="translate(10-3.5)scale(2)"/>', (30, 83.5, 10)),
    ],
)
def test_uses_symbols_and_nested_drawings_are_placed(
    content: str, circle: tuple[float, float, float]
) -> None:
    """Positions and radii as drawn by librsvg 2.54, for uses of drawings according to SVG 1.1 (5.6)."""
    result = drawing('width="100" height="100" viewBox="0 0 100 100"', content)
    assert numbers(result)[0] == pytest.approx(circle)
    assert len(result.circles) == (2 if 'id="g"><use' in content else 1)


@pytest.mark.parametrize(
    "content",
    [
        '<g visibility="hidden">{gone}<circle visibility="visible" cx="7" cy="7" r="3"/></g>',
        "<style>.a {{ visibility: hidden }} /* .b {{}} */ @media print {{ circle {{ display: none }} }}</style>"
        '<g class="a b">{gone}</g>{here}',
        "<style>circle {{ display: none }} #here {{ display: inline }}</style>{gone}"
        '<circle id="here" cx="7" cy="7" r="3"/>',
        '{here}<g style="display:none">{gone}</g>',
        '<g style="visibility: hidden" visibility="visible">{gone}</g>{here}',
        '<switch><g systemLanguage="xx">{gone}</g>{here}{gone}</switch>',
        '<switch><foreignObject requiredExtensions="http://a.b/c"/>{here}</switch>',
        '<switch><circle display="none" cx="1" cy="1" r="1"/>{gone}</switch>{here}',
        "<symbol>{gone}</symbol><marker>{gone}</marker><pattern>{gone}</pattern><mask>{gone}</mask>{here}",
        '<defs><circle id="c" r="2"/></defs><use href="#c" visibility="hidden"/>{here}',
    ],
)
def test_invisible_shapes_are_not_obstacles(content: str) -> None:
    markup = content.format(
        gone='<circle cx="1" cy="1" r="1"/>', here='<circle cx="7" cy="7" r="3"/>'
    )
    result = drawing('width="100" height="100" viewBox="0 0 100 100"', markup)
    assert numbers(result) == [pytest.approx((7.0, 93.0, 3.0))]


def test_omitted_shapes_are_counted() -> None:
    content = (
        '<style>g > circle { display: none }</style><circle visibility="hidden" r="1"/><use href="other.svg#a"/>'
        '<path d="M0 0"/><path visibility="hidden" d="M0 0"/><circle cx="7" cy="7" r="3"/>'
    )
    result = drawing('width="100" height="100" viewBox="0 0 100 100"', content)
    assert result.notes == (
        "Ignored 1 circle (hidden).",
        "Ignored 1 other shape.",
        naming("Ignored 1 use"),
        "Ignored 1 style rule (unknown syntax).",
    )


def test_missing_page_size_follows_from_the_view_box() -> None:
    result = drawing('width="100mm" viewBox="0 0 10 20"', '<circle cx="5" cy="15" r="1"/>')
    assert numbers(result) == [pytest.approx((50.0, 50.0, 10.0))]


def test_unknown_transformation_is_refused() -> None:
    with pytest.raises(SceneError, match=r'transformation "turn\(90\)" is unknown'):
        drawing('width="9" height="9"', '<circle r="1" transform="turn(90)"/>')


@pytest.mark.parametrize(
    ("data", "piece"),
    [
        (b"<svg><circle r='1'></svg>", "line 1, column"),
        (b"<html/>", "drawing"),
        (
            SVG.format("", '<rect width="1" height="1"/>').encode(),
            "drawing.*circle",
        ),
        (SVG.format("", '<circle cx="a" cy="b" r="c"/>').encode(), "a.svg: "),
        (b"\xff\xfe\x00", "not valid SVG"),
    ],
)
def test_files_without_a_drawing_are_refused(data: bytes, piece: str) -> None:
    with pytest.raises(SceneError, match=piece):
        circles_of_svg(data, "a.svg")


def test_obstacles_join_the_scene_in_their_group() -> None:
    result = circles_of_csv("x_mm,y_mm,r_mm\n100,200,50\n300,100,25\n", "pegs.csv")
    pegs = as_cylinders(result, "mm", 1.0, "pegs")
    assert pegs == (
        Cylinder(x_m=0.1, y_m=0.2, radius_m=0.05, group="pegs"),
        Cylinder(x_m=0.3, y_m=0.1, radius_m=0.025, group="pegs"),
    )
    assert bounds(pegs) == pytest.approx((0.05, 0.075, 0.325, 0.25))
    existing = Cylinder(x_m=5.0, y_m=5.0)
    scene = with_imported(Scene().model_copy(update={"obstacles": (existing,)}), pegs)
    assert scene.obstacles == (existing, *pegs)


def test_obstacles_invalid_in_a_scene_are_refused() -> None:
    result = circles_of_csv("1,2,0.1\n20000,2,0.1\n1,2,5000\n", "a.csv")
    with pytest.raises(SceneError) as caught:
        as_cylinders(result, "m", 1.0, "", "a.csv")
    assert [line.split(":")[1].strip() for line in str(caught.value).splitlines()] == [
        "line 2",
        "line 3",
    ]
    with pytest.raises(SceneError, match=r"20001.*20000"):
        with_imported(Scene(), [Cylinder(x_m=0.0, y_m=0.0)] * 20001)


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    latin = tmp_path / "a.csv"
    latin.write_bytes("x,y,r # Größe".encode("latin-1"))
    with pytest.raises(SceneError, match="UTF-8"):
        read_circles(latin)
    with pytest.raises(SceneError, match="no such file"):
        read_circles(tmp_path / "none.svg")
    with pytest.raises(SceneError, match="This is a folder"):
        read_circles(tmp_path)
