"""Comparison of a continuous body with chains of n rigid links: torques, speed, path, and their convergence."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from snakestudio._arrays import FloatArray
from snakestudio.analysis.comparison.chain_data import PARTS, ChainComparison, ChainProfile, Part
from snakestudio.engines import registry as engines
from snakestudio.errors import PhysicsError, UsageError
from snakestudio.model.edits import with_value
from snakestudio.model.robot.discretise import discretise
from snakestudio.model.robot.joint_axes import by_joint
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.scene import Scene
from snakestudio.session.runner import Runner

if TYPE_CHECKING:
    from snakestudio.engines.continuum_beam.section import Instant

Progress = Callable[[float], bool]

LINKS = (8, 16, 32, 64, 128, 256)
"""Default numbers of links for chains that follow the motion of the body."""

FREE_LINKS = (8, 16, 32, 64)
"""Default numbers of links for chains that are moved by friction and must be simulated."""

MOST_LINKS = 1000

_FINE = 1e-6
"""Error tolerance for evaluating the body at the chosen times; its grid must not limit the
convergence."""

_SHARE = 0.25
_STEP = 2e-3
"""Largest time step of a chain, as a fraction of the largest stable step and in s, so that the error
is due to the links and not to the steps."""


def compare_chain(
    scene: Scene,
    links: Sequence[int] = (),
    times: Sequence[float] = (),
    base_dir: Path | None = None,
    progress: Progress | None = None,
    own_axes: bool = False,
) -> ChainComparison | None:
    """Compare chains of links with the continuous body of a scene.

    Under anchors or rings, whose contacts determine the motion, each chain follows the motion of the
    body, and the loads required for it are compared. Under friction, each chain is a separate scene
    (`discretise`) that is simulated like the body.

    Raises `UsageError` if the scene has no continuous body, or a number of links or a time is invalid.
    Raises `SceneError` if the scene cannot be run, or no chain can follow its law. Raises
    `PhysicsError` if a run fails.

    Parameters
    ----------
    links : sequence of int
        Numbers of links; `LINKS` or `FREE_LINKS` if omitted.
    times : sequence of float
        Times of the comparison, s; half of the run if omitted.
    base_dir : Path, optional
        Folder to which relative paths in the scene are relative.
    progress : callable, optional
        Called with the finished fraction; the comparison is cancelled when it returns False.
    own_axes : bool
        Whether rings push along the axes of their link, which reduces the order of convergence by one.

    Returns
    -------
    ChainComparison or None
        None if it was cancelled.
    """
    if not scene.body.strained:
        raise UsageError(
            f'The scene\'s model is {scene.model.kind}, not a continuous body. Set model.kind to "continuum_beam".'
        )
    if any(scene.beam.tip_wrench):
        raise UsageError(
            "A chain cannot have a force or torque at its tip. Set those of beam to 0."
        )
    free = not scene.support.kinematic
    counts = tuple(sorted(set(links))) or (FREE_LINKS if free else LINKS)
    for n in counts:
        if not 2 <= n <= MOST_LINKS:
            raise UsageError(
                f"A chain of {n} links is not possible here. Choose 2 to {MOST_LINKS} links."
            )
    instants = tuple(sorted(set(times))) or (0.5 * scene.run.duration_s,)
    for t in instants:
        if not 0.0 <= t <= scene.run.duration_s:
            raise UsageError(
                f"The time {t:g} s is not within the run of {scene.run.duration_s:g} s. Choose other times."
            )
    if free and instants[0] < scene.control.period_s:
        raise UsageError(
            f"Joint torques are known from {scene.control.period_s:g} s on. Choose later times."
        )
    parts = _parts(scene, instants)
    tell = progress or (lambda fraction: True)
    fine = with_value(scene, "solver.error_tolerance", min(scene.solver.error_tolerance, _FINE))
    if free:
        chains = [as_chain(fine, n) for n in counts]
        return _free(fine, chains, counts, instants, parts, base_dir, tell)
    return _alike(fine, counts, instants, parts, base_dir, tell, own_axes)


def _parts(scene: Scene, times: Sequence[float]) -> tuple[Part, ...]:
    """Return the loads of the strain law: the axial force if the body stretches, the couples if it bends or twists."""
    law = StrainLaw(scene.strain, scene.beam)
    spread = np.linspace(0.0, scene.run.duration_s, 13)
    field = law.at(
        np.concatenate([spread, np.array(times)]), np.linspace(0.0, scene.beam.length_m, 41)
    )
    with np.errstate(all="ignore"):
        off = (
            np.abs(field.strain - np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])).max(axis=(0, 1)) > 1e-12
        )
    parts = tuple(part for part in PARTS if off[part.entry])
    if not parts:
        raise UsageError(
            "The strain law neither stretches nor bends the body, so its joints have no effect. Change its strain."
        )
    return parts


def as_chain(body: Scene, n: int) -> Scene:
    """Return the scene of a chain of `n` links for a body that is moved by friction, with a stable time step.

    Raises `SceneError` like `discretise`.
    """
    scene = discretise(body, n)
    step = min(scene.solver.step_s, _STEP, _SHARE * engines.largest_stable_step(scene))
    pieces = math.ceil(scene.control.period_s / step * (1 - 1e-9))
    return with_value(scene, "solver.step_s", scene.control.period_s / pieces)


class _Track:
    """A run that stops at given times, and the path of its centre of mass at each control period."""

    def __init__(self, scene: Scene, base_dir: Path | None) -> None:
        self.runner = Runner(scene, base_dir)
        self.centre = [self.runner.latest.centre_of_mass]
        self.torque = self.runner.latest.joint_torque
        """Joint torques at the current time, (m,), N m: engines report means over a step, this is the
        instantaneous value."""

    def advance_to(self, time: float) -> None:
        """Run to the step nearest to `time`.

        Raises
        ------
        PhysicsError
        """
        runner = self.runner
        target = round(time / runner.scene.solver.step_s)
        while (left := target - runner.engine.step_count) > 0:
            border = runner.scene.steps_per_period
            steps = min(left, border - runner.engine.step_count % border)
            if left == steps > 1:  # the last step is taken alone, see `torque`
                steps -= 1
            before = runner.latest.joint_torque
            report = runner.advance(steps)
            if not report.ok:
                raise PhysicsError(report.message)
            self.torque = 1.5 * runner.latest.joint_torque - 0.5 * before
            if runner.engine.step_count % border == 0:
                self.centre.append(runner.latest.centre_of_mass)


def _alike(
    scene: Scene,
    counts: tuple[int, ...],
    times: tuple[float, ...],
    parts: tuple[Part, ...],
    base_dir: Path | None,
    tell: Progress,
    own_axes: bool,
) -> ChainComparison | None:
    """Compare chains that follow the motion of the body."""
    from snakestudio.engines.continuum_beam.chain import chain_of
    from snakestudio.engines.continuum_beam.engine import ContinuumBeamEngine
    from snakestudio.engines.continuum_beam.section import instant_of

    profiles: list[list[ChainProfile]] = [[] for _ in counts]
    runner = Runner(scene, base_dir)
    engine = runner.engine
    assert isinstance(engine, ContinuumBeamEngine), "the scene has this model"
    for t in times:
        while (left := round(t / scene.solver.step_s) - engine.step_count) > 0:
            if not tell(0.9 * engine.time / max(times[-1], scene.solver.step_s)):
                return None
            report = runner.advance(min(left, 20 * scene.steps_per_period))
            if not report.ok:
                raise PhysicsError(report.message)
        instant = instant_of(engine)
        for index, n in enumerate(counts):
            chain = chain_of(instant, n, own_axes)
            profiles[index].append(
                ChainProfile(
                    n,
                    engine.time,
                    chain.joint,
                    _picked(parts, chain.wrench),
                    _picked(parts, chain.body),
                    chain.pose,
                    float(np.linalg.norm(chain.velocity)),
                    float(np.linalg.norm(chain.body_velocity)),
                )
            )
    tell(1.0)
    return _compared(scene, False, counts, parts, profiles, np.full(len(counts), np.nan))


def _free(
    scene: Scene,
    chains: list[Scene],
    counts: tuple[int, ...],
    times: tuple[float, ...],
    parts: tuple[Part, ...],
    base_dir: Path | None,
    tell: Progress,
) -> ChainComparison | None:
    """Compare chains that are moved by friction with the body."""
    from snakestudio.engines.continuum_beam.engine import ContinuumBeamEngine
    from snakestudio.engines.continuum_beam.section import instant_of

    # The work of a step grows with the cube of the number of links, and smaller links need smaller
    # steps.
    work = np.array([1.0, *((n / 8) ** 2 for n in counts)])
    fraction = np.concatenate([[0.0], np.cumsum(work) / work.sum()])
    stops = sorted({*times, *np.linspace(0.0, scene.run.duration_s, 21)[1:].tolist()})

    def followed(track: _Track, index: int, record_profiles: Callable[[], None]) -> bool:
        """Run to the end and call `look` at the chosen times; False if cancelled."""
        for stop in (0.0, *stops):
            track.advance_to(stop)
            if stop in times:
                record_profiles()
            done = (
                fraction[index]
                + (fraction[index + 1] - fraction[index]) * stop / scene.run.duration_s
            )
            if not tell(float(done)):
                return False
        return True

    body = _Track(scene, base_dir)
    engine = body.runner.engine
    assert isinstance(engine, ContinuumBeamEngine), "the scene has this model"
    instants: list[Instant] = []
    if not followed(body, 0, lambda: instants.append(instant_of(engine))):
        return None
    all_profiles: list[list[ChainProfile]] = []
    apart = []
    for index, (n, chain_scene) in enumerate(zip(counts, chains, strict=True)):
        chain = _Track(chain_scene, None)
        profiles: list[ChainProfile] = []

        def record_profiles(
            chain: _Track = chain, profiles: list[ChainProfile] = profiles, n: int = n
        ) -> None:
            profiles.append(_profile(chain, instants[len(profiles)], n, parts))

        if not followed(chain, index + 1, record_profiles):
            return None
        all_profiles.append(profiles)
        rows = min(len(body.centre), len(chain.centre))
        apart.append(
            float(
                np.linalg.norm(
                    (np.array(chain.centre[:rows]) - np.array(body.centre[:rows]))[:, :2], axis=1
                ).max()
            )
        )
    return _compared(scene, True, counts, parts, all_profiles, np.array(apart))


def _profile(track: _Track, instant: Instant, n: int, parts: tuple[Part, ...]) -> ChainProfile:
    """Return the profile of a running chain compared with the body at a time."""
    snapshot = track.runner.latest
    length = instant.params.length
    joint = length / n * np.arange(1, n, dtype=np.float64)
    wrench = np.zeros((n - 1, 6))
    axes = track.runner.scene.body.axes
    wrench[:, 5], wrench[:, 4] = (
        -by_joint(track.torque, axes, kind, n - 1) for kind in ("yaw", "pitch")
    )
    return ChainProfile(
        n,
        instant.time,
        joint,
        _picked(parts, wrench),
        _picked(parts, instant.sections(joint).wrench),
        snapshot.link_pose,
        float(np.linalg.norm(snapshot.link_twist[:, :3].mean(axis=0))),
        float(np.linalg.norm(instant.mean_velocity())),
    )


def _picked(parts: tuple[Part, ...], wrench: FloatArray) -> FloatArray:
    return np.stack([part.sign * wrench[:, part.entry] for part in parts], axis=1)


def _compared(
    scene: Scene,
    free: bool,
    counts: tuple[int, ...],
    parts: tuple[Part, ...],
    all_profiles: list[list[ChainProfile]],
    path_errors: FloatArray,
) -> ChainComparison:
    # At one time, the reference value is the same for all n: the largest of the body at the joints of
    # the finest chain.
    largest = np.array([np.abs(profile.body).max(axis=0) for profile in all_profiles[-1]])
    scale = np.where(largest > 0.0, largest, 1.0)
    errors = (
        np.array(
            [[np.abs(p.chain - p.body).max(axis=0) for p in profiles] for profiles in all_profiles]
        )
        / scale
    )
    speeds = np.array(
        [
            [abs(p.chain_speed - p.body_speed) / (p.body_speed or 1.0) for p in row]
            for row in all_profiles
        ]
    )
    times = tuple(profile.time for profile in all_profiles[0])
    profiles = tuple(tuple(row) for row in all_profiles)
    return ChainComparison(scene, free, counts, times, parts, profiles, errors, speeds, path_errors)
