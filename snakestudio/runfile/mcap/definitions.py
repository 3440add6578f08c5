"""Definitions of the ROS 2 messages in run files for other programs, as in their packages."""

from __future__ import annotations

from snakestudio.runfile.mcap.format import PACKAGE

_RULE = "=" * 80 + "\n"
_TIME = f"{_RULE}MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"
_HEADER = f"{_RULE}MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
_VECTOR = f"{_RULE}MSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n"
_POINT = f"{_RULE}MSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z\n"
_QUATERNION = f"{_RULE}MSG: geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w\n"

JOINT_STATE = (
    "sensor_msgs/msg/JointState",
    "std_msgs/Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort\n"
    f"{_HEADER}{_TIME}",
)

TF_MESSAGE = (
    "tf2_msgs/msg/TFMessage",
    "geometry_msgs/TransformStamped[] transforms\n"
    f"{_RULE}MSG: geometry_msgs/TransformStamped\nstd_msgs/Header header\nstring child_frame_id\n"
    "geometry_msgs/Transform transform\n"
    f"{_RULE}MSG: geometry_msgs/Transform\ngeometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n"
    f"{_HEADER}{_TIME}{_VECTOR}{_QUATERNION}",
)

POSE_STAMPED = (
    "geometry_msgs/msg/PoseStamped",
    "std_msgs/Header header\ngeometry_msgs/Pose pose\n"
    f"{_RULE}MSG: geometry_msgs/Pose\ngeometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n"
    f"{_HEADER}{_TIME}{_POINT}{_QUATERNION}",
)

LOG_MESSAGE = (
    "rcl_interfaces/msg/Log",
    "byte DEBUG=10\nbyte INFO=20\nbyte WARN=30\nbyte ERROR=40\nbyte FATAL=50\n"
    "builtin_interfaces/Time stamp\nuint8 level\nstring name\nstring msg\nstring file\nstring function\nuint32 line\n"
    f"{_TIME}",
)

EVENT = (
    f"{PACKAGE}/msg/Event",
    "float64 time  # simulated, s\n"
    "float64 weight  # how much of it there was, in the unit of the text\n"
    "string kind\n"
    "string text\n",
)

CHANGE = (
    f"{PACKAGE}/msg/Change",
    "float64 time  # simulated time from which the values held, s\nstring values  # scene values by dotted key, JSON\n",
)


def figures(names: tuple[str, ...]) -> tuple[str, str]:
    """Return the name and definition of a message with named numbers."""
    return f"{PACKAGE}/msg/Figures", "std_msgs/Header header\n" + "".join(
        f"float64 {name}\n" for name in names
    ) + _HEADER + _TIME
