"""Nothing in a robot file is skipped silently: notes on what a reader ignores or does not know."""

from __future__ import annotations

import pytest

from snakestudio.inputs import ROBOT, InputError
from snakestudio.robot_files.elements import parse_xml
from snakestudio.robot_files.vocabulary import ANY, Ignored, Refused, notes_on, rule

TOY = {
    "root": rule(
        used="name",
        children="part",
        children_without_effect="colour",
        children_ignored={
            "lamp": Ignored("there is no light"),
            "max": Ignored("there is no limit", ("10",)),
            "tree": Refused("cut it"),
            "notes": Ignored("they are for people"),
        },
    ),
    "part": rule(
        used="name mass",
        without_effect="rgba",
        ignored={
            "soft hard": Ignored("all is rigid", ("0.02 1",)),
            "curve": Ignored("all is straight", ("none",), lambda e: "mass" in e.attributes),
        },
        children="pose part",
        once="pose",
    ),
    "part.part": rule(used="other", children_ignored={ANY: Ignored("it is too small")}),
}


def notes(text: str) -> tuple[str, ...]:
    return notes_on(parse_xml(text.encode(), ROBOT), TOY)


@pytest.mark.parametrize(
    "text",
    [
        '<root name="a" xmlns:x="y"><colour any="1"><thing/></colour></root>',
        '<root><part mass="1" rgba="1 1 1" soft="0.020" hard="0.02 1.0" curve="none"/></root>',
        '<root><part curve="steep"/><max> 10.0 </max></root>',
    ],
)
def test_defaults_and_colours_give_no_note(text: str) -> None:
    assert notes(text) == ()


def test_ignored_attributes_share_a_sentence_with_counts() -> None:
    text = '<root>\n<part name="a" soft="1"/><part hard="0.02 2"/><part hard="0.03"/></root>'
    (note,) = notes(text)
    assert note == (
        'Ignored because all is rigid: soft="1" of <part name="a"> (line 2) and hard of 2 <part> elements.'
    )


def test_ignored_elements_are_named_with_their_text() -> None:
    assert notes("<root><lamp/><lamp/><max>3</max></root>") == (
        "Ignored because there is no light: 2 <lamp> elements in <root>.",
        "Ignored because there is no limit: <max> 3 in <root> (line 1).",
    )


def test_unknown_names_are_reported_in_one_sentence() -> None:
    (note,) = notes('<root><part mas="1"/><part mas="2"/>\n<prt><deep/></prt></root>')
    assert "unknown: <prt> in <root> (line 2) and mas of 2 <part> elements." in note


def test_rule_of_a_parent_takes_precedence() -> None:
    assert notes('<root><part><part other="1"/></part></root>') == ()
    assert "other" in notes('<root><part other="1"/></root>')[0]
    assert "too small" in notes("<root><part><part><any/></part></part></root>")[0]


def test_repeated_elements_are_reported() -> None:
    (note,) = notes("<root><part><pose/>\n<pose/></part></root>")
    assert note == (
        "Ignored because only the first <pose> of <part> is used: <pose> in <part> (line 2)."
    )


def test_refused_elements_name_line_and_remedy() -> None:
    with pytest.raises(InputError, match=r"Line 2, <tree>: <tree> is not supported") as error:
        notes("<root>\n<tree/></root>")
    assert error.value.remedy == "cut it"


def test_hostile_files_give_short_notes() -> None:
    many = "".join(f"<n{k}/>" for k in range(1000))
    (note,) = notes(f"<root>{many}</root>")
    assert "and 960 more" in note
    assert len(note) < 3000


def test_text_between_elements_is_reported() -> None:
    (note,) = notes('<root>\n pos="1"<part> <pose>1 2 3</pose></part></root>')
    assert 'the text "pos="1"" in <root> (line 1)' in note
