"""A continuous body beside chains of n rigid links: torques, speed and path, and their convergence."""

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
"""Numbers of links by default, of chains that move as the body does."""

FREE_LINKS = (8, 16, 32, 64)
"""Numbers of links by default, of chains that friction moves: they have to be run."""

MOST_LINKS = 1000

_FINE = 1e-6
"""Error tolerance under which the body is evaluated at the chosen times: its grid must not limit
the convergence."""

_SHARE = 0.25
_STEP = 2e-3
"""Time step of a chain, in the longest stable one and in s, at most: then links, not steps, make
the error."""


def compare_chain(
    scene: Scene,
    links: Sequence[int] = (),
    times: Sequence[float] = (),
    base_dir: Path | None = None,
    progress: Progress | None = None,
    own_axes: bool = False,
) -> ChainComparison | None:
    """Hold chains of links against the continuous body of a scene.

    Under anchors or rings, whose contacts determine the motion, every chain moves as the body does,
    and takes the loads that this costs. Under friction every chain is a scene of its own
    (`discretise`), run beside the body.

    Raises `UsageError` if the scene has no continuous body, or there are no such links or instants.
    Raises `SceneError` if the scene cannot be run, or no chain can follow its law. Raises
    `PhysicsError` if a run fails.

    Parameters
    ----------
    links : sequence of int
        Numbers of links; `LINKS` or `FREE_LINKS` if left out.
    times : sequence of float
        Instants at which to compare, s; half of the run if left out.
    base_dir : Path, optional
        What relative paths in the scene are relative to.
    progress : callable, optional
        Gets the finished fraction; the comparison is cancelled when it returns False.
    own_axes : bool
        Whether rings push along the axes of the link they are on, which costs an order.

    Returns
    -------
    ChainComparison or None
        None if it was cancelled.
    """
    if not scene.body.strained:
        raise UsageError(
            f'The scene\'s model is {scene.model.kind}, not a continuous body; set model.kind to "continuum_beam".'
        )
    if any(scene.beam.tip_wrench):
        raise UsageError("No chain has a force or a torque at its tip; set those of beam to 0.")
    free = not scene.support.kinematic
    counts = tuple(sorted(set(links))) or (FREE_LINKS if free else LINKS)
    for n in counts:
        if not 2 <= n <= MOST_LINKS:
            raise UsageError(
                f"There is no chain of {n} links here; give numbers from 2 to {MOST_LINKS}."
            )
    instants = tuple(sorted(set(times))) or (0.5 * scene.run.duration_s,)
    for t in instants:
        if not 0.0 <= t <= scene.run.duration_s:
            raise UsageError(
                f"There is no instant {t:g} s in a run of {scene.run.duration_s:g} s; give others."
            )
    if free and instants[0] < scene.control.period_s:
        raise UsageError(
            f"Joint torques are known from {scene.control.period_s:g} s on; give later instants."
        )
    parts = _parts(scene, instants)
    tell = progress or (lambda fraction: True)
    fine = with_value(scene, "solver.error_tolerance", min(scene.solver.error_tolerance, _FINE))
    if free:
        chains = [as_chain(fine, n) for n in counts]
        return _free(fine, chains, counts, instants, parts, base_dir, tell)
    return _alike(fine, counts, instants, parts, base_dir, tell, own_axes)


def _parts(scene: Scene, times: Sequence[float]) -> tuple[Part, ...]:
    """What the strain law works on: the axial force of a body that stretches, the couples of one that bends."""
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
            "The strain law neither stretches nor bends the body, so no joint has anything to do."
        )
    return parts


def as_chain(body: Scene, n: int) -> Scene:
    """A body that friction moves as a chain of `n` links, with a step that it can be run with.

    Raises `SceneError` as `discretise`.
    """
    scene = discretise(body, n)
    step = min(scene.solver.step_s, _STEP, _SHARE * engines.largest_stable_step(scene))
    pieces = math.ceil(scene.control.period_s / step * (1 - 1e-9))
    return with_value(scene, "solver.step_s", scene.control.period_s / pieces)


class _Track:
    """A run that stops at instants, and where its centre of mass was at every control period."""

    def __init__(self, scene: Scene, base_dir: Path | None) -> None:
        self.runner = Runner(scene, base_dir)
        self.centre = [self.runner.latest.centre_of_mass()]
        self.torque = self.runner.latest.joint_torque
        """Joint torques at the instant reached, (m,), N m: engines tell means over a step, this is
        their course."""

    def advance_to(self, time: float) -> None:
        """Go on to the step nearest to `time`.

        Raises
        ------
        PhysicsError
        """
        runner = self.runner
        wanted = round(time / runner.scene.solver.step_s)
        while (left := wanted - runner.engine.step_count) > 0:
            border = runner.scene.steps_per_period
            steps = min(left, border - runner.engine.step_count % border)
            if left == steps > 1:  # the last step alone, see `torque`
                steps -= 1
            before = runner.latest.joint_torque
            report = runner.advance(steps)
            if not report.ok:
                raise PhysicsError(report.message)
            self.torque = 1.5 * runner.latest.joint_torque - 0.5 * before
            if runner.engine.step_count % border == 0:
                self.centre.append(runner.latest.centre_of_mass())


def _alike(
    scene: Scene,
    counts: tuple[int, ...],
    times: tuple[float, ...],
    parts: tuple[Part, ...],
    base_dir: Path | None,
    tell: Progress,
    own_axes: bool,
) -> ChainComparison | None:
    """Chains that move as the body does."""
    from snakestudio.engines.continuum_beam.chain import chain_of
    from snakestudio.engines.continuum_beam.engine import ContinuumBeamEngine
    from snakestudio.engines.continuum_beam.section import instant_of

    found: list[list[ChainProfile]] = [[] for _ in counts]
    runner = Runner(scene, base_dir)
    engine = runner.engine
    assert isinstance(engine, ContinuumBeamEngine), "the scene's model says so"
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
            found[index].append(
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
    return _compared(scene, False, counts, parts, found, np.full(len(counts), np.nan))


def _free(
    scene: Scene,
    chains: list[Scene],
    counts: tuple[int, ...],
    times: tuple[float, ...],
    parts: tuple[Part, ...],
    base_dir: Path | None,
    tell: Progress,
) -> ChainComparison | None:
    """Chains that friction moves, and the body beside them."""
    from snakestudio.engines.continuum_beam.engine import ContinuumBeamEngine
    from snakestudio.engines.continuum_beam.section import instant_of

    # The work of a chain's step grows with the cube of its links, and smaller links want smaller
    # steps.
    work = np.array([1.0, *((n / 8) ** 2 for n in counts)])
    share = np.concatenate([[0.0], np.cumsum(work) / work.sum()])
    stops = sorted({*times, *np.linspace(0.0, scene.run.duration_s, 21)[1:].tolist()})

    def followed(track: _Track, index: int, look: Callable[[], None]) -> bool:
        """Run to the end, looking at the chosen instants; False if it is cancelled."""
        for stop in (0.0, *stops):
            track.advance_to(stop)
            if stop in times:
                look()
            done = share[index] + (share[index + 1] - share[index]) * stop / scene.run.duration_s
            if not tell(float(done)):
                return False
        return True

    body = _Track(scene, base_dir)
    engine = body.runner.engine
    assert isinstance(engine, ContinuumBeamEngine), "the scene's model says so"
    instants: list[Instant] = []
    if not followed(body, 0, lambda: instants.append(instant_of(engine))):
        return None
    found: list[list[ChainProfile]] = []
    apart = []
    for index, (n, chain_scene) in enumerate(zip(counts, chains, strict=True)):
        chain = _Track(chain_scene, None)
        profiles: list[ChainProfile] = []

        def look(
            chain: _Track = chain, profiles: list[ChainProfile] = profiles, n: int = n
        ) -> None:
            profiles.append(_profile(chain, instants[len(profiles)], n, parts))

        if not followed(chain, index + 1, look):
            return None
        found.append(profiles)
        rows = min(len(body.centre), len(chain.centre))
        apart.append(
            float(
                np.linalg.norm(
                    (np.array(chain.centre[:rows]) - np.array(body.centre[:rows]))[:, :2], axis=1
                ).max()
            )
        )
    return _compared(scene, True, counts, parts, found, np.array(apart))


def _profile(track: _Track, instant: Instant, n: int, parts: tuple[Part, ...]) -> ChainProfile:
    """A running chain beside the body at an instant of that."""
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
    found: list[list[ChainProfile]],
    path_errors: FloatArray,
) -> ChainComparison:
    # Of one instant, the same measure for every n: the largest of the body at the joints of the
    # finest chain.
    largest = np.array([np.abs(profile.body).max(axis=0) for profile in found[-1]])
    scale = np.where(largest > 0.0, largest, 1.0)
    errors = (
        np.array([[np.abs(p.chain - p.body).max(axis=0) for p in profiles] for profiles in found])
        / scale
    )
    speeds = np.array(
        [[abs(p.chain_speed - p.body_speed) / (p.body_speed or 1.0) for p in row] for row in found]
    )
    times = tuple(profile.time for profile in found[0])
    profiles = tuple(tuple(row) for row in found)
    return ChainComparison(scene, free, counts, times, parts, profiles, errors, speeds, path_errors)
