"""Messages of a DBC edited, added and removed: read again by cantools, and compared with bits computed by hand."""

from __future__ import annotations

import re
from dataclasses import replace

import cantools
import pytest

from snakestudio.errors import ProfileError
from snakestudio.link.profile.check import check
from snakestudio.link.profile.dbc_editing import (
    MessageDraft,
    SignalDraft,
    choices_of,
    choices_text,
    drafts_of,
    renamed,
    with_message,
    without_message,
)
from snakestudio.link.profile.loading import dump_profile, load_profile, parse_profile, read_dbc
from snakestudio.paths import resource

TARGET = SignalDraft("Target", 7, 16, big_endian=True, signed=True, scale=0.01, unit="deg")
MODE = SignalDraft("Mode", 16, 8, choices=((0, "Stop"), (1, "Arm")))
SET_POINT = MessageDraft("SetPoint", 0x201, False, 3, (TARGET, MODE))
BRANCHES = """VERSION ""
NS_ :
BS_:
BU_: Node
BO_ 768 Status: 8 Node
 SG_ Mode M : 0|8@1+ (1,0) [0|0] "" Vector__XXX
 SG_ Speed m0 : 8|16@1- (1,0) [0|0] "rpm" Vector__XXX
 SG_ Heat m1 : 8|16@1- (1,0) [0|0] "degC" Vector__XXX
 SG_ Live : 56|8@1+ (1,0) [0|0] "" Vector__XXX
SIG_GROUP_ 768 Measured 1 : Speed Heat;
"""
"""The meaning of bits 8 to 23 depends on the mode."""
SEVERAL = "SG_MUL_VAL_ 768 Speed Mode 0-0, 2-2;\nSG_MUL_VAL_ 768 Heat Mode 1-1;\n"
"""The speed is in two of the messages, which names the multiplexer."""


def test_new_message_packs_bytes_according_to_its_bits() -> None:
    (message,) = cantools.database.load_string(with_message("", SET_POINT), "dbc").messages
    # -12.5 deg / 0.01 = -1250 = 0xFB1E as two's complement, most significant byte first; then Arm.
    assert message.encode({"Target": -12.5, "Mode": "Arm"}) == bytes([0xFB, 0x1E, 0x01])
    assert (message.frame_id, message.signals[0].unit) == (0x201, "deg")


@pytest.mark.parametrize(
    "name", ["lab_robot", "generic_servo", "odrive_can_simple", "cia402_csp", "mit_actuator"]
)
def test_unchanged_drafts_change_nothing(name: str) -> None:
    before = load_profile(resource("profiles", f"{name}.toml"))
    text = before.dbc_text
    for draft in drafts_of(before.database):
        text = with_message(text, draft, draft.name)
    after = read_dbc(text)
    assert drafts_of(after) == drafts_of(before.database)
    assert [(m.comment, m.cycle_time) for m in after.messages] == [
        (m.comment, m.cycle_time) for m in before.database.messages
    ]
    assert [
        (s.name, s.minimum, s.maximum, s.comment) for m in after.messages for s in m.signals
    ] == [
        (s.name, s.minimum, s.maximum, s.comment)
        for m in before.database.messages
        for s in m.signals
    ]


def test_profile_follows_renamed_messages_and_signals() -> None:
    loaded = load_profile(resource("profiles", "generic_servo.toml"))
    before = next(draft for draft in drafts_of(loaded.database) if draft.name == "ServoCommand")
    signals = tuple(replace(signal, name="Order") for signal in before.signals)
    draft = replace(before, name="Order", signals=signals)
    text = with_message(loaded.dbc_text, draft, "ServoCommand")
    profile = renamed(loaded.profile, draft, "ServoCommand")
    assert check(parse_profile(dump_profile(profile), text)) == check(loaded)
    assert {m.called for m in profile.messages if m.message == "Order"} == {
        "ServoCommand",
        "StopAll",
    }


def test_removing_leaves_the_others() -> None:
    text = with_message(with_message("", SET_POINT), replace(SET_POINT, name="Other", id=0x202))
    assert [draft.name for draft in drafts_of(read_dbc(without_message(text, "SetPoint")))] == [
        "Other"
    ]


@pytest.mark.parametrize(
    ("draft", "sentence"),
    [
        (replace(SET_POINT, name="1st"), '"1st"'),
        (replace(SET_POINT, id=0x800), "into 11"),
        (
            replace(SET_POINT, name="Known", id=0x300),
            "message Known",
        ),
        (replace(SET_POINT, id=0x100), "0x100"),
        (replace(SET_POINT, length=2), "into 2"),
        (
            replace(SET_POINT, signals=(TARGET, TARGET)),
            "called Target",
        ),
        (replace(SET_POINT, signals=(replace(TARGET, is_float=True),)), "32 or 64"),
        (replace(SET_POINT, signals=(replace(MODE, scale=0.0),)), "Mode has the factor 0"),
        (replace(SET_POINT, signals=(replace(MODE, length=10**400),)), "1 to 64"),
        (
            replace(SET_POINT, signals=(replace(MODE, unit='"'),)),
            "quotation",
        ),
        (
            replace(SET_POINT, signals=(replace(MODE, unit="m\\"),)),
            "backslash",
        ),
    ],
)
def test_values_impossible_in_a_dbc_are_reported(draft: MessageDraft, sentence: str) -> None:
    known = with_message("", MessageDraft("Known", 0x100, False, 8, ()))
    with pytest.raises(ProfileError) as refused:
        with_message(known, draft)
    assert sentence in str(refused.value)


def test_names_of_values_are_written_in_a_line() -> None:
    assert choices_of("0 Stop, 0x10=Arm on,") == ((0, "Stop"), (16, "Arm on"))
    assert choices_of(choices_text(MODE.choices)) == MODE.choices
    with_comma = ((0, "Off, ready"), (1, "Armed (on)"), (2, ""), (3, " x"))
    assert choices_of(choices_text(with_comma)) == with_comma
    assert choices_of("0 Stop, 01 Arm, -2 Back, 0x0A Go") == (
        (0, "Stop"),
        (1, "Arm"),
        (-2, "Back"),
        (10, "Go"),
    )


@pytest.mark.parametrize(
    "text", ["Stop", '0 "Stop', '0 "Stop" it', "0 Stop\\", "9" * 5000 + " Stop"]
)
def test_malformed_value_names_are_refused(text: str) -> None:
    with pytest.raises(ProfileError, match="0 Stop, 1 Arm"):
        choices_of(text)


def test_keywords_of_the_format_are_refused_as_names() -> None:
    # each DBC already lists most of them
    listed = re.findall(r"^\t(\w+)", with_message("", SET_POINT), re.MULTILINE)
    assert "SIG_GROUP_" in listed
    for keyword in [*listed, "BO_", "SG_", "BU_", "EV_", "BS_", "NS_", "VERSION"]:
        sentence = f"^{keyword} .*DBC"
        with pytest.raises(ProfileError, match=sentence):
            with_message("", replace(SET_POINT, name=keyword))
        with pytest.raises(ProfileError, match=sentence):
            with_message("", replace(SET_POINT, signals=(replace(MODE, name=keyword),)))
    assert with_message("", replace(SET_POINT, name="BO_Status"))


@pytest.mark.parametrize("text", [BRANCHES, BRANCHES + SEVERAL])
def test_branches_and_groups_follow_a_rename(text: str) -> None:
    (draft,) = drafts_of(read_dbc(text))
    signals = tuple(replace(signal, name=f"New{signal.name}") for signal in draft.signals)
    (before,) = read_dbc(text).messages
    (after,) = read_dbc(
        with_message(text, replace(draft, name="State", signals=signals), "Status")
    ).messages
    assert {s.name: s.multiplexer_ids for s in after.signals} == {
        f"New{s.name}": s.multiplexer_ids for s in before.signals
    }
    assert after.encode({"NewMode": 1, "NewHeat": 0x1234, "NewLive": 7}) == bytes(
        [1, 0x34, 0x12, 0, 0, 0, 0, 7]
    )
    (group,) = after.signal_groups or ()
    assert (group.name, set(group.signal_names)) == ("Measured", {"NewSpeed", "NewHeat"})


@pytest.mark.parametrize("text", [BRANCHES, BRANCHES + SEVERAL])
def test_multiplexer_with_branches_is_not_removed(text: str) -> None:
    (draft,) = drafts_of(read_dbc(text))
    by_name = {signal.name: signal for signal in draft.signals}

    def draft_of(*names: str) -> MessageDraft:
        return replace(draft, signals=tuple(by_name[name] for name in names))

    with pytest.raises(ProfileError, match=r"them, too\.$"):
        with_message(text, draft_of("Heat", "Speed", "Live"), "Status")
    with pytest.raises(ProfileError, match=r"it, too\.$"):
        with_message(text, draft_of("Heat"), "Status")
    (message,) = read_dbc(with_message(text, draft_of("Live"), "Status")).messages
    assert [signal.name for signal in message.signals] == ["Live"]
    (message,) = read_dbc(with_message(text, draft_of("Mode", "Heat"), "Status")).messages
    (group,) = message.signal_groups or ()
    assert group.signal_names == ["Heat"]


def test_bits_may_be_described_twice() -> None:
    flags = SignalDraft("Flags", 16, 4)
    text = with_message("", replace(SET_POINT, signals=(TARGET, MODE, flags)))
    (draft,) = drafts_of(read_dbc(text))
    assert set(draft.signals) == {
        replace(signal, origin=signal.name) for signal in (TARGET, MODE, flags)
    }
