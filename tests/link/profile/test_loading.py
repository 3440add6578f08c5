"""Profile files: what is rejected with which message, and that saving preserves manual edits."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import pytest

from snakestudio.errors import ProfileError
from snakestudio.link.profile.library import find_profile, new_profile, own, shipped
from snakestudio.link.profile.loading import (
    dump_profile,
    load_profile,
    parse_profile,
    read_dbc,
    save_profile,
)
from tests.wording import naming

SHIPPED = shipped()
LAB = find_profile("lab_robot")
TOML = LAB.read_text(encoding="utf-8")
DBC = LAB.with_suffix(".dbc").read_text(encoding="utf-8")


def refused(toml: str, dbc: str = DBC) -> str:
    with pytest.raises(ProfileError) as caught:
        parse_profile(toml, dbc, "lab.toml")
    assert caught.value.problems
    return str(caught.value)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_profile_is_saved_unchanged(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    profile = load_profile(path).profile
    assert dump_profile(profile, text) == text
    assert parse_profile(dump_profile(profile), load_profile(path).dbc_text).profile == profile


def test_saving_keeps_comments_where_values_change(tmp_path: Path) -> None:
    path = new_profile("lab_robot", tmp_path)
    profile = load_profile(path).profile
    turned = profile.axes[3].model_copy(update={"sign": -1, "offset_deg": 2.5})
    axes = (*profile.axes[:3], turned, *profile.axes[4:-1])
    timing = profile.timing.model_copy(update={"set_point_rate_hz": 20.0})
    changed = profile.model_copy(update={"axes": axes, "timing": timing})
    save_profile(changed, path)
    text = path.read_text(encoding="utf-8")
    assert load_profile(path).profile == changed
    assert '{ joint = 2, axis = "pitch", node = 2, slot = 1, offset_deg = 2.5' in text.replace(
        "sign = -1, ", ""
    )
    assert "set_point_rate_hz = 20.0  # 100 Hz fit on the bus, too" in text
    assert text.startswith(TOML[:400])
    assert (tmp_path / "lab_robot.toml~").read_text(encoding="utf-8") == TOML


def test_all_mistakes_are_reported_together() -> None:
    toml = TOML.replace("bitrate = 500_000", 'bitrate = "fast"').replace(
        "joint = 4,", "joint = 0,", 1
    )
    toml = toml.replace("lost_s = 0.2", "losst_s = 0.2").replace("format = 1\n", "")
    toml = toml.replace('{ Command = "Zero" }', "{ Command = [1] }")
    assert refused(toml, DBC.replace("SG_ Yaw :", "SG_ Yaw ;")).splitlines() == [
        naming("lab.toml", "format = 1"),
        naming("lab.toml: bus.bitrate"),
        naming("lab.toml: timing.losst_s", "lost_s"),
        naming("lab.toml: axes[7].joint", "1 (got 0)"),
        naming("lab.toml: sequences.zero[1].signals.Command"),
        naming("lab.toml: dbc: lab_robot.dbc"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "format = 1",
            "format = 2",
            "format = 2",
        ),
        ("format = 1", "format =", "TOML: Invalid"),
        (
            'name = "Lab robot"',
            'name = ""',
            "empty",
        ),
        ("max_deg = 60.0", "max_deg = nan", "limits.max_deg"),
        ('role = "sync"', "", ""),
    ],
)
def test_invalid_profile_is_refused(old: str, new: str, says: str) -> None:
    if not says:
        toml = TOML[: TOML.index("axes = [")] + "axes = []\nmessages = []\n"
        message = refused(toml)
        assert "axes needs at least 1 entry (got 0)" in message
        assert "messages needs at least 1 entry (got 0)" in message
        return
    assert says in refused(TOML.replace(old, new, 1))


def test_invalid_files_are_refused(tmp_path: Path) -> None:
    def says(path: Path) -> str:
        with pytest.raises(ProfileError) as caught:
            load_profile(path)
        return str(caught.value)

    assert "file. Check" in says(tmp_path / "nix.toml")
    assert "folder" in says(tmp_path)
    path = tmp_path / "lab_robot.toml"
    shutil.copyfile(LAB, path)
    assert 'dbc: "lab_robot.dbc"' in says(path)
    (tmp_path / "lab_robot.dbc").write_bytes(b"\0\1\2")
    assert 'dbc: "lab_robot.dbc"' in says(path)
    path.write_bytes(b"\xff\xfe")
    assert "Byte 1 is not UTF-8 text" in says(path)


def test_protected_file_is_unchanged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = new_profile("lab_robot", tmp_path)
    monkeypatch.setattr(os, "access", lambda *_: False)  # root ignores permissions
    with pytest.raises(ProfileError, match="write-protected"):
        save_profile(load_profile(path).profile, path)
    assert path.read_text(encoding="utf-8") == TOML


def test_windows_dbc_is_read_with_degree_signs(tmp_path: Path) -> None:
    path = new_profile("lab_robot", tmp_path)
    (tmp_path / "lab_robot.dbc").write_bytes(
        DBC.replace('"deg"', '"°"').replace("\n", "\r\n").encode("cp1252")
    )
    loaded = load_profile(path)
    assert (
        loaded.database.get_message_by_name("JointFeedback").get_signal_by_name("Yaw").unit == "°"
    )
    assert "\r" not in loaded.dbc_text


@pytest.mark.parametrize(
    ("dbc", "says"),
    [
        ("BO_ 5 X: 123456 A\n", "line 1: message X cannot have 123456 bytes."),
        ('VERSION ""\nBU_ A\n', "line 2"),
        ("BO_ 4000 X: 8 A\n", "cannot be used: Standard frame id 0xfa0 is more than 11 bits"),
    ],
)
def test_invalid_dbc_is_refused(dbc: str, says: str) -> None:
    with pytest.raises(ProfileError, match="DBC") as caught:
        read_dbc(dbc)
    assert says in str(caught.value)


def test_user_profiles_are_found_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SNAKESTUDIO_PROFILES_DIR", str(tmp_path))
    new_profile("generic_servo", tmp_path)
    assert own() == [tmp_path / "generic_servo.toml"]
    assert find_profile("generic_servo") == tmp_path / "generic_servo.toml"
    with pytest.raises(ProfileError, match=r"name.*already"):
        new_profile("generic_servo", tmp_path)
    with pytest.raises(ProfileError, match="snake9"):
        find_profile("snake9")


def _mutated(text: str, draw: random.Random) -> str:
    """Return the text with typical damage by people and tools."""
    for _ in range(draw.randint(1, 3)):
        at, end = sorted(draw.randrange(len(text) + 1) for _ in range(2))
        end = min(end, at + draw.choice((1, 3, 20, 200)))
        piece = draw.choice(
            (
                "",
                text[at:end][::-1],
                text[at:end] * 2,
                str(draw.randint(-(2**70), 2**70)),
                "nan",
                "inf",
                "-1",
                "0",
                "64|9999@0-",
                '"',
                "]",
                "{",
                "\n",
                "[[messages]]\n",
                "(0,0)",
                "(1e400,0)",
                "M",
                "m3",
                "0x",
                "°",
                "\ud7ff",
                "float",
                "true",
            )
        )
        text = text[:at] + piece + text[end:]
    return text


def _mutate_and_load(count: int, seed: int) -> int:
    """Load mutated profiles and DBCs; return how many are still valid."""
    from snakestudio.link.core.codec import Codec
    from snakestudio.link.frame import Frame
    from snakestudio.link.profile.check import arming_problems, check

    draw = random.Random(seed)
    texts = [
        [path.with_suffix(end).read_text(encoding="utf-8") for end in (".toml", ".dbc")]
        for path in SHIPPED
    ]
    sound = 0
    for _ in range(count):
        toml, dbc = draw.choice(texts)
        which = draw.random()
        toml = _mutated(toml, draw) if which < 0.6 else toml
        dbc = _mutated(dbc, draw) if which > 0.4 else dbc
        try:
            loaded = parse_profile(toml, dbc)
            for problem in check(loaded) + arming_problems(loaded):
                problem.sentence()
            codec = Codec(loaded)
        except ProfileError:
            continue
        sound += 1
        for frame_id in (0x181, 0x201, 0x701, 0x41, 0x49, 0):
            codec.decode(Frame(frame_id, draw.randbytes(8)))
    return sound


def test_mutated_texts_are_profiles_or_mistakes() -> None:
    assert _mutate_and_load(120, 1) > 5


@pytest.mark.soak
def test_many_mutated_texts_are_profiles_or_mistakes() -> None:
    assert _mutate_and_load(20_000, 2) > 1000
