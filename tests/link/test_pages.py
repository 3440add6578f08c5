"""Multiplexed messages: signals bound to another page than the selected one are neither sent nor received."""

from __future__ import annotations

import numpy as np
import pytest

from snakestudio.errors import ProfileError
from snakestudio.link.core.codec import Codec
from snakestudio.link.frame import Frame
from snakestudio.link.profile.check import arming_problems, check
from tests.link.little_robot import Rig
from tests.link.multiplexed import paged
from tests.wording import naming


def _errors(*changes: tuple[str, str]) -> list[str]:
    return [problem.sentence() for problem in check(paged(*changes)) if problem.severity == "error"]


def test_selected_pages_are_accepted() -> None:
    assert _errors() == []


WRONG = {
    "fixed to another page": (
        ("fixed = { Page = 1 }", "fixed = { Page = 2 }"),
        naming("messages[2].signals[1]: Second", "1", "2. Select", "= 1"),
    ),
    "not selected at all": (
        ('name = "TargetSecond"\nfixed = { Page = 1 }', 'name = "TargetSecond"\nid = "0x201"'),
        naming("messages[2].signals[1]: Second", "1", "0. Select", "= 1"),
    ),
    "feedback that never comes": (
        ("fixed = { Part = 1 }", "fixed = { Part = 2 }"),
        naming("messages[5].signals[1]: Heat", "1", "2. Select", "= 1"),
    ),
    "fixed on another page": (
        ("fixed = { Page = 0 }", "fixed = { Page = 0, Second = 1.0 }"),
        naming("messages[1].fixed.Second: Second", "1", "0. Select", "= 1"),
    ),
    "in the stop sequence": (
        ('Kind = "Stops", Reason = 1', 'Kind = "Wishes", Reason = 1'),
        naming("sequences.stop[1].signals.Reason: Reason"),
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_signal_of_another_page_prevents_arming(name: str) -> None:
    change, sentence = WRONG[name]
    assert sentence in _errors(change)
    assert sentence in [problem.sentence() for problem in arming_problems(paged(change))]
    rig = Rig(paged(change))
    rig.core.bus(True, "", rig.now)
    rig.command("idle")
    assert sentence in rig.core.telemetry(rig.now).not_ready


@pytest.mark.parametrize("name", ["fixed to another page", "not selected at all"])
def test_encoder_refuses_a_set_point_without_angle(name: str) -> None:
    codec = Codec(paged(WRONG[name][0]))
    with pytest.raises(ProfileError, match="TargetSecond"):
        codec.set_points(np.radians([10.0, 20.0]))


def test_encoder_refuses_a_step_without_its_signal() -> None:
    loaded = paged(WRONG["in the stop sequence"][0])
    with pytest.raises(ProfileError, match=r"1.*Reason"):
        Codec(loaded).step_frames(loaded.profile.sequences.stop[0])


def test_every_set_point_is_on_its_page() -> None:
    first, second = Codec(paged()).set_points(np.radians([30.0, -30.0]))
    assert (first.data[0], int.from_bytes(first.data[1:3], "big", signed=True)) == (0, 3000)
    assert (second.data[0], int.from_bytes(second.data[1:3], "big", signed=True)) == (1, -3000)


def test_unsendable_heartbeat_is_reported_and_tolerated() -> None:
    """Our heartbeat is on another page: such a robot can still be listened to and be idle."""
    rig = Rig(
        paged(
            (
                '[[messages]]\nrole = "command"',
                '[[messages]]\nrole = "host_heartbeat"\nmessage = "Target"\nid = "0x210"\nevery_s = 0.1\n'
                'each = "once"\nsignals = [{ signal = "Second", quantity = "angle", slot = 1 }]\n'
                '[[messages]]\nrole = "command"',
            )
        )
    )
    rig.core.bus(True, "", rig.now)
    rig.command("idle")
    rig.core.poll(rig.now)
    assert 0x210 not in rig.ids()
    assert any("Second is not on the selected page" in event.text for event in rig.events)


def test_stop_sequence_continues_after_a_refused_step() -> None:
    step = '{ send = "Order", signals = { Kind = "Stops", Reason = 1 } }'
    rig = Rig(paged((f"stop = [{step}]", f"stop = [{step.replace('Stops', 'Wishes')}, {step}]")))
    rig.core.bus(True, "", rig.now)
    rig.command("idle")
    rig.core.stop("Stopped by the operator.", rig.now)
    assert [frame.data.hex() for _, frame in rig.sent] == ["0201", "0201"]
    assert any("Reason" in event.text for event in rig.events)


def test_unselected_pages_arrive_in_rotation() -> None:
    """One binding for both pages of the robot's message: each is read when it arrives; emulated nodes send both."""
    loaded = paged(
        (
            'fixed = { Part = 0 }\nsignals = [{ signal = "Angle", quantity = "angle" },',
            'signals = [{ signal = "Angle", quantity = "angle" }, { signal = "Heat", quantity = "temperature" },',
        ),
        (
            'message = "State"\nname = "Heats"\nid = "0x300 + node"',
            'message = "State"\nname = "Heats"\nid = "0x400 + node"',
        ),
    )
    assert [problem for problem in check(loaded) if problem.severity == "error"] == []
    codec = Codec(loaded)
    values = {("angle", 0): 0.5, ("temperature", 0): 40.0, ("status", 0): 1.0}
    message = loaded.profile.messages[3]
    decoded = [codec.decode(codec.encode(message, 1, values)) for _ in range(4)]
    quantities = [
        sorted(value.quantity for value in each.values) for each in decoded if each is not None
    ]
    assert quantities == [["angle", "status"], ["temperature"]] * 2
    assert codec.decode(Frame(0x301, bytes(8))) is not None
