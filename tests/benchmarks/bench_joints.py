"""What kinds of joints cost the spatial engine: weightless chains of every kind, and a robot of alternating joints."""

from __future__ import annotations

import math
import time

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.engines.spatial_nonsmooth.joint_kinds import CARDAN, HAS_PITCH, HAS_ROLL, HAS_YAW, THREE, YAW_ROLL
from snakestudio.engines.spatial_nonsmooth.params import KD, KP, Chain, Params, link_rows
from snakestudio.engines.spatial_nonsmooth.state import CALL_ITERATIONS, UNCONVERGED, make_state
from snakestudio.model.world import Ground
from tests.engines.spatial_chains import STILL, Reference, chain_of, limp_axes, n_axes, params_with, pose_of, run_chain

Row = tuple[str, object, str, str, bool]

CLOCK = time.process_time
LINKS = 16
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
    mass, length = np.full(n, 0.8576), np.full(n, 0.0725)
    across, axial = mass * (radius**2 / 4.0 + length**2 / 12.0), 0.5 * mass * radius**2
    contact, friction = np.tile([-0.025, 0.025], (n, 1)), np.full((n, 3), mu)
    links = link_rows(
        mass, across, axial, 0.5 * length, 0.5 * length, contact, np.full(n, radius), np.full(n, 0.02), friction
    )
    values = limp_axes(n_axes(kinds))
    values[:, [KP, KD]] = kp, kd
    return chain_of(links, kinds, values)


def swinging(count: int) -> Reference:
    """References of 0.2 rad with frequencies of their own."""
    omega = 3.0 + np.arange(count) % 5
    return lambda t: (
        0.2 * np.sin(np.multiply.outer(t, omega)),
        0.2 * omega * np.cos(np.multiply.outer(t, omega)),
    )


def compound_serpenoid(count: int) -> Reference:
    """Sidewinding of alternating joints: 0.4 rad, 5 rad/s, 0.5 rad a joint, pitch pi/4 ahead of yaw; soft start."""
    index = np.arange(count)
    phase = 0.5 * (index + 1.0) + np.where(index % 2 == 0, 0.0, 0.25 * math.pi)

    def reference(t: FloatArray) -> tuple[FloatArray, FloatArray]:
        s = np.clip(t, 0.0, 1.0)[:, None]
        gain, slope = s * s * (3.0 - 2.0 * s), 6.0 * s * (1.0 - s)
        arg = np.multiply.outer(t, np.full(count, 5.0)) + phase
        return 0.4 * gain * np.sin(arg), 0.4 * (5.0 * gain * np.cos(arg) + slope * np.sin(arg))

    return reference


def timed(params: Params, pose: FloatArray, seconds: float, reference: Reference) -> tuple[float, float, float]:
    """CPU time of a step, s, Newton iterations a step, and share of steps converged."""
    state = make_state(pose, np.zeros((len(pose), 6)), np.zeros(len(params.axes)))
    steps = round(seconds / STEP)
    begin = CLOCK()
    run_chain(params, state, seconds, reference=reference)
    spent = CLOCK() - begin
    counts = state.counts
    return spent / steps, counts[CALL_ITERATIONS] / steps, 1.0 - counts[UNCONVERGED] / steps


def kinds_of_joints() -> list[Row]:
    """Time of a link and iteration by kind of joint: one with a single axis costs no more than a cardan joint."""
    chains = {name: robot(kinds, 5.0, 0.05) for name, kinds in KINDS.items()}
    best = dict.fromkeys(chains, math.inf)
    for _ in range(5):  # by turns, so that a busy moment of the machine does not hit only one
        for name, chain in chains.items():
            params = params_with(chain, STEP, STILL)
            spent, iterations, _ = timed(
                params, pose_of(chain, np.zeros(len(chain.axes))), 2.0, swinging(len(chain.axes))
            )
            best[name] = min(best[name], 1e9 * spent / LINKS / max(iterations, 1.0))
    single = ("yaw", "roll", "yaw and pitch in turn")
    return [
        (
            f"{LINKS} links, {name}: CPU time of a link", best[name], "ns",
            "<= cardan" if name in single else "", name not in single or best[name] <= best["cardan"],
        )
        for name in chains
    ]  # fmt: skip


def alternating() -> list[Row]:
    """The robot of 16 links with yaw and pitch in turn, winding sideways on the ground for 6 s."""
    chain = robot(KINDS["yaw and pitch in turn"], 100.0, 0.1)
    params = params_with(chain, STEP, Ground())
    pose = pose_of(chain, np.zeros(len(chain.axes)), (0.0, 0.0, 0.05 - 1e-6))
    best, iterations, share = math.inf, 0.0, 1.0
    for _ in range(3):
        spent, iterations, share = timed(params, pose, 6.0, compound_serpenoid(len(chain.axes)))
        best = min(best, spent)
    return [
        ("alternating, 16 links: CPU time of a step", 1e6 * best, "us", "", True),
        ("alternating, 16 links: CPU time of a degree of freedom", 1e6 * best / (6 + len(chain.axes)), "us", "", True),
        ("alternating, 16 links: Newton iterations a step", float(iterations), "", "", True),
        ("alternating, 16 links: steps with residual <= 1e-8", 100.0 * share, "%", ">= 99.9", share >= 0.999),
    ]


def run() -> list[Row]:
    """The values: name, value, unit, bar, whether it is met."""
    return [*kinds_of_joints(), *alternating()]
