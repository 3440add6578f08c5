"""DBCs with statements about missing objects: these are omitted and reported, and the rest is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.link.profile.check import check
from snakestudio.link.profile.dbc_references import without_dangling
from snakestudio.link.profile.library import find_profile
from snakestudio.link.profile.loading import parse_profile, read_dbc

BASE = """VERSION ""

BU_: Host Node

BO_ 385 Feedback: 8 Node
 SG_ Angle : 0|16@1- (0.01,0) [-180|180] "deg" Host
 SG_ State : 16|8@1+ (1,0) [0|255] "" Host

BO_ 513 SetPoint: 8 Host
 SG_ Target : 0|16@1- (0.01,0) [-180|180] "deg" Node

"""


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ('VAL_ 385 Gone 0 "Off" 1 "On" ;', "VAL_ 385 Gone"),
        ('VAL_ 513 State 0 "of another message" ;', "VAL_ 513 State"),
        ('VAL_ 999 Gone 0 "a;b" ;', "VAL_ 999 Gone"),
        ("SIG_VALTYPE_ 385 Gone : 1;", "SIG_VALTYPE_ 385 Gone"),
        ("SG_MUL_VAL_ 385 Gone State 1-1;", "SG_MUL_VAL_ 385 Gone"),
        ('CM_ SG_ 385 Gone "two\nlines";', "CM_ 385 Gone"),
        ('CM_ BO_ 999 "x";', "CM_ 999"),
        ("BO_TX_BU_ 999 : Host;", "BO_TX_BU_ 999"),
        ('BA_ "Undefined" BO_ 385 1;', 'BA_ "Undefined"'),
    ],
)
def test_statement_without_object_is_dropped(statement: str, what: str) -> None:
    text = BASE + statement + '\nVAL_ 385 State 1 "Ready" 2 "Armed" ;\n'
    sound, dangling = without_dangling(text)
    assert dangling == (what,)
    assert sound.count("\n") == text.count("\n")
    state = read_dbc(text).get_message_by_name("Feedback").get_signal_by_name("State")
    assert {str(name) for name in (state.choices or {}).values()} == {"Ready", "Armed"}


def test_valid_dbc_is_unchanged() -> None:
    text = BASE + (
        'CM_ "VAL_ 385 Gone 0 ;\nVAL_ 999 Gone 1 \\"x\\" ;";\n'
        'CM_ SG_ 385 State "what it is; and more";\n'
        'BA_DEF_ SG_ "Start" INT 0 1;\nBA_DEF_DEF_ "Start" 0;\nBA_ "Start" SG_ 385 State 1;\n'
        'VAL_ 385 State 1 "Ready" 2 "Armed" ;\nSIG_VALTYPE_ 385 Angle : 0;\n'
    )
    assert without_dangling(text) == (text, ())


def test_value_table_without_signal_is_a_warning() -> None:
    path = find_profile("lab_robot")
    toml = path.read_text(encoding="utf-8")
    dbc = Path(path).with_suffix(".dbc").read_text(encoding="utf-8")
    loaded = parse_profile(toml, dbc + '\nVAL_ 512 Gone 0 "Off" ;\n')
    (problem,) = [problem for problem in check(loaded) if problem.key == "dbc"]
    assert problem.severity == "warning"
    assert "(VAL_ 512 Gone), which are ignored" in problem.message
