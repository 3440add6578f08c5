"""Evaluation of a wiggle against responses with known lag, backlash, gain, sign and offset."""

from __future__ import annotations

import csv
import io
import math

import numpy as np
import pytest

from snakestudio.link.learning.wiggle import (
    Trace,
    WiggleResult,
    judge,
    report_csv,
    report_text,
    with_play,
)

AMPLITUDE = math.radians(5.0)
TIME = np.arange(0.0, 6.8, 0.02)
HELD = 0.1


def commanded(time: np.ndarray) -> np.ndarray:
    """Return the commanded angle: three swings of two seconds about the held angle, and then rest."""
    inside = (time >= 0) & (time <= 6.0)
    return HELD + np.where(inside, AMPLITUDE * np.sin(math.pi * time), 0.0)


def answer(
    lag: float = 0.0, play: float = 0.0, gain: float = 1.0, offset: float = 0.0, noise: float = 0.0
) -> WiggleResult:
    """Return the response of a joint: the commanded angle with lag, backlash and gain about the held angle."""
    moved = with_play(commanded(TIME - lag), math.radians(play))
    measured = HELD + gain * (moved - HELD) + math.radians(offset)
    measured = measured + np.random.default_rng(1).normal(0.0, math.radians(noise), len(TIME))
    return judge("joint 3 yaw", TIME, commanded(TIME), measured)


def text_of(result: WiggleResult) -> str:
    return " ".join(message.text for message in result.messages)


@pytest.mark.parametrize("lag", [0.0, 0.04, 0.12, 0.3])
@pytest.mark.parametrize("play", [0.0, 2.0, 4.0])
def test_lag_and_play_are_distinguished(lag: float, play: float) -> None:
    result = answer(lag, play, noise=0.05)
    assert result.lag == pytest.approx(lag, abs=0.015)
    assert math.degrees(result.play) == pytest.approx(play, abs=0.4)
    assert result.gain == pytest.approx(1.0, abs=0.06)
    assert math.degrees(result.offset) == pytest.approx(0.0, abs=0.2)


def test_good_joint_is_reported_as_good() -> None:
    result = answer(0.05, 0.0)
    assert result.good
    assert "50 ms" in text_of(result)


def test_reversed_joint_is_reported() -> None:
    result = answer(0.05, 3.0, gain=-1.0, noise=0.03)
    assert result.wrong_way
    assert result.messages[0].severity == "error"
    assert "Reverse its sign" in text_of(result)
    # it swings about the held angle
    assert math.degrees(result.offset) == pytest.approx(0.0, abs=0.3)


def test_wrong_gear_and_offset_are_reported() -> None:
    result = answer(gain=2.0, offset=3.0)
    assert "2.00 times" in text_of(result)
    assert "+3.0°" in text_of(result)
    assert not result.good


def test_immobile_joint_is_reported() -> None:
    result = judge("joint 1 yaw", TIME, commanded(TIME), np.full(len(TIME), 0.3))
    assert not result.moved
    assert not result.wrong_way
    assert "only 0.00° instead of 10.0°" in text_of(result)


def test_much_play_and_much_lag_are_warnings() -> None:
    assert any(message.severity == "warning" for message in answer(play=7.0).messages)
    assert any(message.severity == "warning" for message in answer(lag=0.3).messages)


def test_too_few_samples_are_refused() -> None:
    measured = np.full(len(TIME), np.nan)
    measured[:5] = 0.0
    with pytest.raises(ValueError, match=r"5.*20 are needed"):
        judge("joint 1 yaw", TIME, commanded(TIME), measured)
    with pytest.raises(ValueError, match="does not move"):
        judge("joint 1 yaw", TIME, np.zeros(len(TIME)), np.zeros(len(TIME)))


def test_play_keeps_its_output_inside_the_gap() -> None:
    """By hand: a gap of 2 holds the output until the input is 1 beyond it."""
    values = np.array([0.0, 0.5, 2.0, 3.0, 2.0, 1.0, 0.0])
    assert with_play(values, 2.0).tolist() == [0.0, 0.0, 1.0, 2.0, 2.0, 2.0, 1.0]


def test_trace_returns_only_new_samples() -> None:
    """Telemetry every 10 ms with set-points every 100 ms and angles every 20 ms gives no steps."""
    trace = Trace()
    for k in range(700):
        t = 0.01 * k
        sent = 0.1 * (k // 10)
        angle_time = 0.02 * (k // 2)
        trace.add(
            t,
            float(commanded(np.array([sent]))[0]),
            angle_time,
            float(commanded(np.array([angle_time - 0.08]))[0]),
        )
    time, reference, measured = trace.curves()
    assert trace.count == len(time) == 350
    assert np.abs(reference - commanded(time)).max() < 0.1 * AMPLITUDE
    result = judge("joint 3 yaw", time, reference, measured)
    assert result.lag == pytest.approx(0.08, abs=0.02)
    assert result.play == 0.0


def test_empty_trace_has_empty_curves() -> None:
    assert [len(column) for column in Trace().curves()] == [0, 0, 0]


def test_reports_contain_every_axis() -> None:
    results = [answer(0.1, 3.0), answer(gain=-1.0)]
    rows = list(csv.DictReader(io.StringIO(report_csv(results))))
    assert [row["axis"] for row in rows] == ["joint 3 yaw"] * 2
    assert float(rows[0]["play_deg"]) == pytest.approx(3.0, abs=0.3)
    assert float(rows[0]["lag_ms"]) == pytest.approx(100, abs=15)
    assert float(rows[1]["gain"]) == pytest.approx(-1.0, abs=0.01)
    text = report_text(results)
    assert text.count("Joint 3 yaw (±5.0°)") == 2
    assert "Reverse its sign" in text
