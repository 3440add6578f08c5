"""Comparison of models: zero difference for equal ones, values from the recordings, and reasons for failures."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from snakestudio.analysis.comparison.models import (
    ModelComparison,
    chosen_kinds,
    compare_models,
    fitted_to,
    refusals,
)
from snakestudio.analysis.run_differences import QUANTITIES, Samples, difference, sample
from snakestudio.errors import UsageError
from snakestudio.model.edits import with_values
from snakestudio.model.events import Change
from snakestudio.model.recording import Rows
from snakestudio.model.scene import Scene
from snakestudio.paths import scenes_dir
from snakestudio.runfile.recording import RunRecording
from snakestudio.session.offline import run_offline
from tests.analysis.short_runs import short


def compared(scene: Scene, *kinds: str, changes: tuple[Change, ...] = ()) -> ModelComparison:
    comparison = compare_models(scene, kinds, scenes_dir(), changes)
    assert comparison is not None
    return comparison


def all_rows(recording: RunRecording | None) -> Rows:
    assert recording is not None
    return Rows.concatenate(list(recording.chunks()))


@pytest.fixture(scope="module")
def open_ground() -> ModelComparison:
    """All models on open ground."""
    return compared(short("lateral_undulation_isotropic", 1.0))


def test_model_has_no_difference_from_itself() -> None:
    comparison = compared(short("obstacle_aided", 0.5), "planar_nonsmooth", "planar_nonsmooth")
    assert [run.label for run in comparison.runs] == ["planar_nonsmooth", "planar_nonsmooth_2"]
    differences = comparison.differences["planar_nonsmooth_2"]
    assert set(differences) == {quantity.name for quantity in QUANTITIES}
    for name, result in differences.items():
        assert (result.end, result.worst, result.rms) == (0.0, 0.0, 0.0), name
        assert np.array_equal(result.series, np.zeros(51)), name
    own = comparison.samples["planar_nonsmooth_2"].values
    assert np.linalg.norm(own["impulse_obstacle"][-1]) > 1.0  # the run was not empty
    assert own["work_actuator"][-1] > 0.1


def test_values_are_those_of_the_two_recordings(open_ground: ModelComparison) -> None:
    planar, spatial = (
        all_rows(next(run.recording for run in open_ground.runs if run.kind == kind))
        for kind in ("planar_nonsmooth", "spatial_nonsmooth")
    )
    result = open_ground.differences["spatial_nonsmooth"]
    np.testing.assert_allclose(planar.time, spatial.time, atol=1e-12)
    apart = spatial.link_pose[:, :, :3] - planar.link_pose[:, :, :3]
    expected = {
        "com": np.sqrt((apart.mean(axis=1) ** 2).sum(axis=1)),
        "links": np.sqrt((apart**2).sum(axis=(1, 2)) / 11),
        "energy_kinetic": spatial.energy[:, 0] - planar.energy[:, 0],
        "impulse_ground": np.linalg.norm(
            (spatial.impulse_ground - planar.impulse_ground).sum(axis=1), axis=1
        ),
        "impulse_obstacle": np.zeros(101),
    }
    for name, series in expected.items():
        np.testing.assert_allclose(result[name].series, series, atol=1e-12, err_msg=name)
        assert result[name].end == pytest.approx(series[-1], abs=1e-12)
        assert result[name].worst == pytest.approx(np.abs(series).max(), abs=1e-12)
        assert result[name].rms == pytest.approx(np.sqrt((series**2).mean()), abs=1e-12)
    # Relative to the first link all joints matter: the mean heading changes with link 1 and with
    # every joint's angle.
    heading = []
    for rows, yaw in ((planar, planar.joint_angle), (spatial, spatial.joint_angle[:, ::2])):
        first = 2 * np.unwrap(np.arctan2(rows.link_pose[:, 0, 6], rows.link_pose[:, 0, 3]))
        heading.append(np.degrees(first + yaw @ ((10 - np.arange(10)) / 11)))
    turned = heading[1] - heading[0]
    np.testing.assert_allclose(
        result["heading"].series, turned - 360 * np.round(turned[0] / 360), atol=1e-6
    )
    # Small but present: friction of the same paper on one contact per link, and on two.
    assert 1e-4 < result["com"].worst < 0.05
    assert 0.01 < result["heading"].worst < 5.0


def test_complete_runs_and_their_cost_are_saved(open_ground: ModelComparison) -> None:
    kinds = ["planar_nonsmooth", "spatial_nonsmooth", "planar_lagrangian", "planar_nonholonomic"]
    assert [run.kind for run in open_ground.runs] == kinds
    assert open_ground.reference is open_ground.runs[0]
    alone = all_rows(run_offline(open_ground.scene).recording)
    assert np.array_equal(all_rows(open_ground.runs[0].recording).link_pose, alone.link_pose)
    for run in open_ground.runs:
        assert (run.end, run.failure, run.refusals) == (pytest.approx(1.0), "", ())
        laws = [note for note in run.notes if "by components" in note]
        assert list(run.notes) == laws
        assert bool(laws) == (run.kind in ("planar_lagrangian", "planar_nonholonomic"))
        assert 0.0 < run.engine_seconds < 20.0
        assert run.real_time_factor == pytest.approx(1.0 / run.engine_seconds)


def test_model_that_cannot_run_a_scene_gives_the_reason() -> None:
    scene = short("obstacle_aided", 0.1)
    comparison = compared(scene, "planar_lagrangian", "spatial_nonsmooth", "planar_nonsmooth")
    refused = comparison.runs[0]
    assert refused.recording is None
    assert len(refused.refusals) == 1
    assert "does not support obstacles" in refused.refusals[0]
    assert refused.refusals == refusals(scene, "planar_lagrangian")
    assert comparison.reference is comparison.runs[1]
    assert list(comparison.differences) == ["planar_nonsmooth"]
    assert refusals(short("stairs", 1.0), "planar_nonsmooth")[0].endswith(".")
    assert refusals(scene, "spatial_nonsmooth") == ()
    alone = compared(scene, "planar_lagrangian")
    assert alone.reference is None
    assert alone.differences == {}


def test_unknown_kind_is_reported_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"'magic'.*planar_nonsmooth, spatial_nonsmooth"):
        compare_models(Scene(), ["planar_nonsmooth", "magic"])
    assert chosen_kinds(short("sidewinding", 1.0))[0] == "spatial_nonsmooth"


def test_too_long_step_is_divided_and_reported() -> None:
    scene = short("lagrangian_undulation", 0.5)
    fitted, notes = fitted_to(scene, "planar_nonsmooth")
    assert fitted.solver.step_s == pytest.approx(0.001 / 3, rel=1e-12)
    assert fitted.steps_per_period * fitted.solver.step_s == pytest.approx(scene.control.period_s)
    assert "1/3" in notes[0]
    assert any("viscous_along" in note and "ignored" in note for note in notes)
    assert fitted_to(scene, "planar_lagrangian") == (scene, ())
    comparison = compared(scene, "planar_lagrangian", "planar_nonsmooth")
    assert comparison.runs[1].notes == notes
    # Rows of both are at the same times, so that nothing is interpolated.
    mine, other = (all_rows(run.recording) for run in comparison.runs)
    np.testing.assert_array_equal(
        comparison.differences["planar_nonsmooth"]["energy_kinetic"].series,
        other.energy[:, 0] - mine.energy[:, 0],
    )


def test_failed_run_is_kept_up_to_the_failure() -> None:
    # Far too long a step for the scene's own model, which runs it unchanged.
    scene = short("obstacle_aided", 0.4, **{"solver.step_s": 0.002})
    comparison = compared(scene, "spatial_nonsmooth", "planar_nonsmooth")
    whole_run, failed = comparison.runs
    assert whole_run.failure == ""
    assert "t = " in failed.failure
    assert "solver.step_s: 0.002" in failed.notes[0]
    assert "1/7" in whole_run.notes[0]
    assert failed.end < whole_run.end == pytest.approx(0.4)
    result = comparison.differences["planar_nonsmooth"]["com"]
    assert len(comparison.times) == 41
    assert np.isnan(result.series[-1])
    assert np.isfinite([result.end, result.worst, result.rms]).all()


def test_rows_at_other_times_are_interpolated() -> None:
    scene = short("lateral_undulation_isotropic", 0.3)
    coarse = run_offline(with_values(scene, {"run.log_rate_hz": 100.0})).recording
    fine = run_offline(with_values(scene, {"run.log_rate_hz": 200.0})).recording
    middle = sample(coarse, fine.times)
    exact = sample(fine, fine.times)
    np.testing.assert_array_equal(middle.links[::2], exact.links[::2])
    np.testing.assert_allclose(middle.links[1::2], exact.links[1::2], atol=5e-4)
    assert not np.array_equal(middle.links[1::2], exact.links[1::2])
    assert sample(coarse, np.array([0.1, 0.3, 0.4])).count == 2


def test_headings_are_equal_modulo_full_turns() -> None:
    links = np.zeros((3, 1, 3))
    along = np.array([0.5])
    run, reference = (
        Samples(3, {"heading": np.array(heading)}, links, along)
        for heading in ([180.0, 181.0, 190.0], [-180.0, -179.5, -180.0])
    )
    heading = next(quantity for quantity in QUANTITIES if quantity.name == "heading")
    assert difference(heading, run, reference).series.tolist() == [0.0, 0.5, 10.0]
    # A complete turn during the run is a difference.
    turned = Samples(3, {"heading": np.array([-180.0, 0.0, 180.0])}, links, along)
    assert difference(heading, turned, reference).end == 360.0


def test_changes_of_an_earlier_run_are_made_in_all_runs() -> None:
    scene = short("lateral_undulation_isotropic", 0.4)
    changes = (Change(0.1, {"gait.amplitude_deg": 20.0}),)
    comparison = compared(scene, "planar_nonsmooth", "spatial_nonsmooth", changes=changes)
    assert [run.recording.changes[0].values for run in comparison.ran if run.recording] == [
        changes[0].values
    ] * 2


def test_cancelling_ends_all_runs() -> None:
    fractions: list[float] = []
    threads = threading.active_count()

    def progress(fraction: float) -> bool:
        fractions.append(fraction)
        return fraction < 0.1

    assert (
        compare_models(short("lateral_undulation_isotropic", 200.0), (), None, progress=progress)
        is None
    )
    assert max(fractions) < 0.5
    assert threading.active_count() == threads


# --- continuous bodies


def test_body_under_friction_is_compared_with_its_chain() -> None:
    scene = short("continuum_undulation", 2.0)
    assert chosen_kinds(scene) == ("continuum_beam", "planar_lagrangian")
    comparison = compare_models(scene)
    assert comparison is not None
    body, chain = comparison.runs
    assert (body.notes, body.refusals, chain.refusals) == ((), (), ())
    assert "chain of 10 links" in chain.notes[0]
    assert (comparison.samples["continuum_beam"].links.shape[1], chain.scene.robot.n_links) == (
        41,
        10,
    )
    links = comparison.differences["planar_lagrangian"]["links"]
    # At the start the chain's links are along the body: the distance is that between chords and
    # arc, at most h^2 K / 12.
    assert 0.0 < links.series[0] < 6e-3
    assert links.worst < 0.03
    many = compare_models(with_values(scene, {"robot.n_links": 40}))
    assert many is not None
    few, more = (c.differences["planar_lagrangian"]["com"].worst for c in (comparison, many))
    assert more < 0.1 * few, "of order 2 in the number of links"


def test_unsuitable_bodies_and_chains_have_a_remedy() -> None:
    assert chosen_kinds(short("continuum_snake_2d", 1.0)) == ("continuum_beam",)
    assert "continuum_beam" not in chosen_kinds(short("sidewinding", 1.0))
    assert "fit-strain" in refusals(short("sidewinding", 1.0), "continuum_beam")[0]
    assert "compare chain" in refusals(short("continuum_undulation", 1.0), "spatial_nonsmooth")[0]
    # rings leave no effect for friction
    assert refusals(short("continuum_snake_2d", 1.0), "planar_lagrangian")
