"""What is found wrong in profiles: the key it stands at, and in which words."""

from __future__ import annotations

import pytest

from snakestudio.errors import Problem
from snakestudio.link.profile.check import arming_problems, check
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import LoadedProfile, parse_profile

LAB = find_profile("lab_robot")
SERVO = find_profile("generic_servo")
TOML = LAB.read_text(encoding="utf-8")
DBC = LAB.with_suffix(".dbc").read_text(encoding="utf-8")


def changed(*changes: tuple[str, str]) -> LoadedProfile:
    """The lab robot's profile and DBC with some text replaced, wherever it stands first."""
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
        "messages[5].message: Yaw and Pitch overlap in JointFeedback. Mend their start bits or lengths in "
        "lab_robot.dbc.",
    ),
    (
        ("SG_ PitchCurrent : 48|16@1-", "SG_ PitchCurrent : 56|16@1-"),
        'messages[5].signals[4].signal: "PitchCurrent" does not fit into the 8 bytes of JointFeedback. Mend its start, '
        "length or range in the DBC.",
    ),
    (
        ('id = "0x280 + node"', 'id = "0x180 + node"'),
        "messages[6].id: JointFeedback and JointCondition share the id 0x181. Mend one of the formulas, or tell them "
        "apart by a fixed signal.",
    ),
    (
        ('id = "0x280 + node"', 'id = "0x200 + node"'),
        "messages[6].id: 0x201 is sent by us (JointSetPoint) and by the robot (JointCondition). Mend one of the "
        "formulas.",
    ),
    (
        ('id = "0x700 + node"', 'id = "0x700 + (node >> 1)"'),
        "messages[7].id: Nodes 2 and 3 have the same id 0x701. Use node in the formula, or tell them apart by a fixed "
        "signal.",
    ),
    (
        ('id = "0x700 + node"', 'id = "0x700 + node * 100"'),
        'messages[7].id: "0x700 + node * 100": the id is 0x82C for node 3, beyond 11 bits. Mend the formula, or set '
        "extended = true for 29-bit ids.",
    ),
    (
        ('id = "0x700 + node"', 'id = "0x700 + nod"'),
        "messages[7].id: \"0x700 + nod\": 'nod' at character 9 is not known. Did you mean node?",
    ),
    (
        ("BO_ 512 JointSetPoint: 8", "BO_ 512 JointSetPoint: 9"),
        "messages[1].message: JointSetPoint has 9 bytes where a frame of this bus has at most 8. Set bus.fd = true, or "
        "split it.",
    ),
    (
        (
            'SG_ Yaw : 0|16@1- (0.01,0) [-327.68|327.67] "deg"',
            'SG_ Yaw : 0|16@1- (0.01,0) [-327.68|327.67] "degs"',
        ),
        'messages[5].signals[1].unit: "degs", the unit of Yaw in lab_robot.dbc, is not a known unit of an angle. Set '
        "unit to what it means, one of rad, deg, turn, mrad, mdeg, gon, or set factor.",
    ),
    (
        (
            'SG_ Yaw : 0|16@1- (0.01,0) [-327.68|327.67] "deg"',
            'SG_ Yaw : 0|16@1- (0.01,0) [-327.68|327.67] "grad"',
        ),
        'messages[5].signals[1].unit: "grad", the unit of Yaw in lab_robot.dbc, may mean degrees or gradians (0.9°). '
        "Set unit to deg or gon.",
    ),
    (
        (
            'SG_ Supply : 16|16@1+ (0.001,0) [0|65.535] "V"',
            'SG_ Supply : 16|16@1+ (0.001,0) [0|65.535] ""',
        ),
        "messages[6].signals[3].unit: Supply has no unit in lab_robot.dbc. Set unit to one of V, mV, or set factor.",
    ),
    (
        ("SG_ Yaw : 0|16@1- (0.01,0)", "SG_ Yaw : 0|16@1- (0,0)"),
        "messages[5].signals[1].signal: Yaw has a scale of 0 (or none that is a number) in lab_robot.dbc. Mend the "
        "DBC, "
        "or give the signal a range.",
    ),
    (
        (
            '{ signal = "Yaw", quantity = "angle", slot = 0 }',
            '{ signal = "Yaw", quantity = "angle" }',
        ),
        "messages[5].signals[1].slot: Yaw is one angle where node 1 has 2 axes. Say by slot which axis it is about.",
    ),
    (
        (
            '{ signal = "Pitch", quantity = "angle", slot = 1 }',
            '{ signal = "Pitch", quantity = "angle", slot = 0 }',
        ),
        "messages[5].signals[2].slot: Yaw and Pitch both carry the angle of joint 1 yaw. Give them different slots, or "
        "leave one out.",
    ),
    (
        (
            '{ signal = "Yaw", quantity = "angle", slot = 0 }',
            '{ signal = "Yaw", quantity = "angle", slot = 5 }',
        ),
        "messages[5].signals[1].slot: No node has an axis in slot 5. Mend the slot, or the slots of the axes.",
    ),
    (
        (
            '{ signal = "Yaw", quantity = "angle", slot = 0 }',
            '{ signal = "Yaw", quantity = "rate", slot = 0, unit = "rpm" }',
        ),
        "axes[1]: Joint 1 yaw (and 9 more) never reports its angle. Bind a signal of a feedback message to it.",
    ),
    (
        ('{ signal = "YawTarget", quantity = "angle", slot = 0 },', ""),
        "axes[1]: Joint 1 yaw (and 9 more) gets no set-point angle. Bind a signal of a set_point message to it.",
    ),
    (
        (
            '{ joint = 2, axis = "yaw", node = 2, slot = 0 }',
            '{ joint = 1, axis = "yaw", node = 2, slot = 0 }',
        ),
        "axes[3].joint: Joint 1 yaw is axes[1] already. Give it another joint or axis, or remove it.",
    ),
    (
        (
            '{ joint = 2, axis = "yaw", node = 2, slot = 0 }',
            '{ joint = 2, axis = "yaw", node = 2, slot = 1 }',
        ),
        "axes[4].slot: Slot 1 of node 2 moves joint 2 yaw already. Give it another node or slot.",
    ),
    (
        ("min_deg = -60.0", "min_deg = 61.0"),
        "limits.min_deg: 61° is not below max_deg = 60°. Give the smaller angle first.",
    ),
    (
        ("node = 3, slot = 1 }", "node = 3, slot = 1, max_deg = -70.0 }"),
        "axes[6].max_deg: Joint 3 pitch may go from -60° to -70°. Give the smaller angle as min_deg.",
    ),
    (
        ("SG_ YawTarget : 0|16@1- (0.01,0)", "SG_ YawTarget : 0|16@1- (0.001,0)"),
        "messages[1].signals[1]: JointSetPoint.YawTarget holds -32.77° to 32.77° of joint 1 yaw (and 9 more) where its "
        "limits are -60° and 60°. Narrow the limits, or mend its scale or range.",
    ),
    (
        ("lost_s = 0.2", "lost_s = 0.1"),
        "timing.lost_s: 0.1 s is before stale_s = 0.15 s. What is lost was stale before: give it a later time.",
    ),
    (
        ("stale_s = 0.15", "stale_s = 0.04"),
        "timing.stale_s: 0.04 s is no longer than the 0.05 s between two JointHeartbeat. Make it at least twice as "
        "long.",
    ),
    (
        ("every_s = 0.05", "every_s = 0.2"),
        "timing.lost_s: 0.2 s is no longer than the 0.2 s between two JointHeartbeat. Make it at least twice as long.",
    ),
    (
        ("reference_timeout_s = 0.25", "reference_timeout_s = 0.05"),
        "timing.reference_timeout_s: 0.05 s is less than the 0.1 s between two set-points. Make it longer, or "
        "set_point_rate_hz larger.",
    ),
    (
        ('every_s = 0.1\nsignals = [{ signal = "HostCount"', 'signals = [{ signal = "HostCount"'),
        "messages[2].every_s: Nobody says how often HostAlive is sent. Give it an interval.",
    ),
    (
        ("set_point_rate_hz = 10.0", "set_point_rate_hz = 350.0"),
        # 10 nodes, 135 bits, 350 Hz: 94.5 % of 500 kbit/s; 13.5 % feedback and 3.8 % heartbeats (10
        # * 20 * 95 bits).
        "timing.set_point_rate_hz: The traffic takes 112 % of the bus at 500000 bit/s (JointSetPoint 94 %, "
        "JointFeedback "
        "13 %, JointHeartbeat 4 %). Lower set_point_rate_hz or the rate of feedback, or raise the bus's bit rate.",
    ),
    (
        ("set_point_rate_hz = 10.0", "set_point_rate_hz = 250.0"),
        "timing.max_bus_load: The traffic takes 85 % of the bus at 500000 bit/s (JointSetPoint 68 %, JointFeedback 13 "
        "%, "
        "JointHeartbeat 4 %), more than max_bus_load = 0.8. Lower set_point_rate_hz or the rate of feedback, or raise "
        "the bus's bit rate.",
    ),
    (
        ('{ send = "JointCommand", signals = { Command = "Arm" } }', '{ send = "JointComand" }'),
        'sequences.arm[1].send: "JointComand" is no message of the profile. Did you mean JointCommand?',
    ),
    (
        ('{ send = "JointCommand", signals = { Command = "Arm" } }', '{ send = "JointFeedback" }'),
        "sequences.arm[1].send: JointFeedback comes from the robot. Name a message that goes to it.",
    ),
    (
        ('signals = { Command = "Arm" }', 'signals = { Command = "Army" }'),
        'sequences.arm[1].signals.Command: "Army": it is no value of Command and no formula. Give one of Arm, Disarm, '
        "Zero, Reset.",
    ),
    (
        ('signals = { Command = "Arm" }', "signals = { Command = 7 }"),
        "sequences.arm[1].signals.Command: 7: 7 is beyond what Command can hold. Give a value from 0 to 4.",
    ),
    (
        (
            'stop = [{ send = "BroadcastStop" }]',
            'stop = [{ wait_s = 0.1 }, { send = "BroadcastStop" }]',
        ),
        "sequences.stop[1]: Stopping would wait before its first frame. Send first.",
    ),
    (
        (
            'stop = [{ send = "BroadcastStop" }]',
            'stop = [{ send = "BroadcastStop", wait_s = 1.0 }]',
        ),
        "sequences.stop[1]: The step says send and wait_s. Give exactly one of send, raw, wait_s and expect.",
    ),
    (
        ('stop = [{ send = "BroadcastStop" }]', 'stop = [{ raw = "FG", id = "1" }]'),
        'sequences.stop[1].raw: "FG" are no bytes. Write them like FF FF 00 01.',
    ),
    (
        ('meaning = "armed"', 'meaning = "fault"'),
        "sequences.arm[2].expect: No status value means armed. Add one to the status values, or expect another.",
    ),
    (
        (
            'quantity = "counter" }]',
            'quantity = "checksum" }, { signal = "HostCount", quantity = "checksum", slot = 0 }]',
        ),
        "messages[2].signals: HostCount and HostCount would each be part of the other. Bind one checksum a message.",
    ),
    (
        ("SG_ Count : 24|8@1+", "SG_ Count : 24|1@1+"),
        "messages[7].signals[3].quantity: Count cannot count: it has 1 bit. Give the counter 2 bits or more.",
    ),
    (
        (
            '{ signal = "Count", quantity = "counter" },\n]',
            '{ signal = "Errors", quantity = "checksum" },\n]',
        ),
        "messages[7].signals[3].quantity: Errors is not a whole byte of JointHeartbeat. Put the checksum into a byte "
        "of "
        "its own in the DBC.",
    ),
    (
        ('message = "BroadcastStop"\n', 'message = "BroadcastStop"\nname = "JointCommand"\n'),
        "messages[4].name: messages[3] is called JointCommand, too. Give one of them a name of its own.",
    ),
    (
        ('message = "BroadcastStop"\n', 'message = "BroadcastStop"\nfixed = { Reason = 256 }\n'),
        "messages[4].fixed.Reason: 256: 256 is beyond what Reason can hold. Give a value from 0 to 255.",
    ),
]


@pytest.mark.parametrize(
    ("change", "sentence"), MESSAGES, ids=lambda part: part[:50] if isinstance(part, str) else None
)
def test_a_mistake_is_said(change: tuple[str, str], sentence: str) -> None:
    found = check(changed(change))
    assert sentence in sentences(found)
    assert found[0].severity == "error"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            (
                "SG_ YawTemperature : 0|8@1+ (1,-40) [-40|215]",
                "SG_ YawTemperature : 0|8@1+ (1,-40) [-40|400]",
            ),
            "messages[6].message: The range of YawTemperature reaches 400, above what its 8 bits can hold. Mend its "
            "range "
            "or length in lab_robot.dbc: it holds -40 to 215.",
        ),
        (
            ("window_timeout_s = 0.25", "window_timeout_s = 0.06"),
            "timing.window_timeout_s: 0.06 s is less than two of the window's signs of life, 0.05 s apart. Give at "
            "least "
            "0.15 s.",
        ),
        (
            ("every_s = 0.05", ""),
            "messages[7].every_s: Nobody says how often JointHeartbeat comes. Give its interval, so that the timeouts "
            "can be held against it.",
        ),
        (
            ("watchdog_s = 0.25", "watchdog_s = 0.1"),
            "emulation.watchdog_s: 0.1 s is no longer than the 0.1 s between two set-points. Make it longer: an "
            "emulated "
            "node would always stop.",
        ),
        (
            ("code = 4\n", "code = 3\n"),
            "status[5]: status[4] is found first whatever this one says. Put the one with more bits first.",
        ),
        (
            (
                "SG_ YawRateTarget : 32|16@1- (0.1,0) [-3276.8|3276.7]",
                "SG_ YawRateTarget : 32|16@1- (0.1,0) [-90|90]",
            ),
            "messages[1].signals[3]: JointSetPoint.YawRateTarget holds -90°/s to 90°/s of joint 1 yaw (and 9 more) "
            "where it may move at 120°/s. Narrow the limits, or mend its scale or range.",
        ),
    ],
)
def test_a_doubt_is_said_and_forbids_nothing(change: tuple[str, str], sentence: str) -> None:
    loaded = changed(change)
    assert sentences(check(loaded), "warning") == [sentence]
    assert arming_problems(loaded) == []


@pytest.mark.parametrize("stop", ["[]", '[{ send = "HostAlive" }]'])
def test_a_robot_that_nothing_stops_is_not_armed(stop: str) -> None:
    loaded = changed(('stop = [{ send = "BroadcastStop" }]', f"stop = {stop}"))
    assert sentences(arming_problems(loaded)) == [
        "sequences.stop: Nothing stops the robot. Say which frames switch its torque off."
    ]
    assert sentences(check(loaded)) == []
    assert sentences(check(loaded), "warning") == [
        "sequences.stop: Nothing stops the robot, so arming is refused. Say which frames switch its torque off."
    ]


_CURRENTS = (
    '{ signal = "YawCurrent", quantity = "current", slot = 0 },\n    { signal = "PitchCurrent", quantity = "current", '
    "slot = 1 },"
)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (((_CURRENTS, ""),), "limits.max_current_a: No signal carries the current, so"),
        (
            ((_CURRENTS, _CURRENTS.splitlines()[0]),),
            "limits.max_current_a: No signal carries the current of joint 1 pitch (and 9 more), so",
        ),
        (
            (
                ('{ signal = "Supply", quantity = "voltage" },\n', ""),
                ("node = 3, slot = 1 }", "node = 3, slot = 1, min_voltage_v = 20.0 }"),
            ),
            "axes[6].min_voltage_v: No signal carries the voltage of joint 3 pitch, so",
        ),
    ],
)
def test_a_limit_of_what_an_axis_never_says_keeps_the_robot_from_being_armed(
    changes: tuple[tuple[str, str], ...], said: str
) -> None:
    loaded = changed(*changes)
    (problem,) = arming_problems(loaded)
    assert problem.sentence().startswith(f"{said} this limit is never reached. Bind a signal")
    assert sentences(check(loaded)) == []
    (warned,) = sentences(check(loaded), "warning")
    assert "so this limit is never reached, so arming is refused" in warned


def test_a_limit_of_what_comes_nobody_knows_how_often_is_remarked() -> None:
    assert sentences(check(changed(("every_s = 0.5\n", ""))), "warning") == [
        "messages[6].every_s: Nobody says how often JointCondition comes, on whose temperature a limit stands. Give "
        "its interval; 1 s is taken for it meanwhile."
    ]


def test_a_limit_of_what_is_only_asked_for_while_the_robot_stands_is_remarked() -> None:
    path = find_profile("odrive_can_simple")
    toml = path.read_text(encoding="utf-8").replace(
        "remote = true\nevery_s = 0.5", 'remote = true\nwhen = "idle"\nevery_s = 0.5', 1
    )
    (said,) = sentences(
        check(parse_profile(toml, path.with_suffix(".dbc").read_text(encoding="utf-8"))), "warning"
    )
    assert said.endswith("A limit stands on it, so the robot would be stopped: ask always.")
    assert "Ask_Temperature asks for the temperature only while no set-points are sent" in said


def test_a_robot_without_heartbeat_is_not_armed() -> None:
    loaded = changed(('role = "heartbeat"', 'role = "feedback"'))
    assert sentences(arming_problems(loaded)) == [
        "messages: Nothing says that the robot is alive. Give what its nodes send regularly the role heartbeat."
    ]


REMARKS = [
    (
        ("lost_s = 0.2", "lost_s = 30.0"),
        "timing.lost_s: A joint or a node that fell silent is driven on for 30 s. Give 2 s or less.",
    ),
    (
        ("window_timeout_s = 0.25", "window_timeout_s = 5.0"),
        "timing.window_timeout_s: A robot whose window is gone is driven on for 5 s. Give 1 s or less.",
    ),
    (
        ("reference_timeout_s = 0.25", "reference_timeout_s = 10.0"),
        "timing.reference_timeout_s: A robot that gets no references any more is held for 10 s before it is stopped. "
        "Give 1 s or less.",
    ),
    (
        ("confirm_s = 1.0", "confirm_s = 60.0"),
        "timing.confirm_s: A robot that does not do as it is told is waited for 60 s with its torque on. Give 10 s or "
        "less.",
    ),
    (
        ('{ expect = "armed", timeout_s = 1.0 }', '{ expect = "armed", timeout_s = 60.0 }'),
        "sequences.arm[2].timeout_s: 60 s may pass before it is given up. Give 10 s or less.",
    ),
    (
        (
            'stop = [{ send = "BroadcastStop" }]',
            'stop = [{ send = "BroadcastStop" }, { wait_s = 20.0 }]',
        ),
        "sequences.stop: Its waits take 20 s, and no more than 1.5 s are waited when the program ends. Make them "
        "shorter.",
    ),
    (
        (
            'stop = [{ send = "BroadcastStop" }]',
            'stop = [{ send = "BroadcastStop" }, { send = "JointCommand", signals = { Command = "Arm" } }]',
        ),
        "sequences.stop[2]: This is what arms the robot, see sequences.arm[1]. Send what takes its torque away.",
    ),
    (
        (
            'stop = [{ send = "BroadcastStop" }]',
            'stop = [{ send = "BroadcastStop" }, { expect = "stopped", timeout_s = 9.0 }, { send = "BroadcastStop" }]',
        ),
        "sequences.stop: Its waits take 9 s, and no more than 1.5 s are waited when the program ends. Make "
        "them shorter.",
    ),
    (
        ("every_s = 0.5", "every_s = 60.0"),
        "messages[6].every_s: A limit stands on the temperature, whose silence stops the robot after 300 s only. Have "
        "it sent every 2 s or more often.",
    ),
    (
        ("watchdog_s = 0.25", "watchdog_s = 30.0"),
        "emulation.watchdog_s: Nodes go on for 30 s without set-points. Give 2 s or less, and the firmware the same: "
        "nothing else stops them when the link dies.",
    ),
    (
        ("disarm = [", "disarm = [{ wait_s = 8.0 }, { wait_s = 8.0 },"),
        "sequences.disarm: Its waits take 16 s. Give 10 s or less in all.",
    ),
    (
        (
            '{ send = "JointCommand", signals = { Command = "Zero" } }',
            '{ raw = "01", id = "0x100 + node" }',
        ),
        "sequences.zero[1]: This is what arms the robot, see sequences.arm[1]. Send what zeroes its joints.",
    ),
    (
        ('signals = { Command = "Reset" }', "signals = { Command = 1 }"),
        "sequences.reset[1]: This is what arms the robot, see sequences.arm[1]. Send what makes it forget a fault.",
    ),
]


@pytest.mark.parametrize(("change", "sentence"), REMARKS, ids=lambda part: part[-1][:30])
def test_what_makes_a_robot_go_on_for_long_is_remarked(
    change: tuple[str, str], sentence: str
) -> None:
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
def test_a_stop_that_arms_is_a_mistake(name: str, arms: str) -> None:
    """However it is written: what counts are the frames."""
    whole = TOML[TOML.index(f"{name} = [") :].split("]", 1)[0] + "]"
    loaded = changed((whole, f"{name} = [{arms}]"))
    said = f"sequences.{name}[1]: This is what arms the robot, see sequences.arm[1]. Send what takes its torque away."
    assert said in sentences(check(loaded))
    assert said in sentences(arming_problems(loaded))


def test_an_arm_sequence_that_waits_for_no_word_is_hinted_at() -> None:
    (hint,) = sentences(
        check(changed(('{ expect = "armed", timeout_s = 1.0 }', "{ wait_s = 0.1 }"))), "hint"
    )
    assert hint.startswith("sequences.arm: Nothing in it waits for the robot's word")


def test_joints_that_turn_up_and_down_only_are_no_fault() -> None:
    """One axis a joint, yaw and pitch in turn, as most snake robots are built."""
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


def test_a_joint_without_an_axis_is_remarked() -> None:
    toml = "\n".join(line for line in TOML.split("\n") if "joint = 3," not in line)
    assert sentences(check(parse_profile(toml, DBC)), "warning") == [
        "axes: Joint 3 has no axis. That is right for fixed joints; else number the joints without gaps."
    ]


def test_a_mistake_forbids_arming() -> None:
    loaded = changed(("min_deg = -60.0", "min_deg = 61.0"))
    assert [problem.key for problem in arming_problems(loaded)] == ["limits.min_deg"]


def test_every_mistake_is_found_at_once() -> None:
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


def test_a_checksum_over_two_bytes_is_refused_in_big_endian_too() -> None:
    toml = SERVO.read_text(encoding="utf-8")
    dbc = SERVO.with_suffix(".dbc").read_text(encoding="utf-8")
    loaded = parse_profile(toml, dbc.replace("SG_ Checksum : 63|8@0+", "SG_ Checksum : 59|8@0+"))
    # Bit 59 is in the middle of byte 7, so its last four bits do not fit.
    assert '"Checksum" does not fit into the 8 bytes of ServoFeedback' in "\n".join(
        sentences(check(loaded))
    )
