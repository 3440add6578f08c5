"""The gaits of the library, run as a user runs them: each must move the robot as its explanation says."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

import snakestudio as ss
from snakestudio.model.edits import with_values
from snakestudio.model.gaits import GAITS
from snakestudio.model.scene import Scene

PRESETS = {preset.name: preset for preset in GAITS}
GRIPS_SIDEWAYS = {"ground.mu_along": 0.1, "ground.mu_across": 0.5}
BEGIN, END = 4.5, 15.0


class Motion(NamedTuple):
    """Way of the centre of mass from 4.5 to 15 s, m: ahead, towards the first link, and to the left; and turn, rad."""

    ahead: float
    left: float
    turn: float


RUNS: dict[tuple[str, bool], Motion] = {}


def motion_of(name: str, grips_sideways: bool = False) -> Motion:
    """A straight robot with its head in the direction of x, led to the gait."""
    if (name, grips_sideways) in RUNS:
        return RUNS[name, grips_sideways]
    values = {"model.kind": "spatial_nonsmooth", "start.kind": "straight", "start.link": 6, "start.heading_deg": 180.0}
    scene = with_values(Scene(), values | PRESETS[name].values() | (GRIPS_SIDEWAYS if grips_sideways else {}))
    run = ss.simulate(scene, duration=END)
    rows = np.searchsorted(run["time_s"], [BEGIN - 1e-6, END - 1e-6])
    way = np.array([np.diff(run[f"com_{axis}_m"][rows])[0] for axis in "xy"])

    def heading(axis: str) -> NDArray[np.float64]:
        return run[f"link_1_{axis}_m"] - run[f"link_11_{axis}_m"]

    angle = np.unwrap(np.arctan2(heading("y"), heading("x")))
    RUNS[name, grips_sideways] = Motion(way[0], way[1], angle[rows[1]] - angle[rows[0]])
    return RUNS[name, grips_sideways]


def test_lateral_undulation_travels_where_the_floor_holds_it_sideways() -> None:
    # P1 VIII-B: forward with mu 0.1/0.5; a hundredth of that, and backwards, with the same friction all round (VIII-D).
    motion = motion_of("lateral_undulation", grips_sideways=True)
    assert motion.ahead > 0.5
    assert abs(motion.left) < 0.2 * motion.ahead
    assert motion_of("lateral_undulation").ahead < 0.0
    assert motion_of("obstacle_aided").ahead < 0.0  # nothing to push against


def test_turning_goes_along_an_arc() -> None:
    # A positive offset turns a robot whose first link is the head to the right.
    motion, straight = motion_of("turning", grips_sideways=True), motion_of("lateral_undulation", grips_sideways=True)
    assert motion.turn < -np.radians(30.0) - abs(straight.turn)
    assert np.hypot(motion.ahead, motion.left) > 0.3


def test_sidewinding_goes_sideways() -> None:
    motion = motion_of("sidewinding")
    assert motion.left > 0.8
    assert abs(motion.ahead) < 0.2 * motion.left


def test_the_winners_of_studies_are_better_than_the_papers_on_the_default_robot_too() -> None:
    """They were found on P1's robot, whose links turn a little more easily than those of the default one."""
    sideways = {
        name: np.hypot(*motion_of(name)[:2]) for name in ("sidewinding", "fast_sidewinding", "cheap_sidewinding")
    }
    assert sideways["fast_sidewinding"] > 1.8 * sideways["sidewinding"]
    assert sideways["cheap_sidewinding"] > 1.2 * sideways["sidewinding"]
    ahead = {
        name: np.hypot(*motion_of(name, grips_sideways=True)[:2])
        for name in ("lateral_undulation", "fast_lateral_undulation", "cheap_lateral_undulation")
    }
    assert ahead["fast_lateral_undulation"] > 1.5 * ahead["lateral_undulation"]
    assert ahead["cheap_lateral_undulation"] > 1.1 * ahead["lateral_undulation"]


def test_rolling_rolls_sideways_without_slipping() -> None:
    # The plane of the arc turns with omega about the body: a tube of radius R rolls omega R t.
    motion = motion_of("rolling")
    rolled = np.radians(80.0) * 0.0525 * (END - BEGIN)
    assert abs(motion.left) == pytest.approx(rolled, rel=0.15)
    assert abs(motion.ahead) < 0.2 * abs(motion.left)


def test_sinus_lifting_gets_ahead_where_lateral_undulation_does_not() -> None:
    assert motion_of("sinus_lifting").ahead > 0.08
    assert motion_of("obstacle_aided").ahead < 0.0  # the same wave without lifting


def test_a_vertical_wave_carries_the_body_along_itself() -> None:
    motion = motion_of("inchworm")
    assert motion.ahead > 0.2
    assert abs(motion.left) < 0.01
    assert abs(motion.turn) < np.radians(1.0)


def alternating(name: str, duration: float, **values: float | str) -> ss.Run:
    """16 modules of a 5 cm radius whose joints turn sideways and up and down in turn."""
    robot = {
        "model.kind": "spatial_nonsmooth",
        "robot.n_links": 16,
        "robot.joints": "alternating",
        "robot.radius_m": 0.05,
        "joint_controller.kp_nm_per_rad": 100.0,
        "joint_controller.kd_nms_per_rad": 0.5,
        "start.kind": "gait",
        "start.heading_deg": 180.0,
        "ground.mu_along": 0.5,
        "ground.mu_across": 0.5,
    }
    return ss.simulate(with_values(Scene(), robot | values | PRESETS[name].values()), duration=duration)


def test_an_arc_of_alternating_joints_rolls_at_omega_r() -> None:
    # Mori and Hirose: a tube that turns about its own axis at omega_T rolls at omega_T r, less the slip of soft joints.
    run = alternating("compound_rolling", 3.0)
    rows = np.searchsorted(run["time_s"], [1.0 - 1e-6, 3.0 - 1e-6])
    ahead, left = (np.diff(run[f"com_{axis}_m"][rows])[0] / 2.0 for axis in "xy")
    assert abs(left) == pytest.approx(4.0 * 0.05, rel=0.06)
    assert abs(ahead) < 0.05 * abs(left)


def test_both_halves_sidewind_in_opposite_directions_to_turn_in_place() -> None:
    run = alternating("turn_in_place", 4.0)
    rows = np.searchsorted(run["time_s"], [1.0 - 1e-6, 4.0 - 1e-6])
    way = np.hypot(*(np.diff(run[f"com_{axis}_m"][rows])[0] for axis in "xy"))
    heading = np.unwrap(np.arctan2(run["link_1_y_m"] - run["link_16_y_m"], run["link_1_x_m"] - run["link_16_x_m"]))
    assert abs(np.diff(heading[rows])[0]) > np.radians(45.0)
    assert way < 0.15 * 16 * 0.122
