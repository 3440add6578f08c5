"""The meaning of inputs: curves, sums, presses, and mappings as text with messages about their mistakes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snakestudio.errors import UsageError
from snakestudio.gui.robot.teleop.inputs import Input, parse_input
from snakestudio.gui.robot.teleop.mapping import (
    DEFAULT,
    FUNCTIONS,
    RESERVED,
    Binding,
    InputMap,
    conflicts,
    dump_map,
    load_map,
    mistakes,
    parse_map,
    save_map,
    shaped,
)

STICK = Input("axis", "lefty")
W, S = Input("key", "W"), Input("key", "S")
SPEED = InputMap(
    (Binding("speed", W), Binding("speed", S, -1.0), Binding("speed", STICK, -1.0, 0.2, 0.5))
)


def test_stick_response_is_continuous_from_dead_zone_to_end() -> None:
    assert shaped(0.2, 0.2, 0.0) == 0.0
    assert shaped(0.2 + 1e-9, 0.2, 0.0) == pytest.approx(0.0, abs=1e-8)
    assert shaped(-1.0, 0.2, 0.7) == -1.0
    # By hand: (0.6 - 0.2) / 0.8 = 0.5; half of it linear, half of it cubed: 0.25 + 0.0625.
    assert shaped(0.6, 0.2, 0.5) == pytest.approx(0.3125)


@given(st.floats(-1.0, 1.0), st.floats(-1.0, 1.0), st.floats(0.0, 0.9), st.floats(0.0, 1.0))
def test_stick_response_is_monotonic_and_symmetric(
    a: float, b: float, dead_zone: float, expo: float
) -> None:
    low, high = sorted((a, b))
    assert shaped(low, dead_zone, expo) <= shaped(high, dead_zone, expo)
    assert shaped(-a, dead_zone, expo) == -shaped(a, dead_zone, expo)
    assert abs(shaped(a, dead_zone, expo)) <= 1.0


def test_inputs_of_one_function_add_up_and_stop_at_one() -> None:
    assert SPEED.references({W: 1.0, S: 1.0}).speed == 0.0
    assert SPEED.references({W: 1.0, STICK: -1.0}).speed == 1.0
    assert SPEED.references({STICK: 0.6}).speed == pytest.approx(-0.3125)
    assert replace(SPEED, top_speed=0.4).references({W: 1.0}).speed == pytest.approx(0.4)
    assert DEFAULT.references({Input("key", "A"): 1.0}).turn == 1.0, (
        "A is left, and left is positive"
    )
    assert DEFAULT.references({Input("axis", "lefty"): -1.0}).speed == 1.0, (
        "SDL's axes grow downwards"
    )


def test_presses_hold_functions_and_rest_is_without_input() -> None:
    assert DEFAULT.references({Input("button", "b"): 1.0}).pressed == {"stop"}
    assert DEFAULT.at_rest({})
    assert DEFAULT.at_rest({Input("axis", "lefty"): 0.1, Input("button", "leftshoulder"): 1.0})
    assert not DEFAULT.at_rest({W: 1.0})
    assert not DEFAULT.at_rest({Input("button", "y"): 1.0})


inputs = st.one_of(
    st.sampled_from(["W", "Up", "PgUp", "F5", "A"]).map(lambda name: Input("key", name)),
    st.sampled_from(["leftx", "righttrigger", "axis3"]).map(lambda name: Input("axis", name)),
    st.sampled_from(["a", "dpup", "hat0left"]).map(lambda name: Input("button", name)),
)


@given(
    inputs,
    st.sampled_from(list(FUNCTIONS)),
    st.floats(0.01, 1.0),
    st.floats(0.0, 0.9),
    st.booleans(),
)
def test_mapping_is_restored_from_its_text(
    one: Input, function: str, scale: float, dead_zone: float, dead_man: bool
) -> None:
    assert parse_input(str(one)) == one
    spare = [Binding("speed", Input("button", "x")), Binding("dead_man", Input("button", "y"))]
    mapping = InputMap((*spare, Binding(function, one, scale, dead_zone)), dead_man, 0.5)  # type: ignore[arg-type]
    assert parse_map(dump_map(mapping)) == mapping


def test_bundled_mapping_is_valid_and_restored_from_a_file(tmp_path: Path) -> None:
    assert mistakes(DEFAULT) == []
    save_map(DEFAULT, tmp_path / "mine.toml")
    assert load_map(tmp_path / "mine.toml") == DEFAULT


SPEED_TEXT = '[[bindings]]\nfunction = "speed"\ninput = "key:W"\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "top_speed = 2.0\n" + SPEED_TEXT,
            "top_speed must be",
        ),
        ("top_spede = 1.0\n" + SPEED_TEXT, "top_spede"),
        ("dead_man = 1\n" + SPEED_TEXT, "dead_man"),
        ("dead_man = true\n" + SPEED_TEXT, "Bind a key"),
        ("bindings = 3\n", "bindings"),
        ("format = 2\n", "format = 2"),
        ("top_speed = = 1", "TOML"),
        (
            SPEED_TEXT.replace("speed", "fly"),
            "bindings[1].function = 'fly'",
        ),
        (
            SPEED_TEXT.replace("key:W", "mouse:left"),
            "bindings[1].input = 'mouse:left'",
        ),
        (
            SPEED_TEXT + "dead_zone = nan\n",
            "bindings[1].dead_zone must be",
        ),
        (
            SPEED_TEXT + SPEED_TEXT.replace("speed", "turn"),
            "(Speed and Turn)",
        ),
        (SPEED_TEXT.replace("speed", "turn"), "bound to Speed"),
        (SPEED_TEXT.replace("key:W", "key:Space"), "Key Space "),
        (
            SPEED_TEXT.replace("key:W", "key:Esc"),
            "Key Esc always leaves teleoperation. Choose another key.",
        ),
        (SPEED_TEXT + "scale = 0.0\n", "has a share of 0"),
    ],
)
def test_problems_of_a_mapping_have_a_remedy(text: str, sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_map(text, "mine.toml")
    assert sentence in str(error.value)
    assert "Traceback" not in str(error.value)


def test_all_mistakes_are_reported_together() -> None:
    with pytest.raises(UsageError) as error:
        parse_map("top_speed = 7\nspeed_per_s = 0\n" + SPEED_TEXT.replace("key:W", "W"))
    assert len(str(error.value).splitlines()) == 3


def test_missing_or_binary_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.toml"):
        load_map(tmp_path / "none.toml")
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="binary file"):
        load_map(tmp_path / "binary.toml")
    with pytest.raises(UsageError, match="cannot be written"):
        save_map(DEFAULT, tmp_path / "no" / "folder.toml")


def test_keys_of_the_menus_are_reported_but_allowed() -> None:
    (sentence,) = conflicts(DEFAULT, {"F": "Frame Selection", "7": "Top"})
    assert "F (Frame Selection)" in sentence
    assert conflicts(SPEED, {"F": "Frame Selection"}) == []
    assert set(RESERVED) == {"Space", "Esc"}
