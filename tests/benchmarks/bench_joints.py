"""Cost of kinds of joints in the spatial engine: massless chains of every kind, and a robot of alternating joints."""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.control.set_points import SetPoints
from snakestudio.engines.contact_sums import CALL_ITERATIONS, UNCONVERGED
from snakestudio.engines.spatial_nonsmooth.joint_kinds import (
    CARDAN,
    HAS_PITCH,
    HAS_ROLL,
    HAS_YAW,
    THREE,
    YAW_ROLL,
)
from snakestudio.engines.spatial_nonsmooth.params import KD, KP, Chain, Params, link_rows
from snakestudio.engines.spatial_nonsmooth.state import make_state
from snakestudio.model.edits import with_values
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from tests.benchmarks.bench_spatial import timed as time_engine
from tests.engines.spatial_chains import (
    STILL,
    Reference,
    chain_of,
    limp_axes,
    n_axes,
    params_with,
    pose_of,
    run_chain,
)
from tests.peers.mujoco_robot import mujoco_loop

Row = tuple[str, object, str, str, bool]

CLOCK = time.process_time
LINKS = 16
SCENES = Path(__file__).parents[2] / "scenes"
STEP = 2.5e-4
KINDS = {
    "fixed": [0] * (LINKS - 1),
    "yaw": [HAS_YAW] * (LINKS - 1),
    "roll": [HAS_ROLL] * (LINKS - 1),
    "yaw and pitch in turn": [HAS_YAW if k % 2 == 0 else HAS_PITCH for k in range(LINKS - 1)],
    "cardan": [CARDAN] * (LINKS - 1),
    "yaw and roll": [YAW_ROLL] * (LINKS - 1),
    "all three": [THREE] * (LINKS - 1),
}


def robot(kinds: list[int], kp: float, kd: float, radius: float = 0.05, mu: float = 0.5) -> Chain:
    """16 solid cylinders of 0.858 kg and 0.0725 m (half a module of the robots of alternating joints)."""
    n = len(kinds) + 1
    mass = np.full(n, 0.8576)
    length = np.full(n, 0.0725)
    across = mass * (radius**2 / 4.0 + length**2 / 12.0)
    axial = 0.5 * mass * radius**2
    contact = np.tile([-0.025, 0.025], (n, 1))
    friction = np.full((n, 3), mu)
    links = link_rows(
        mass,
        across,
        axial,
        0.5 * length,
        0.5 * length,
        contact,
        np.full(n, radius),
        np.full(n, 0.02),
        friction,
    )
    values = limp_axes(n_axes(kinds))
    values[:, [KP, KD]] = kp, kd
    return chain_of(links, kinds, values)


def swinging(count: int) -> Reference:
    """References of 0.2 rad, each with its own frequency."""
    omega = 3.0 + np.arange(count) % 5
    return lambda t: (
        0.2 * np.sin(np.multiply.outer(t, omega)),
        0.2 * omega * np.cos(np.multiply.outer(t, omega)),
    )


def timed(
    params: Params, pose: FloatArray, seconds: float, reference: Reference
) -> tuple[float, float, float]:
    """CPU time of a step, s, Newton iterations a step, and share of converged steps."""
    state = make_state(pose, np.zeros((len(pose), 6)), np.zeros(len(params.axes)))
    steps = round(seconds / STEP)
    begin = CLOCK()
    run_chain(params, state, seconds, reference=reference)
    spent = CLOCK() - begin
    counts = state.counts
    return spent / steps, counts[CALL_ITERATIONS] / steps, 1.0 - counts[UNCONVERGED] / steps


def kinds_of_joints() -> list[Row]:
    """Time per link and iteration by kind of joint: a single axis must not cost more than a cardan joint."""
    chains = {name: robot(kinds, 5.0, 0.05) for name, kinds in KINDS.items()}
    best = dict.fromkeys(chains, math.inf)
    for _ in range(5):  # in turns, so that other load affects all of them
        for name, chain in chains.items():
            params = params_with(chain, STEP, STILL)
            spent, iterations, _ = timed(
                params, pose_of(chain, np.zeros(len(chain.axes))), 2.0, swinging(len(chain.axes))
            )
            best[name] = min(best[name], 1e9 * spent / LINKS / max(iterations, 1.0))
    single = ("yaw", "roll", "yaw and pitch in turn")
    return [
        (
            f"{LINKS} links, {name}: CPU time of a link",
            best[name],
            "ns",
            "<= cardan" if name in single else "",
            name not in single or best[name] <= best["cardan"],
        )
        for name in chains
    ]


def gaits() -> dict[str, Scene]:
    """Sidewinding and rolling of the bundled robot of 16 modules with alternating joints, in the field's terms."""
    base = load_scene(SCENES / "alternating_16.toml")
    scenes = {}
    for name, amplitude, spatial, temporal, delta in (
        ("sidewinding", 0.4, 0.5, 5.0, 0.25 * math.pi),
        ("rolling", 0.2, 0.0, 4.0, 0.5 * math.pi),
    ):
        values: dict[str, object] = {"gait.kind": "compound_serpenoid", "gait.delta_rad": delta}
        for group in ("odd", "even"):
            values[f"gait.{group}_amplitude_rad"] = amplitude
            values[f"gait.{group}_spatial_frequency_rad"] = spatial
            values[f"gait.{group}_temporal_frequency_rad_s"] = temporal
        scenes[name] = with_values(base, values | {"control.soft_start_deg": 0.0})
    return scenes


def references(scene: Scene) -> JointReference:
    """References of the joints from the straight robot to its gait, with a knot at every step."""
    times = np.arange(scene.n_steps + 1) * scene.solver.step_s
    return SetPoints(scene, np.zeros(len(scene.body.axes))).reference(times, None)


def alternating() -> list[Row]:
    """Gaits of the robot of alternating joints for 8 s, in turns with MuJoCo's own loop on the exported model."""
    rows: list[Row] = []
    for name, scene in gaits().items():
        reference = references(scene)
        spans: list[tuple[float, ...]] = []
        for _ in range(3):
            spent, fraction, iterations = time_engine(scene, scene.n_steps, reference)
            exported = mujoco_loop(scene, scene.run.duration_s, reference)
            lean = mujoco_loop(scene, scene.run.duration_s, reference, cone="pyramidal", lean=True)
            spans.append((spent, exported.cpu_s / scene.n_steps, lean.cpu_s / scene.n_steps))
        ours, theirs, fastest = np.min(spans, axis=0)
        label = f"alternating, 16 links, {name}"
        rows += [
            (f"{label}: CPU time of a step", 1e6 * ours, "us", "", True),
            (f"{label}: MuJoCo, exported model as it is", 1e6 * theirs, "us", "", True),
            (
                f"{label}: ours / MuJoCo exported",
                ours / theirs,
                "",
                "<= 0.35",
                ours <= 0.35 * theirs,
            ),
            (f"{label}: MuJoCo, default cones without rolling", 1e6 * fastest, "us", "", True),
            (f"{label}: ours / MuJoCo default", ours / fastest, "", "", True),
            (f"{label}: Newton iterations a step", iterations, "", "", True),
            (
                f"{label}: steps with residual <= 1e-8",
                100.0 * fraction,
                "%",
                ">= 100",
                fraction >= 1.0,
            ),
        ]
    return rows


def run() -> list[Row]:
    """All rows: name, value, unit, bar, whether it is met."""
    return [*kinds_of_joints(), *alternating()]
