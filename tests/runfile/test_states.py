"""States as bytes: every bit and type is restored, and only listed classes are ever created."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from snakestudio.control.ramp import Ramp
from snakestudio.errors import StateError
from snakestudio.model.edits import with_values
from snakestudio.model.reference import JointReference
from snakestudio.model.scene import Scene
from snakestudio.runfile.states import decode, encode

SCENE = Scene()


def again(value: Any) -> Any:
    return decode(encode(value, SCENE, 0.0), SCENE)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        0,
        -(2**80),
        0.1,
        -0.0,
        math.inf,
        "Schlange",
        (),
        (1, [2.5, None]),
        {"a": (1,), 3: "b"},
        np.float64(0.1),
        np.int64(-7),
        np.bool_(True),
        Ramp(1.0, 0.25, 0.3, (0.1, 0.2, 1e-300, 0.0, 0.0, 5e-324)),
    ],
    ids=repr,
)
def test_written_state_is_restored(value: Any) -> None:
    result = again(value)
    assert type(result) is type(value)
    assert result == value
    if isinstance(value, float):
        assert math.copysign(1.0, result) == math.copysign(1.0, value)


@pytest.mark.parametrize("kind", ["<f8", "<f4", "<i8", "<i4", "|b1"])
def test_arrays_keep_shape_type_and_bits(kind: str) -> None:
    array = (
        np.array([[0.1, -0.0, np.nan], [1.0, 3.0, 2.0]]).astype(kind)
        if "f" in kind
        else np.ones((2, 0, 3), kind)
    )
    result = again((array,))[0]
    assert (result.dtype, result.shape) == (array.dtype, array.shape)
    assert result.tobytes() == array.tobytes()
    assert result.flags.writeable


def test_shared_objects_stay_shared() -> None:
    array = np.arange(3.0)
    one, other, apart = again((array, array, array.copy()))
    assert one is other
    assert one is not apart


def test_references_keep_only_the_future() -> None:
    time = np.arange(101) * 0.01
    angle = np.random.default_rng(1).normal(size=(101, 4))
    full = JointReference(time, angle, 2 * angle, 3 * angle)
    rest = decode(encode(full, SCENE, 0.734), SCENE)
    assert len(rest.time) < 35
    for t in (0.734, 0.74, 0.8812, 1.0):
        for a, b in zip(rest.at(t), full.at(t), strict=True):
            assert a.tobytes() == b.tobytes()


def test_scene_is_referred_to_or_written() -> None:
    other = with_values(SCENE, {"gait.amplitude_deg": 12.25})
    data = encode((SCENE, other), SCENE, 0.0)
    own, second = decode(data, SCENE)
    assert own is SCENE
    assert second == other
    with pytest.raises(StateError, match="another scene"):
        decode(data, other)


def test_other_classes_are_not_created() -> None:
    with pytest.raises(TypeError, match="holds object, which is not supported"):
        encode(object(), SCENE, 0.0)
    data = encode(Ramp(1.0), SCENE, 0.0).replace(b"ramp", b"lead")
    with pytest.raises(StateError, match="this version of SnakeStudio does not support"):
        decode(data, SCENE)


def test_damaged_or_truncated_bytes_are_refused() -> None:
    data = encode((Ramp(1.0), np.arange(4.0), {"a": "b"}), SCENE, 0.0)
    for length in range(len(data)):
        with pytest.raises(StateError):
            decode(data[:length], SCENE)
    with pytest.raises(StateError):
        decode(data + b"N", SCENE)
