"""Every shipped profile and its codec with the firmware that is independent of them, and injected faults."""

from __future__ import annotations

import functools
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.errors import UsageError
from snakestudio.link.emulator.fault import FAULTS, Fault, parse_fault
from snakestudio.link.emulator.process import event_lines, report_line, status_line
from snakestudio.link.frame import Frame
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import load_profile, parse_profile
from tests.link.emulator.bench import Bench

PROFILES = ("lab_robot", "generic_servo", "odrive_can_simple", "cia402_csp", "mit_actuator")


@pytest.fixture
def lab(shipped) -> Bench:
    return Bench(shipped("lab_robot")).armed()


def meanings(bench: Bench) -> set[str]:
    """Return the last states that the nodes reported."""
    by_node: dict[int, str] = {}
    for each in bench.decoded():
        for value in each.values:
            if value.quantity == "status":
                for status in bench.loaded.profile.status:
                    if int(value.value) & status.mask == status.code:
                        by_node[value.node] = status.meaning
                        break
    return set(by_node.values())


@pytest.mark.parametrize("name", PROFILES)
def test_profile_and_firmware_understand_each_other(shipped, name: str) -> None:
    bench = Bench(shipped(name)).armed()
    m = bench.codec.n_axes
    target = 0.3 * np.sin(0.7 * np.arange(m) + 0.5)
    bench.run(0.3, np.zeros(m))
    says = bool(shipped(name).profile.status)
    assert not bench.robot.safe
    assert not says or meanings(bench) == {"armed"}
    bench.run(1.5, target)
    play = np.radians(0.5 * shipped(name).profile.emulation.free_play_deg + 0.3)
    assert bench.robot.angles == pytest.approx(target, abs=play)
    assert bench.measured() == pytest.approx(bench.robot.angles, abs=0.003)
    assert not any(each.problem for each in bench.decoded())
    bench.sequence("stop")
    bench.run(0.06)
    assert bench.robot.safe
    assert not says or "armed" not in meanings(bench)
    at = bench.robot.angles.copy()
    bench.run(0.5, np.zeros(m))
    assert bench.robot.angles == pytest.approx(at, abs=0.02)  # set-points move nothing any more
    bench.sequence("reset")
    bench.run(0.1)
    bench.sequence("arm")
    assert not bench.robot.safe
    bench.sequence("disarm")
    bench.run(0.1)
    assert bench.robot.safe
    assert not says or meanings(bench) == {"ready"}


@pytest.mark.parametrize("name", PROFILES)
def test_silence_leads_to_the_safe_state_in_watchdog_time(shipped, name: str) -> None:
    bench = Bench(shipped(name)).armed()
    bench.run(0.4, np.zeros(bench.codec.n_axes))
    begun = bench.now - 0.01  # time of the last set-points
    bench.run(0.5)
    safe = next(each.time for each in bench.events if each.event == "safe")
    # the bench polls every 10 ms
    assert safe - begun == pytest.approx(shipped(name).profile.emulation.watchdog_s, abs=0.021)
    assert bench.count("watchdog") == 10
    # latched: only a reset ends it
    bench.sequence("arm" if name == "lab_robot" else "disarm")
    assert bench.robot.safe
    bench.sequence("reset")
    bench.run(0.1)
    bench.sequence("arm")
    assert not bench.robot.safe


@given(
    st.lists(st.tuples(st.integers(0, 0x7FF), st.binary(max_size=8), st.booleans()), max_size=60)
)
def test_arbitrary_frames_cause_no_error(frames: list[tuple[int, bytes, bool]]) -> None:
    for bench in _running():
        for number, data, remote in frames:
            frame = Frame(
                number, b"" if remote else data, remote=remote, length=len(data) if remote else 0
            )
            bench.robot.receive(frame, bench.now)
        bench.run(0.02)
        bench.frames.clear()
        assert np.isfinite(bench.robot.angles).all()


@functools.cache
def _running() -> tuple[Bench, ...]:
    """A robot of each kind that stays powered."""
    benches = tuple(Bench(load_profile(find_profile(name))) for name in PROFILES)
    for bench in benches:
        bench.run(0.6)
    return benches


# --------------------------------------------------------------------------------- generic firmware


def test_stop_is_latched_until_the_reset_sequence(lab: Bench) -> None:
    lab.sequence("stop")
    lab.sequence("arm")
    lab.run(0.1)
    assert lab.robot.safe
    assert meanings(lab) == {"stopped"}
    lab.sequence("reset")
    lab.run(0.1)
    assert meanings(lab) == {"ready"}


def test_single_node_can_be_armed(shipped) -> None:
    bench = Bench(shipped("lab_robot"))
    bench.run(0.7)
    for step in shipped("lab_robot").profile.sequences.arm:
        bench.send(bench.codec.step_frames(step, 4))
    assert [node.number for node in bench.robot.nodes if node.torque] == [4]


def test_wrong_checksums_and_repeated_counters_are_ignored(shipped) -> None:
    bench = Bench(shipped("generic_servo")).armed()
    good = bench.codec.set_points(np.full(10, 0.2))
    bench.send(good)
    taken = bench.robot.set_points
    assert taken == 10
    bench.send(good)  # the same counters again
    bad = bench.codec.set_points(np.full(10, 0.2))[0]
    bench.send(Frame(bad.id, bytes([bad.data[0] ^ 1]) + bad.data[1:]))
    assert bench.robot.set_points == taken
    assert bench.robot.rejected == 11


def test_zero_is_set_at_the_present_angles(lab: Bench) -> None:
    lab.run(1.0, np.full(20, 0.4))
    lab.sequence("disarm")
    lab.sequence("zero")
    lab.run(0.1)
    assert lab.measured() == pytest.approx(np.zeros(20), abs=0.01)
    lab.sequence("arm")
    lab.run(1.5, np.full(20, -0.2))
    assert lab.robot.angles == pytest.approx(np.full(20, 0.2), abs=np.radians(2.5))


def test_booting_node_ignores_frames(shipped) -> None:
    bench = Bench(shipped("lab_robot"))
    bench.run(0.1)
    bench.sequence("arm")
    assert bench.robot.safe
    assert meanings(bench) == {"booting"}


# ------------------------------------------------------------------------------------------- faults


def drive(bench: Bench, seconds: float = 0.5) -> None:
    bench.run(seconds, np.full(bench.codec.n_axes, 0.3))


def test_node_without_power_is_silent_and_limp(lab: Bench) -> None:
    lab.robot.inject(Fault("dropout", 3), lab.now)
    lab.frames.clear()
    drive(lab)
    assert not lab.of(0x183)
    assert lab.of(0x184)
    assert not lab.robot.nodes[2].torque
    assert abs(lab.robot.angles[4]) < 0.01  # node 3's yaw
    assert lab.robot.angles[6] > 0.1
    lab.robot.clear(lab.now)
    lab.run(0.6)
    assert lab.robot.nodes[2].condition == "ready"


def test_bus_off_leaves_the_motors_to_the_watchdog(lab: Bench) -> None:
    drive(lab, 0.2)
    lab.robot.inject(Fault("bus-off"), lab.now)
    lab.frames.clear()
    drive(lab, 0.2)
    assert not lab.robot.safe
    drive(lab, 0.1)
    assert lab.robot.safe
    assert not lab.frames


def test_babbling_node_floods_the_bus(lab: Bench) -> None:
    lab.robot.inject(Fault("babble", 2), lab.now)
    lab.frames.clear()
    lab.run(1.0)
    # 2000 a second and its own frames
    assert 1900 <= sum(frame.id & 0x0F == 2 for _, frame in lab.frames) <= 2150


def test_frozen_sensor_hides_the_motion(lab: Bench) -> None:
    lab.robot.inject(Fault("frozen-sensor", 1), lab.now)
    drive(lab, 1.0)
    assert lab.robot.angles[0] > 0.2
    assert lab.measured()[0] == pytest.approx(0.0, abs=1e-6)
    assert lab.measured()[2] > 0.2


def test_jammed_joint_is_fixed_while_its_motor_pushes(lab: Bench) -> None:
    lab.robot.inject(Fault("jam", 1), lab.now)
    drive(lab, 1.0)
    assert lab.robot.angles[0] == pytest.approx(0.0, abs=1e-6)
    currents = [
        v.value
        for each in lab.decoded()
        for v in each.values
        if v.quantity == "current" and v.axis == 0
    ]
    assert max(currents) > 3.0  # 7 N m at most, at 1.5 N m/A


def test_corrupted_frames_are_blanked_or_shortened(lab: Bench) -> None:
    lab.robot.inject(Fault("corrupt"), lab.now)
    lab.frames.clear()
    lab.run(1.0)
    feedback = [frame for _, frame in lab.frames if 0x180 < frame.id <= 0x18A]
    wrong = sum(frame.data != bytes(8) for frame in feedback)
    assert 0.2 < wrong / len(feedback) < 0.4
    assert any(len(frame.data) < 8 for frame in feedback)


def test_late_frames_come_50_to_250_ms_late(lab: Bench) -> None:
    lab.robot.inject(Fault("late", 1), lab.now)
    begun = lab.now
    lab.frames.clear()
    lab.run(1.0)
    times = [time for time, frame in lab.frames if frame.id == 0x181]
    assert 0.05 <= times[0] - begun <= 0.15
    assert max(np.diff(times)) > 0.03  # and no longer at constant intervals


def test_nodes_of_the_same_number_both_answer(lab: Bench) -> None:
    drive(lab, 1.0)
    lab.robot.inject(Fault("duplicate-id", 5), lab.now)
    lab.run(0.6, np.full(20, 0.3))
    lab.frames.clear()
    drive(lab, 0.2)
    angles = [
        v.value
        for each in lab.decoded()
        for v in each.values
        if v.quantity == "angle" and v.axis == 8
    ]
    assert sum(angle < 0.01 for angle in angles) == pytest.approx(
        10, abs=2
    )  # from the straight node
    assert sum(angle > 0.2 for angle in angles) == pytest.approx(10, abs=2)


def test_node_reset_during_a_gait_drops_its_torque(lab: Bench) -> None:
    drive(lab)
    lab.robot.inject(Fault("reset", 7), lab.now)
    drive(lab, 0.1)
    assert "booting" in meanings(lab)
    assert not lab.robot.nodes[6].torque
    assert lab.robot.faults == ()  # once


def test_overheated_motors_stop_their_node_until_they_are_cool(lab: Bench) -> None:
    lab.robot.inject(Fault("overtemperature", 6), lab.now)
    drive(lab, 0.1)
    assert not lab.robot.nodes[5].torque
    assert "0x2" in lab.robot.nodes[5].condition  # the bit named "Overheated" in the profile
    lab.sequence("reset")
    assert lab.robot.nodes[5].condition.startswith("fault")
    lab.robot.clear(lab.now)
    lab.sequence("reset")
    drive(lab, 0.1)
    assert not lab.robot.nodes[5].condition.startswith("fault"), (
        "what was mended need not cool down for minutes"
    )


def test_faults_of_missing_nodes_are_refused(lab: Bench) -> None:
    with pytest.raises(UsageError, match=r"has no node 42\. Its nodes are 1, 2"):
        lab.robot.inject(Fault("jam", 42), lab.now)


def test_typed_faults_are_parsed() -> None:
    assert parse_fault("Bus-Off", "0x3") == Fault("bus-off", 3)
    with pytest.raises(UsageError, match=r"explode.*dropout"):
        parse_fault("explode")
    with pytest.raises(UsageError, match="'three'"):
        parse_fault("jam", "three")
    assert all(text for text in FAULTS.values())


def test_robot_is_reproducible_by_seed(shipped) -> None:
    def run(seed: int) -> list[Frame]:
        bench = Bench(shipped("lab_robot"), seed=seed).armed()
        bench.robot.inject(Fault("corrupt"), bench.now)
        drive(bench, 0.3)
        return [frame for _, frame in bench.frames]

    assert run(4) == run(4)
    assert run(4) != run(5)


# -------------------------------------------------------------------------------------------- texts


def test_description_names_the_robot(lab: Bench) -> None:
    lines = event_lines(lab.events, 100.0)
    assert lines[0].endswith("nodes 1-10: boots")
    assert lines[-1].endswith("nodes 1-10: has torque")
    line = json.loads(report_line(lab.events[-1]))
    assert (line["event"], line["node"]) == ("armed", 10)
    lab.robot.inject(Fault("jam", 2), lab.now)
    text = status_line(lab.robot, 200.0, 750.0, "")
    assert (
        text
        == "10 nodes: 10 armed · torque on 10 · 200 set-points/s, 750 frames/s sent · jam of node 2"
    )


def test_messages_on_change_are_sent_only_on_change() -> None:
    path = find_profile("lab_robot")
    toml = path.read_text(encoding="utf-8").replace(
        "every_s = 0.5\n", 'every_s = 0.1\nwhen = "change"\n'
    )
    bench = Bench(parse_profile(toml, path.with_suffix(".dbc").read_text(encoding="utf-8")))
    bench.run(2.0)
    assert bench.of(0x281) == []
    bench.robot.inject(Fault("overtemperature", 1), bench.now)
    bench.run(2.0)
    assert len(bench.of(0x281)) == 1
    assert bench.of(0x282) == []
