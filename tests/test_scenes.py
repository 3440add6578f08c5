"""The shipped scenes, run as by a user, compared with the tracks and values of the papers' cases.

The reference tracks come from an independent implementation that solves every contact problem to
1e-10 or better (see references/README.md), and so do the tolerances and their reasons.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import snakestudio as ss
from snakestudio.paths import scenes_dir
from tests.reference_data import CASES, reference

SCENES = sorted(path.stem for path in scenes_dir().glob("*.toml"))
PLANAR = [name for name, case in CASES.items() if "obst" in case["parameters"]]
FLAT = ("spatial_lateral_undulation", "spatial_lateral_undulation_isotropic")


@pytest.fixture(scope="module")
def runs() -> dict[str, ss.Run]:
    return {}


def run_of(name: str, runs: dict[str, ss.Run]) -> ss.Run:
    if name not in runs:
        runs[name] = ss.simulate(
            scenes_dir() / f"{name}.toml", duration=12.0 if name in PLANAR else None
        )
    return runs[name]


def moved(run: ss.Run, link: int = 6) -> NDArray[np.float64]:
    """Displacement of a link in its frame at the start, (3,), m."""
    return np.array(
        [run[f"link_{link}_{axis}_m"][-1] - run[f"link_{link}_{axis}_m"][0] for axis in "xyz"]
    )


def test_scenes_that_users_rely_on_exist() -> None:
    assert {
        "obstacle_aided",
        "obstacle_aided_obstacle3_removed",
        "obstacle_aided_obstacle3_shifted",
        "obstacle_aided_small",
        "lateral_undulation_isotropic",
        "sidewinding",
        "spatial_lateral_undulation",
        "spatial_lateral_undulation_isotropic",
        "obstacle_aided_3d",
        "stairs",
        "rubble",
        "lagrangian_undulation",
        "jam_without_resolution",
        "jam_resolution",
        "jam_resolution_3d",
        "path_following",
        "teleoperation",
        "worm",
        "worm_accelerating",
        "inchworm",
        "continuum_snake_2d",
        "continuum_snake_3d",
        "continuum_undulation",
        "alternating_16",
        "pole_climb",
        "r_snake",
        "roll_yaw",
        "wheeled_snake",
        "planar_swimmer_9",
        "compliant_passage",
        "compliant_pipes",
        "continuum_friction",
        "cpg_undulation",
        "friction_patches",
    } <= set(SCENES)


@pytest.mark.parametrize("name", SCENES)
def test_shipped_scenes_have_no_problems(name: str) -> None:
    assert ss.check(scenes_dir() / f"{name}.toml") == []


@pytest.mark.parametrize("name", PLANAR)
def test_scene_follows_the_reference_track(name: str, runs: dict[str, ss.Run]) -> None:
    run = run_of(name, runs)
    expected = reference(name)
    until = expected["t"] <= 12.0
    rows = np.searchsorted(run["time_s"], expected["t"][until] - 1e-6)
    tolerance = CASES[name]["tolerance"]
    for link in range(1, 12):
        track = np.stack([run[f"link_{link}_x_m"], run[f"link_{link}_y_m"]], axis=1)[rows]
        distance = np.linalg.norm(track - expected["q"][until, link - 1, :2], axis=1)
        allowed = (
            tolerance["track_link_same_scheme_dt_1_4000_m"]
            if link == 6
            else tolerance["any_link_m"]
        )
        assert distance.max() < allowed, f"link {link}"
    assert run["solver_residual"].max() <= 1e-8
    assert run["solver_unconverged"].sum() == 0


def test_robot_passes_the_pipes(runs: dict[str, ss.Run]) -> None:
    # P2 VIII-D: about 15 cm/s; the independent implementation: 1.974 m at 9 s, 16.0 cm/s over 10 s.
    run = run_of("obstacle_aided", runs)
    x = run["link_6_x_m"]
    assert x[900] == pytest.approx(1.974, abs=0.002)
    assert (x[1000] - x[0]) / 10 == pytest.approx(0.160, abs=0.001)


def test_robot_is_stuck_without_the_third_pipe(runs: dict[str, ss.Run]) -> None:
    assert run_of("obstacle_aided_obstacle3_removed", runs)["link_6_x_m"].max() < 1.5


def test_robot_passes_with_the_third_pipe_moved(runs: dict[str, ss.Run]) -> None:
    assert run_of("obstacle_aided_obstacle3_shifted", runs)["link_6_x_m"].max() > 1.8


def test_thin_posts_do_not_change_the_path(runs: dict[str, ss.Run]) -> None:
    # P2 Fig. 9; the independent implementation: 1.857 m in 12 s.
    x = run_of("obstacle_aided_small", runs)["link_6_x_m"]
    assert x[1200] - x[0] == pytest.approx(1.857, abs=0.002)


def test_robot_creeps_backwards_on_a_bare_floor(runs: dict[str, ss.Run]) -> None:
    # P2 VIII-D1: about -1 cm/s; the independent implementation: -1.2 cm/s in x, -1.7 cm/s in y over
    # 10 s.
    run = run_of("lateral_undulation_isotropic", runs)
    speed = [(run[f"link_6_{axis}_m"][1000] - run[f"link_6_{axis}_m"][0]) / 10 for axis in "xy"]
    assert speed == pytest.approx([-0.012, -0.017], abs=0.001)


def test_sidewinding_follows_the_reference_track(runs: dict[str, ss.Run]) -> None:
    # Tolerances and their reason: cases.json. The reference ends at (+0.020, +1.315) m.
    run = run_of("sidewinding", runs)
    tolerance = CASES["sidewinding"]["tolerance"]
    expected = reference("sidewinding")
    rows = np.searchsorted(run["time_s"], expected["t"] - 1e-6)
    for link in range(1, 12):
        track = np.stack([run[f"link_{link}_{axis}_m"] for axis in "xyz"], axis=1)[rows]
        distance = np.linalg.norm(track - expected["q"][:, link - 1, :3], axis=1)
        allowed = (
            tolerance["track_link_same_scheme_dt_1_4000_m"]
            if link == 6
            else tolerance["any_link_m"]
        )
        assert distance.max() < allowed, f"link {link}"
    assert moved(run)[:2] == pytest.approx(
        [0.020, 1.315], abs=tolerance["track_link_same_scheme_dt_1_4000_m"]
    )


def test_sidewinding_is_as_fast_as_in_other_engines(runs: dict[str, ss.Run]) -> None:
    # MuJoCo, ODE, PyBullet and Drake: 0.104 to 0.106 m/s, net displacement of link 6 over two
    # cycles of the gait.
    run = run_of("sidewinding", runs)
    two_cycles = [run[f"link_6_{axis}_m"][1350] - run[f"link_6_{axis}_m"][450] for axis in "xy"]
    assert 0.104 <= np.hypot(*two_cycles) / 9.0 <= 0.106


@pytest.mark.parametrize("name", ["sidewinding", *FLAT])
def test_nearly_all_spatial_steps_are_solved(name: str, runs: dict[str, ss.Run]) -> None:
    # PHYSICS.md: 0 to 0.01 % of the steps above 1e-8.
    run = run_of(name, runs)
    assert run["solver_unconverged"].sum() <= 1e-4 * run["time_s"][-1] / 0.00025
    assert np.isfinite(run["solver_residual"]).all()


def test_anisotropic_friction_gives_forward_motion(runs: dict[str, ss.Run]) -> None:
    # P1 VIII-B: forward along x; the independent implementation: +1.79 m in 15 s, 11.9 cm/s, 22 of
    # 22 contacts closed. Loads are not unique: up to 10 % between equally exact solvers.
    run = run_of("spatial_lateral_undulation", runs)
    assert moved(run)[0] == pytest.approx(1.79, rel=0.1)
    assert run["contacts_closed"][1:].min() == 22
    assert abs(moved(run)[2]) < 1e-6


def test_isotropic_friction_gives_backward_creep(runs: dict[str, ss.Run]) -> None:
    # P1 VIII-D: slowly backward; the independent implementation: (-0.200, -0.231) m. Tolerance:
    # cases.json.
    run = run_of("spatial_lateral_undulation_isotropic", runs)
    allowed = CASES["spatial_lateral_undulation_isotropic"]["tolerance"][
        "track_link_any_consistent_scheme_m"
    ]
    assert np.linalg.norm(moved(run)[:2] - [-0.200, -0.231]) < allowed
    assert moved(run)[0] < 0.0


def test_pipes_cause_the_same_motion_in_space(runs: dict[str, ss.Run]) -> None:
    # The pipes only push sideways: what the planar model neglects (rolling, uneven loads) hardly
    # affects the track.
    plane = run_of("obstacle_aided", runs)
    space = run_of("obstacle_aided_3d", runs)
    assert moved(space)[0] == pytest.approx(
        plane["link_6_x_m"][1000] - plane["link_6_x_m"][0], rel=0.1
    )


def test_spatial_scene_accepts_values_by_key() -> None:
    # The call that users rely on.
    run = ss.simulate(scenes_dir() / "sidewinding.toml", duration=0.1, **{"gait.amplitude_deg": 20})
    assert run.scene.gait.amplitude_deg == 20


def test_robot_climbs_the_stairs(runs: dict[str, ss.Run]) -> None:
    # Four steps of 3 cm: at the end all links lie on the landing, a link's radius above 0.12 m.
    run = run_of("stairs", runs)
    assert min(run[f"link_{link}_z_m"][-1] for link in range(1, 12)) > 0.12 + 0.02
    assert run["com_y_m"][-1] > 1.2


def test_robot_crosses_the_rubble(runs: dict[str, ss.Run]) -> None:
    # The blocks lie between y = 0.3 and 2.1 m.
    run = run_of("rubble", runs)
    assert run["com_y_m"][-1] > 1.2
    assert max(run[f"link_{link}_z_m"].max() for link in range(1, 12)) > 0.1


def test_viscous_friction_gives_motion_towards_the_head(runs: dict[str, ss.Run]) -> None:
    # P4; PHYSICS.md: +0.0574 m/s toward the head, along the mean direction of the links, over whole
    # periods.
    run = run_of("lagrangian_undulation", runs)
    period = 360.0 / 70.0
    steady = (run["time_s"] > period) & (run["time_s"] <= 3 * period)
    angles = [2 * np.arctan2(run[f"link_{k}_qz"], run[f"link_{k}_qw"]) for k in range(1, 11)]
    heading = np.unwrap(angles, axis=1).mean(axis=0)
    forward = run["com_vx_mps"] * np.cos(heading) + run["com_vy_mps"] * np.sin(heading)
    assert forward[steady].mean() == pytest.approx(0.0574, abs=5e-5)
    assert run["work_friction_j"][-1] == run["work_friction_viscous_j"][-1] < 0.0


def test_robot_follows_the_path_through_the_curve(runs: dict[str, ss.Run]) -> None:
    # As described in the scene: 1 m off at the start, 5 cm after half a minute, and less until the
    # end.
    run = run_of("path_following", runs)
    error = run["cross_track_m"]
    assert error[0] == pytest.approx(1.0, abs=0.01)
    assert np.abs(error[run["time_s"] > 30.0]).max() < 0.05
    assert run["along_track_m"][-1] > 4.0 + np.pi  # the robot has passed the curve


def test_driven_robot_bends_to_the_steered_side(
    runs: dict[str, ss.Run],
) -> None:
    run = run_of("teleoperation", runs)
    at = {
        second: int(np.searchsorted(run["time_s"], second - 1e-6))
        for second in (2, 6, 18, 30, 38, 45)
    }
    angles = [2 * np.arctan2(run[f"link_{k}_qz"], run[f"link_{k}_qw"]) for k in range(1, 11)]
    heading = np.unwrap(np.unwrap(angles, axis=1), axis=0).mean(axis=0)
    assert heading[at[18]] - heading[at[6]] > 1.0, "left"
    assert heading[at[30]] - heading[at[18]] < -0.5, "right"
    position = np.stack([run["com_x_m"], run["com_y_m"]], axis=1)
    ahead = position[at[38]] - position[at[30]]
    back = position[at[45]] - position[at[38]]
    assert np.linalg.norm(ahead) > 0.4
    assert ahead @ back < -0.9 * np.linalg.norm(ahead) * np.linalg.norm(back)
    assert run["gait_frequency_radps"][-1] == 0.0


def com(run: ss.Run, second: float) -> NDArray[np.float64]:
    """Centre of mass from above, (2,), m."""
    row = int(np.searchsorted(run["time_s"], second - 1e-6))
    return np.array([run["com_x_m"][row], run["com_y_m"][row]])


@pytest.mark.parametrize("name", ["alternating_16", "r_snake", "roll_yaw"])
def test_robots_of_single_axis_joints_solve_every_step(name: str, runs: dict[str, ss.Run]) -> None:
    assert run_of(name, runs)["solver_unconverged"].sum() == 0


def test_alternating_modules_sidewind(runs: dict[str, ss.Run]) -> None:
    run = run_of("alternating_16", runs)
    heading = np.array(
        [
            run["link_16_x_m"][400] - run["link_1_x_m"][400],
            run["link_16_y_m"][400] - run["link_1_y_m"][400],
        ]
    )
    displacement = com(run, 6.0) - com(run, 4.0)
    assert np.hypot(*displacement) > 0.4
    across = abs(displacement[0] * heading[1] - displacement[1] * heading[0]) / np.hypot(*heading)
    assert across > 0.5 * np.hypot(*displacement)


def test_arc_rolls_at_the_speed_of_its_cross_sections(runs: dict[str, ss.Run]) -> None:
    # Without slip it rolls at omega r: 4 rad/s times 0.05 m.
    run = run_of("r_snake", runs)
    displacement = com(run, 8.0) - com(run, 2.0)
    assert np.hypot(*displacement) / 6.0 == pytest.approx(4.0 * 0.05, rel=0.03)


def test_wave_in_yaw_joints_moves_robot_forward(
    runs: dict[str, ss.Run],
) -> None:
    run = run_of("roll_yaw", runs)
    towards_head = np.array(
        [
            run["link_1_x_m"][500] - run["link_15_x_m"][500],
            run["link_1_y_m"][500] - run["link_15_y_m"][500],
        ]
    )
    displacement = com(run, 10.0) - com(run, 5.0)
    assert displacement @ towards_head / np.hypot(*towards_head) > 0.5


def test_passive_wheels_roll_and_never_slide_sideways(runs: dict[str, ss.Run]) -> None:
    run = run_of("wheeled_snake", runs)
    assert com(run, 15.0)[0] - com(run, 3.0)[0] > 2.0
    later = run["time_s"] > 2.0
    for link in range(1, 11):
        theta = 2.0 * np.arctan2(run[f"link_{link}_qz"], run[f"link_{link}_qw"])
        across = (
            np.cos(theta) * run[f"link_{link}_vy_mps"] - np.sin(theta) * run[f"link_{link}_vx_mps"]
        )
        assert np.abs(across[later]).max() < 0.005


def test_swimmer_swims_straight_ahead(runs: dict[str, ss.Run]) -> None:
    displacement = com(run_of("planar_swimmer_9", runs), 15.0) - com(
        run_of("planar_swimmer_9", runs), 6.0
    )
    assert displacement[0] > 2.0
    assert abs(displacement[1]) < 0.05 * displacement[0]


def test_only_the_compliant_robot_passes_the_passage() -> None:
    path = scenes_dir() / "compliant_passage.toml"
    end = 1.2
    jammed = ss.simulate(path, duration=8.0, **{"controller.kind": "none"})
    assert max(jammed[f"link_{link}_x_m"].max() for link in range(1, 12)) < end - 0.2
    assert np.ptp(jammed["com_x_m"][jammed["time_s"] > 4.0]) < 0.1
    through = ss.simulate(path, duration=11.0)
    assert min(through[f"link_{link}_x_m"][-1] for link in range(1, 12)) > end
    amplitude = np.degrees(through["compliant_amplitude_rad"])
    assert amplitude.min() < 25.0
    assert amplitude[-1] > amplitude.min() + 10.0, "it increases again after the passage"
