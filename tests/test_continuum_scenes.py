"""The shipped scenes of P5, run as by a user, compared with published values and tracks of another implementation.

Values without a source are those of an independent implementation (see references/README.md);
tolerances are half a unit of their last printed digit unless a line states otherwise.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import j0

import snakestudio as ss
from snakestudio._arrays import FloatArray
from snakestudio.paths import scenes_dir
from tests.reference_data import reference


@pytest.fixture(scope="module")
def runs() -> dict[str, ss.Run]:
    return {}


def run_of(name: str, runs: dict[str, ss.Run], rate: float = 50.0, **values: object) -> ss.Run:
    """Return the run of a shipped scene, with 50 rows a second: a cached one, or a new one with other values."""
    if values:
        return ss.simulate(
            scenes_dir() / f"{name}.toml",
            rate=rate,
            **{k.replace("__", "."): v for k, v in values.items()},
        )
    if name not in runs:
        runs[name] = ss.simulate(scenes_dir() / f"{name}.toml", rate=50.0)
    return runs[name]


def moved(run: ss.Run) -> FloatArray:
    """Displacement of the head since the start, (k, 3), m."""
    track = np.stack([run[f"link_1_{axis}_m"] for axis in "xyz"], axis=1)
    return track - track[0]


def profile(run: ss.Run, time: float, entry: str) -> FloatArray:
    """Entry of Lambda at all cross-sections, (n,)."""
    row = int(np.argmin(np.abs(run["time_s"] - time)))
    return np.array(
        [run[f"section_{i + 1}_lambda_{entry}"][row] for i in range(run.scene.beam.sections)]
    )


def contacts(run: ss.Run, entry: str) -> FloatArray:
    """Column of all anchors or supports, (k, p)."""
    return np.stack(
        [run[f"contact_{i + 1}_{entry}"] for i in range(run.recording.schema.n_holds)], axis=1
    )


ALL = ("worm", "worm_accelerating", "inchworm", "continuum_snake_2d", "continuum_snake_3d")


@pytest.mark.parametrize("name", ALL)
def test_residual_is_small_and_power_is_balanced(name: str, runs: dict[str, ss.Run]) -> None:
    run = run_of(name, runs)
    # Lambda(l) = F_+ makes the scheme and the distribution of the load unique: 1e-8 at any instant.
    assert run["solver_residual"].max() < 1e-8
    assert run["mismatch_n"].max() < 1e-8
    tail = np.stack(
        [run[f"section_{run.scene.beam.sections}_lambda_{e}"] for e in ("nx_n", "ny_n", "nz_n")],
        axis=1,
    )
    if name == "inchworm":  # anchored at its end half of the time: F_+ is that anchor's force
        force = np.stack([contacts(run, f"f{a}_n")[:, 1] for a in "xyz"], axis=1)
        # rolled by 90 deg: t_Y is z there
        turned = np.stack([force[:, 0], force[:, 2], -force[:, 1]], axis=1)
        assert tail == pytest.approx(turned, abs=1e-8)
    else:
        assert np.abs(tail).max() < 1e-8
    change = run["energy_kinetic_j"] - run["energy_kinetic_j"][0]
    works = sum(run[name] for name in run if name.startswith("work_"))
    assert change == pytest.approx(works, abs=1e-6)
    assert run["energy_potential_j"] - run["energy_potential_j"][0] == pytest.approx(
        -run["work_gravity_j"], abs=1e-6
    )
    assert run["slip_mps"].max() < 1e-6


@pytest.mark.parametrize(
    ("name", "axes"),
    [
        ("worm", "x"),
        ("worm_accelerating", "x"),
        ("inchworm", "xz"),
        ("continuum_snake_2d", "xy"),
        ("continuum_snake_3d", "xyz"),
    ],
)
def test_momentum_changes_by_external_forces(name: str, axes: str, runs: dict[str, ss.Run]) -> None:
    run = run_of(name, runs)
    beam = run.scene.beam
    gravity = dict(zip("xyz", run.scene.ground.gravity, strict=True))
    for axis in axes:
        momentum = beam.mass * run[f"com_v{axis}_mps"]
        # Rows contain the mean force since the previous row, so this holds for every single row.
        force = run[f"contact_obstacle_f{axis}_n"][1:] + beam.mass * gravity[axis]
        gained = np.diff(momentum) / np.diff(run["time_s"])
        assert gained == pytest.approx(force, abs=2e-3 * max(0.1, float(np.abs(force).max())))


@pytest.mark.parametrize("name", ALL)
def test_cross_sections_keep_frames_and_imposed_strain(name: str, runs: dict[str, ss.Run]) -> None:
    run = run_of(name, runs)
    rows = run.recording.rows(0, len(run.recording))
    assert np.abs(np.linalg.norm(rows.link_pose[:, :, 3:], axis=2) - 1).max() < 1e-12
    # The distance of neighbours is that of an arc of their stretch and curvature, to third order.
    gap = np.linalg.norm(np.diff(rows.link_pose[:, :, :3], axis=1), axis=2)
    h = run.scene.beam.length_m / (run.scene.beam.sections - 1)
    middle = 0.5 * (rows.strain[:, 1:] + rows.strain[:, :-1])
    bend = np.square(middle[:, :, 3:]).sum(axis=2)
    assert gap == pytest.approx(h * middle[:, :, 0] * (1 - h**2 * bend / 24), abs=0.01 * h)


# --- worm (P5, VIII-A)


def test_worm_at_constant_speed_needs_no_force(runs: dict[str, ss.Run]) -> None:
    fine = run_of("worm", runs, solver__error_tolerance=1e-8)
    # P5, Fig. 9
    assert fine["resultant_fx_n"] == pytest.approx(np.zeros(len(fine["time_s"])), abs=1e-12)
    # whole waves: x = -c t, closed form of (42)
    assert moved(fine)[-1, 0] == pytest.approx(-3.0, abs=1e-6)
    t = fine["time_s"]
    omega = 2 * np.pi * 0.3 / 0.15
    assert moved(fine)[:, 0] == pytest.approx(
        -0.3 * t + 0.004 * 0.3 / omega * (np.cos(omega * t) - 1), abs=1e-6
    )


def test_material_interpretation_creeps(runs: dict[str, ss.Run]) -> None:
    run = run_of("worm", runs, support__reading="material")
    # eps c t over whole waves
    assert moved(run)[-1, 0] == pytest.approx(-0.004 * 0.3 * 10, abs=1e-6)


def test_accelerating_worm_has_constant_force(runs: dict[str, ss.Run]) -> None:
    run = run_of("worm_accelerating", runs, solver__error_tolerance=1e-8)
    expected = -run.scene.beam.mass * 0.02  # n_c = -m l a, P5 (44) with corrected signs
    assert expected == pytest.approx(-1.885e-3, abs=5e-7)
    assert run["resultant_fx_n"] == pytest.approx(np.full(len(run["time_s"]), expected), rel=1e-6)
    # The force is distributed evenly over the anchors, and n jumps there.
    active = contacts(run, "active")
    force = contacts(run, "fx_n")
    assert force[active > 0] == pytest.approx(
        (expected / active.sum(axis=1, keepdims=True) * active)[active > 0], rel=1e-6
    )


def test_worm_inner_force_is_integral_of_inertia(runs: dict[str, ss.Run]) -> None:
    run = run_of("worm", runs, solver__error_tolerance=1e-8)
    x = np.array(run.scene.beam.abscissas)
    mass = run.scene.beam.mass_per_length
    c = 0.3
    k = 2 * np.pi / 0.15
    for time in (0.5, 3.14, 9.0):
        # n' = m x_tt with x_tt = eps c^2 k (-cos(k (c t - X))): from x_t(X) = -c - eps c sin(k (c t
        # - X)).
        expected = mass * 0.004 * c * c * (np.sin(k * (c * time - x)) - np.sin(k * c * time))
        assert profile(run, time, "nx_n") == pytest.approx(
            expected, abs=1e-6 * mass * 0.004 * c * c + 1e-12
        )


# --- inchworm (P5, VIII-B)


def test_inchworm_makes_seven_strides(runs: dict[str, ss.Run]) -> None:
    run = run_of("inchworm", runs)
    other = reference("inchworm")
    # the arch is l J_0(alpha) long: integral of cos theta over the body
    stride = 0.5 * (1 - j0(1.8))
    assert moved(run)[-1, 0] == pytest.approx(-7 * stride, abs=1e-6)
    assert moved(run)[-1, 0] == pytest.approx(-2.310048, abs=1e-6)
    assert moved(run)[:, 0] == pytest.approx(other["X"], abs=1e-6)
    couple = -run["section_1_lambda_cz_nm"]  # that of the anchor, on the head
    # at 14 s, the anchors have just changed
    assert couple[:-1] == pytest.approx(other["cz"][:-1], abs=1e-6)
    assert np.abs(couple).max() == pytest.approx(0.519, abs=5e-4)
    # The plane of the motion is vertical: its (x, y, couple) are the world's (x, z, -y).
    wrench = np.stack(
        [contacts(run, "fx_n"), contacts(run, "fz_n"), -contacts(run, "my_nm")], axis=2
    )
    active = contacts(run, "active")
    assert (active.sum(axis=1) == 1).all()
    held = np.einsum("kp,kpe->ke", active, wrench)
    assert held[:-1, :2] == pytest.approx(other["W"][:-1, :2], abs=1e-6)


def test_inchworm_couple_along_the_body_matches(runs: dict[str, ss.Run]) -> None:
    run = run_of("inchworm", runs)
    other = reference("inchworm")
    at = np.searchsorted(other["X45"], np.array(run.scene.beam.abscissas) - 1e-9)
    for entry, column in (("nx_n", 0), ("ny_n", 1), ("cz_nm", 2)):
        assert profile(run, 4.5, entry) == pytest.approx(other["L45"][at, column], abs=2e-6)
    couple = profile(run, 4.5, "cz_nm")
    assert couple[0] == pytest.approx(-0.389, abs=5e-4)
    assert couple.max() == pytest.approx(0.234, abs=5e-4)


# --- snakes (P5, VIII-C, VIII-D)


def test_snake_lateral_forces_and_torques_match(runs: dict[str, ss.Run]) -> None:
    run = run_of("continuum_snake_2d", runs)
    other = reference("continuum_snake_2d")
    row = int(np.argmin(np.abs(run["time_s"] - 2.0)))
    axis = np.stack([contacts(run, f"a{a}")[row] for a in "xy"], axis=1)
    force = np.stack([contacts(run, f"f{a}_n")[row] for a in "xy"], axis=1)
    lateral = force[:, 1] * axis[:, 0] - force[:, 0] * axis[:, 1]
    assert lateral == pytest.approx([0.2671, 0.1421, -0.0421, 0.1502, -0.0339], abs=5e-5)
    assert force[:, 0] * axis[:, 0] + force[:, 1] * axis[:, 1] == pytest.approx(
        np.zeros(5), abs=1e-12
    )
    couple = profile(run, 2.0, "cz_nm")
    assert couple.min() == pytest.approx(-0.083, abs=5e-4)
    assert couple.max() == pytest.approx(0.001, abs=5e-4)
    for entry, column in (("nx_n", 0), ("ny_n", 1), ("cz_nm", 2)):
        ours = profile(run, 2.0, entry)
        for k, x in enumerate(run.scene.beam.abscissas):  # for a support, on both sides of the jump
            near = np.abs(other["X"] - x) < 1e-9
            assert np.abs(other["Lam"][near, column] - ours[k]).min() < 1e-6
    resultant = np.stack([run[f"resultant_{e}"] for e in ("fx_n", "fy_n", "mz_nm")], axis=1)
    assert resultant == pytest.approx(other["Fc"], abs=1e-5)


def test_snake_turns_by_area_of_its_curvature(runs: dict[str, ss.Run]) -> None:
    run = run_of("continuum_snake_2d", runs)
    other = reference("continuum_snake_2d")
    assert moved(run)[:, :2] == pytest.approx(other["head"], abs=1e-6)
    # Waves alone restore the heading after each wavelength; the bump adds b V_o T_o / 2 times its
    # area 1.2069003.
    heading = np.unwrap(2 * np.arctan2(run["link_1_qz"], run["link_1_qw"]))
    waves = 10.0 * 0.8 / (2 * np.pi) * np.sin(2 * np.pi * -0.5 * run["time_s"] / 0.8)
    turned = heading - waves
    assert turned[-1] - turned[0] == pytest.approx(-1.2069003, abs=1e-6)


def test_spatial_snake_matches_reference(runs: dict[str, ss.Run]) -> None:
    run = run_of("continuum_snake_3d", runs)
    other = reference("continuum_snake_3d")
    assert moved(run)[-1] == pytest.approx([-3.0437, 0.1491, -0.7090], abs=5e-5)
    assert moved(run) == pytest.approx(other["head"], abs=1e-6)
    names = ("fx_n", "fy_n", "fz_n", "mx_nm", "my_nm", "mz_nm")
    assert np.stack([run[f"resultant_{e}"] for e in names], axis=1) == pytest.approx(
        other["Fc"], abs=1e-5
    )


@pytest.mark.parametrize("name", ["continuum_snake_2d", "continuum_snake_3d"])
def test_every_cross_section_follows_the_head(name: str, runs: dict[str, ss.Run]) -> None:
    # P5, VIII-C: section X is at t where the head was at t + X / V_o. 41 sections 0.025 m apart
    # take 0.05 s each.
    fine = {"solver__error_tolerance": 1e-9, "solver__step_s": 0.005, "run__duration_s": 2.5}
    run = run_of(name, runs, rate=20.0, **fine)
    rows = run.recording.rows(0, len(run.recording))
    for section in (1, 7, 20, 40):
        followed = rows.link_pose[section:, section]
        led = rows.link_pose[:-section, 0]
        assert followed[:, :3] == pytest.approx(led[:, :3], abs=1e-9)
        sign = np.sign(np.einsum("kq,kq->k", followed[:, 3:], led[:, 3:]))[:, None]
        assert followed[:, 3:] * sign == pytest.approx(led[:, 3:], abs=1e-9)
        speed = np.linalg.norm(rows.link_twist[:, section, :3], axis=1)
        # no slip: the velocity is along the body
        assert speed == pytest.approx(np.full(len(speed), 0.5), abs=1e-9)
