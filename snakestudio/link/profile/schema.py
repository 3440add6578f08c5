"""The robot profile: which frame of a DBC carries what of which joint, what is sent in which order, and what is safe.

As in scenes, numbers are held as they stand in the file, in the unit the key names; properties give
SI and radians.
"""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

from snakestudio.model.fields import Frozen, value
from snakestudio.model.robot.overrides import AXES

FORMAT = 1
"""Version of the profile file's format."""

Role = Literal["set_point", "sync", "request", "host_heartbeat", "command", "feedback", "heartbeat"]
"""What a message is for.

`set_point`: where the joints shall be, every period. `sync`: sent once after each period's
set-points. `request`: asks for feedback. `host_heartbeat`: tells the robot that we live. `command`:
sent by sequences only. `feedback` and `heartbeat` come from the robot.
"""

OUTGOING: tuple[Role, ...] = ("set_point", "sync", "request", "host_heartbeat", "command")
INCOMING: tuple[Role, ...] = ("feedback", "heartbeat")

AxisKind = Literal["yaw", "pitch", "roll"]
"""What an axis turns its joint about."""

Measured = Literal[
    "angle", "rate", "torque", "current", "temperature", "voltage", "status", "error"
]
"""What is told of an axis. `status` is looked up in the profile's status values, `error` in its
errors (0: none)."""

Quantity = Literal[Measured, "counter", "checksum"]
"""What a signal carries."""

MEASURED: tuple[Quantity, ...] = get_args(Measured)
"""In the order of telemetry."""

StatusMeaning = Literal["booting", "ready", "armed", "stopping", "stopped", "fault"]
"""What the robot says of itself: torque is off in all but `armed`."""


class Bus(Frozen):
    """The CAN bus, as python-can opens it."""

    interface: str = value(
        "socketcan",
        label="Interface",
        help="python-can's name of the adapter: socketcan, pcan, kvaser, vector, gs_usb, slcan, udp_multicast, virtual",
        min_length=1,
        max_length=60,
    )
    channel: str = value("can0", label="Channel", help="Which bus of the adapter", max_length=200)
    bitrate: int = value(
        500_000, label="Bit rate", unit="bit/s", help="Speed of the bus", ge=1000, le=8_000_000
    )
    fd: bool = value(False, label="CAN FD", help="Whether frames may have up to 64 bytes")
    data_bitrate: int = value(
        2_000_000,
        label="Data bit rate",
        unit="bit/s",
        help="Speed of the data part of CAN FD frames",
        ge=1000,
        le=8_000_000,
    )
    options: dict[str, str | int | float | bool] = value(
        {}, label="Options", help="Further arguments of python-can for this adapter", max_length=40
    )


class Timing(Frozen):
    """How often things are sent, and when what is not heard of counts as stale and as lost."""

    set_point_rate_hz: float = value(
        10.0,
        label="Set-point rate",
        unit="Hz",
        help="How often every joint gets a set-point",
        gt=0,
        le=1000,
    )
    stale_s: float = value(
        0.3,
        label="Stale after",
        unit="s",
        help="Age at which what the robot said is shown as stale",
        gt=0,
        le=60,
    )
    lost_s: float = value(
        0.5,
        label="Lost after",
        unit="s",
        help="Age of feedback or heartbeat at which the robot counts as lost and is stopped",
        gt=0,
        le=60,
    )
    window_timeout_s: float = value(
        0.25,
        label="Window timeout",
        unit="s",
        help="Silence of the program's window after which the robot is stopped",
        ge=0.05,
        le=10,
    )
    reference_timeout_s: float = value(
        0.3,
        label="Reference timeout",
        unit="s",
        help="Time without new references after which the robot is stopped, while streaming",
        ge=0.02,
        le=10,
    )
    confirm_s: float = value(
        1.0,
        label="Confirmation",
        unit="s",
        help="Time in which the robot must say that it is armed",
        gt=0,
        le=60,
    )
    max_bus_load: float = value(
        0.8,
        label="Bus load at most",
        help="Share of the bus's time that the traffic may take",
        gt=0,
        le=1,
    )


def _current_limit() -> Any:
    return value(
        None,
        label="Current at most",
        unit="A",
        help="Measured motor current above which the robot is stopped",
        gt=0,
    )


def _temperature_limit() -> Any:
    return value(
        None,
        label="Temperature at most",
        unit="°C",
        help="Measured motor temperature above which the robot is stopped",
        gt=-273,
        le=1000,
    )


def _voltage_limit() -> Any:
    return value(
        None,
        label="Voltage at least",
        unit="V",
        help="Measured supply voltage below which the robot is stopped",
        gt=0,
        le=1e5,
    )


class Limits(Frozen):
    """What no joint may be asked for, and what no joint may report."""

    min_deg: float = value(
        -60.0, label="Least angle", unit="°", help="Smallest joint angle", ge=-3600, le=3600
    )
    max_deg: float = value(
        60.0, label="Largest angle", unit="°", help="Largest joint angle", ge=-3600, le=3600
    )
    margin_deg: float = value(
        5.0,
        label="Margin",
        unit="°",
        help="How far beyond its limits a joint may be measured before the robot is stopped",
        ge=0,
        le=360,
    )
    max_rate_deg_per_s: float = value(
        180.0, label="Rate at most", unit="°/s", help="Fastest change of a set-point", gt=0, le=1e5
    )
    max_acceleration_deg_per_s2: float = value(
        2000.0,
        label="Acceleration at most",
        unit="°/s²",
        help="Fastest change of a set-point's rate",
        gt=0,
        le=1e7,
    )
    ramp_rate_deg_per_s: float = value(
        30.0,
        label="Ramp",
        unit="°/s",
        help="How fast a joint is led from where it stands to where it is told to be, when streaming begins",
        gt=0,
        le=1e4,
    )
    max_current_a: float | None = _current_limit()
    max_temperature_c: float | None = _temperature_limit()
    min_voltage_v: float | None = _voltage_limit()
    max_error_deg: float | None = value(
        None,
        label="Deviation at most",
        unit="°",
        help="Distance of a measured angle from its set-point above which the robot is stopped",
        gt=0,
        le=3600,
    )
    on_lost: Literal["stop", "disarm", "warn"] = value(
        "stop",
        label="If not heard of",
        help="What is done when current, temperature, voltage or error bits fall silent that a limit stands on: the "
        "stop sequence, the disarm sequence, or a warning alone; such a robot is not armed in any case",
    )


class Axis(Frozen):
    """One axis of a joint: who moves it, and how its angle is counted there.

    A node reports (and is told) ``gear * (sign * angle + offset)``. What is None is as in the
    profile's limits.
    """

    joint: int = value(
        label="Joint", help="Number of the joint, from 1 behind link 1", ge=1, le=1000
    )
    axis: AxisKind = value(
        "yaw", label="Axis", help="What it turns the joint about, as in the scene"
    )
    node: int = value(label="Node", help="Number of the node that moves it", ge=0, le=0x1FFFFFFF)
    slot: int = value(0, label="Slot", help="Which of the node's axes it is, from 0", ge=0, le=63)
    sign: Literal[1, -1] = value(1, label="Sign", help="-1 if the node counts the other way round")
    offset_deg: float = value(
        0.0,
        label="Offset",
        unit="°",
        help="What the node says when the joint is straight",
        ge=-3600,
        le=3600,
    )
    gear: float = value(
        1.0, label="Gear", help="Turns that the node counts for one turn of the joint", gt=0, le=1e5
    )
    min_deg: float | None = value(
        None, label="Least angle", unit="°", help="Smallest joint angle", ge=-3600, le=3600
    )
    max_deg: float | None = value(
        None, label="Largest angle", unit="°", help="Largest joint angle", ge=-3600, le=3600
    )
    max_rate_deg_per_s: float | None = value(
        None, label="Rate at most", unit="°/s", help="Fastest change of a set-point", gt=0, le=1e5
    )
    max_acceleration_deg_per_s2: float | None = value(
        None,
        label="Acceleration at most",
        unit="°/s²",
        help="Fastest change of a set-point's rate",
        gt=0,
        le=1e7,
    )
    max_current_a: float | None = _current_limit()
    max_temperature_c: float | None = _temperature_limit()
    min_voltage_v: float | None = _voltage_limit()

    @property
    def name(self) -> str:
        """How it is called in tables and sentences: "joint 3 yaw"."""
        return f"joint {self.joint} {self.axis}"

    @property
    def offset(self) -> float:
        """What the node says when the joint is straight, rad at the joint."""
        return math.radians(self.offset_deg)


class Signal(Frozen):
    """A signal of a DBC message, and what it carries."""

    signal: str = value(label="Signal", help="Its name in the DBC", min_length=1, max_length=200)
    quantity: Quantity = value(label="Carries", help="What it carries")
    slot: int | None = value(
        None,
        label="Slot",
        help="Which of the node's axes it is about; all of them if left out",
        ge=0,
        le=63,
    )
    unit: str | None = value(
        None,
        label="Unit",
        max_length=20,
        help="Unit of its physical value, if the DBC names none or a wrong one: rad, deg, turn, rad/s, rpm, A ...",
    )
    factor: float | None = value(
        None,
        label="Factor",
        help="SI units (rad, rad/s, N m, A, V, °C) in one of its physical value, for odd units",
    )
    range: tuple[float, float] | None = value(
        None,
        label="Range",
        help="Physical values of the smallest and the largest raw value, in its unit, in place of the DBC's scale",
    )
    encoding: Literal["dbc", "float32"] = value(
        "dbc",
        label="Encoding",
        help="As the DBC says, or the 32 bits of an IEEE 754 number whatever the DBC says",
    )
    checksum: Literal["xor8", "sum8", "crc8_j1850", "crc8_autosar"] = value(
        "crc8_j1850",
        label="Checksum",
        help="How a checksum is made, of all bytes of the frame but its own",
    )


class Message(Frozen):
    """A message of the DBC, bound to what it is for, once for all nodes."""

    role: Role = value(label="Role", help="What it is for")
    message: str = value(label="Message", help="Its name in the DBC", min_length=1, max_length=200)
    name: str = value(
        "", label="Name", help="What sequences call it; the message's if left out", max_length=200
    )
    id: str = value(
        "",
        label="Id",
        max_length=200,
        help="Formula of the frame's id in `node`, such as 0x200 + node or node << 5 | 0x0C; the DBC's own if left out",
    )
    extended: bool | None = value(
        None, label="29-bit id", help="Whether the id has 29 bits; as in the DBC if left out"
    )
    each: Literal["node", "once"] = value(
        "node", label="Each", help="One frame for every node, or one for all"
    )
    remote: bool = value(
        False, label="Remote frame", help="Whether it is sent as a remote frame (requests)"
    )
    every_s: float | None = value(
        None,
        label="Every",
        unit="s",
        help="Interval of requests and heartbeats; of feedback: how often it comes, for bus load and emulation",
        gt=0,
        le=3600,
    )
    when: Literal["always", "idle", "change"] = value(
        "always",
        label="When",
        help="When a request or heartbeat is sent: always, or (idle) only while no set-points are, as a poll would "
        "disturb those; of what the robot sends: every interval, or (change) only when something changes, as "
        "CANopen's EMCY comes with errors alone",
    )
    fixed: dict[str, float | str] = value(
        {},
        label="Fixed",
        max_length=200,
        help="Signals with fixed values (or formulas in `node`): sent so, and of received frames the ones meant",
    )
    signals: tuple[Signal, ...] = value(
        (), label="Signals", help="What its signals carry", max_length=500
    )

    @property
    def called(self) -> str:
        """What sequences call it."""
        return self.name or self.message


class StatusValue(Frozen):
    """What a value of a status signal means."""

    code: int = value(label="Code", help="Value of the status after masking", ge=0, le=2**32 - 1)
    mask: int = value(2**32 - 1, label="Mask", help="Bits that count", ge=0, le=2**32 - 1)
    meaning: StatusMeaning = value(
        label="Meaning",
        help="What the robot says by it; torque is on when armed, and may be while it is stopping",
    )
    text: str = value("", label="Text", help="In words, for tables and events", max_length=200)


class ErrorMeaning(Frozen):
    """What bits of an error signal mean."""

    mask: int = value(label="Bits", help="Bits of the error signal", ge=1, le=2**32 - 1)
    text: str = value(
        label="Text", help="In words, for tables and events", min_length=1, max_length=200
    )


class Step(Frozen):
    """One step of a sequence: exactly one of send, raw, wait_s and expect."""

    send: str | None = value(
        None, label="Send", help="Name of a message of the profile", max_length=200
    )
    signals: dict[str, float | str] = value(
        {}, label="Signals", help="Values (or formulas in `node`) of its signals", max_length=200
    )
    raw: str | None = value(
        None, label="Bytes", help="Bytes to send as they are, in hexadecimal", max_length=200
    )
    id: str = value(
        "", label="Id", help="Formula of the id that raw bytes are sent to", max_length=200
    )
    extended: bool = value(False, label="29-bit id", help="Whether that id has 29 bits")
    each: Literal["node", "once"] = value(
        "node", label="Each", help="Raw bytes to every node, or once for all"
    )
    wait_s: float | None = value(
        None, label="Wait", unit="s", help="Do nothing so long", gt=0, le=60
    )
    expect: StatusMeaning | None = value(
        None, label="Expect", help="Go on when all nodes say so, and give up if they do not in time"
    )
    timeout_s: float = value(
        1.0, label="Timeout", unit="s", help="How long that may take", gt=0, le=60
    )


class Sequences(Frozen):
    """What is sent to arm, disarm, stop and zero the robot, and to make it forget a fault."""

    arm: tuple[Step, ...] = value(
        (), label="Arm", help="Torque on; the joints hold where they stand", max_length=200
    )
    disarm: tuple[Step, ...] = value(
        (), label="Disarm", help="Torque off, in order", max_length=200
    )
    stop: tuple[Step, ...] = value(
        (),
        label="Stop",
        help="To the safe state as fast as possible: no waits before the first frame",
        max_length=200,
    )
    zero: tuple[Step, ...] = value(
        (), label="Zero", help="The present position becomes zero", max_length=200
    )
    reset: tuple[Step, ...] = value(
        (), label="Reset", help="The robot forgets a fault", max_length=200
    )


Action = Literal["stop", "disarm"]


class OnLoss(Frozen):
    """What is done when something goes silent or wrong: the stop sequence, or the disarm sequence."""

    window: Action = value("stop", label="Window", help="The program's window is silent")
    reference: Action = value("stop", label="References", help="No new references while streaming")
    feedback: Action = value("stop", label="Feedback", help="A joint's feedback is lost")
    heartbeat: Action = value("stop", label="Heartbeat", help="A node's heartbeat is lost")
    bus: Action = value("stop", label="Bus", help="The adapter fails, or the bus is off")
    decode: Action = value(
        "stop", label="Unreadable frames", help="A frame of the profile cannot be read"
    )
    limit: Action = value("stop", label="Limits", help="A joint is measured beyond a limit")
    fault: Action = value(
        "stop", label="Fault", help="The robot reports a fault, or is no longer armed"
    )


class Emulation(Frozen):
    """How the emulated robot behaves where the bus does not say."""

    firmware: Literal["generic", "odrive_can_simple", "cia402", "mit"] = value(
        "generic",
        label="Firmware",
        help="Whose rules its nodes follow; generic: those of this profile's sequences",
    )
    plugin_firmware: str = value(
        "",
        label="Plug-in's firmware",
        help="Name of the firmware of a plug-in, in place of that",
        max_length=80,
    )
    boot_s: float = value(0.5, label="Boot", unit="s", help="From power on to ready", ge=0, le=60)
    watchdog_s: float = value(
        0.2,
        label="Watchdog",
        unit="s",
        help="Time without set-points after which an armed node stops by itself",
        ge=0.01,
        le=60,
    )
    start_delay_s: tuple[float, float] = value(
        (0.05, 0.15),
        label="Start-up lag",
        unit="s",
        help="Least and largest time from the first set-point to motion",
    )
    inertia_kg_m2: float = value(
        0.02, label="Inertia", unit="kg m²", help="What a motor moves", gt=0, le=1e4
    )
    kp_nm_per_rad: float = value(
        60.0, label="Stiffness", unit="N m/rad", help="Of a node's position loop", gt=0, le=1e6
    )
    kd_nms_per_rad: float = value(
        2.0, label="Damping", unit="N m s/rad", help="Of a node's position loop", ge=0, le=1e6
    )
    max_torque_nm: float = value(
        7.0, label="Largest torque", unit="N m", help="A motor saturates", gt=0, le=1e6
    )
    time_constant_s: float = value(
        0.01, label="Time constant", unit="s", help="Lag of a motor", ge=0, le=10
    )
    free_play_deg: float = value(
        4.0, label="Free play", unit="°", help="Play of the gears", ge=0, le=90
    )
    encoder_bits: int = value(
        12, label="Encoder", unit="bit", help="Resolution of a turn of the joint", ge=4, le=32
    )
    increments_per_turn: int = value(
        65_536,
        label="Increments",
        help="Of a CiA 402 drive: position increments in one turn of what the node counts",
        ge=1,
        le=2**31 - 1,
    )
    torque_nm_per_a: float = value(
        1.5, label="Torque constant", unit="N m/A", help="Torque for the current", gt=0
    )
    thermal_resistance_k_per_w: float = value(
        2.0, label="Thermal resistance", unit="K/W", help="To the air", ge=0
    )
    thermal_capacity_j_per_k: float = value(
        60.0, label="Heat capacity", unit="J/K", help="Of a motor", gt=0
    )
    winding_ohm: float = value(0.8, label="Winding", unit="Ω", help="Resistance of a motor", ge=0)
    friction_nms_per_rad: float = value(
        0.2,
        label="Friction",
        unit="N m s/rad",
        help="Viscous friction of a joint, which is all that slows a limp one",
        ge=0,
        le=1e6,
    )
    supply_v: float = value(
        24.0, label="Supply", unit="V", help="Voltage that the nodes measure", ge=0, le=1e4
    )
    air_c: float = value(
        25.0, label="Air", unit="°C", help="Temperature around the motors", gt=-273, le=200
    )
    trip_c: float = value(
        80.0,
        label="Overheating",
        unit="°C",
        help="Motor temperature at which a node stops with a fault",
        gt=-273,
        le=1000,
    )


class Plugins(Frozen):
    """Code of users that may move the robot."""

    allowed: tuple[str, ...] = value(
        (),
        label="Allowed",
        max_length=100,
        help="Names of plug-ins whose gaits and controllers may drive the robot; all others are refused",
    )


class Profile(Frozen):
    """Everything that makes a robot on CAN one that can be driven."""

    format: Literal[1] = value(FORMAT, label="Format", help="Version of the file format")
    name: str = value(label="Name", help="Name of the robot", min_length=1, max_length=80)
    description: str = value("", label="Description", help="What it is", max_length=4000)
    dbc: str = value(
        label="DBC", help="File of its messages, beside this one", min_length=1, max_length=400
    )
    bus: Bus = value(Bus(), label="Bus", help="The CAN bus")
    timing: Timing = value(Timing(), label="Timing", help="Rates and timeouts")
    limits: Limits = value(Limits(), label="Limits", help="What no joint may be asked for")
    axes: tuple[Axis, ...] = value(
        label="Axes", help="The axes of the joints", min_length=1, max_length=2000
    )
    messages: tuple[Message, ...] = value(
        label="Messages", help="The messages bound", min_length=1, max_length=500
    )
    status: tuple[StatusValue, ...] = value(
        (), label="Status", help="Meaning of status values", max_length=500
    )
    errors: tuple[ErrorMeaning, ...] = value(
        (), label="Errors", help="Meaning of error bits", max_length=500
    )
    sequences: Sequences = value(
        Sequences(), label="Sequences", help="What is sent to arm, stop and so on"
    )
    on_loss: OnLoss = value(
        OnLoss(), label="On loss", help="What is done when something goes silent"
    )
    plugins: Plugins = value(
        Plugins(), label="Plug-ins", help="Code of users that may move the robot"
    )
    emulation: Emulation = value(
        Emulation(), label="Emulation", help="How the emulated robot behaves"
    )

    @property
    def n_joints(self) -> int:
        """Number of joints: the largest that an axis names."""
        return max(axis.joint for axis in self.axes)

    @property
    def kinds_of_joints(self) -> dict[int, tuple[str, ...]]:
        """Kinds of the axes of every joint (from 1) that has any, each in the order yaw, pitch, roll."""
        kinds: dict[int, set[str]] = {}
        for axis in self.axes:
            kinds.setdefault(axis.joint, set()).add(axis.axis)
        return {
            joint: tuple(kind for kind in AXES if kind in kinds[joint]) for joint in sorted(kinds)
        }

    @property
    def axes_text(self) -> str:
        """Which axes its joints have, in words: "yaw and pitch", "alternating yaw and pitch", "yaw or roll"."""
        kinds = list(self.kinds_of_joints.values())
        if all(each == kinds[0] for each in kinds):
            return " and ".join(kinds[0])
        if (
            kinds == [kinds[number % 2] for number in range(len(kinds))]
            and len(kinds[0]) == len(kinds[1]) == 1
        ):
            return f"alternating {kinds[0][0]} and {kinds[1][0]}"
        return " or ".join(dict.fromkeys(" and ".join(each) for each in kinds))

    @property
    def nodes(self) -> tuple[int, ...]:
        """Its nodes, in the order in which the axes name them first."""
        return tuple(dict.fromkeys(axis.node for axis in self.axes))
