"""Limits of input files, and refusals before they take time or memory."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from snakestudio.errors import UsageError
from snakestudio.inputs import (
    SCENE,
    InputError,
    leading_lines,
    local_path,
    nearest_row,
    parse_json,
    parse_toml,
    read_bytes,
    read_text,
)

SMALL = replace(SCENE, largest=1000, values=50, depth=8, lines=20, line=100)


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_text(path, SMALL)
    return str(caught.value)


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # without a writer, opening it blocks
    assert "pipe" in refused(tmp_path / "pipe")
    for device in ("zero", "null", "urandom"):
        (tmp_path / device).symlink_to(f"/dev/{device}")
        assert "pipe" in refused(tmp_path / device)
    assert "folder" in refused(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    assert "cannot be read" in refused(tmp_path / "loop")
    assert "no such file" in refused(tmp_path / "none")
    assert "not a path" in refused(Path("a\0b"))


def test_symbolic_link_is_read_as_its_file(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_bytes(b"\xef\xbb\xbfa = 1")
    (tmp_path / "link").symlink_to("a.toml")
    assert read_text(tmp_path / "link", SMALL) == "a = 1"


def test_size_is_checked_before_reading(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.touch()
    os.truncate(path, 10**12)
    assert "0 MB" in refused(path)
    os.truncate(path, 1000)
    assert len(read_bytes(path, SMALL)) == 1000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (".".join(["a"] * 5000) + " = 1", "nested too deeply"),
        ("[" + ".".join(['"a"'] * 5000) + "]", "nested too deeply"),
        (" . ".join(["a"] * 9) + " = 1", "nested too deeply"),
        ("a = " + "[" * 9 + "]" * 9, "nested too deeply"),
        ("a = [" + "1," * 60 + "]", "more values than a scene can"),
        ("a = '" + "x" * 1000 + "'", "too long for a scene"),
        ("a = " + "9" * 999, ""),
        ("a = =", "not valid TOML: .*line 1"),
    ],
)
def test_toml_beyond_its_limits_is_refused(text: str, message: str) -> None:
    if not message:
        assert parse_toml(text, replace(SMALL, largest=2000))
        return
    with pytest.raises(InputError) as caught:
        parse_toml(text, replace(SMALL, largest=10**6) if "nested" in message else SMALL)
    assert re.search(message, str(caught.value))


@pytest.mark.parametrize(
    "text", ["a.b.c.d.e.f = 1", "[[a.b]]\nc = [[[1.5]]]", 'u = "a.b.c.d.e.f.g and so on"']
)
def test_usual_nesting_is_accepted(text: str) -> None:
    assert parse_toml(text, SMALL)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "[" * 40 + "]" * 40, "{", "9" * 5000, "[" + "1," * 1_300_000 + "1]"]
)
def test_json_beyond_its_limits_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_json(text, SCENE)


def test_only_leading_lines_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbf# one\r\n\n#| two\nx,y\n# not this\n")
    assert list(leading_lines(path)) == ["# one", "", "#| two"]
    path.write_bytes(b"# one\n" * 3 + b"1,2\n" * 1000)
    os.truncate(path, 10**11)  # nothing of it is read
    assert len(list(leading_lines(path, replace(SMALL, largest=1 << 50)))) == 3
    path.write_bytes(b"# one\n" * 30)
    with pytest.raises(InputError, match="20 lines"):
        list(leading_lines(path, SMALL))
    path.write_bytes(b"#" + b"x" * 200)
    with pytest.raises(InputError, match="header is longer"):
        list(leading_lines(path, SMALL))


def test_nearest_row_of_a_table_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbf# about\nx,time_s,y\n1,0.0,2\n\n3,0.5,4\n# between\n5,1.0,6")
    assert nearest_row(path, "time_s", 0.6) == {"x": "3", "time_s": "0.5", "y": "4"}
    assert nearest_row(path, "time_s", 9.0)["x"] == "5"
    with pytest.raises(InputError, match="no readable column z"):
        nearest_row(path, "z", 0.0)
    path.write_bytes(b"time_s\nsoon\n")
    with pytest.raises(InputError, match="no readable column time_s"):
        nearest_row(path, "time_s", 0.0)
    path.write_bytes(b"time_s\nnan\n")
    with pytest.raises(InputError, match="no rows"):
        nearest_row(path, "time_s", 0.0)


@pytest.mark.parametrize(
    ("typed", "path"),
    [
        ("a.toml", "/scenes/a.toml"),
        ("/a.toml", "/a.toml"),
        ("~/a.toml", "/home/ada/a.toml"),
        ("~", "/home/ada"),
        ("file:///tmp/m%C3%BC%20x.toml", "/tmp/mü x.toml"),
        ("file:/tmp/a.toml", "/tmp/a.toml"),
        ("file://localhost/tmp/a.toml", "/tmp/a.toml"),
        ("/home/ada/file:///tmp/a.toml", "/tmp/a.toml"),  # as Qt's file dialog returns it
        ("file:a.toml", "/scenes/file:a.toml"),  # not a URL, but a name
        ("a~b.toml", "/scenes/a~b.toml"),
    ],
)
def test_typed_path_is_resolved(typed: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    assert local_path(typed, Path("/scenes")) == Path(path)


def test_file_named_like_a_url_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "~").mkdir()
    (tmp_path / "~" / "a.toml").write_text("a = 1")
    assert local_path("~/a.toml", tmp_path) == tmp_path / "~" / "a.toml"


def test_url_of_another_computer_is_not_a_path() -> None:
    with pytest.raises(UsageError, match=r"file://lab/a\.toml"):
        local_path("file://lab/a.toml")
