"""Contents of bundle and Debian package other than the program: man page, desktop files, licences."""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import runpy
import struct
import subprocess
import sys
import tomllib
from configparser import RawConfigParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import snakestudio
from snakestudio.cli import COMMANDS, main, parser_of
from snakestudio.paths import scenes_dir

ROOT = Path(snakestudio.__file__).parents[1]
PACKAGING = ROOT / "packaging"
SHARE = PACKAGING / "bundle" / "share"
DAY = "1790000000"


def run(script: str, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(PACKAGING / script), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
    )


# --- man page -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("man") / "snakestudio.1.gz"
    done = run("man_page.py", path, SOURCE_DATE_EPOCH=DAY)
    assert done.returncode == 0, done.stderr
    return gzip.decompress(path.read_bytes()).decode()


def test_man_page_lists_every_option_of_every_command(page: str) -> None:
    parts = dict(
        zip(*(iter(re.split(r"^\.S[SH] (.+)$", page, flags=re.MULTILINE)[1:]),) * 2, strict=True)
    )
    for name in COMMANDS:
        section = parts[name.replace("-", "\\-")].replace("\\-", "-")
        for action in parser_of(name).arguments:
            if not isinstance(action, argparse._HelpAction):
                choices = (
                    "{" + ",".join(map(str, action.choices)) + "}"
                    if action.choices
                    else action.dest
                )
                for option in action.option_strings or [str(action.metavar or choices)]:
                    assert re.search(
                        rf"^\.B (.* )?{re.escape(option)}( |,|$)", section, re.MULTILINE
                    ), action
    assert "warm-up" not in page.replace("\\-", "-"), "internal commands are not for users"


def test_man_page_is_reproducible(page: str, tmp_path: Path) -> None:
    first = tmp_path / "a.1.gz"
    second = tmp_path / "b.1.gz"
    for path, columns in ((first, "80"), (second, "200")):
        assert run("man_page.py", path, SOURCE_DATE_EPOCH=DAY, COLUMNS=columns).returncode == 0
    assert first.read_bytes() == second.read_bytes()
    assert f'"2026-09-21" "SnakeStudio {snakestudio.__version__}"' in page


def test_man_page_lines_are_not_read_as_requests(page: str) -> None:
    requests = {line.split()[0] for line in page.splitlines() if line.startswith((".", "'"))}
    assert requests <= {
        ".TH",
        ".SH",
        ".SS",
        ".TP",
        ".B",
        ".I",
        ".PP",
        ".br",
        ".nf",
        ".fi",
        ".ad",
        ".nh",
    }


# --- desktop --------------------------------------------------------------------------------------


def test_desktop_entry_names_existing_files() -> None:
    entry = RawConfigParser()
    entry.optionxform = str  # type: ignore[assignment,method-assign]
    entry.read(SHARE / "applications" / "snakestudio.desktop", encoding="utf-8")
    fields = entry["Desktop Entry"]
    assert fields["Exec"] == "snakestudio %f"
    assert (ROOT / "resources" / "icons" / f"{fields['Icon']}.svg").is_file()
    kinds = ElementTree.parse(SHARE / "mime" / "packages" / "snakestudio.xml").getroot()
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    named = {kind.attrib["type"] for kind in kinds.iter(f"{space}mime-type")}
    assert named | {"application/toml"} == set(fields["MimeType"].strip(";").split(";"))
    assert ".toml" not in {
        glob.attrib["pattern"].lstrip("*") for glob in kinds.iter(f"{space}glob")
    }


def test_shipped_scenes_are_recognised_by_their_contents() -> None:
    """Names are not enough: the files contain the bytes that the MIME types match."""
    tree = ElementTree.parse(SHARE / "mime" / "packages" / "snakestudio.xml")
    match = next(m for m in tree.iter() if m.tag.endswith("match") and m.attrib["offset"] != "0")
    magic = match.attrib["value"].replace("\\n", "\n").encode()
    reach = int(match.attrib["offset"].split(":")[1])
    scenes = sorted(scenes_dir().glob("*.toml"))
    assert scenes
    for scene in scenes:
        assert 0 <= scene.read_bytes().find(magic) <= reach, scene
    assert magic not in (ROOT / "pyproject.toml").read_bytes()


def test_icons_and_man_page_are_in_standard_folders(tmp_path: Path) -> None:
    done = run("bundle/share.py", tmp_path, SOURCE_DATE_EPOCH=DAY)
    assert done.returncode == 0, done.stderr
    from PIL import Image

    for size in (16, 48, 512):
        with Image.open(
            tmp_path / "icons" / "hicolor" / f"{size}x{size}" / "apps" / "snakestudio.png"
        ) as icon:
            assert icon.size == (size, size)
            assert icon.getbbox() is not None
    assert (tmp_path / "man" / "man1" / "snakestudio.1.gz").is_file()
    assert (tmp_path / "applications" / "snakestudio.desktop").is_file()


def test_add_to_menu_adds_and_removes_entry(tmp_path: Path) -> None:
    folder = tmp_path / 'my "tools" & more'
    home = tmp_path / "home"
    (folder / "share").mkdir(parents=True)
    home.mkdir()
    (folder / "snakestudio").write_text("#!/bin/sh\n")
    for path in SHARE.rglob("*.*"):
        target = folder / "share" / path.relative_to(SHARE)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    script = folder / "add-to-menu.sh"
    script.write_text((PACKAGING / "bundle" / "add-to-menu.sh").read_text())
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    subprocess.run(["sh", str(script)], env=environment, check=True, capture_output=True)
    entry = (home / ".local/share/applications/snakestudio.desktop").read_text()
    # A quote in a quoted argument has a backslash, and each backslash of an entry is written twice.
    assert f'Exec="{folder.parent}/my \\\\"tools\\\\" & more/snakestudio" %f\n' in entry
    assert (home / ".local/bin/snakestudio").resolve() == folder / "snakestudio"
    subprocess.run(
        ["sh", str(script), "--remove"], env=environment, check=True, capture_output=True
    )
    assert list((home / ".local").rglob("*snakestudio*")) == []


# --- libraries ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def strip() -> dict[str, Any]:
    return runpy.run_path(str(PACKAGING / "bundle" / "strip.py"))


def library(folders: bytes, address: int = 0x1000) -> bytes:
    """Return a library of two segments, all of it and its dynamic table, with a search path."""
    head = 64 + 2 * 56
    table = 5 * 16
    texts = b"\0libc.so.6\0" + folders + b"\0"
    end = head + table + len(texts)
    start = b"\x7fELF\x02".ljust(32, b"\0") + struct.pack("<QQIHHH", 64, 0, 0, 64, 56, 2).ljust(
        32, b"\0"
    )
    segments = [(1, 0, address, end, 0x1000), (2, head, address + head, table, 8)]
    rows = [
        struct.pack("<IIQQQQQQ", kind, 4, at, to, to, size, size, align)
        for kind, at, to, size, align in segments
    ]
    entries = [(1, 1), (29, 11), (5, address + head + table), (10, len(texts)), (0, 0)]
    return (
        start + b"".join(rows) + b"".join(struct.pack("<QQ", *entry) for entry in entries) + texts
    )


def entries(data: bytes) -> list[int]:
    return [struct.unpack_from("<Q", data, 176 + 16 * index)[0] for index in range(5)]


def test_build_folders_are_removed_from_libraries(strip: dict[str, Any]) -> None:
    data = library(b"/home/builder/lib:/opt/python/lib")
    assert entries(data) == [1, 29, 5, 10, 0]
    cleaned = strip["without_build_folders"](data)
    assert entries(cleaned) == [1, 5, 10, 0, 0]
    assert (len(cleaned), cleaned[:176], cleaned[256:]) == (len(data), data[:176], data[256:])
    assert strip["without_build_folders"](cleaned) == cleaned
    from_its_place = library(b"$ORIGIN/../numpy.libs")
    assert strip["without_build_folders"](from_its_place) == from_its_place


def test_misaligned_library_is_not_sound(strip: dict[str, Any]) -> None:
    assert strip["is_sound"](library(b"/lib"))
    assert not strip["is_sound"](library(b"/lib", address=0x1010))
    assert not strip["is_sound"](library(b"/lib")[:-1])


# --- licences -------------------------------------------------------------------------------------


def test_licence_of_every_requirement_is_known(tmp_path: Path) -> None:
    out = tmp_path / "THIRD_PARTY.txt"
    done = run("third_party.py", "--out", out)
    assert done.returncode == 0, done.stderr
    text = out.read_text(encoding="utf-8")
    assert "libx264 and libx265" in text, "PyAV is among the requirements"
    for line in (PACKAGING / "requirements.txt").read_text().splitlines():
        if "==" in line and ";" not in line:
            name, _, version = line.partition("==")
            assert re.search(
                rf"^{name.replace('-', '[-_]')} {re.escape(version)}$",
                text,
                re.MULTILINE | re.IGNORECASE,
            )
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in text


@pytest.mark.parametrize(
    ("contents", "piece"),
    [
        (
            {"distributions": ["numpy"], "libraries": {"numpy.libs/libmystery-1.so": "/x"}},
            "libmystery-1.so: unknown",
        ),
        (
            {"distributions": ["no-such-package"], "libraries": {}},
            "no-such-package is not installed",
        ),
        (
            {"distributions": [], "libraries": {"h5py.libs/libhdf5-1.so": "/x"}},
            "no package of the bundle contains",
        ),
    ],
)
def test_part_without_licence_fails(
    tmp_path: Path, contents: dict[str, object], piece: str
) -> None:
    path = tmp_path / "contents.json"
    path.write_text(json.dumps(contents))
    done = run("third_party.py", "--contents", path, "--out", tmp_path / "out.txt")
    assert done.returncode == 1
    assert piece in done.stderr
    assert not (tmp_path / "out.txt").exists()


def test_build_without_video_encoder_has_no_gpl_section(tmp_path: Path) -> None:
    path = tmp_path / "contents.json"
    out = tmp_path / "out.txt"
    path.write_text(
        json.dumps({"distributions": ["numpy"], "libraries": {"libQt6Core.so.6": "/x"}})
    )
    assert run("third_party.py", "--contents", path, "--out", out).returncode == 0
    assert "made without a video encoder" in out.read_text(encoding="utf-8")


def test_table_of_licences_names_existing_texts() -> None:
    known = tomllib.loads((PACKAGING / "third_party.toml").read_text(encoding="utf-8"))
    own = {path.stem for path in (PACKAGING / "bundle" / "licences").glob("*.txt")}
    common = {"GPL-2", "GPL-3", "LGPL-2", "LGPL-2.1", "LGPL-3", "Apache-2.0", "wheel"}
    for entry in [*known["package"], *known["library"]]:
        texts = set(entry.get("texts", ()))
        assert texts <= own | common, entry
        assert not (texts & own) or entry.get("copyright"), entry


def test_version_is_the_same_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"SnakeStudio {snakestudio.__version__}\n"


def test_child_processes_do_not_load_bundled_libraries() -> None:
    """Neither the linker's variable nor the variable of the loader itself is inherited."""
    program = (
        "import json, os, runpy, sys; runpy.run_path(sys.argv[1]);"
        "print(json.dumps({k: v for k, v in os.environ.items() if k.startswith(('LD_LIBRARY', '_PYI'))}))"
    )
    variables = {"LD_LIBRARY_PATH": "/bundle/lib", "_PYI_ARCHIVE_FILE": "/bundle/snakestudio"}
    for before, after in ({}, {}), ({"LD_LIBRARY_PATH_ORIG": "/own"}, {"LD_LIBRARY_PATH": "/own"}):
        done = subprocess.run(
            [sys.executable, "-c", program, str(PACKAGING / "bundle" / "children.py")],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | variables | before,
        )
        assert json.loads(done.stdout) == after
