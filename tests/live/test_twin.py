from __future__ import annotations

import numpy as np
import pytest

from snakestudio.control import registry as controllers
from snakestudio.link.profile.schema import Timing
from snakestudio.live import readiness as standing_module
from snakestudio.live import twin as twin_module
from snakestudio.live.readiness import SceneReadiness
from snakestudio.live.reference_scheduler import ReferenceScheduler
from snakestudio.live.twin import Twin, TwinLoader
from snakestudio.model.edits import with_values
from snakestudio.model.scene import Scene
from snakestudio.session.offline import run_offline
from tests.waiting import until

from .fake_link import Clock, profile
from .test_robot import World

SHORT = with_values(
    Scene(),
    {
        "robot.n_links": 5,
        "gait.amplitude_deg": 30.0,
        "run.duration_s": 0.5,
        "run.log_rate_hz": 50.0,
    },
)


def test_twin_moves_as_a_run_under_the_same_blocks() -> None:
    """Blocks have knots every 10 ms, a run has one at every step: cubics through exact rates differ by 1e-6 rad."""
    expected = run_offline(SHORT).recording
    clock = Clock(0.0)
    referencing = ReferenceScheduler(SHORT, None, Timing())
    ends: list[str] = []
    twin = Twin(SHORT, None, clock, ends.append)
    while clock.now < 0.5:
        block = referencing.references(clock.now, None)
        if block is not None:
            twin.follow(block)
        clock.now += 0.01
        now = clock.now
        assert until(lambda now=now: twin.state_at(max(0.0, now - 0.011)) is not None)  # type: ignore[misc]
    twin.close()
    assert ends == []
    assert twin.recording is not None
    rows = twin.recording.rows(0, 20)
    reference_rows = expected.rows(0, 20)
    np.testing.assert_allclose(rows.time, reference_rows.time, atol=1e-9)
    np.testing.assert_allclose(rows.joint_angle, reference_rows.joint_angle, atol=1e-5)
    np.testing.assert_allclose(rows.link_pose, reference_rows.link_pose, atol=1e-5)


def test_slow_twin_is_dropped_and_its_lag_reported() -> None:
    clock = Clock(0.0)
    ends = []
    twin = Twin(SHORT, None, clock, ends.append)
    twin.follow(controllers.create(SHORT).reference(np.linspace(0.0, 100.0, 10_001), None))  # type: ignore[arg-type]
    assert until(lambda: twin.state_at(0.0) is not None)
    clock.now = 0.02
    assert until(lambda: twin.state_at(0.01) is not None)
    clock.now = 40.0  # no engine is that fast
    assert until(lambda: ends)
    twin.close()
    assert "40.0 s" in ends[0] or "40.0 s" in ends[0]
    assert twin.recording is not None
    assert len(twin.recording) >= 1  # the recording up to then remains


def test_failed_twin_is_reported() -> None:
    """Four times the step is too much for the joints' controllers."""
    clock = Clock(0.1)
    ends = []
    unstable = with_values(SHORT, {"solver.step_s": 0.001})
    twin = Twin(unstable, None, clock, ends.append)
    twin.follow(controllers.create(unstable).reference(np.linspace(0.0, 1.0, 101), None))  # type: ignore[arg-type]
    assert until(lambda: ends)
    twin.close()
    assert "0.007 s" in ends[0]


def test_states_are_interpolated_between_saved_ones() -> None:
    clock = Clock(0.0)
    twin = Twin(SHORT, None, clock, lambda text: None)
    twin.follow(controllers.create(SHORT).reference(np.linspace(0.0, 1.0, 101), None))  # type: ignore[arg-type]
    clock.now = 0.2
    assert until(lambda: twin.state_at(0.19) is not None)
    twin.close()
    a, middle, b = (twin.state_at(time) for time in (0.10, 0.1025, 0.105))
    assert a is not None
    assert b is not None
    assert middle is not None
    np.testing.assert_allclose(middle.angle, (a.angle + b.angle) / 2, atol=1e-3)
    assert twin.state_at(-1.0) is None
    assert twin.state_at(1.0) is None


def test_recording_of_the_robot_has_the_twins_deviation() -> None:
    """A robot that follows 0.1 s late deviates from its twin by about this lag times its rate."""
    world = World(twin=True)
    assert until(lambda: not world.live.not_ready)
    world.link.lag = 0.1
    world.run(0.1)
    world.live.arm()
    world.run(0.02)
    world.live.stream()
    for k in range(150):
        world.run(0.01)

        def follows(behind: float = 0.01 * k - 0.1) -> bool:  # the twin has a separate thread
            twin = world.live.twin
            return behind < 0.0 or (
                twin is not None
                and len(twin) > 0
                and twin.rows(len(twin) - 1, len(twin)).time[0] > behind
            )

        assert until(follows)
    twin = world.live.twin
    assert twin is not None
    assert len(twin) > 10
    recording = world.live.recording
    assert recording is not None
    column = recording.schema.extra.index("twin_joint_rms_rad")
    apart = recording.rows(0, len(recording)).extra[:, column]
    known = apart[np.isfinite(apart)]
    assert len(known) > 10
    rates = np.radians(30.0) * np.radians(80.0)  # amplitude times frequency of the gait
    assert 0.2 * rates * 0.1 < known[-1] < 3.0 * rates * 0.1
    assert np.isfinite(world.live.deviation)
    world.live.close()


def test_loading_terminates() -> None:
    loading = TwinLoader(SHORT, None)
    assert until(lambda: not loading.running)
    loading.close()


def test_nothing_is_compiled_beside_a_robot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The engine was marked as compiled; the reasons against arming report otherwise until it is."""
    missing = {SHORT.model.kind}
    created: list[object] = []
    monkeypatch.setattr(twin_module, "load", lambda kind: kind not in missing)
    monkeypatch.setattr(standing_module, "is_missing", lambda kind: kind in missing)
    monkeypatch.setattr(twin_module, "EngineLoop", lambda *arguments: created.append(arguments))
    standing = SceneReadiness(profile(), None, None, with_twin=True)
    standing.judge(with_values(SHORT, {"robot.n_links": 11}))
    assert until(lambda: not any("being loaded" in reason for reason in standing.not_ready))
    assert any("not compiled" in reason for reason in standing.not_ready)
    assert not created
    missing.clear()
    assert not any("not compiled" in reason for reason in standing.not_ready)
    standing.close()
