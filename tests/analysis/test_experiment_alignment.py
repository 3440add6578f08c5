"""Alignment of captures with a run: known transformations are recovered."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from snakestudio.analysis.experiment.alignment import AlignmentOptions, align
from snakestudio.analysis.experiment.as_recording import CaptureRecording
from snakestudio.analysis.experiment.tracks import RunTracks
from snakestudio.errors import ExperimentError
from snakestudio.model.capture import CENTRE_OF_MASS, Capture
from snakestudio.model.columns import column_names, table
from snakestudio.model.rotations import roll_pitch_yaw
from snakestudio.model.snapshot import Fields
from tests.experiment_runs import N, make_run, seen, track

RUN = make_run()


@pytest.mark.parametrize("offset", [-0.131, 0.05, 0.1, 0.15, 0.377])
def test_offset_and_frame_are_found(offset: float) -> None:
    capture = seen(offset, 23.0)
    result = align(RUN, capture)
    assert result.offset_s == pytest.approx(offset, abs=1e-4)
    assert math.degrees(result.heading_rad) == pytest.approx(-23.0, abs=1e-2)
    assert result.correlation > 0.999999
    laid = result.apply(capture)
    inside = (laid.time >= 0.0) & (laid.time <= 12.0)
    np.testing.assert_allclose(laid.position[inside, 0], track(laid.time[inside], 5), atol=2e-5)


@pytest.mark.parametrize("seed", range(4))
def test_with_noise_and_gaps_at_20_hz(seed: int) -> None:
    """With 1 mm of noise and a gap of 1 s: within 3 ms and a twentieth of a degree, as stated by the result."""
    capture = seen(0.1, -140.0, noise=0.001, seed=seed, gaps=((40, 50), (120, 130)))
    result = align(RUN, capture)
    assert result.offset_s == pytest.approx(0.1, abs=3e-3)
    assert math.degrees(result.heading_rad) == pytest.approx(140.0, abs=0.05)
    assert abs(result.offset_s - 0.1) < 4.0 * result.offset_std_s < 0.02


def test_interpolated_rows_do_not_count() -> None:
    capture = seen(0.1, gaps=((60, 70),))
    capture.position[60:70] += 0.5
    assert align(RUN, capture).offset_s == pytest.approx(0.1, abs=1e-4)


def test_slower_robot_is_not_taken_as_late() -> None:
    """In one frame, 8 % slower (as P2's robot falls behind): the oscillation, not the lag, determines the time."""
    time = np.arange(221) / 20.0
    position = track(time + 0.1, 5)
    position[:, 0] -= 0.08 * 0.15 * time
    capture = replace(seen(0.1, 0.0, (0.0, 0.0, 0.0)), position=position[:, None])
    result = align(RUN, capture, AlignmentOptions(align_heading=False, align_position=False))
    assert result.offset_s == pytest.approx(0.1, abs=1e-3)
    assert result.heading_rad == 0.0
    np.testing.assert_array_equal(result.shift_m, 0.0)


def test_headings_turn_with_the_frame() -> None:
    capture = seen(0.1, 23.0, turned=True)
    laid = align(RUN, capture).apply(capture)
    assert laid.orientation is not None
    yaw = roll_pitch_yaw(laid.orientation[:, 0])[:, 2]
    np.testing.assert_allclose(yaw, RunTracks(RUN).heading(5, laid.time), atol=1e-3)


def test_shift_and_turn_by_the_begin_alone() -> None:
    """As in P2's Fig. 13, where both start at the same position: later deviations remain."""
    capture = seen(0.1, 0.0, (0.4, 0.2, 0.0))
    drifting = capture.position.copy()
    drifting[100:, 0, 1] += 0.1
    result = align(
        RUN, replace(capture, position=drifting), AlignmentOptions((0.1, 0.1), over_s=4.0)
    )
    np.testing.assert_allclose(result.shift_m[:2], [-0.4, -0.2], atol=1e-6)
    assert result.offset_s == 0.1


def test_repeating_motion_is_reported() -> None:
    """An oscillation of 2.5 Hz alone fits every 0.2 s."""
    time = np.arange(221) / 20.0
    capture = seen(0.1, numbered=False)
    oscillating = capture.position.copy()
    oscillating[:, 0, 0] = 0.0
    oscillating[:, 0, 1] = 0.05 * np.sin(2.0 * math.pi * 2.5 * time)
    run = make_run()
    pose = run.rows(0, len(run)).link_pose
    pose[:, :, 0] = 0.0
    pose[:, :, 1] = 0.05 * np.sin(2.0 * math.pi * 2.5 * run.times)[:, None]
    result = align(run, replace(capture, position=oscillating))
    assert any("periodic" in note for note in result.notes)


def test_uniform_motion_does_not_determine_the_time() -> None:
    time = np.arange(221) / 20.0
    capture = seen(0.1)
    straight = capture.position.copy()
    straight[:, 0] = np.stack([0.15 * time, 0.0 * time, 0.0 * time], axis=1)
    straight[:, 0, :2] += np.random.default_rng(1).normal(0.0, 0.001, (221, 2))
    result = align(RUN, replace(capture, position=straight))
    assert result.correlation < 0.5
    assert any("determine" in note for note in result.notes)


def test_offset_at_its_bound_is_reported() -> None:
    result = align(RUN, seen(0.3), AlignmentOptions((-0.1, 0.2)))
    assert result.offset_s == pytest.approx(0.2, abs=1e-3)
    assert any("widen" in note for note in result.notes)


def test_compared_link_is_selected() -> None:
    unnumbered = seen(numbered=False)
    result = align(RUN, unnumbered)
    assert result.pairs == ((0, 5),)
    assert any("link 6" in note for note in result.notes)
    assert result.apply(unnumbered).links == (5,)
    head = seen(0.1, link=0, numbered=False)
    assert align(RUN, head, AlignmentOptions(link=0)).offset_s == pytest.approx(0.1, abs=1e-4)
    with pytest.raises(ExperimentError, match=r"link.*40"):
        align(RUN, head, AlignmentOptions(link=39))


def test_too_short_overlap_is_reported() -> None:
    late = replace(seen(), time=seen().time + 11.8)
    with pytest.raises(ExperimentError, match="Fewer than 8"):
        align(RUN, late)
    with pytest.raises(ExperimentError, match="reversed"):
        align(RUN, seen(), AlignmentOptions((0.5, -0.5)))


@pytest.mark.parametrize("begin", [722.0, -50.0])
def test_clock_far_from_the_run_counts_from_its_own_beginning(begin: float) -> None:
    near = seen(0.1)
    far = replace(near, time=near.time + begin)
    result = align(RUN, far)
    assert result.offset_s == pytest.approx(align(RUN, near).offset_s, abs=1e-6)
    assert result.begin_s == pytest.approx(begin)
    np.testing.assert_allclose(result.apply(far).time, near.time + result.offset_s, atol=1e-9)
    assert any(f"begin at {begin:g} s, far from the run" in note for note in result.notes)
    overrides = align(RUN, far, AlignmentOptions((0.1 - begin, 0.1 - begin)))
    assert overrides.begin_s == 0.0, (
        "an offset that leads into the run is that of the file's own clock"
    )


def test_capture_is_a_recording() -> None:
    capture = seen(0.1, turned=True, gaps=((30, 34),))
    laid = align(RUN, capture).apply(capture)
    recording = CaptureRecording(laid, RUN)
    assert recording.schema.valid == Fields.POSE | Fields.TWIST
    assert len(recording) == len(capture.time)
    assert recording.index_at(float(laid.time[17])) == 17
    names = (
        "time_s",
        "link_6_x_m",
        "link_6_vx_mps",
        "link_6_wz_radps",
        "link_1_x_m",
        "com_x_m",
        "solver_residual",
    )
    values = np.concatenate(list(table(recording, names)))
    np.testing.assert_allclose(values[:, 0], laid.time)
    truth = track(laid.time, 5)
    np.testing.assert_allclose(values[:, 1], truth[:, 0], atol=1e-4)
    np.testing.assert_allclose(
        values[2:-2, 2], np.gradient(truth[:, 0], laid.time)[2:-2], atol=3e-3
    )
    yaw = RunTracks(RUN).heading(5, laid.time)
    np.testing.assert_allclose(values[2:-2, 3], np.gradient(yaw, laid.time)[2:-2], atol=1e-2)
    assert np.isnan(values[:, 4:]).all()
    assert np.flatnonzero(~recording.measured[:, 5]).tolist() == [30, 31, 32, 33]
    np.testing.assert_array_equal(recording.snapshot(3).link_pose[5, :3], laid.position[3, 0])
    assert set(column_names(recording.schema)) <= set(column_names(RUN.schema))


def test_centre_of_mass_has_its_columns() -> None:
    centre: Capture = replace(seen(), links=(CENTRE_OF_MASS,))
    recording = CaptureRecording(centre, RUN)
    values = np.concatenate(list(table(recording, ("com_x_m", "com_vy_mps", "link_6_x_m"))))
    np.testing.assert_array_equal(values[:, 0], centre.position[:, 0, 0])
    assert np.isfinite(values[:, 1]).all()
    assert np.isnan(values[:, 2]).all()
    assert recording.measured.shape == (len(centre.time), N)
