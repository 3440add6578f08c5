"""Fitting: known values are recovered from noisy tracks, and undetermined ones are reported."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from snakestudio.analysis.fitting import (
    PRESETS,
    FitProgress,
    FitResult,
    FreeParameter,
    JointTrack,
    Track,
    Trial,
    fit,
    free_parameter,
    parse_free,
    trial_of,
)
from snakestudio.analysis.fitting.objective import Objective
from snakestudio.errors import PhysicsError, SceneError, UsageError
from snakestudio.export.fit_report import fit_report
from snakestudio.export.fit_text import correlation_lines, fit_table
from snakestudio.model.capture import Capture
from snakestudio.model.edits import with_values
from tests.synthetic_tracks import FRICTION, brisk, free_joints, measured

ALONG = FreeParameter(("ground.mu_along",), 0.02, 0.5, "log")
ACROSS = FreeParameter(("ground.mu_across",), 0.05, 1.0, "log")
OFF = {
    "ground.mu_along": 1.4 * FRICTION["ground.mu_along"],
    "ground.mu_across": 1.4 * FRICTION["ground.mu_across"],
}


def fitted(
    trials: list[Trial],
    free: list[FreeParameter],
    method: str = "least_squares",
    limit: int | None = None,
) -> FitResult:
    result = fit(trials, free, method, limit=limit)
    assert result is not None
    return result


def short(trial: Trial, seconds: float = 0.5) -> Trial:
    """The beginning of a trial: fast to run, for tests that do not need accurate results."""
    tracks = tuple(
        replace(track, measured=track.time <= track.time[0] + seconds) for track in trial.tracks
    )
    return replace(trial, tracks=tracks)


@pytest.fixture(scope="module")
def seen() -> Trial:
    """A run with unknown clock and frame, and a scene whose friction coefficients are 40 % off."""
    return Trial("seen", brisk(**OFF), measured(brisk(), {}, late=0.1, turned=0.3))


def test_friction_40_percent_off_is_found_within_5_percent(seen: Trial) -> None:
    result = fitted([seen], [ALONG, ACROSS])
    for key, true in FRICTION.items():
        assert result.values[key] == pytest.approx(true, rel=0.05)
        low, high = result.intervals[key]
        assert low < result.values[key] < high
        assert high - low < 0.2 * true
    assert result.cost_after == pytest.approx(0.002 * math.sqrt(2.0), rel=0.05), (
        "what is left is the noise"
    )
    assert result.cost_before > 1.2 * result.cost_after
    (trial,) = result.trials
    assert trial.misfit_after.offset_s == pytest.approx(-0.1, abs=0.005)
    assert trial.misfit_after.heading_rad == pytest.approx(-0.3, abs=0.005)
    assert result.after.scene.ground.mu_along == result.values["ground.mu_along"]
    assert result.before.scene.ground.mu_along == OFF["ground.mu_along"]
    assert result.fitted(seen.scene).ground.mu_across == result.values["ground.mu_across"]
    assert result.correlation[0, 1] > 0.9, "at rest only their ratio counts"
    assert [moment.cost for moment in result.history] == sorted(
        (m.cost for m in result.history), reverse=True
    )
    assert result.notes == ()
    lines = correlation_lines(result)
    assert len(lines) == int(result.correlation[0, 1] >= 0.95)
    assert all(f"({result.correlation[0, 1]:.3f})" in line for line in lines)
    close = replace(result, correlation=np.array([[1.0, 0.997], [0.997, 1.0]]))
    assert correlation_lines(close)[0].startswith("ground.mu_along and ground.mu_across ")
    assert "(0.997)" in correlation_lines(close)[0]
    assert correlation_lines(close)[0] in fit_report(close).notes


def test_delay_off_by_40_percent_is_found_to_10_ms() -> None:
    scene = brisk(**{"control.start_delay_s": 0.1})
    trial = Trial(
        "t",
        brisk(**{"control.start_delay_s": 0.14}),
        measured(scene, {}),
        offset_bounds_s=(0.0, 0.0),
    )
    result = fitted([trial], [PRESETS["Start delay"]])
    assert result.values["control.start_delay_s"] == pytest.approx(0.1, abs=0.010)
    low, high = result.intervals["control.start_delay_s"]
    assert high - low < 0.010


@pytest.mark.parametrize("size", [0.002, 1.0])
def test_parameters_fitted_to_noise_are_not_identifiable(seen: Trial, size: float) -> None:
    chance = np.random.default_rng(4)
    tracks = tuple(
        replace(t, position=size * chance.normal(size=t.position.shape)) for t in short(seen).tracks
    )
    result = fitted([replace(seen, tracks=tracks)], [ALONG])
    assert result.notes[0].startswith("Not identifiable: ")
    assert all(math.isnan(bound) for bound in result.intervals["ground.mu_along"])
    assert np.isnan(result.correlation).all()
    assert "unknown" in [cell.text for cell in fit_table(result).rows[0].cells]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("free", "true"), [(PRESETS["Backlash"], 4.0), (PRESETS["Largest torque"], 0.6)]
)
def test_motor_parameters_are_found_where_they_matter(free: FreeParameter, true: float) -> None:
    (key,) = free.keys
    trial = Trial(
        "t",
        free_joints(**{key: 1.4 * true}),
        measured(free_joints(**{key: true}), {}, joints=True),
        offset_bounds_s=(0.0, 0.0),
    )
    result = fitted([trial], [free], "auto")
    assert result.values[key] == pytest.approx(true, rel=0.05)


def test_result_is_reproducible_by_seed(seen: Trial) -> None:
    slow = {"gait.frequency_deg_s": 200.0}
    other = Trial(
        "other",
        brisk(**OFF, **slow),
        measured(brisk(**slow), {}),
        align=False,
        offset_bounds_s=(0.0, 0.0),
    )
    trials = [short(seen, 0.2), short(other, 0.2)]
    first = fit(trials, [ALONG], "auto", seed=3, limit=8)
    again = fit(trials, [ALONG], "auto", seed=3, limit=8)
    assert first is not None
    assert again is not None
    assert (first.values, first.intervals, first.history) == (
        again.values,
        again.intervals,
        again.history,
    )
    assert len(again.trials) == 2
    assert again.trials[1].misfit_after.heading_rad == 0.0
    elsewhere = fit(trials, [ALONG], "cma", seed=4, limit=8)
    assert elsewhere is not None
    assert elsewhere.history[1:] != first.history[1:], "another seed looks elsewhere"
    assert any("limit of evaluations" in note for note in elsewhere.notes)


def test_clock_and_frame_are_found_exactly_without_noise() -> None:
    scene = brisk()
    tracks = measured(scene, {}, late=-0.2, turned=2.5, noise=0.0)
    objective = Objective([Trial("t", scene, tracks)])
    misfit = objective.misfit(0, objective.run((0, {})))
    assert misfit.offset_s == pytest.approx(0.2, abs=1e-4)
    assert misfit.heading_rad == pytest.approx(-2.5, abs=1e-4)
    assert misfit.cost < 2e-5, "between rows the run is cubic"
    (first,) = [track for track in tracks if isinstance(track, Track) and track.link == 0]
    placed = misfit.placed(first.position)
    np.testing.assert_allclose(misfit.unplaced(placed), first.position, atol=1e-12)
    np.testing.assert_allclose(
        placed[0], objective.run((0, {})).recording.rows(0, 1).link_pose[0, 0, :2], atol=1e-4
    )


def test_drop_outs_do_not_count_and_angles_count_as_lengths() -> None:
    scene = brisk()
    run = Objective([Trial("t", scene, measured(scene, {}))]).run((0, {}))
    time = np.array([0.1, 0.2, 0.3, 0.4])
    rows = [run.recording.index_at(t) for t in time]
    position = np.array([run.recording.rows(row, row + 1).link_pose[0, 3, :2] for row in rows])
    wrong = position.copy()
    wrong[2] += 5.0
    wrong[3] = np.nan
    partial = Track(time, 3, wrong, np.array([True, True, False, True]))
    angle = np.array([run.recording.rows(row, row + 1).joint_angle[0, 2] for row in rows])
    turned = JointTrack(time, 2, angle + 0.1, weight=4.0)
    trial = Trial("t", scene, (partial, turned), offset_bounds_s=(0.0, 0.0), align=False)
    misfit = Objective([trial]).misfit(0, run)
    assert len(misfit.residual) == 2 * 2 + 4
    assert misfit.cost == pytest.approx(
        math.sqrt(4 * 4 * (0.1 * scene.robot.link_length_m) ** 2 / (2 + 16)), rel=1e-6
    )


def test_capture_becomes_a_trial() -> None:
    scene = brisk()
    time = np.arange(20) / 20.0
    position = np.zeros((20, 3, 3))
    capture = Capture(
        "run 1",
        time,
        ("a", "b", "c"),
        (0, None, -1),
        position,
        None,
        np.zeros((20, 10, 2)),
        np.ones((20, 3), bool),
    )
    trial = trial_of(capture, scene)
    assert [track.link for track in trial.tracks if isinstance(track, Track)] == [0, -1]
    assert all(
        track.position.shape == (20, 2) for track in trial.tracks if isinstance(track, Track)
    )
    assert sum(isinstance(track, JointTrack) for track in trial.tracks) == 10
    assert len(trial_of(capture, free_joints()).tracks) == 22, "pitch in space"
    far = trial_of(replace(capture, time=capture.time + 722.0), scene)
    np.testing.assert_allclose(far.tracks[0].time, capture.time - capture.time[0], atol=1e-9)
    assert "begin at 722" in far.notes[0]
    assert trial.notes == ()
    with pytest.raises(UsageError, match=r"run 1.*links of its bodies \(a, b, c\)"):
        trial_of(replace(capture, links=(None, None, None), joint_angle=None), scene)
    with pytest.raises(UsageError, match="has 4 joints"):
        trial_of(replace(capture, joint_angle=np.zeros((20, 4, 2))), scene)


def test_undetermined_parameters_are_reported(seen: Trial) -> None:
    rolling = PRESETS["Rolling friction"]
    result = fitted([short(seen)], [rolling, PRESETS["Start delay"]], limit=10)
    notes = "\n".join(result.notes)
    assert "Rolling friction (ground.mu_rolling) has no effect" in notes
    assert "fit the delay" in notes
    assert math.isnan(result.intervals[rolling.name][0])
    assert "ends at its lower bound, 0.2" in "\n".join(
        fitted([seen], [replace(ALONG, low=0.2)], limit=20).notes
    )
    notes = "\n".join(
        fitted([replace(seen, offset_bounds_s=(-0.02, 0.02))], [ALONG], limit=1).notes
    )
    assert "-0.02 s" in notes
    # In slow motion, only the ratio of the friction coefficients matters: two parameters, one of
    # which the data determine.
    slow = brisk(**{"gait.frequency_deg_s": 20.0})
    far = Trial("slow", slow, measured(slow, {}, noise=0.05))
    notes = "\n".join(fitted([far], [ALONG, ACROSS], limit=1).notes)
    assert "distinguish" in notes


def test_stop_keeps_the_best_and_cancel_leaves_nothing(seen: Trial) -> None:
    reports: list[FitProgress] = []

    def stop(progress: FitProgress) -> bool:
        reports.append(progress)
        return progress.evaluations < 3

    result = fit([short(seen)], [ALONG], "cma", progress=stop)
    assert result is not None
    assert result.stopped
    assert result.notes[0].startswith("Stopped early")
    assert result.values == dict(result.history[-1].values)
    assert math.isnan(result.intervals[ALONG.name][0])
    assert reports[-1].history == result.history
    assert 0.0 < reports[-1].fraction < 1.0
    assert fit([short(seen)], [ALONG], abandoned=lambda: True) is None


def test_failing_values_are_avoided(seen: Trial) -> None:
    stiff = FreeParameter(("joint_controller.kp_nm_per_rad",), 100.0, 1e7, "log")
    result = fitted([short(seen, 0.2)], [stiff], "auto", limit=24)
    assert result.values[stiff.name] < 1e5
    assert math.isfinite(result.cost_after)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ground.mu_along", "KEY=LOW:HIGH"),
        ("ground.mu_along=a:b", "KEY=LOW:HIGH"),
        ("ground.mu_along=0.5:0.1", "smaller"),
        ("ground.mu_along=0:0.1:log", "lower bound above 0"),
        ("ground.mu_along=0.1:0.2:cubic", "KEY=LOW:HIGH"),
        ("=1:2", "needs.*scene"),
    ],
)
def test_invalid_free_parameter_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_free(text)


def test_free_parameters_as_they_are_typed() -> None:
    both = parse_free("ground.mu_along + ground.mu_across=0.05:0.5:log")
    assert both == free_parameter("ground.mu_along+ground.mu_across", (0.05, 0.5, "log"))
    assert both.values(0.2) == {"ground.mu_along": 0.2, "ground.mu_across": 0.2}
    assert both.value(0.5) == pytest.approx(math.sqrt(0.05 * 0.5), rel=1e-5)
    assert both.position(both.value(0.3)) == pytest.approx(0.3, abs=1e-5)
    assert both.position(7.0) == 1.0
    with pytest.raises(UsageError, match="is not a range"):
        free_parameter("ground.mu_along", (0.1,))


def test_invalid_fits_are_refused(seen: Trial) -> None:
    scene = seen.scene
    track = seen.tracks[0]
    with pytest.raises(UsageError, match="measured"):
        fit([], [ALONG])
    with pytest.raises(UsageError, match="No parameter is free"):
        fit([seen], [])
    with pytest.raises(UsageError, match="no method 'magic'"):
        fit([seen], [ALONG], "magic")
    with pytest.raises(UsageError, match=r"seed.*-1"):
        fit([seen], [ALONG], seed=-1)
    with pytest.raises(UsageError, match="free twice"):
        fit([seen], [ALONG, PRESETS["Friction, isotropic"]])
    with pytest.raises(SceneError, match=r"ground\.mu_nowhere"):
        fit([seen], [FreeParameter(("ground.mu_nowhere",), 0.0, 1.0)])
    with pytest.raises(SceneError, match=r"robot\.n_links: 11 cannot be fitted"):
        fit([seen], [FreeParameter(("robot.n_links",), 2.0, 9.0)])
    with pytest.raises(SceneError, match=r"ground\.mu_along.*-1"):
        fit([seen], [replace(ALONG, low=-1.0, scale="lin")])
    with pytest.raises(UsageError, match=r"no link 12\. Choose one from 1 to 11"):
        Trial("t", scene, (replace(track, link=11),))
    with pytest.raises(UsageError, match="ascending"):
        Trial("t", scene, (replace(track, time=track.time[::-1]),))
    with pytest.raises(UsageError, match="differ in length"):
        Trial("t", scene, (replace(track, time=track.time[:-1]),))
    with pytest.raises(UsageError, match="Fewer than three"):
        Trial("t", scene, (replace(track, measured=track.time < 0.0),))
    failing = with_values(scene, {"solver.step_s": 0.005})
    with pytest.raises((PhysicsError, SceneError)):
        fit([replace(short(seen), scene=failing)], [ALONG])


def test_only_a_failing_scene_saves_its_contact_problem(
    seen: Trial, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SNAKESTUDIO_CACHE_DIR", str(tmp_path))
    failing = replace(short(seen), scene=with_values(seen.scene, {"solver.max_iterations": 1}))
    with pytest.raises(PhysicsError, match=r"Increase solver\.max_iterations") as caught:
        fit([failing], [ALONG])
    (saved,) = (tmp_path / "failed-contact-problems").glob("*.npz")
    assert str(saved) in str(caught.value)
    outcome = Objective([failing]).evaluate((0, {}))
    assert outcome is not None
    assert outcome.residual is None
    assert len(list(saved.parent.glob("*.npz"))) == 1, (
        "failures are ordinary while values are tried"
    )
