"""Strains of a continuous body for its engine: knots, and changed laws that apply without a jump."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from snakestudio._arrays import FloatArray
from snakestudio.control import registry
from snakestudio.control.strain_source import BLEND_TIME, StrainSource
from snakestudio.errors import SceneError
from snakestudio.model.edits import with_values
from snakestudio.model.reference import StrainReference
from snakestudio.model.robot.beam_shape import grid
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.scene import Scene
from snakestudio.model.snapshot import Fields

SNAKE = with_values(Scene(), {"model.kind": "continuum_beam", "run.duration_s": 4.0})
WORM = with_values(
    SNAKE,
    {
        "beam.length_m": 0.3,
        "beam.group": "R",
        "strain.kind": "peristalsis",
        "strain.wavelength_m": 0.15,
        "strain.speed_m_s": 0.3,
        "support.kind": "wave_anchors",
    },
)
INCHWORM = with_values(
    SNAKE, {"beam.length_m": 0.5, "strain.kind": "inching", "support.kind": "end_anchors"}
)


def source(scene: Scene) -> StrainSource:
    subject = registry.create(scene)
    assert isinstance(subject, StrainSource)
    return subject


def slopes(source: StrainSource, reference: StrainReference) -> FloatArray:
    """Derivatives of a reference's strains along the body."""
    return source.field(reference.time, reference.abscissa).slope


def test_knots_are_the_law_at_every_time_and_halfway() -> None:
    subject = source(SNAKE)
    assert subject.needs == Fields.NONE
    assert subject.channels == ()
    assert subject.values().shape == (0,)
    time = np.array([0.3, 0.31, 0.33])
    reference = subject.reference(time, None)
    np.testing.assert_allclose(reference.time, [0.3, 0.305, 0.31, 0.32, 0.33], atol=1e-15)
    np.testing.assert_array_equal(reference.abscissa, grid(SNAKE))
    law = StrainLaw(SNAKE.strain, SNAKE.beam).at(reference.time, reference.abscissa)
    for ours, theirs in zip(
        (reference.strain, reference.rate, reference.acceleration), law[:3], strict=True
    ):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(reference.speed, np.tile([-0.5, 0.0], (5, 1)))
    np.testing.assert_allclose(reference.travel, -0.5 * reference.time, atol=1e-15)
    assert reference.hold.shape == (5, 5, 4)
    assert reference.hold_twist.shape == (5, 5, 12)
    assert len(subject.reference(np.array([1.0]), None).time) == 1


def test_without_a_speed_the_body_does_not_travel() -> None:
    reference = source(INCHWORM).reference(np.array([0.0, 0.01]), None)
    assert np.isnan(reference.speed).all()
    assert (reference.travel == 0).all()


CHANGES: list[tuple[Scene, dict[str, Any]]] = [
    (SNAKE, {"strain.curvature_per_m": 6.0}),
    (SNAKE, {"strain.wavelength_m": 0.6, "strain.speed_m_s": 0.8}),
    (SNAKE, {"strain.speed_m_s": -0.4}),
    (SNAKE, {"strain.speed_m_s": 0.0}),
    (WORM, {"strain.wavelength_m": 0.1, "strain.stretch": 0.1}),
    (WORM, {"strain.speed_m_s": -0.1, "strain.acceleration_m_s2": 0.2}),
    (INCHWORM, {"strain.angle_rad": 1.0}),
    (INCHWORM, {"strain.frequency_hz": 0.6}),
]


@pytest.mark.parametrize(("scene", "change"), CHANGES)
def test_changed_law_applies_without_a_jump(scene: Scene, change: dict[str, Any]) -> None:
    subject = source(scene)
    at = 0.7
    before = subject.reference(np.array([at - 1e-9, at]), None)
    subject.apply(with_values(scene, change), at)
    after = subject.reference(np.array([at, at + 1e-9]), None)
    # the new law may need more points
    finer = (len(after.abscissa) - 1) // (len(before.abscissa) - 1)
    np.testing.assert_allclose(after.abscissa[::finer], before.abscissa, atol=1e-15)
    for name, digits in (("strain", 1e-13), ("rate", 1e-11), ("acceleration", 1e-9)):
        np.testing.assert_allclose(
            getattr(after, name)[0, ::finer], getattr(before, name)[-1], atol=digits
        )
    if not np.isnan(before.speed).any():
        np.testing.assert_allclose(after.speed[0], before.speed[-1], atol=1e-12)
    np.testing.assert_allclose(after.travel[0], before.travel[-1], atol=1e-15)
    # and continues smoothly: rates are the derivatives of their quantities throughout
    h = 1e-5
    begin = np.concatenate([np.linspace(at + 0.003, at + 1.2, 60), [at + BLEND_TIME]])
    middle, later, earlier = (subject.reference(begin + shift, None) for shift in (0.0, h, -h))
    for value, rate in (("strain", "rate"), ("rate", "acceleration")):
        slope = (getattr(later, value) - getattr(earlier, value)) / (2 * h)
        size = 1 + np.abs(slope).max()
        np.testing.assert_allclose(getattr(middle, rate)[::2], slope[::2], atol=2e-6 * size)
    np.testing.assert_allclose(
        np.gradient(middle.strain, middle.abscissa, axis=1)[:, 2:-2],
        slopes(subject, middle)[:, 2:-2],
        rtol=0.05,
        atol=1.0,
    )
    if not np.isnan(before.speed).any():
        np.testing.assert_allclose(
            (later.travel - earlier.travel) / (2 * h), middle.speed[:, 0], atol=1e-9
        )
        np.testing.assert_allclose(
            (later.speed - earlier.speed)[:-1, 0] / (2 * h), middle.speed[:-1, 1], atol=1e-7
        )


def test_new_law_enters_at_the_head_and_no_section_slides() -> None:
    subject = source(SNAKE)
    changed = with_values(SNAKE, {"strain.curvature_per_m": 5.0, "strain.speed_m_s": 0.8})
    subject.apply(changed, 1.0)
    law = StrainLaw(changed.strain, changed.beam)
    t = np.linspace(1.0, 3.5, 51)
    reference = subject.reference(t, None)
    # P5 (50): rates are V_o times slopes throughout
    np.testing.assert_allclose(
        reference.rate, reference.speed[:, :1, None] * slopes(subject, reference), atol=1e-9
    )
    old = StrainLaw(SNAKE.strain, SNAKE.beam)
    for i in (20, 60):  # behind the border the old law, well in front of it the new one
        s = reference.abscissa + reference.travel[i]
        here = reference.strain[i, :, 5]
        travel = reference.travel[i : i + 1]
        np.testing.assert_allclose(
            here[s > -0.5 + 1e-12],
            old.at(reference.time[i : i + 1], reference.abscissa, travel).strain[
                0, s > -0.5 + 1e-12, 5
            ],
            atol=1e-12,
        )
        fresh = s < -0.5 - 0.25
        np.testing.assert_allclose(
            here[fresh],
            law.at(reference.time[i : i + 1], reference.abscissa, travel).strain[0, fresh, 5],
            atol=1e-12,
        )
    end = law.at(
        reference.time[-1:], reference.abscissa, reference.travel[-1:], reference.speed[-1:]
    )
    np.testing.assert_array_equal(reference.strain[-1:], end.strain)  # completely, to the last bit


def test_new_law_enters_at_the_tail_when_moving_backwards() -> None:
    back = with_values(SNAKE, {"strain.speed_m_s": -0.5})
    subject = source(back)
    subject.apply(with_values(back, {"strain.curvature_per_m": 5.0}), 0.0)
    strain = subject.reference(np.array([0.9, 0.91]), None).strain[0, :, 5]
    law = StrainLaw(back.strain, back.beam).at(np.array([0.9]), grid(back)).strain[0, :, 5]
    n = len(strain)
    np.testing.assert_array_equal(strain[: n // 2], law[: n // 2])
    np.testing.assert_allclose(strain[-n // 10 :], 0.5 * law[-n // 10 :], atol=1e-12)


def test_call_boundaries_do_not_change_the_strains() -> None:
    first = source(WORM)
    second = source(WORM)
    changes = {
        0.2: {"strain.wavelength_m": 0.1},
        0.4: {"strain.stretch": 0.1, "strain.speed_m_s": 0.2},
    }
    time = np.arange(0, 161) * 0.01
    pieces: list[list[Any]] = [[], []]
    for subject, cut, into in ((first, 1, pieces[0]), (second, 10, pieces[1])):
        for begin in range(0, 160, cut):
            at = round(begin * 0.01, 6)
            if at in changes:
                subject.apply(with_values(WORM, changes[at]), at)
            into.append(subject.reference(time[begin : begin + cut + 1], None))
    for name in ("strain", "rate", "acceleration", "speed", "travel", "hold"):
        fine = np.concatenate([getattr(piece, name)[:-1] for piece in pieces[0]])
        coarse = np.concatenate([getattr(piece, name)[:-1] for piece in pieces[1]])
        np.testing.assert_array_equal(fine, coarse)


def test_many_changes_leave_few_laws() -> None:
    subject = source(SNAKE)
    for i in range(5):  # paused: none of them has entered the body yet
        subject.apply(with_values(SNAKE, {"strain.curvature_per_m": 5.0 + i}), 1.0)
    assert len(subject.checkpoint().layers) == 2
    # the last one has covered the body
    subject.apply(with_values(SNAKE, {"strain.curvature_per_m": 3.0}), 6.0)
    assert len(subject.checkpoint().layers) == 2
    before = subject.checkpoint()
    subject.apply(with_values(SNAKE, {"strain.curvature_per_m": 3.0, "support.side": "left"}), 6.1)
    assert subject.checkpoint().layers is before.layers
    assert subject.checkpoint().drive is before.drive


def test_checkpoint_restores_the_full_state() -> None:
    subject = source(SNAKE)
    time = np.linspace(1.0, 1.2, 5)
    checkpoint = subject.checkpoint()
    first = subject.reference(time, None)
    subject.apply(with_values(SNAKE, {"strain.wavelength_m": 0.5, "strain.speed_m_s": 0.2}), 1.0)
    changed = subject.checkpoint()
    other = subject.reference(time, None)
    subject.restore(checkpoint)
    np.testing.assert_array_equal(subject.reference(time, None).strain, first.strain)
    subject.restore(changed)
    np.testing.assert_array_equal(subject.reference(time, None).strain, other.strain)


def test_invalid_changed_law_changes_nothing() -> None:
    law = {"strain.kind": "formulas", "strain.speed_m_s": "-0.5"}
    scene = with_values(SNAKE, {**law, "strain.k_z_per_m": "10*cos(8*s)"})
    subject = source(scene)
    checkpoint = subject.checkpoint()
    with pytest.raises(SceneError, match=r"strain\.k_z_per_m"):
        subject.apply(with_values(scene, {"strain.k_z_per_m": "10*cos("}), 1.0)
    assert subject.checkpoint() is checkpoint


def test_changed_contacts_apply_immediately() -> None:
    subject = source(INCHWORM)
    subject.apply(with_values(INCHWORM, {"support.period_s": 1.0}), 0.3)
    hold = subject.reference(np.array([0.4, 0.6]), None).hold
    np.testing.assert_array_equal(hold[[0, -1], :, 0], [[1, 0], [0, 1]])


def test_waves_stay_anchored_while_laws_change() -> None:
    subject = source(WORM)
    subject.apply(with_values(WORM, {"strain.wavelength_m": 0.2, "strain.stretch": 0.1}), 0.5)
    reference = subject.reference(np.linspace(0.6, 0.9, 7), None)
    for i in range(len(reference.time)):
        active = reference.hold[i, reference.hold[i, :, 0] == 1]
        assert len(active)
        all_along = slopes(subject, reference)[i, :, 0]
        slope = np.interp(active[:, 1], reference.abscissa, all_along)
        assert np.abs(slope).max() < 0.02 * np.abs(all_along).max()
