"""The robot profile: which frame of a DBC carries what of which joint, what is sent in which order, and what is safe.

As in scenes, fields have the values of the file, in the unit that the key names; properties are in
SI units and radians.
"""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

from snakestudio.model.fields import Frozen, value
from snakestudio.model.robot.overrides import AXES

FORMAT = 1
"""Version of the profile file's format."""

Role = Literal["set_point", "sync", "request", "host_heartbeat", "command", "feedback", "heartbeat"]
"""Purpose of a message.

`set_point`: target angles of the joints, every period. `sync`: sent once after each period's
set-points. `request`: requests feedback. `host_heartbeat`: shows the robot that the program is
alive. `command`: sent by sequences only. `feedback` and `heartbeat` come from the robot.
"""

OUTGOING: tuple[Role, ...] = ("set_point", "sync", "request", "host_heartbeat", "command")
INCOMING: tuple[Role, ...] = ("feedback", "heartbeat")

AxisKind = Literal["yaw", "pitch", "roll"]
"""Direction of a joint's axis of rotation."""

Measured = Literal[
    "angle", "rate", "torque", "current", "temperature", "voltage", "status", "error"
]
"""Quantities of an axis. Values of `status` have their meaning in the profile's status values, those
of `error` in its errors (0: none)."""

Quantity = Literal[Measured, "counter", "checksum"]
"""Content of a signal."""

MEASURED: tuple[Quantity, ...] = get_args(Measured)
"""In the order of telemetry."""

StatusMeaning = Literal["booting", "ready", "armed", "stopping", "stopped", "fault"]
"""States that the robot reports: torque is off in all but `armed`."""


class Bus(Frozen):
    """The CAN bus, as python-can opens it."""

    interface: str = value(
        "socketcan",
        label="Interface",
        help="python-can's name of the adapter: socketcan, pcan, kvaser, vector, gs_usb, slcan, udp_multicast, virtual",
        min_length=1,
        max_length=60,
    )
    channel: str = value("can0", label="Channel", help="Bus of the adapter", max_length=200)
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
    """Rates of frames, and ages at which received values count as stale and as lost."""

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
        help="Age at which values from the robot are shown as stale",
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
        help="Time without signs of life from the window after which the robot is stopped",
        ge=0.05,
        le=10,
    )
    reference_timeout_s: float = value(
        0.3,
        label="Reference timeout",
        unit="s",
        help="Time without new references after which the robot is stopped while streaming",
        ge=0.02,
        le=10,
    )
    confirm_s: float = value(
        1.0,
        label="Confirmation",
        unit="s",
        help="Time in which the robot must report that it is armed",
        gt=0,
        le=60,
    )
    max_bus_load: float = value(
        0.8,
        label="Maximum bus load",
        help="Largest share of the bus capacity that the traffic may use",
        gt=0,
        le=1,
    )


def _current_limit() -> Any:
    return value(
        None,
        label="Maximum current",
        unit="A",
        help="Measured motor current above which the robot is stopped",
        gt=0,
    )


def _temperature_limit() -> Any:
    return value(
        None,
        label="Maximum temperature",
        unit="°C",
        help="Measured motor temperature above which the robot is stopped",
        gt=-273,
        le=1000,
    )


def _voltage_limit() -> Any:
    return value(
        None,
        label="Minimum voltage",
        unit="V",
        help="Measured supply voltage below which the robot is stopped",
        gt=0,
        le=1e5,
    )


class Limits(Frozen):
    """Limits of set-points, and of the values that joints report."""

    min_deg: float = value(
        -60.0, label="Minimum angle", unit="°", help="Smallest joint angle", ge=-3600, le=3600
    )
    max_deg: float = value(
        60.0, label="Maximum angle", unit="°", help="Largest joint angle", ge=-3600, le=3600
    )
    margin_deg: float = value(
        5.0,
        label="Margin",
        unit="°",
        help="Distance of a measured angle beyond its limits at which the robot is stopped",
        ge=0,
        le=360,
    )
    max_rate_deg_per_s: float = value(
        180.0, label="Maximum rate", unit="°/s", help="Fastest change of a set-point", gt=0, le=1e5
    )
    max_acceleration_deg_per_s2: float = value(
        2000.0,
        label="Maximum acceleration",
        unit="°/s²",
        help="Fastest change of a set-point's rate",
        gt=0,
        le=1e7,
    )
    ramp_rate_deg_per_s: float = value(
        30.0,
        label="Ramp",
        unit="°/s",
        help="Speed at which a joint moves from its actual angle to its reference when streaming begins",
        gt=0,
        le=1e4,
    )
    max_current_a: float | None = _current_limit()
    max_temperature_c: float | None = _temperature_limit()
    min_voltage_v: float | None = _voltage_limit()
    max_error_deg: float | None = value(
        None,
        label="Maximum deviation",
        unit="°",
        help="Distance between a measured angle and its set-point above which the robot is stopped",
        gt=0,
        le=3600,
    )
    on_lost: Literal["stop", "disarm", "warn"] = value(
        "stop",
        label="On missing values",
        help="Reaction when a limited current, temperature or voltage, or error bits, are no longer reported: the "
        "stop sequence, the disarm sequence, or only a warning; the robot cannot be armed without them in any case",
    )


class Axis(Frozen):
    """One axis of a joint: the node that moves it, and how the node counts its angle.

    A node reports and receives ``gear * (sign * angle + offset)``. Limits of None default to
    those of the profile.
    """

    joint: int = value(
        label="Joint", help="Number of the joint; joint 1 is behind link 1", ge=1, le=1000
    )
    axis: AxisKind = value("yaw", label="Axis", help="Axis of rotation, as in the scene")
    node: int = value(
        label="Node", help="Number of the node that moves the axis", ge=0, le=0x1FFFFFFF
    )
    slot: int = value(0, label="Slot", help="Number of the axis on its node, from 0", ge=0, le=63)
    sign: Literal[1, -1] = value(
        1, label="Sign", help="-1 if the node counts in the opposite direction"
    )
    offset_deg: float = value(
        0.0,
        label="Offset",
        unit="°",
        help="Angle that the node reports when the joint is straight",
        ge=-3600,
        le=3600,
    )
    gear: float = value(
        1.0, label="Gear", help="Turns that the node counts per turn of the joint", gt=0, le=1e5
    )
    min_deg: float | None = value(
        None, label="Minimum angle", unit="°", help="Smallest joint angle", ge=-3600, le=3600
    )
    max_deg: float | None = value(
        None, label="Maximum angle", unit="°", help="Largest joint angle", ge=-3600, le=3600
    )
    max_rate_deg_per_s: float | None = value(
        None, label="Maximum rate", unit="°/s", help="Fastest change of a set-point", gt=0, le=1e5
    )
    max_acceleration_deg_per_s2: float | None = value(
        None,
        label="Maximum acceleration",
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
        """Name in tables and messages: "joint 3 yaw"."""
        return f"joint {self.joint} {self.axis}"

    @property
    def offset(self) -> float:
        """Angle that the node reports when the joint is straight, rad at the joint."""
        return math.radians(self.offset_deg)


class Signal(Frozen):
    """A signal of a DBC message with the quantity that it carries."""

    signal: str = value(label="Signal", help="Name in the DBC", min_length=1, max_length=200)
    quantity: Quantity = value(label="Carries", help="Quantity that it carries")
    slot: int | None = value(
        None,
        label="Slot",
        help="Number of the axis on the node; all axes if omitted",
        ge=0,
        le=63,
    )
    unit: str | None = value(
        None,
        label="Unit",
        max_length=20,
        help="Unit of the physical value if it is missing or wrong in the DBC, such as rad, deg, turn, rad/s, rpm or A",
    )
    factor: float | None = value(
        None,
        label="Factor",
        help="SI units (rad, rad/s, N m, A, V, °C) per unit of the physical value, for unusual units",
    )
    range: tuple[float, float] | None = value(
        None,
        label="Range",
        help="Physical values of the smallest and the largest raw value, in the unit of the signal; replaces the scale "
        "of the DBC",
    )
    encoding: Literal["dbc", "float32"] = value(
        "dbc",
        label="Encoding",
        help="As in the DBC, or the 32 bits of an IEEE 754 number regardless of the DBC",
    )
    checksum: Literal["xor8", "sum8", "crc8_j1850", "crc8_autosar"] = value(
        "crc8_j1850",
        label="Checksum",
        help="Algorithm of the checksum over all other bytes of the frame",
    )


class Message(Frozen):
    """A message of the DBC with its purpose, for all nodes."""

    role: Role = value(label="Role", help="Purpose of the message")
    message: str = value(label="Message", help="Name in the DBC", min_length=1, max_length=200)
    name: str = value(
        "",
        label="Name",
        help="Name in sequences; the name of the message if omitted",
        max_length=200,
    )
    id: str = value(
        "",
        label="Id",
        max_length=200,
        help="Formula of the id in `node`, such as 0x200 + node or node << 5 | 0x0C; the id of the DBC if omitted",
    )
    extended: bool | None = value(
        None, label="29-bit id", help="Whether the id has 29 bits; as in the DBC if omitted"
    )
    each: Literal["node", "once"] = value(
        "node", label="Each", help="One frame for each node, or one for all"
    )
    remote: bool = value(
        False, label="Remote frame", help="Whether a request is sent as a remote frame"
    )
    every_s: float | None = value(
        None,
        label="Every",
        unit="s",
        help="Interval of requests and heartbeats; for feedback: the interval at which the robot sends it, used for "
        "timeouts, bus load and emulation",
        gt=0,
        le=3600,
    )
    when: Literal["always", "idle", "change"] = value(
        "always",
        label="When",
        help="When a request or heartbeat is sent: always, or (idle) only while no set-points are sent, because a poll "
        "would disturb them; for frames from the robot: at every interval, or (change) only on changes, such as "
        "CANopen's EMCY, which is sent only with errors",
    )
    fixed: dict[str, float | str] = value(
        {},
        label="Fixed",
        max_length=200,
        help="Signals with fixed values (or formulas in `node`), in sent frames and as a condition for received ones",
    )
    signals: tuple[Signal, ...] = value(
        (), label="Signals", help="Quantities of its signals", max_length=500
    )

    @property
    def called(self) -> str:
        """Name in sequences."""
        return self.name or self.message


class StatusValue(Frozen):
    """Meaning of a value of a status signal."""

    code: int = value(label="Code", help="Value of the status after masking", ge=0, le=2**32 - 1)
    mask: int = value(2**32 - 1, label="Mask", help="Bits that are compared", ge=0, le=2**32 - 1)
    meaning: StatusMeaning = value(
        label="Meaning",
        help="State of the robot; torque is on when armed, and may be on while stopping",
    )
    text: str = value("", label="Text", help="Description for tables and events", max_length=200)


class ErrorMeaning(Frozen):
    """Meaning of bits of an error signal."""

    mask: int = value(label="Bits", help="Bits of the error signal", ge=1, le=2**32 - 1)
    text: str = value(
        label="Text", help="Description for tables and events", min_length=1, max_length=200
    )


class Step(Frozen):
    """One step of a sequence: exactly one of send, raw, wait_s and expect."""

    send: str | None = value(
        None, label="Send", help="Name of a message of the profile", max_length=200
    )
    signals: dict[str, float | str] = value(
        {},
        label="Signals",
        help="Values (or formulas in `node`) of the message's signals",
        max_length=200,
    )
    raw: str | None = value(
        None, label="Bytes", help="Raw bytes to send, in hexadecimal", max_length=200
    )
    id: str = value(
        "", label="Id", help="Formula of the id with which raw bytes are sent", max_length=200
    )
    extended: bool = value(False, label="29-bit id", help="Whether the id of raw bytes has 29 bits")
    each: Literal["node", "once"] = value(
        "node", label="Each", help="Raw bytes to each node, or once for all"
    )
    wait_s: float | None = value(
        None, label="Wait", unit="s", help="Pause before the next step", gt=0, le=60
    )
    expect: StatusMeaning | None = value(
        None,
        label="Expect",
        help="Continue when all nodes report this status; abort after the timeout",
    )
    timeout_s: float = value(
        1.0,
        label="Timeout",
        unit="s",
        help="Longest time to wait for the expected status",
        gt=0,
        le=60,
    )


class Sequences(Frozen):
    """Frames that arm, disarm, stop and zero the robot, and clear its faults."""

    arm: tuple[Step, ...] = value(
        (), label="Arm", help="Torque on; the joints hold their actual angles", max_length=200
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
        (), label="Zero", help="Make the actual position the zero position", max_length=200
    )
    reset: tuple[Step, ...] = value(
        (), label="Reset", help="Clear the faults of the robot", max_length=200
    )


Action = Literal["stop", "disarm"]


class OnLoss(Frozen):
    """Reactions to missing signs of life and to failures: the stop sequence, or the disarm sequence."""

    window: Action = value("stop", label="Window", help="The window sends no signs of life")
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
    """Behaviour of the emulated robot that does not follow from the bus."""

    firmware: Literal["generic", "odrive_can_simple", "cia402", "mit"] = value(
        "generic",
        label="Firmware",
        help="Firmware that the nodes emulate; generic: follows the sequences of this profile",
    )
    plugin_firmware: str = value(
        "",
        label="Plug-in firmware",
        help="Name of the firmware of a plug-in; replaces firmware",
        max_length=80,
    )
    boot_s: float = value(
        0.5, label="Boot", unit="s", help="Time from power-on to ready", ge=0, le=60
    )
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
        help="Shortest and longest time from the first set-point to motion",
    )
    inertia_kg_m2: float = value(
        0.02, label="Inertia", unit="kg m²", help="Inertia that a motor moves", gt=0, le=1e4
    )
    kp_nm_per_rad: float = value(
        60.0,
        label="Stiffness",
        unit="N m/rad",
        help="Stiffness of a node's position loop",
        gt=0,
        le=1e6,
    )
    kd_nms_per_rad: float = value(
        2.0,
        label="Damping",
        unit="N m s/rad",
        help="Damping of a node's position loop",
        ge=0,
        le=1e6,
    )
    max_torque_nm: float = value(
        7.0,
        label="Maximum torque",
        unit="N m",
        help="Torque at which a motor saturates",
        gt=0,
        le=1e6,
    )
    time_constant_s: float = value(
        0.01, label="Time constant", unit="s", help="Time constant of a motor's torque", ge=0, le=10
    )
    free_play_deg: float = value(
        4.0, label="Backlash", unit="°", help="Backlash of the gears", ge=0, le=90
    )
    encoder_bits: int = value(
        12, label="Encoder", unit="bit", help="Resolution of one turn of the joint", ge=4, le=32
    )
    increments_per_turn: int = value(
        65_536,
        label="Increments",
        help="Position increments per turn that the node counts, for a CiA 402 drive",
        ge=1,
        le=2**31 - 1,
    )
    torque_nm_per_a: float = value(
        1.5, label="Torque constant", unit="N m/A", help="Torque per current", gt=0
    )
    thermal_resistance_k_per_w: float = value(
        2.0,
        label="Thermal resistance",
        unit="K/W",
        help="Thermal resistance from a motor to the air",
        ge=0,
    )
    thermal_capacity_j_per_k: float = value(
        60.0, label="Heat capacity", unit="J/K", help="Heat capacity of a motor", gt=0
    )
    winding_ohm: float = value(0.8, label="Winding", unit="Ω", help="Resistance of a motor", ge=0)
    friction_nms_per_rad: float = value(
        0.2,
        label="Friction",
        unit="N m s/rad",
        help="Viscous friction of a joint, the only damping without torque",
        ge=0,
        le=1e6,
    )
    supply_v: float = value(
        24.0, label="Supply", unit="V", help="Supply voltage that the nodes measure", ge=0, le=1e4
    )
    air_c: float = value(
        25.0, label="Air", unit="°C", help="Air temperature around the motors", gt=-273, le=200
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
    """Plug-ins that may move the robot."""

    allowed: tuple[str, ...] = value(
        (),
        label="Allowed",
        max_length=100,
        help="Names of plug-ins whose gaits and controllers may drive the robot; others are rejected",
    )


class Profile(Frozen):
    """Everything that is needed to drive a robot on CAN."""

    format: Literal[1] = value(FORMAT, label="Format", help="Version of the file format")
    name: str = value(label="Name", help="Name of the robot", min_length=1, max_length=80)
    description: str = value(
        "", label="Description", help="Short description of the robot", max_length=4000
    )
    dbc: str = value(
        label="DBC",
        help="File with the robot's messages, in the folder of the profile",
        min_length=1,
        max_length=400,
    )
    bus: Bus = value(Bus(), label="Bus", help="The CAN bus")
    timing: Timing = value(Timing(), label="Timing", help="Rates and timeouts")
    limits: Limits = value(
        Limits(), label="Limits", help="Limits of set-points and measured values"
    )
    axes: tuple[Axis, ...] = value(
        label="Axes", help="The axes of the joints", min_length=1, max_length=2000
    )
    messages: tuple[Message, ...] = value(
        label="Messages", help="The messages of the DBC that are used", min_length=1, max_length=500
    )
    status: tuple[StatusValue, ...] = value(
        (), label="Status", help="Meaning of status values", max_length=500
    )
    errors: tuple[ErrorMeaning, ...] = value(
        (), label="Errors", help="Meaning of error bits", max_length=500
    )
    sequences: Sequences = value(
        Sequences(),
        label="Sequences",
        help="Frames that arm, disarm, stop, zero and reset the robot",
    )
    on_loss: OnLoss = value(
        OnLoss(), label="On loss", help="Reactions to missing signs of life and to failures"
    )
    plugins: Plugins = value(Plugins(), label="Plug-ins", help="Plug-ins that may move the robot")
    emulation: Emulation = value(
        Emulation(), label="Emulation", help="Behaviour of the emulated robot"
    )

    @property
    def n_joints(self) -> int:
        """Number of joints: the largest joint number of the axes."""
        return max(axis.joint for axis in self.axes)

    @property
    def kinds_of_joints(self) -> dict[int, tuple[str, ...]]:
        """Kinds of the axes of each joint (from 1) that has axes, in the order yaw, pitch, roll."""
        kinds: dict[int, set[str]] = {}
        for axis in self.axes:
            kinds.setdefault(axis.joint, set()).add(axis.axis)
        return {
            joint: tuple(kind for kind in AXES if kind in kinds[joint]) for joint in sorted(kinds)
        }

    @property
    def axes_text(self) -> str:
        """Description of the joints' axes: "yaw and pitch", "alternating yaw and pitch", "yaw or roll"."""
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
        """Numbers of the nodes, in the order of their first axes."""
        return tuple(dict.fromkeys(axis.node for axis in self.axes))
