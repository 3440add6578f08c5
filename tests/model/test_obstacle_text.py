"""Obstacles in scene files: comments on an obstacle stay with it when others change."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.model.edits import remove_obstacles, with_values
from snakestudio.model.edits.transform import move
from snakestudio.model.obstacles.shapes.cylinder import Cylinder
from snakestudio.model.obstacles.shapes.height_field import HeightField
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file.dump import dump_scene
from snakestudio.model.scene_file.obstacle_text import MARK, split
from snakestudio.model.scene_file.parse import parse_scene, scene_from_dict
from tests.strategies import obstacles

TEXT = """\
# A corridor.
format = 1

# PVC pipes.
[[obstacles]]
kind = "cylinder"
x_m = 1.0  # measured
y_m = 2.0

# the oiled one
[[obstacles]] # number two
x_m = 3
y_m = 4.0
friction = 0.05  # oil # and sand
name = 'left "A"'  # on the drawing

[[obstacles]]
kind = "height_field"
x_m = 0.0
y_m = 0.0
heights_m = [
  [0.0, 0.1],  # the near edge
  [0.0, 0.2]
]

# It starts here.
[start]
kind = "straight"
x_m = -1.0
"""

PIECES = [
    "",
    "-",
    "[",
    "]",
    "'",
    '"',
    '"""',
    "\\",
    "#",
    "= =",
    "\n",
    "\n[x]\n",
    "\n[[obstacles]]\n",
    "\n[obstacles.x]\n",
    "0",
    "\n[[start]]\n",
    "\nobstacles = 3\n",
    "true",
    "{",
    ",",
]


def test_untouched_text_is_unchanged() -> None:
    assert dump_scene(parse_scene(TEXT), TEXT) == TEXT


def test_only_the_lines_of_changed_values_change() -> None:
    scene = parse_scene(TEXT)
    changes: dict[str, float | str] = {
        "obstacles[1].x_m": 1.5,
        "obstacles[2].friction": 0.1,
        "obstacles[2].name": "right\tB",
        "start.x_m": -2.0,
    }
    new = dump_scene(with_values(scene, changes), TEXT)
    pairs = [(a, b) for a, b in zip(TEXT.splitlines(), new.splitlines(), strict=True) if a != b]
    assert pairs == [
        ("x_m = 1.0  # measured", "x_m = 1.5  # measured"),
        ("friction = 0.05  # oil # and sand", "friction = 0.1  # oil # and sand"),
        ("name = 'left \"A\"'  # on the drawing", 'name = "right\\tB"  # on the drawing'),
        ("x_m = -1.0", "x_m = -2.0"),
    ]


def test_omitted_value_is_added_to_its_block() -> None:
    scene = with_values(
        parse_scene(TEXT), {"obstacles[1].radius_m": 0.2, "obstacles[3].relief_m": 0.3}
    )
    new = dump_scene(scene, TEXT)
    assert "y_m = 2.0\nradius_m = 0.2\n\n# the oiled one" in new
    assert "[0.0, 0.1],  # the near edge" in new
    assert parse_scene(new) == scene


def test_moved_obstacle_keeps_its_comment() -> None:
    scene = move(parse_scene(TEXT), [1], (0.5, 0.0, 0.0))
    scene = scene.model_copy(
        update={"obstacles": (*scene.obstacles[:2], Cylinder(x_m=9.0, y_m=9.0))}
    )
    new = dump_scene(scene, TEXT)
    assert "# the oiled one\n[[obstacles]] # number two\nx_m = 3.5\n" in new
    assert "heights_m" not in new
    assert "# It starts here.\n[start]" in new
    assert parse_scene(new) == scene


def test_comment_belongs_to_the_obstacle_below_it() -> None:
    new = dump_scene(remove_obstacles(parse_scene(TEXT), [1]), TEXT)
    assert "oil" not in new
    assert "# PVC pipes.\n[[obstacles]]" in new
    assert "# It starts here.\n[start]" in new


def test_obstacles_in_another_order_keep_their_blocks() -> None:
    scene = parse_scene(TEXT)
    turned = scene.model_copy(update={"obstacles": scene.obstacles[::-1]})
    new = dump_scene(turned, TEXT)
    assert parse_scene(new) == turned
    assert "x_m = 1.0  # measured" in new
    assert "friction = 0.05  # oil # and sand" in new


def test_last_obstacle_is_removed_and_first_added() -> None:
    scene = parse_scene(TEXT)
    bare = dump_scene(scene.model_copy(update={"obstacles": ()}), TEXT)
    assert "[[" not in bare
    assert "# It starts here.\n[start]" in bare
    again = scene.model_copy(update={"obstacles": (Cylinder(x_m=1.0, y_m=2.0),)})
    new = dump_scene(again, bare)
    assert parse_scene(new) == again
    assert "# It starts here.\n[start]" in new
    assert "\n\n[[obstacles]]\n" in new


@pytest.mark.parametrize(
    "text",
    [
        'format = 1  # kept\nobstacles = [{kind = "cylinder", x_m = 1.0, y_m = 2.0}]\n',
        'format = 1  # kept\n[["obstacles"]]\nkind = "cylinder"\nx_m = 1.0\ny_m = 2.0\n',
        "format = 1  # kept\r\n[[obstacles]]\r\nx_m = 1.0\r\ny_m = 2.0\r\n",
        "format = 1  # kept\n[[obstacles]]\nx_m = 1.0\ny_m = 2.0",
        "format = 1  # kept\n[[obstacles]]\nx_m = 1.0\ny_m = 2.0\n[run]\n[[obstacles]]\nx_m = 1\ny_m = 0\n",
        'format = 1  # kept\nsource = """\n[[obstacles]]\nx_m = 7\n\\"""\n"""\n[[obstacles]]\nx_m = 1.0\ny_m = 2.0\n',
        "format = 1  # kept\ndescription = '''\n[[obstacles]]\nx_m = 7\n'''\n[[obstacles]]\nx_m = 1.0\ny_m = 2.0\n",
        'format = 1  # kept\n[[obstacles]]\nx_m = 1.0\ny_m = 2.0\nname = """\nx_m = 4\n"""\n',
    ],
)
def test_other_ways_of_writing_obstacles(text: str) -> None:
    scene = parse_scene(text)
    moved = move(scene, [0], (0.25, 0.0, 0.0))
    more = moved.model_copy(update={"obstacles": (*moved.obstacles, Cylinder(x_m=5.0, y_m=5.0))})
    for after in (scene, moved, more):
        new = dump_scene(after, text)
        assert parse_scene(new) == after
        assert "format = 1  # kept" in new


def test_splitting_preserves_all_text() -> None:
    rest, blocks = split(TEXT)
    assert len(blocks) == 3
    assert rest.replace(MARK, "".join(blocks)) == TEXT


@given(st.lists(obstacles, max_size=6), st.data())
def test_any_obstacles_over_any_others(trees: list[dict[str, Any]], data: st.DataObject) -> None:
    before = scene_from_dict(
        {"format": 1, "model": {"kind": "spatial_nonsmooth"}, "obstacles": trees}
    )
    others = data.draw(
        st.lists(st.one_of(st.sampled_from(trees), obstacles) if trees else obstacles, max_size=6)
    )
    after = scene_from_dict(
        {"format": 1, "model": {"kind": "spatial_nonsmooth"}, "obstacles": others}
    )
    text = dump_scene(before)
    # A comment in every block: none is duplicated, and remaining obstacles keep theirs.
    counted = "".join(
        f"{line}  # note {index}\n" if line == "[[obstacles]]" else f"{line}\n"
        for index, line in enumerate(text.splitlines())
    )
    new = dump_scene(after, counted)
    assert parse_scene(new) == after
    notes = [line for line in new.splitlines() if "# note" in line]
    assert len(notes) == len(set(notes))
    n_expected = sum(
        min(before.obstacles.count(o), after.obstacles.count(o)) for o in set(after.obstacles)
    )
    assert len(notes) >= n_expected


@given(st.integers(0, len(TEXT)), st.sampled_from(PIECES), st.integers(0, 9))
def test_scene_can_be_saved_over_any_file(at: int, piece: str, cut: int) -> None:
    scene = move(parse_scene(TEXT), [0, 2], (0.5, 0.0, 0.0))
    assert parse_scene(dump_scene(scene, TEXT[:at] + piece + TEXT[at + cut :])) == scene


@pytest.mark.parametrize(
    "text", ["obstacles = 3\n", "obstacles = [3]\n", "[obstacles]\nx = 1\n", "start = 3\n"]
)
def test_unrelated_file_can_be_overwritten(text: str) -> None:
    scene = parse_scene(TEXT)
    assert parse_scene(dump_scene(scene, text)) == scene


def test_two_thousand_obstacles_are_read_and_written_as_text() -> None:
    posts = tuple(Cylinder(x_m=round(0.1 * i, 1), y_m=2.0) for i in range(2000))
    scene = Scene().model_copy(update={"obstacles": posts})
    text = dump_scene(scene)
    moved = move(scene, range(2000), (0.0, 0.5, 0.0))
    new = dump_scene(moved, text)
    assert [a for a, b in zip(text.splitlines(), new.splitlines(), strict=True) if a != b] == [
        "y_m = 2.0"
    ] * 2000
    assert len(tomllib.loads(new)["obstacles"]) == 2000


def test_height_field_of_numbers_is_written_in_rows() -> None:
    field = HeightField(x_m=0.0, y_m=0.0, heights_m=((0.0, 0.1), (0.2, 0.3)))
    text = dump_scene(Scene().model_copy(update={"obstacles": (field,)}))
    assert "heights_m = [\n    [0.0, 0.1],\n    [0.2, 0.3],\n]\n" in text
