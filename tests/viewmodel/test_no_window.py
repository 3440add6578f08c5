"""Reasons why no window can be shown, from the reports of Qt and the loader."""

from __future__ import annotations

import pytest

from snakestudio.viewmodel.no_window import NO_DISPLAY, missing_library, why_no_window

LOADER = "{}: cannot open shared object file: No such file or directory"
REFUSED = 'Could not load the Qt platform plugin "xcb" in "" even though it was found.'


@pytest.mark.parametrize(
    ("library", "package"),
    [
        ("libxcb-cursor.so.0", "libxcb-cursor0"),
        ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
        ("libxcb-icccm.so.4", "libxcb-icccm4"),
        ("libEGL.so.1", "libegl1"),
        ("libGL.so.1", "libgl1"),
        ("libdbus-1.so.3", "libdbus-1-3"),
    ],
)
def test_missing_library_names_its_package(library: str, package: str) -> None:
    reason = missing_library(LOADER.format(library))
    assert reason.startswith(f"Qt cannot show windows because {library} is missing. Install it ")
    assert f"sudo apt install {package})" in reason
    assert why_no_window([REFUSED], [LOADER.format(library)], {"DISPLAY": ":0"}) == reason


def test_other_import_error_is_not_a_missing_library() -> None:
    assert missing_library("No module named 'PySide6'") == ""


@pytest.mark.parametrize(
    ("messages", "environment", "reason"),
    [
        (["qt.qpa.xcb: could not connect to display "], {}, NO_DISPLAY),
        (
            ["could not connect to display :9"],
            {"DISPLAY": ":9"},
            "The display (DISPLAY=:9) does not respond. Set",
        ),
        (
            ["could not find it"],
            {"QT_QPA_PLATFORM": "x"},
            "Qt cannot show windows with QT_QPA_PLATFORM=x. Unset it,",
        ),
        (
            ["It failed.\nMore."],
            {"DISPLAY": ":0"},
            "Qt cannot show windows (It failed). Install the libraries",
        ),
    ],
)
def test_reason_names_the_problem(
    messages: list[str], environment: dict[str, str], reason: str
) -> None:
    text = why_no_window(messages, [], environment)
    assert text.startswith(reason)
    assert "snakestudio run SCENE" in text
