"""Encoding of run states, exact to the bit, for the checkpoints in run files.

Nothing in a file is ever executed, so this is not pickle: values are tagged, and only classes listed
here or declared by kinds are created, from fields with their present names. Numbers keep their types
and all bits. The scene of the recording is referenced by its digest; any other scene is written as
TOML.
"""

from __future__ import annotations

import hashlib
import io
import struct
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

import numpy as np

from snakestudio._version import __version__
from snakestudio.errors import SnakeStudioError, StateError
from snakestudio.kinds.controller import CONTROLLERS, ControllerKind
from snakestudio.kinds.formulation import FORMULATIONS, FormulationKind, thing_at
from snakestudio.kinds.gait import GAIT_KINDS, GaitKind
from snakestudio.model.by_identity import by_identity
from snakestudio.model.fields import Frozen
from snakestudio.model.reference import JointReference, StrainReference
from snakestudio.model.robot.attachments import Attachments
from snakestudio.model.robot.joint_axes import from_pairs
from snakestudio.model.robot.strain_law import StrainLaw
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file.dump import dump_scene
from snakestudio.model.scene_file.parse import parse_scene

FORMAT = 3
"""Version of the encoding, raised when its meaning changes.

2 stored yaw and pitch of every joint, whether it had both or not, instead of one value per joint
axis.

1 named classes by their modules, and scenes by a digest of all keys, which changes with every new key;
these states are therefore not checked against the scene. Continuing a run compares the state with the
row of the run anyway.
"""

_MAGIC = b"SNKSTATE"
_COUNT = struct.Struct("<I")
_NUMBER = struct.Struct("<cd")
_PLAIN = {None: b"N", True: b"T", False: b"F"}

_RECORDS = (
    ("checkpoint", "engines.base:Checkpoint", "engines.base:Checkpoint"),
    ("ramp", "control.ramp:Ramp", "control.gaits.ramp:Ramp"),
    ("waves", "control.waves:_WaveState", "control.gaits.waves:_WaveState"),
    ("set_points", "control.set_points:_State", "control.set_points:_State"),
    ("speed_limit", "control.speed_limit:_Lag", "control.speed_limit:_Lag"),
    ("offset_filter", "control.offset_filter:OffsetFilter", "control.offset_filter:OffsetFilter"),
    ("steering", "control.steering:_State", "control.steering:_State"),
    ("limited", "control.limited:LimitedMotion", "control.limited:Limited"),
    ("steered_shape", "control.steered_gait:Shape", "control.gaits.steered:Shape"),
    (
        "enveloped_shape",
        "control.steered_gait:EnvelopedShape",
        "control.steered_gait:EnvelopedShape",
    ),
    ("steered_gait", "control.steered_gait:_State", "control.gaits.steered:_State"),
    ("path_projection", "control.path_projection:PathProjection", "control.line_of_sight:Sight"),
    ("strain_source", "control.strain_source:_State", "control.strain_source:_State"),
    ("strain_drive", "control.strain_source:_Drive", "control.strain_source:_Drive"),
    ("strain_layer", "control.strain_source:_Layer", "control.strain_source:_Layer"),
    ("wave", "model.motion:Wave", "model.motion:Wave"),
    ("teleop_command", "model.teleop:TeleopCommand", "model.teleop:TeleopCommand"),
    ("joint_reference", "model.reference:JointReference", "model.reference:JointReference"),
    ("strain_reference", "model.reference:StrainReference", "model.reference:StrainReference"),
    ("progress", "session.progress:Progress", "session.run_state:Progress"),
)
"""Dataclasses and named tuples in states: the permanent name in files, the location of the class, and
the name in files of format 1."""

_PARTS = (
    ("scene.gait_alone", "model.controllers:GaitAlone", "model.controllers:GaitAlone"),
    ("scene.path", "model.ground_path:GroundPath", "model.ground_path:GroundPath"),
    ("scene.beam", "model.robot.beam:Beam", "model.beam:Beam"),
    ("scene.peristalsis", "model.robot.strain:Peristalsis", "model.strain:Peristalsis"),
    ("scene.inching", "model.robot.strain:Inching", "model.strain:Inching"),
    ("scene.serpentine", "model.robot.strain:Serpentine", "model.strain:Serpentine"),
    ("scene.formulas", "model.robot.strain:Formulas", "model.strain:Formulas"),
)
"""Parts of a scene in states, in the same way; they are written as JSON, which preserves every bit of
a number."""

_NUMBERS: dict[str, tuple[type, ...]] = {
    "float": (int, float, np.number),
    "int": (int, np.integer),
    "bool": (bool, np.bool_),
}
"""Permitted types of fields by annotation; None is permitted only where the annotation contains
it."""

_PLACES = {name: location for name, location, _ in (*_RECORDS, *_PARTS)}
_PLACES_1 = {name_1: location for _, location, name_1 in (*_RECORDS, *_PARTS)}
_NAMES = {location: name for name, location in _PLACES.items()}


_Declared = ControllerKind | GaitKind | FormulationKind


def _kinds() -> tuple[_Declared, ...]:
    return (*CONTROLLERS.values(), *GAIT_KINDS.values(), *FORMULATIONS.values())


@cache
def _of_kinds(kinds: tuple[_Declared, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return types (or locations) that kinds declare for their states, by names in files, and by names in format 1."""
    names: dict[str, Any] = {}
    names_1: dict[str, Any] = {}
    for kind in kinds:
        if isinstance(kind, FormulationKind):
            names |= {name: kind.whole_place(what) for name, what in kind.states.items()}
            names_1 |= {name: kind.whole_place(what) for name, what in kind.formerly.items()}
        else:
            names |= {
                **kind.states,
                f"scene.{kind.fields.model_fields['kind'].get_default()}": kind.fields,
            }
            names_1 |= kind.formerly
    return names, names_1


@cache
def _name(kind: type) -> str:
    """Return the name of a class in files; "" if states cannot contain it."""
    location = f"{kind.__module__}:{kind.__qualname__}"
    own = _NAMES.get(location.removeprefix("snakestudio."))
    return own or next(
        (name for name, known in _of_kinds(_kinds())[0].items() if known in (kind, location)), ""
    )


def encode(value: Any, scene: Scene, time: float) -> bytes:
    """Encode a state.

    Raises `TypeError` if it contains an unsupported type.

    Parameters
    ----------
    value : Any
        None, numbers, strings, tuples, lists, dicts, numpy arrays and numbers, and listed
        classes.
    scene : Scene
        The scene of the recording at that time, which is stored as a reference.
    time : float
        Time of the state, s: reference histories are truncated to the part near and after it.
    """
    writer = _Writer(scene, time)
    writer.out.write(_MAGIC)
    writer.out.write(struct.pack("<H", FORMAT))
    writer.text(__version__)
    writer.write(value)
    return writer.out.getvalue()


def decode(data: bytes, scene: Scene) -> Any:
    """Decode a state written by `encode`; `scene` is that of the run at that time.

    Raises `StateError` if it cannot be read, or was written in a newer format.
    """
    if not data.startswith(_MAGIC):
        raise StateError("The saved state of this run was not written by SnakeStudio.")
    version = __version__
    try:
        (number,) = struct.unpack_from("<H", data, len(_MAGIC))
        if not 1 <= number <= FORMAT:
            raise StateError(
                "The saved state of this run was written by a newer version of SnakeStudio."
            )
        reader = _Reader(data, len(_MAGIC) + 2, scene, number)
        version = reader.text()
        value = reader.read()
        if reader.at != len(data):
            raise StateError("The saved state of this run is damaged.")
    except StateError:
        raise
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
        struct.error,
        SnakeStudioError,
    ) as error:
        reason = "is damaged" if version == __version__ else f"was written by SnakeStudio {version}"
        raise StateError(f"The saved state of this run {reason}.") from error
    return value


@by_identity
def _digest(scene: Scene) -> bytes:
    """Return the digest of all values that differ from the defaults, so that new keys do not change it."""
    return hashlib.blake2b(
        scene.model_dump_json(exclude_defaults=True).encode(), digest_size=16
    ).digest()


def _began(kind: type) -> tuple[bytes, tuple[str, ...]]:
    """Return the header of a dataclass or named tuple (its name and its field names), and the field names."""
    names = (
        tuple(f.name for f in fields(kind))
        if is_dataclass(kind)
        else tuple(getattr(kind, "_fields", ()))
    )
    own = _name(kind)
    texts = [_COUNT.pack(len(text)) + text for text in (name.encode() for name in (own, *names))]
    return b"".join([b"o", texts[0], _COUNT.pack(len(names)), *texts[1:]]), names


_head: Callable[[type], tuple[bytes, tuple[str, ...]]] = cache(_began)


def _class(name: str, number: int) -> Any:
    """Return the class with a given name in a given format."""
    own = _of_kinds(_kinds())[number == 1].get(name)
    location = (_PLACES_1 if number == 1 else _PLACES).get(name)
    if own is None and location is None:
        raise StateError(
            "The saved state of this run contains data that this version of SnakeStudio does not support."
        )
    return thing_at(own or f"snakestudio.{location}")


def _from_format_1(kind: type, values: dict[str, Any]) -> dict[str, Any]:
    """Convert fields of a class from format 1."""
    name = _name(kind)
    own = next((each for each in FORMULATIONS.values() if name in each.states), None)
    converted: dict[str, Any] = values
    if own is not None and own.from_format_1 is not None:
        converted = own.loaded(own.from_format_1)(values)
    return converted


_OF_JOINTS = {
    "joint_reference": ("angle", "rate", "acceleration", "torque"),
    "set_points": ("released", "held"),
}
"""Fields of classes with one value per joint axis."""


def _from_pairs(kind: type, values: dict[str, Any], scene: Scene) -> dict[str, Any]:
    """Convert fields of a class from formats 1 and 2."""
    names = [name for name in _OF_JOINTS.get(_name(kind), ()) if values.get(name) is not None]
    axes = scene.body.axes
    pairs = (scene.robot.n_joints, 2)
    if any(values[name].shape[-2:] != pairs for name in names):
        raise ValueError("it belongs to other joints")
    return values | {name: from_pairs(values[name], axes) for name in names}


class _Writer:
    """Writer of values; repeated objects are written as references, so that shared objects stay shared."""

    def __init__(self, scene: Scene, time: float) -> None:
        self.out = io.BytesIO()
        self._scene = scene
        self._time = time
        self._written: dict[int, int] = {}
        self._alive: list[Any] = []  # an id is only valid while its object exists

    def pack(self, form: str, *values: Any) -> None:
        self.out.write(struct.pack(form, *values))

    def blob(self, data: bytes) -> None:
        self.out.write(_COUNT.pack(len(data)) + data)

    def text(self, text: str) -> None:
        self.blob(text.encode())

    def write(self, value: Any) -> None:
        if value is None or isinstance(value, bool):
            self.out.write(_PLAIN[value])
            return
        if type(value) is float:
            self.out.write(_NUMBER.pack(b"f", value))
            return
        known = self._written.get(id(value))
        if known is not None:
            self.pack("<cI", b"r", known)
        elif type(value) is int:
            self.out.write(b"i")
            self.text(str(value))
        elif type(value) is str:
            self.out.write(b"s")
            self.text(value)
        elif isinstance(value, np.generic):
            self.out.write(b"g")
            self._array(np.asarray(value))
        elif type(value) in (tuple, list):
            self.pack("<cI", b"t" if type(value) is tuple else b"l", len(value))
            for item in value:
                self.write(item)
        elif type(value) is dict:
            self.pack("<cI", b"d", len(value))
            for key, item in value.items():
                self.write(key)
                self.write(item)
        else:
            self._shared(value)
            self._written[id(value)] = len(self._alive)
            self._alive.append(value)

    def _shared(self, value: Any) -> None:
        if isinstance(value, np.ndarray):
            self.out.write(b"a")
            self._array(value)
        elif isinstance(value, Scene):
            self._other_scene(value)
        elif isinstance(value, StrainLaw):
            self.out.write(b"L")
            self.write(value.strain)
            self.write(value.beam)
        elif isinstance(value, Attachments):
            self.out.write(b"H")
            self.write(value.scene)
            self.write(value.law)
            self.write(value.count)
        elif not (name := _name(value.__class__)):
            raise TypeError(f"a state holds {type(value).__qualname__}, which is not supported")
        elif isinstance(value, Frozen):
            self.out.write(b"p")
            self.text(name)
            self.text(value.model_dump_json())
        else:
            self._record(value)

    def _other_scene(self, scene: Scene) -> None:
        if scene is self._scene or scene == self._scene:
            self.out.write(b"S")
            self.blob(_digest(self._scene))
        else:
            self.out.write(b"X")
            self.text(dump_scene(scene))

    def _record(self, value: Any) -> None:
        if isinstance(value, JointReference | StrainReference):
            value = value.since(self._time)
        head, names = _head(value.__class__)
        self.out.write(head)
        for name in names:
            self.write(getattr(value, name))

    def _array(self, array: np.ndarray[Any, Any]) -> None:
        if array.dtype.hasobject or array.dtype.names:
            raise TypeError(f"a state holds an array of {array.dtype}, which cannot be stored")
        self.text(array.dtype.str)
        self.pack(f"<B{array.ndim}Q", array.ndim, *array.shape)
        self.blob(array.tobytes())


class _Reader:
    """Reader of the output of `_Writer`."""

    def __init__(self, data: bytes, at: int, scene: Scene, number: int) -> None:
        self._data = data
        self.at = at
        self._scene = scene
        self._format = number
        self._known: list[Any] = []
        self._plain: dict[bytes, Callable[[], Any]] = {
            b"N": lambda: None,
            b"T": lambda: True,
            b"F": lambda: False,
            b"i": lambda: int(self.text()),
            b"f": lambda: self.unpack("<d")[0],
            b"s": self.text,
            b"g": lambda: self._array()[()],
            b"r": lambda: self._known[self.unpack("<I")[0]],
            b"t": lambda: tuple(self.read() for _ in range(self.unpack("<I")[0])),
            b"l": lambda: [self.read() for _ in range(self.unpack("<I")[0])],
            b"d": lambda: {self.read(): self.read() for _ in range(self.unpack("<I")[0])},
        }
        self._shared: dict[bytes, Callable[[], Any]] = {
            b"a": self._array,
            b"S": self._own_scene,
            b"X": lambda: parse_scene(self.text()),
            b"L": lambda: StrainLaw(self.read(), self.read()),
            b"H": lambda: Attachments(self.read(), self.read(), self.read()),
            b"p": lambda: _class(self.text(), self._format).model_validate_json(self.text()),
            b"o": self._record,
        }

    def bytes(self, count: int) -> bytes:
        if self.at + count > len(self._data):
            raise ValueError("it ends too early")
        self.at += count
        return self._data[self.at - count : self.at]

    def unpack(self, form: str) -> tuple[Any, ...]:
        return struct.unpack(form, self.bytes(struct.calcsize(form)))

    def text(self) -> str:
        return self.bytes(self.unpack("<I")[0]).decode()

    def read(self) -> Any:
        tag = self.bytes(1)
        if tag in self._plain:
            return self._plain[tag]()
        value = self._shared[tag]()
        self._known.append(value)
        return value

    def _own_scene(self) -> Scene:
        digest = self.bytes(self.unpack("<I")[0])
        if self._format > 1 and digest != _digest(self._scene):
            raise StateError("The saved state of this run belongs to another scene.")
        return self._scene

    def _array(self) -> np.ndarray[Any, Any]:
        kind = np.dtype(self.text())
        (n_axes,) = self.unpack("<B")
        shape = self.unpack(f"<{n_axes}Q")
        data = self.bytes(self.unpack("<I")[0])
        return np.frombuffer(data, kind).reshape(shape).copy()

    def _record(self) -> Any:
        kind = _class(self.text(), self._format)
        names = [self.text() for _ in range(self.unpack("<I")[0])]
        values = {name: self.read() for name in names}
        if self._format == 1:
            values = _from_format_1(kind, values)
        if self._format < 3:
            values = _from_pairs(kind, values, self._scene)
        annotations = kind.__annotations__
        # Numbers must be usable in calculations; arrays are checked by the code that knows their
        # sizes.
        for name, value in values.items():
            numbers = _NUMBERS.get(
                str(getattr(annotations[name], "__forward_arg__", annotations[name])).removesuffix(
                    " | None"
                )
            )
            if numbers and not isinstance(value, numbers) and value is not None:
                raise ValueError(f"{name} is not a number")
        return kind(**values)
