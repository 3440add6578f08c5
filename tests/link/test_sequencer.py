"""Sequences send, wait and expect without blocking; a stop sequence continues in spite of any status of the robot."""

from __future__ import annotations

from snakestudio.link.core.sequencer import Sequence, Task
from snakestudio.link.profile.schema import Step

_STEPS = (
    Step(send="A"),
    Step(wait_s=0.1),
    Step(send="B"),
    Step(expect="armed", timeout_s=0.5),
    Step(send="C"),
)


class _Course:
    def __init__(self, steps: tuple[Step, ...] = _STEPS, *, lenient: bool = False) -> None:
        self.sequence = Sequence(steps, lenient=lenient)
        self.sent: list[str | None] = []
        self.said_at = -1.0

    def at(self, now: float) -> str:
        return self.sequence.advance(
            now,
            lambda step: self.sent.append(step.send),
            lambda meaning, since: self.said_at >= since,
        )


def test_steps_are_executed_in_order() -> None:
    course = _Course()
    assert course.at(1.0) == "running"
    assert course.at(1.09) == "running"
    assert course.sent == ["A"]
    assert course.at(1.11) == "running"
    assert course.sent == ["A", "B"]
    course.said_at = 1.2
    assert course.at(1.21) == "done"
    assert course.sent == ["A", "B", "C"]


def test_earlier_status_does_not_answer_the_last_frame() -> None:
    course = _Course()
    course.said_at = 1.05
    for now in (1.0, 1.1, 1.2, 1.3):
        assert course.at(now) == "running"
    assert course.sent == ["A", "B"]


def test_unmet_expectation_ends_the_sequence() -> None:
    course = _Course()
    for now in (1.0, 1.1, 1.59):
        assert course.at(now) == "running"
    assert course.at(1.6) == "failed"
    assert course.sequence.missed == "armed"
    assert "C" not in course.sent


def test_stop_sequence_continues_after_an_unmet_expectation() -> None:
    course = _Course(lenient=True)
    for now in (1.0, 1.1):
        course.at(now)
    assert course.at(1.7) == "done"
    assert course.sent == ["A", "B", "C"]


def test_empty_sequence_is_done_immediately() -> None:
    assert _Course(()).at(1.0) == "done"


def test_status_timeout_starts_at_the_first_poll() -> None:
    task = Task("arm", (), 1.0)
    assert task.confirmed_in_time(3.0, 0.5)
    assert task.confirmed_in_time(3.49, 0.5)
    assert not task.confirmed_in_time(3.5, 0.5)
