"""Problems in profiles: their keys and messages."""

from __future__ import annotations

import pytest

from snakestudio.errors import Problem
from snakestudio.link.profile.check import arming_problems, check
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import LoadedProfile, parse_profile
from tests.wording import naming

LAB = find_profile("lab_robot")
SERVO = find_profile("generic_servo")
TOML = LAB.read_text(encoding="utf-8")
DBC = LAB.with_suffix(".dbc").read_text(encoding="utf-8")


def changed(*changes: tuple[str, str]) -> LoadedProfile:
    """Return the lab robot's profile and DBC with the first occurrence of some texts replaced."""
    toml = TOML
    dbc = DBC
    for old, new in changes:
        assert old in toml or old in dbc
        toml, dbc = (
            (toml.replace(old, new, 1), dbc) if old in toml else (toml, dbc.replace(old, new, 1))
        )
    return parse_profile(toml, dbc)


def sentences(problems: list[Problem], severity: str = "error") -> list[str]:
    return [problem.sentence() for problem in problems if problem.severity == severity]


MESSAGES = [
    (
        ('message = "JointFeedback"', 'message = "JointFedback"'),
        'messages[5].message: "JointFedback" is not in lab_robot.dbc. Did you mean JointFeedback?',
    ),
    (
        ('signal = "YawTarget"', 'signal = "YawTargt"'),
        'messages[1].signals[1].signal: "YawTargt" is not in JointSetPoint. Did you mean YawTarget?',
    ),
    (
        ("SG_ Pitch : 16|16@1-", "SG_ Pitch : 12|16@1-"),
        naming("messages[5].message", "JointFeedback", "lab_robot.dbc"),
    ),
    (
        ("SG_ PitchCurrent : 48|16@1-", "SG_ PitchCurrent : 56|16@1-"),
        naming('messages[5].signals[4].signal: "PitchCurrent"', "8 bytes", "JointFeedback"),
    ),
    (
        ('id = "0x280 + node"', 'id = "0x180 + node"'),
        naming("messages[6].id: JointFeedback and JointCondition", "0x181"),
    ),
    (
        ('id = "0x280 + node"', 'id = "0x200 + node"'),
        naming("messages[6].id: 0x201", "(JointSetPoint)", "(JointCondition)"),
    ),
    (
        ('id = "0x700 + node"', 'id = "0x700 + (node >> 1)"'),
        naming("messages[7].id: Nodes 2 and 3", "0x701"),
    ),
    (
        ('id = "0x700 + node"', 'id = "0x700 + node * 100"'),
        naming('messages[7].id: "0x700 + node * 100"', "0x82C", "3, beyond 11", "29-bit ids"),
    ),
    (
        ('id = "0x700 + node"', 'id = "0x700 + nod"'),
        "messages[7].id: \"0x700 + nod\": 'nod' at character 9 is not known. Did you mean node?",
    ),
    (
        ("BO_ 512 JointSetPoint: 8", "BO_ 512 JointSetPoint: 9"),
        naming("messages[1].message: JointSetPoint has 9", "most 8", "bus.fd ="),
    ),
    (
        (
            'SG_ Yaw : 0|16@1- (0.01,0) [-327.68|327.67] "deg"',
            'SG_ Yaw : 0|16@1- (0.01,0) [-327.68|327.67] "degs"',
        ),
        naming("messages[5].signals[1].unit", "lab_robot.dbc"),
    ),
    (
        (
            'SG_ Yaw : 0|16@1- (0.01,0) [-327.68|327.67] "deg"',
            'SG_ Yaw : 0|16@1- (0.01,0) [-327.68|327.67] "grad"',
        ),
        naming("messages[5].signals[1].unit", "lab_robot.dbc", "(0.9°)"),
    ),
    (
        (
            'SG_ Supply : 16|16@1+ (0.001,0) [0|65.535] "V"',
            'SG_ Supply : 16|16@1+ (0.001,0) [0|65.535] ""',
        ),
        naming("messages[6].signals[3].unit", "lab_robot.dbc", "V, mV"),
    ),
    (
        ("SG_ Yaw : 0|16@1- (0.01,0)", "SG_ Yaw : 0|16@1- (0,0)"),
        naming("messages[5].signals[1].signal: ", "Yaw", "0", "lab_robot.dbc"),
    ),
    (
        (
            '{ signal = "Yaw", quantity = "angle", slot = 0 }',
            '{ signal = "Yaw", quantity = "angle" }',
        ),
        naming("messages[5].signals[1].slot", "1 drives 2"),
    ),
    (
        (
            '{ signal = "Pitch", quantity = "angle", slot = 1 }',
            '{ signal = "Pitch", quantity = "angle", slot = 0 }',
        ),
        naming("messages[5].signals[2].slot", "joint 1"),
    ),
    (
        (
            '{ signal = "Yaw", quantity = "angle", slot = 0 }',
            '{ signal = "Yaw", quantity = "angle", slot = 5 }',
        ),
        naming("messages[5].signals[1].slot", "slot 5"),
    ),
    (
        (
            '{ signal = "Yaw", quantity = "angle", slot = 0 }',
            '{ signal = "Yaw", quantity = "rate", slot = 0, unit = "rpm" }',
        ),
        naming("axes[1]: Joint 1", "9 more"),
    ),
    (
        ('{ signal = "YawTarget", quantity = "angle", slot = 0 },', ""),
        naming("axes[1]: Joint 1", "9 more", "set_point message to it"),
    ),
    (
        (
            '{ joint = 2, axis = "yaw", node = 2, slot = 0 }',
            '{ joint = 1, axis = "yaw", node = 2, slot = 0 }',
        ),
        naming("axes[3].joint: Joint 1", "axes[1]"),
    ),
    (
        (
            '{ joint = 2, axis = "yaw", node = 2, slot = 0 }',
            '{ joint = 2, axis = "yaw", node = 2, slot = 1 }',
        ),
        naming("axes[4].slot: Slot 1", "node 2", "joint 2"),
    ),
    (
        ("min_deg = -60.0", "min_deg = 61.0"),
        naming("limits.min_deg: 61°", "max_deg = 60°"),
    ),
    (
        ("node = 3, slot = 1 }", "node = 3, slot = 1, max_deg = -70.0 }"),
        naming("axes[6].max_deg: Joint 3", "-60° to -70°", "min_deg"),
    ),
    (
        ("SG_ YawTarget : 0|16@1- (0.01,0)", "SG_ YawTarget : 0|16@1- (0.001,0)"),
        naming(
            "messages[1].signals[1]: JointSetPoint.YawTarget holds -32.77° to 32.77°",
            "joint 1",
            "9 more",
            "-60° and 60°",
        ),
    ),
    (
        ("lost_s = 0.2", "lost_s = 0.1"),
        naming("timing.lost_s: 0.1", "stale_s = 0.15"),
    ),
    (
        ("stale_s = 0.15", "stale_s = 0.04"),
        naming("timing.stale_s: 0.04", "0.05", "JointHeartbeat"),
    ),
    (
        ("every_s = 0.05", "every_s = 0.2"),
        naming("timing.lost_s: 0.2", "0.2", "JointHeartbeat"),
    ),
    (
        ("reference_timeout_s = 0.25", "reference_timeout_s = 0.05"),
        naming("timing.reference_timeout_s: 0.05", "0.1", "set_point_rate_hz"),
    ),
    (
        ('every_s = 0.1\nsignals = [{ signal = "HostCount"', 'signals = [{ signal = "HostCount"'),
        naming("messages[2].every_s: HostAlive"),
    ),
    (
        ("set_point_rate_hz = 10.0", "set_point_rate_hz = 350.0"),
        # 10 nodes, 135 bits, 350 Hz: 94.5 % of 500 kbit/s; 13.5 % feedback and 3.8 % heartbeats (10
        # * 20 * 95 bits).
        naming(
            "timing.set_point_rate_hz",
            "112 %",
            "500000 bit/s (JointSetPoint 94 %, JointFeedback 13 %, JointHeartbeat 4 %)",
            "set_point_rate_hz",
        ),
    ),
    (
        ("set_point_rate_hz = 10.0", "set_point_rate_hz = 250.0"),
        naming(
            "timing.max_bus_load",
            "85 %",
            "500000 bit/s (JointSetPoint 68 %, JointFeedback 13 %, JointHeartbeat 4 %)",
            "max_bus_load = 0.8",
        ),
    ),
    (
        ('{ send = "JointCommand", signals = { Command = "Arm" } }', '{ send = "JointComand" }'),
        naming('sequences.arm[1].send: "JointComand"', "Did you mean JointCommand"),
    ),
    (
        ('{ send = "JointCommand", signals = { Command = "Arm" } }', '{ send = "JointFeedback" }'),
        naming("sequences.arm[1].send: JointFeedback"),
    ),
    (
        ('signals = { Command = "Arm" }', 'signals = { Command = "Army" }'),
        naming('sequences.arm[1].signals.Command: "Army"'),
    ),
    (
        ('signals = { Command = "Arm" }', "signals = { Command = 7 }"),
        naming("sequences.arm[1].signals.Command: 7", "Command", "from 0 to 4."),
    ),
    (
        (
            'stop = [{ send = "BroadcastStop" }]',
            'stop = [{ wait_s = 0.1 }, { send = "BroadcastStop" }]',
        ),
        naming("sequences.stop[1]: Stopping"),
    ),
    (
        (
            'stop = [{ send = "BroadcastStop" }]',
            'stop = [{ send = "BroadcastStop", wait_s = 1.0 }]',
        ),
        naming("sequences.stop[1]", "wait_s", "wait_s and expect"),
    ),
    (
        ('stop = [{ send = "BroadcastStop" }]', 'stop = [{ raw = "FG", id = "1" }]'),
        naming("sequences.stop[1].raw", "00 01"),
    ),
    (
        ('meaning = "armed"', 'meaning = "fault"'),
        naming("sequences.arm[2].expect: No"),
    ),
    (
        (
            'quantity = "counter" }]',
            'quantity = "checksum" }, { signal = "HostCount", quantity = "checksum", slot = 0 }]',
        ),
        naming("messages[2].signals: HostCount and HostCount"),
    ),
    (
        ("SG_ Count : 24|8@1+", "SG_ Count : 24|1@1+"),
        naming("messages[7].signals[3].quantity: Count", "1 bit", "counter 2"),
    ),
    (
        (
            '{ signal = "Count", quantity = "counter" },\n]',
            '{ signal = "Errors", quantity = "checksum" },\n]',
        ),
        naming("messages[7].signals[3].quantity: Errors", "JointHeartbeat"),
    ),
    (
        ('message = "BroadcastStop"\n', 'message = "BroadcastStop"\nname = "JointCommand"\n'),
        naming("messages[4].name: messages[3]", "JointCommand"),
    ),
    (
        ('message = "BroadcastStop"\n', 'message = "BroadcastStop"\nfixed = { Reason = 256 }\n'),
        naming("messages[4].fixed.Reason: 256", "Reason", "from 0 to 255."),
    ),
]


@pytest.mark.parametrize(
    ("change", "sentence"), MESSAGES, ids=lambda part: part[:50] if isinstance(part, str) else None
)
def test_mistake_is_reported(change: tuple[str, str], sentence: str) -> None:
    problems = check(changed(change))
    assert sentence in sentences(problems)
    assert problems[0].severity == "error"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            (
                "SG_ YawTemperature : 0|8@1+ (1,-40) [-40|215]",
                "SG_ YawTemperature : 0|8@1+ (1,-40) [-40|400]",
            ),
            naming("messages[6].message", "YawTemperature reaches 400", "its 8", "lab_robot.dbc"),
        ),
        (
            ("window_timeout_s = 0.25", "window_timeout_s = 0.06"),
            naming("timing.window_timeout_s: 0.06", "0.05", "0.15 s"),
        ),
        (
            ("every_s = 0.05", ""),
            naming("messages[7].every_s", "JointHeartbeat"),
        ),
        (
            ("watchdog_s = 0.25", "watchdog_s = 0.1"),
            naming("emulation.watchdog_s: 0.1", "0.1"),
        ),
        (
            ("code = 4\n", "code = 3\n"),
            naming("status[5]: status[4]"),
        ),
        (
            (
                "SG_ YawRateTarget : 32|16@1- (0.1,0) [-3276.8|3276.7]",
                "SG_ YawRateTarget : 32|16@1- (0.1,0) [-90|90]",
            ),
            naming(
                "messages[1].signals[3]: JointSetPoint.YawRateTarget holds -90°/s to 90°/s",
                "joint 1",
                "9 more",
                "120°/s. Narrow",
            ),
        ),
    ],
)
def test_warning_is_reported_and_does_not_prevent_arming(
    change: tuple[str, str], sentence: str
) -> None:
    loaded = changed(change)
    assert sentences(check(loaded), "warning") == [sentence]
    assert arming_problems(loaded) == []


@pytest.mark.parametrize("stop", ["[]", '[{ send = "HostAlive" }]'])
def test_robot_without_stop_condition_is_not_armed(stop: str) -> None:
    loaded = changed(('stop = [{ send = "BroadcastStop" }]', f"stop = {stop}"))
    assert sentences(arming_problems(loaded)) == [naming("sequences.stop")]
    assert sentences(check(loaded)) == []
    assert sentences(check(loaded), "warning") == [naming("sequences.stop")]


_CURRENTS = (
    '{ signal = "YawCurrent", quantity = "current", slot = 0 },\n    { signal = "PitchCurrent", quantity = "current", '
    "slot = 1 },"
)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (((_CURRENTS, ""),), naming("limits.max_current_a")),
        (
            ((_CURRENTS, _CURRENTS.splitlines()[0]),),
            naming("limits.max_current_a", "joint 1 pitch", "9 more"),
        ),
        (
            (
                ('{ signal = "Supply", quantity = "voltage" },\n', ""),
                ("node = 3, slot = 1 }", "node = 3, slot = 1, min_voltage_v = 20.0 }"),
            ),
            naming("axes[6].min_voltage_v", "joint 3 pitch"),
        ),
    ],
)
def test_limit_of_an_unreported_value_prevents_arming(
    changes: tuple[tuple[str, str], ...], message: str
) -> None:
    loaded = changed(*changes)
    (problem,) = arming_problems(loaded)
    assert problem.sentence() == message
    assert sentences(check(loaded)) == []
    (warned,) = sentences(check(loaded), "warning")
    assert "never reached" in warned


def test_limit_of_a_value_without_interval_is_noted() -> None:
    assert sentences(check(changed(("every_s = 0.5\n", ""))), "warning") == [
        naming("messages[6].every_s", "JointCondition", "1 s")
    ]


def test_limit_of_a_value_polled_only_when_idle_is_noted() -> None:
    path = find_profile("odrive_can_simple")
    toml = path.read_text(encoding="utf-8").replace(
        "remote = true\nevery_s = 0.5", 'remote = true\nwhen = "idle"\nevery_s = 0.5', 1
    )
    (message,) = sentences(
        check(parse_profile(toml, path.with_suffix(".dbc").read_text(encoding="utf-8"))), "warning"
    )
    assert "always" in message
    assert "Ask_Temperature" in message


def test_robot_without_heartbeat_is_not_armed() -> None:
    loaded = changed(('role = "heartbeat"', 'role = "feedback"'))
    assert sentences(arming_problems(loaded)) == [naming("alive")]


REMARKS = [
    (
        ("lost_s = 0.2", "lost_s = 30.0"),
        naming("timing.lost_s", "for 30", "2 s"),
    ),
    (
        ("window_timeout_s = 0.25", "window_timeout_s = 5.0"),
        naming("timing.window_timeout_s", "for 5", "1 s"),
    ),
    (
        ("reference_timeout_s = 0.25", "reference_timeout_s = 10.0"),
        naming("timing.reference_timeout_s", "for 10", "to 1 s"),
    ),
    (
        ("confirm_s = 1.0", "confirm_s = 60.0"),
        naming("timing.confirm_s", "for 60", "to 10 s"),
    ),
    (
        ('{ expect = "armed", timeout_s = 1.0 }', '{ expect = "armed", timeout_s = 60.0 }'),
        naming("sequences.arm[2].timeout_s: 60", "to 10 s"),
    ),
    (
        (
            'stop = [{ send = "BroadcastStop" }]',
            'stop = [{ send = "BroadcastStop" }, { wait_s = 20.0 }]',
        ),
        naming("sequences.stop", "20 s", "1.5"),
    ),
    (
        (
            'stop = [{ send = "BroadcastStop" }]',
            'stop = [{ send = "BroadcastStop" }, { send = "JointCommand", signals = { Command = "Arm" } }]',
        ),
        naming("sequences.stop[2]: This", "sequences.arm[1]"),
    ),
    (
        (
            'stop = [{ send = "BroadcastStop" }]',
            'stop = [{ send = "BroadcastStop" }, { expect = "stopped", timeout_s = 9.0 }, { send = "BroadcastStop" }]',
        ),
        naming("sequences.stop", "9 s", "1.5"),
    ),
    (
        ("every_s = 0.5", "every_s = 60.0"),
        naming("messages[6].every_s", "300", "2 s"),
    ),
    (
        ("watchdog_s = 0.25", "watchdog_s = 30.0"),
        naming("emulation.watchdog_s", "for 30", "2 s"),
    ),
    (
        ("disarm = [", "disarm = [{ wait_s = 8.0 }, { wait_s = 8.0 },"),
        naming("sequences.disarm", "16 s", "10 s"),
    ),
    (
        (
            '{ send = "JointCommand", signals = { Command = "Zero" } }',
            '{ raw = "01", id = "0x100 + node" }',
        ),
        naming("sequences.zero[1]: This", "sequences.arm[1]"),
    ),
    (
        ('signals = { Command = "Reset" }', "signals = { Command = 1 }"),
        naming("sequences.reset[1]: This", "sequences.arm[1]"),
    ),
]


@pytest.mark.parametrize(("change", "sentence"), REMARKS, ids=lambda part: part[-1][:30])
def test_long_stopping_times_are_noted(change: tuple[str, str], sentence: str) -> None:
    assert sentences(check(changed(change)), "warning") == [sentence]


@pytest.mark.parametrize(
    "arms",
    [
        '{ send = "JointCommand", signals = { Command = "Arm" } }',
        '{ send = "JointCommand", signals = { Command = 1 } }',
        '{ raw = "01", id = "0x100 + node" }',
        '{ raw = "01", id = "0x103", each = "once" }',
    ],
    ids=["name", "number", "bytes", "one node"],
)
@pytest.mark.parametrize("name", ["stop", "disarm"])
def test_stop_sequence_that_arms_is_a_mistake(name: str, arms: str) -> None:
    """In any notation: only the frames count."""
    sequence = TOML[TOML.index(f"{name} = [") :].split("]", 1)[0] + "]"
    loaded = changed((sequence, f"{name} = [{arms}]"))
    message = naming(f"sequences.{name}[1]: This", "sequences.arm[1]", "torque off")
    assert message in sentences(check(loaded))
    assert message in sentences(arming_problems(loaded))


def test_arm_sequence_without_expected_status_is_noted() -> None:
    (hint,) = sentences(
        check(changed(('{ expect = "armed", timeout_s = 1.0 }', "{ wait_s = 0.1 }"))), "hint"
    )
    assert "sequences.arm: No step" in hint


def test_pitch_only_joints_are_accepted() -> None:
    """One axis per joint, alternately yaw and pitch, as in most snake robots."""
    toml = TOML
    for joint in range(1, 11):
        axis = "pitch" if joint % 2 else "yaw"
        toml = "\n".join(
            line
            for line in toml.split("\n")
            if not (f"joint = {joint}," in line and f'axis = "{axis}"' in line)
        )
    loaded = parse_profile(toml, DBC)
    assert check(loaded) == []
    assert loaded.profile.axes_text == "alternating yaw and pitch"


def test_joint_without_axis_is_noted() -> None:
    toml = "\n".join(line for line in TOML.split("\n") if "joint = 3," not in line)
    assert sentences(check(parse_profile(toml, DBC)), "warning") == [naming("Joint 3")]


def test_mistake_prevents_arming() -> None:
    loaded = changed(("min_deg = -60.0", "min_deg = 61.0"))
    assert [problem.key for problem in arming_problems(loaded)] == ["limits.min_deg"]


def test_all_mistakes_are_found_together() -> None:
    loaded = changed(
        ('signal = "YawTarget"', 'signal = "YawTargt"'),
        ("min_deg = -60.0", "min_deg = 61.0"),
        ("reference_timeout_s = 0.25", "reference_timeout_s = 0.05"),
        ('"JointCommand", signals = { Command = "Arm" }', '"X"'),
    )
    keys = [problem.key for problem in check(loaded) if problem.severity == "error"]
    assert keys == [
        "messages[1].signals[1].signal",
        "limits.min_deg",
        "timing.reference_timeout_s",
        "sequences.arm[1].send",
    ]


def test_two_byte_checksum_is_refused_in_big_endian_too() -> None:
    toml = SERVO.read_text(encoding="utf-8")
    dbc = SERVO.with_suffix(".dbc").read_text(encoding="utf-8")
    loaded = parse_profile(toml, dbc.replace("SG_ Checksum : 63|8@0+", "SG_ Checksum : 59|8@0+"))
    # Bit 59 is in the middle of byte 7, so its last four bits do not fit.
    assert "8 bytes of ServoFeedback" in "\n".join(sentences(check(loaded)))
