"""Radii and lengths of links: from geometry and inertia, or an unknown size that users must give."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from snakestudio.cli import main
from snakestudio.errors import RobotFileError
from snakestudio.model.scene_file import load_scene
from snakestudio.robot_files.importing import lacks_radius, load_robot
from tests.robot_files.parts import WRITERS, Part, links

RADIUS = 0.03
MASS = 0.5


def bare(
    count: int, across: float | None = None, axial: float | None = None, **values: object
) -> list[Part]:
    """Return links without geometry, with the inertia of cylinders of 0.1 m unless given."""
    solid = MASS * (3 * RADIUS**2 + 0.1**2) / 12
    across = solid if across is None else across
    axial = MASS * RADIUS**2 / 2 if axial is None else axial
    parts = links(count, limits=(-1.0, 1.0), motor=True)
    return [
        replace(part, shape="", mass=MASS, moments=(axial, across, across), **values)
        for part in parts
    ]  # type: ignore[arg-type]


def written(folder: Path, parts: list[Part], ending: str = "urdf") -> Path:
    path = folder / f"robot.{ending}"
    path.write_text(WRITERS[ending](parts))
    return path


@pytest.mark.parametrize("ending", sorted(WRITERS))
def test_radius_follows_from_the_inertia_of_a_cylinder(tmp_path: Path, ending: str) -> None:
    robot = load_robot(written(tmp_path, bare(4), ending))
    assert robot.robot.radius_m == pytest.approx(RADIUS)
    assert not any(link.has_geometry for link in robot.links)


@pytest.mark.parametrize("ending", sorted(WRITERS))
@pytest.mark.parametrize(
    "moments",
    [
        {"across": 0.05, "axial": 0.05},  # a placeholder: radius 447 mm
        {"across": 1.0, "axial": 1e-4},  # wrong units
        {"across": 1e-6, "axial": 2e-6},
        {"across": 4e-4, "axial": 1e-9},
    ],
)
def test_unknown_radius_is_asked_for(
    tmp_path: Path, ending: str, moments: dict[str, float]
) -> None:
    path = written(tmp_path, bare(4, **moments), ending)
    with pytest.raises(RobotFileError, match="--radius") as error:
        load_robot(path)
    assert lacks_radius(error.value)
    assert "link_1" in str(error.value)
    robot = load_robot(path, radius=0.02)
    assert {link.radius for link in robot.robot.links} == {0.02}
    assert [link.contact_half_length for link in robot.robot.links] == pytest.approx([0.03] * 4)


def test_links_without_geometry_are_like_the_others(tmp_path: Path) -> None:
    parts = bare(4, across=0.05, axial=0.05)
    parts[1] = replace(links(2)[1], limits=(-1.0, 1.0))
    robot = load_robot(written(tmp_path, parts))
    assert {link.radius for link in robot.links} == {0.02}
    assert [link.has_geometry for link in robot.links] == [False, True, False, False]


def test_robot_without_masses_and_geometry_needs_a_radius(tmp_path: Path) -> None:
    parts = [replace(part, mass=0.0) for part in bare(4)]
    path = written(tmp_path, parts)
    with pytest.raises(RobotFileError, match="neither masses") as error:
        load_robot(path)
    assert lacks_radius(error.value)
    # Cylinders of water.
    robot = load_robot(path, radius=0.02)
    assert robot.robot.mass == pytest.approx(3 * 1000 * math.pi * 0.02**2 * 0.1)


def test_length_is_not_made_up(tmp_path: Path) -> None:
    """Two bodies whose centres of mass are at their only joint."""
    parts = [
        replace(part, centre=(0.0, 0.0, 0.0), at=(0.0, 0.0, 0.0)) for part in bare(2, limits=None)
    ]
    parts[0] = replace(parts[0], centre=(-0.05, 0.0, 0.0))
    with pytest.raises(RobotFileError, match="at its joint") as error:
        load_robot(written(tmp_path, parts))
    assert lacks_radius(error.value)


def test_other_problems_are_listed_with_an_unknown_radius(tmp_path: Path) -> None:
    parts = bare(5, across=0.05, axial=0.05)
    parts[3] = replace(parts[3], kind="slide")
    with pytest.raises(RobotFileError, match="slides") as error:
        load_robot(written(tmp_path, parts))
    assert len(error.value.problems) == 2
    assert not lacks_radius(error.value)


def test_contradicting_inertia_is_reported_with_its_factor(tmp_path: Path) -> None:
    parts = [replace(part, moments=(4e-2, 2e-1, 2e-1)) for part in links(4)]
    robot = load_robot(written(tmp_path, parts))
    assert any("by a factor" in note and "kg m²" in note for note in robot.notes)


def test_option_gives_the_radius_in_mm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, bare(4, across=0.05, axial=0.05))
    scene = tmp_path / "scene.toml"
    assert main(["import-robot", str(path), "-o", str(scene)]) == 2
    assert "--radius" in capsys.readouterr().err
    assert main(["import-robot", str(path), "-o", str(scene), "--radius", "25"]) == 0
    assert "25 mm was chosen" in capsys.readouterr().out
    assert load_scene(scene).robot.radius_m == 0.025
    assert main(["import-robot", str(path), "--radius", "-3"]) == 2
    assert "must be positive" in capsys.readouterr().err


# --- all problems at the same time ------------------------------------------------------------------


@pytest.mark.parametrize("ending", sorted(WRITERS))
def test_all_oblique_axes_and_sliding_joints_are_listed(tmp_path: Path, ending: str) -> None:
    parts = links(8, limits=(-1.0, 1.0), motor=True)
    tilted = (0.0, math.sin(0.6), math.cos(0.6))
    for k in (1, 3):
        parts[k] = replace(parts[k], axis=tilted)
    for k in (5, 6):
        parts[k] = replace(parts[k], kind="slide")
    with pytest.raises(RobotFileError) as error:
        load_robot(written(tmp_path, parts, ending))
    lines = str(error.value).splitlines()
    assert len(lines) == 3
    assert "to_link_6 and to_link_7" in lines[0]
    assert [f'"to_link_{k}" is 34°' in line for k, line in zip((2, 4), lines[1:], strict=True)] == [
        True,
        True,
    ]
