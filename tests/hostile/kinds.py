"""Inputs from outside, one `Kind` each: a valid file, the call that reads it, and attacks.

`ANYTHING` are attacks for any file; the others are for one format. Only `mutated` is random.
"""

from __future__ import annotations

import json
import os
import random
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.measured_files import NAMES, marker, motive, qualisys, rigid_body, save, vicon_section

Case = dict[str, Any]
Spoil = Callable[[bytes], bytes]
"""Function from a valid file to an attack."""

ROOT = Path(__file__).resolve().parents[2]
MEGA = 1_000_000

SCENE = b"""format = 1
title = "Little"
[robot]
n_links = 3
[gait]
kind = "lateral_undulation"
amplitude_deg = 30.0
[run]
duration_s = 0.05
log_rate_hz = 100.0
[[obstacles]]
kind = "cylinder"
x_m = 3.0
y_m = 3.0
radius_m = 0.1
"""

FIELD = b"""
[[obstacles]]
kind = "height_field"
x_m = 5.0
y_m = 5.0
picture = "map.png"
"""

LIBRARY = b"""format = 1
[model]
kind = "continuum_beam"
[strain]
kind = "formulas"
speed_m_s = "0.1"
"""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of input.

    Attributes
    ----------
    name : str
        Name of the file, with its ending.
    sound : callable
        Returns the valid content; gets the folder that `prepare` has filled.
    case : callable
        Returns the case that reads it; gets the file and the folder for output.
    hurts : dict of str to callable
        Attacks on this format.
    """

    name: str
    sound: Callable[[Path], bytes]
    case: Callable[[Path, Path], Case]
    hurts: dict[str, Spoil] = field(default_factory=dict)


# ----------------------------------------------------------------------------------- any format


def _fifo(path: Path, sound: bytes) -> None:
    os.mkfifo(path)


def _link(target: str) -> Callable[[Path, bytes], None]:
    return lambda path, sound: path.symlink_to(target)


def _sparse(size: int, keep: int = 0) -> Callable[[Path, bytes], None]:
    def make(path: Path, sound: bytes) -> None:
        path.write_bytes(sound[:keep])
        os.truncate(path, size)

    return make


def _written(spoil: Spoil) -> Callable[[Path, bytes], None]:
    return lambda path, sound: _write(path, spoil(sound))


def _write(path: Path, data: bytes) -> None:
    path.write_bytes(data)


ANYTHING: dict[str, Callable[[Path, bytes], None]] = {
    "a pipe nobody writes to": _fifo,
    "endless zeros": _link("/dev/zero"),
    "endless noise": _link("/dev/urandom"),
    "nothing at all": _link("/dev/null"),
    "a link to itself": lambda path, sound: path.symlink_to(path.name),
    "a folder": lambda path, sound: path.mkdir(),
    "six gigabytes of zeros": _sparse(6_000 * MEGA),
    "six gigabytes behind a sound beginning": _sparse(6_000 * MEGA, 400),
    "empty": _written(lambda sound: b""),
    "one byte": _written(lambda sound: sound[:1]),
    "half of it": _written(lambda sound: sound[: len(sound) // 2]),
    "all but the last byte": _written(lambda sound: sound[:-1]),
    "twice": _written(lambda sound: sound + sound),
    "noise": _written(lambda sound: random.Random(1).randbytes(5000)),
    "a line of 50 MB": _written(lambda sound: b"9" * (50 * MEGA)),
    "a line of 50 MB behind it": _written(lambda sound: sound + b"\n" + b"x" * (50 * MEGA)),
    "a mark of UTF-8 before it": _written(lambda sound: b"\xef\xbb\xbf" + sound),
    "UTF-16": _written(lambda sound: sound.decode("latin-1").encode("utf-16")),
    "two million brackets": _written(lambda sound: b"[" * (2 * MEGA)),
    "two million empty lines": _written(lambda sound: sound + b"\n" * (2 * MEGA)),
    "a postscript picture": _written(
        lambda sound: b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n"
    ),
}


# --------------------------------------------------------------------------------------------- TOML

DOTS = b".".join([b"a"] * 5000)


def _behind(text: bytes) -> Spoil:
    return lambda sound: sound + text


def _before(text: bytes) -> Spoil:
    return lambda sound: text + sound


# Attacks of many megabytes are created on demand: every process that collects the tests imports
# this.
TOML: dict[str, Spoil] = {
    "a key of 5,000 parts": _before(DOTS + b" = 1\n"),
    "a table of 5,000 parts": _behind(b"\n[" + DOTS + b"]\nb = 1\n"),
    "600 tables of 600 parts": lambda sound: (
        sound + b"\n" + b"".join(b"[%s.k%d]\n" % (b".".join([b"q"] * 600), i) for i in range(600))
    ),
    "lists 5,000 deep": _before(b"a = " + b"[" * 5000 + b"]" * 5000 + b"\n"),
    "lists 900 deep": _before(b"a = " + b"[" * 900 + b"]" * 900 + b"\n"),
    "tables 5,000 deep": _before(b"a = " + b"{a=" * 5000 + b"1" + b"}" * 5000 + b"\n"),
    "a number of 5,000 digits": _before(b"a = " + b"9" * 5000 + b"\n"),
    "a number of 4,000 digits": _before(b"a = " + b"9" * 4000 + b"\n"),
    "a list of a million numbers": lambda sound: b"a = [" + b"1," * MEGA + b"]\n" + sound,
    "a million keys": lambda sound: b"".join(b"k%d=1\n" % i for i in range(MEGA)) + sound,
    "300,000 tables": lambda sound: sound + b"\n" + b"[[t]]\n" * 300_000,
    "a text of 30 MB": lambda sound: b'a = "' + b"x" * (30 * MEGA) + b'"\n' + sound,
    "a comment of 30 MB": lambda sound: b"#" + b"x" * (30 * MEGA) + b"\n" + sound,
    "backslashes": _before(b'a = "' + b"\\" * 99_999 + b'"\n'),
    "a value a float cannot hold": lambda sound: sound.replace(b"= 1", b"= " + b"9" * 400),
    "not a number": lambda sound: sound.replace(b"0", b"nan"),
    "infinite": lambda sound: sound.replace(b"= ", b"= inf #"),
}


def _scene_with(old: bytes, new: bytes) -> Spoil:
    return lambda sound: sound.replace(old, new)


def _strain(formula: str) -> Spoil:
    return lambda sound: LIBRARY + b'k_z_per_m = "%s"\n' % formula.encode()


SCENES: dict[str, Spoil] = TOML | {
    "ten million links": _scene_with(b"n_links = 3", b"n_links = 10000000"),
    "a million wrong obstacles": lambda sound: (
        sound + b"".join(b'[[obstacles]]\nkind="?"\n' for _ in range(100_000))
    ),
    "a list of a million obstacles": lambda sound: (
        b"obstacles = [" + b"1," * MEGA + b"]\n" + sound.partition(b"[[obst")[0]
    ),
    "20,000 obstacles wrong in all they have": lambda sound: (
        sound
        + b'[[obstacles]]\nkind="box"\nx_m="a"\ny_m="a"\nz_m="a"\nlength_m="a"\nwidth_m="a"\nheight_m="a"\nq=1\n'
        * 19_999
    ),
    "a table of heights of texts": lambda sound: (
        sound
        + b'[[obstacles]]\nkind="height_field"\nx_m=0\ny_m=0\nheights_m=['
        + (b"[" + b'"a",' * 900 + b"],") * 900
        + b"]\n"
    ),
    "a table of two million heights": lambda sound: (
        sound
        + b'[[obstacles]]\nkind="height_field"\nx_m=0\ny_m=0\nheights_m=['
        + (b"[" + b"0," * 1000 + b"],") * 2000
        + b"]\n"
    ),
    "a hundred fields of rubble": _behind(
        b'[[obstacles]]\nkind="rubble"\nx_m=9\ny_m=9\nblocks=5000\n' * 100
    ),
    "a run of a million seconds at 100 kHz": _scene_with(
        b"duration_s = 0.05\nlog_rate_hz = 100.0", b"duration_s = 1e6\nlog_rate_hz = 1e5"
    ),
    "a start from a device": _behind(
        b'[start]\nkind = "recording"\nfile = "/dev/zero"\ntime_s = 0\n'
    ),
    "a picture that is a device": _behind(FIELD.replace(b"map.png", b"/dev/zero")),
    "a picture that is a pipe": _behind(FIELD.replace(b"map.png", b"pipe")),
}

FORMULAS = {
    "a pole of a pole": "atan(log(0*s))",
    "a tower of powers": "9^9^9^9^9",
    "a large power": "(1+4*s)^40*(1-4*s)^40",
    "many brackets": "(" * 200 + "s" + ")" * 200,
    "sines of sines": "sin(" * 60 + "4*s" + ")" * 60,
    "powers of sines": "sin(cos(sin(4*s)^9)^9)^9" * 8,
    "a long product": "*".join(["(1+4*s)"] * 60),
    "roots of roots": "sqrt(" * 40 + "4*s" + ")" * 40,
    "a huge number": "9" * 400,
    "an infinite number": "1e999*s",
    "a factorial": "s*" + "9" * 200 + "^" + "9" * 200,
}


# ------------------------------------------------------------------------------------------- tables

ROWS = b"".join(b"%.2f,%.4f,0.1,0.05\n" % (i / 20, 0.01 * i) for i in range(60))
TRACK = b"time_s,link_1_x_m,link_1_y_m,link_1_z_m\n" + ROWS

TABLES: dict[str, Spoil] = {
    "a million columns": lambda sound: (b",".join([b"1"] * MEGA) + b"\n") * 3,
    "a million names of columns": lambda sound: (
        b",".join(b"c%d" % i for i in range(MEGA)) + b"\n" + sound
    ),
    "two million lines of comment": lambda sound: b"# x\n" * (2 * MEGA) + sound,
    "a comment of 50 MB": lambda sound: b"#" + b"x" * (50 * MEGA) + b"\n" + sound,
    "two million rows of another width": lambda sound: sound + b"1,2\n" * (2 * MEGA),
    "an open quotation of 20 MB": lambda sound: sound + b'"' + b"a,\n" * 7 * MEGA,
    "quotation marks": lambda sound: sound.replace(b",", b'","'),
    "nothing but delimiters": lambda sound: b",,,,\n" * 100_000,
    "every number not a number": lambda sound: sound.replace(b"0.1", b"nan"),
    "infinite numbers": lambda sound: sound.replace(b"0.1", b"1e400"),
    "times of every size": lambda sound: sound.replace(b"\n1.00", b"\n1e300"),
    "no end of a line": lambda sound: sound.replace(b"\n", b"\r"),
    "NULs": lambda sound: sound[:200] + b"\0" * 5000 + sound[200:],
    "50,000 columns of words": lambda sound: (
        b",".join([b"x position rotation of marker"] * 50_000) + b"\n" + sound
    ),
}


def _changes(*lines: bytes) -> Spoil:
    """Additional lines in the header of an exported run."""
    return lambda sound: b"".join(b"# change: " + line + b"\n" for line in lines) + sound


RUNS_CSV: dict[str, Spoil] = TABLES | {
    "a change 100,000 lists deep": _changes(
        b'{"time_s": 0.01, "values": {"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}"
    ),
    "a change 800 lists deep": _changes(
        b'{"time_s": 0.01, "values": {"ground.mu_along": ' + b"[" * 800 + b"]" * 800 + b"}}"
    ),
    "a change of nothing known": _changes(b'{"time_s": 0.01, "values": {"a.b[3].c": 1}}'),
    "a change of a list": _changes(b'{"time_s": 0.01, "values": [1, 2]}'),
    "a change that is none": _changes(b"[]", b"1", b"null"),
    "a change at no time": _changes(b'{"time_s": NaN, "values": {"ground.mu_along": 0.1}}'),
    "a change at the end of time": _changes(
        b'{"time_s": 1e999, "values": {"ground.mu_along": 0.1}}'
    ),
    "a change at a time of 400 digits": _changes(
        b'{"time_s": ' + b"9" * 400 + b', "values": {"ground.mu_along": 0.1}}'
    ),
    "100,000 changes": lambda sound: _changes(
        *(
            b'{"time_s": %.6f, "values": {"ground.mu_along": 0.1}}' % (i * 1e-7)
            for i in range(100_000)
        )
    )(sound),
    "an entry number of 5,000 digits": _changes(
        b'{"time_s": 0.01, "values": {"obstacles[' + b"9" * 5000 + b'].x_m": 1}}'
    ),
    "a change of 30 MB": lambda sound: _changes(
        b'{"time_s": 0.01, "values": {"title": "' + b"x" * (30 * MEGA) + b'"}}'
    )(sound),
    "a scene of 30 MB": lambda sound: b"#| # " + b"x" * (30 * MEGA) + b"\n" + sound,
    "two million lines of scene": lambda sound: b"#| # x\n" * (2 * MEGA) + sound,
    "a scene with a key of 5,000 parts": lambda sound: b"#| " + DOTS + b" = 1\n" + sound,
}

CIRCLES = b"x,y,radius\n" + b"".join(b"%d,3,0.1\n" % i for i in range(4))

TRC = (
    b"PathFileType\t4\t(X/Y/Z)\ta.trc\n"
    b"DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames\n"
    b"20.00\t20.00\t60\t1\tm\t20.00\t1\t60\nFrame#\tTime\tlink_1\t\t\n\t\tX1\tY1\tZ1\n\n"
) + b"".join(b"%d\t%.2f\t%.4f\t0.1\t0.05\n" % (i + 1, i / 20, 0.01 * i) for i in range(60))

TRCS: dict[str, Spoil] = {
    "a million markers": lambda sound: sound.replace(
        b"link_1\t\t", b"\t\t\t".join(b"m%d" % i for i in range(MEGA))
    ),
    "300,000 rows that are too short": lambda sound: (
        sound.replace(b"link_1\t\t", b"\t\t\t".join(b"m%d" % i for i in range(2000)))
        + b"1\t2\t3\n" * 300_000
    ),
    "no rate": lambda sound: sound.replace(b"20.00", b"nan"),
    "no time": lambda sound: sound.replace(b"\t0.0", b"\tnan"),
    "a rate below all": lambda sound: sound.replace(b"20.00", b"1e-320").replace(
        b"\t0.0", b"\tnan"
    ),
    "infinite": lambda sound: sound.replace(b"0.1", b"1e400"),
}

# ---------------------------------------------------------------------------------------------- C3D


def _c3d(folder: Path) -> bytes:
    return (folder / "track.c3d").read_bytes()


def _header_words(**values: int) -> Spoil:
    """Set words of the header (counted from 1, as in the format's guide)."""

    def spoil(sound: bytes) -> bytes:
        damaged = bytearray(sound)
        for name, value in values.items():
            struct.pack_into("<H", damaged, 2 * (int(name[1:]) - 1), value & 0xFFFF)
        return bytes(damaged)

    return spoil


def _at(offset: int, value: bytes) -> Spoil:
    return lambda sound: sound[:offset] + value + sound[offset + len(value) :]


C3DS: dict[str, Spoil] = {
    "parameters in block 0": _at(0, b"\0"),
    "parameters beyond the end": _at(0, b"\xff"),
    "parameters where the header is": _at(0, b"\1"),
    "65,535 points": _header_words(w2=65535),
    "no points": _header_words(w2=0),
    "65,535 analog values": _header_words(w3=65535),
    "the last frame before the first": _header_words(w4=100, w5=2),
    "65,535 frames": _header_words(w5=65535),
    "one frame less": _header_words(w5=59),
    "a scale of 0": _header_words(w7=0, w8=0),
    "a scale that is no number": _header_words(w7=0, w8=0x7FC0),
    "data in block 0": _header_words(w9=0),
    "data beyond the end": _header_words(w9=65535),
    "no rate": _header_words(w11=0, w12=0),
    "of no processor": _at(512 + 3, b"\0"),
    "of another processor": _at(512 + 3, b"\x56"),
    "no blocks of parameters": _at(512 + 2, b"\0"),
    "a parameter that leads to itself": lambda sound: _each_pointer(sound, 0),
    "a parameter that leads back": lambda sound: _each_pointer(sound, -4),
    "a parameter that leads far away": lambda sound: _each_pointer(sound, 32767),
    "parameters of nothing but ones": lambda sound: sound[:530] + b"\xff" * 64 + sound[594:],
    "its end cut off": lambda sound: sound[:-300],
    "one frame cut off": lambda sound: sound[: len(sound) - 512],
}


def _each_pointer(sound: bytes, to: int) -> bytes:
    """Change the offset from each parameter to the next, by name."""
    data = bytearray(sound)
    for name in (b"POINT", b"USED", b"SCALE", b"RATE", b"DATA_START", b"LABELS", b"UNITS"):
        at = sound.find(name, 512)
        if at > 0:
            struct.pack_into("<h", data, at + len(name), to)
            break
    return bytes(data)


# ----------------------------------------------------------------------------------------- drawings

SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="100mm" height="100mm" '
    b'viewBox="0 0 100 100"><g transform="translate(10 10)"><circle cx="5" cy="5" r="2"/><ellipse cx="9" cy="9" rx="1" '
    b'ry="1"/></g><circle id="c" cx="50" cy="50" r="4"/><rect width="5" height="5"/><use href="#c" x="9"/></svg>'
)


def _svg(old: bytes, new: bytes) -> Spoil:
    return lambda sound: sound.replace(old, new)


def _uses(depth: int, width: int) -> bytes:
    """Nested uses: width to the power of depth circles."""
    parts = [b'<circle id="u0" cx="5" cy="5" r="1"/>']
    for level in range(1, depth):
        parts.append(b'<g id="u%d">%s</g>' % (level, (b'<use href="#u%d"/>' % (level - 1)) * width))
    return b"".join(parts)


SVGS: dict[str, Spoil] = {
    "a broken viewBox": _svg(b"0 0 100 100", b"0 0 1.2.3 --"),
    "a viewBox of nothing": _svg(b"0 0 100 100", b"0 0 0 0"),
    "a viewBox of two": _svg(b"0 0 100 100", b"0 0"),
    "an infinite viewBox": _svg(b"0 0 100 100", b"0 0 1e400 1e400"),
    "a viewBox of words": _svg(b"0 0 100 100", b"a b c d"),
    "an infinite radius": _svg(b'r="4"', b'r="1e400"'),
    "a radius that is no number": _svg(b'r="4"', b'r="nan"'),
    "a radius in words": _svg(b'r="4"', b'r="four"'),
    "a negative radius": _svg(b'r="4"', b'r="-4"'),
    "a radius in percent": _svg(b'r="4"', b'r="4%"'),
    "an infinite place": _svg(b'cx="50"', b'cx="-1e999"'),
    "a transformation of nothing": _svg(b"translate(10 10)", b"scale(0)"),
    "an infinite transformation": _svg(b"translate(10 10)", b"scale(1e400)"),
    "a transformation that is none": _svg(b"translate(10 10)", b"matrix(1 2) rotate( skewX(a"),
    "a long transformation": lambda sound: sound.replace(
        b"translate(10 10)", b"rotate(1) " * 200_000
    ),
    "no namespace": _svg(b' xmlns="http://www.w3.org/2000/svg"', b""),
    "another namespace": _svg(b"http://www.w3.org/2000/svg", b""),
    "an unknown prefix": _svg(b"<rect", b"<a:rect"),
    "a prefix of its own": _svg(b"<rect", b'<rect xmlns:xmlns0="x" xmlns="y"'),
    "a billion laughs": lambda sound: (
        b'<!DOCTYPE svg [<!ENTITY a0 "ha">'
        + b"".join(b'<!ENTITY a%d "%s">' % (i, b"&a%d;" % (i - 1) * 10) for i in range(1, 10))
        + b"]>"
        + sound.replace(b"</svg>", b"<text>&a9;</text></svg>")
    ),
    "an entity of a file": lambda sound: (
        b'<!DOCTYPE svg [<!ENTITY f SYSTEM "file:///etc/passwd">]>'
        + sound.replace(b"</svg>", b"<text>&f;</text></svg>")
    ),
    "an entity in a number": lambda sound: (
        b'<!DOCTYPE svg [<!ENTITY n "4">]>' + sound.replace(b'r="4"', b'r="&n;"')
    ),
    "uses of uses": _svg(b"</svg>", _uses(12, 10) + b'<use href="#u11"/></svg>'),
    "a use of itself": _svg(b"</svg>", b'<g id="s"><use href="#s"/></g><use href="#s"/></svg>'),
    "uses in a circle": _svg(
        b"</svg>",
        b'<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/><use href="#a"/></g></svg>',
    ),
    "a use of the drawing": lambda sound: sound.replace(b"<svg ", b'<svg id="all" ', 1).replace(
        b"<rect", b'<use href="#all"/><rect'
    ),
    "groups 100,000 deep": _svg(b"</svg>", b"<g>" * 100_000 + b"</g>" * 100_000 + b"</svg>"),
    "groups 900 deep": _svg(
        b"</svg>", b"<g>" * 900 + b'<circle r="1"/>' + b"</g>" * 900 + b"</svg>"
    ),
    "a million elements": lambda sound: sound.replace(b"</svg>", b"<g/>" * MEGA + b"</svg>"),
    "100,000 circles": lambda sound: sound.replace(
        b"</svg>", b'<circle r="1"/>' * 100_000 + b"</svg>"
    ),
    "30,000 rectangles": lambda sound: sound.replace(
        b"</svg>", b'<rect width="1" height="1"/>' * 30_000 + b"</svg>"
    ),
    "a million attributes": lambda sound: sound.replace(
        b"<rect", b"<rect " + b" ".join(b'a%d=""' % i for i in range(MEGA))
    ),
    "a path of 20 MB": lambda sound: sound.replace(
        b"<rect", b'<path d="M0 0' + b" L1 1" * (4 * MEGA) + b'"/><rect'
    ),
    "an open path": _svg(b"<rect", b'<path d="M 0 0 A 1 1"/><path d="z z 1 e e"/><rect'),
    "a polygon of words": _svg(b"<rect", b'<polygon points="a,b c"/><rect'),
    "a text of 20 MB": lambda sound: sound.replace(
        b"<rect", b"<text>" + b"x" * (20 * MEGA) + b"</text><rect"
    ),
    "a style of much": lambda sound: sound.replace(
        b"<rect", b"<style>" + b"a{b:c}" * 200_000 + b"</style><rect"
    ),
    "a style that is none": _svg(b"<rect", b"<style>{{{}:;.#</style><rect"),
    "a picture of a device": _svg(b"<rect", b'<image href="/dev/zero" width="5" height="5"/><rect'),
    "a picture in it": _svg(
        b"<rect", b'<image href="data:image/png;base64,AAAA" width="5" height="5"/><rect'
    ),
    "a height of nothing": _svg(b'height="100mm"', b'height="0mm"'),
    "a height of words": _svg(b'height="100mm"', b'height="..mm"'),
    "an infinite height": _svg(b'height="100mm"', b'height="1e999mm"'),
    "a colour that is none": _svg(b"<rect", b'<rect fill="rgb(" stroke="#12345" stroke-width="a"'),
}

# ----------------------------------------------------------------------------------------- pictures


def png(width: int, height: int, rows: bytes | None = None, kind: int = 0) -> bytes:
    """Return a grey PNG with the size of its header; rows may be missing."""
    if rows is None:
        rows = (b"\0" + b"\x80" * width) * height

    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    head = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def _picture(name: str, width: int = 8, height: int = 8) -> Spoil:
    def make(_: bytes) -> bytes:
        import io

        from PIL import Image

        held = io.BytesIO()
        Image.new("L", (width, height)).save(held, name)
        return held.getvalue()

    return make


def _text_chunk(sound: bytes) -> bytes:
    data = b"k\0\0" + zlib.compress(b"x" * (200 * MEGA))
    extra = (
        struct.pack(">I", len(data))
        + b"zTXt"
        + data
        + struct.pack(">I", zlib.crc32(b"zTXt" + data))
    )
    return sound[:33] + extra + sound[33:]


PICTURES: dict[str, Spoil] = {
    "13,000 by 13,000": lambda sound: png(13_000, 13_000),
    "14,000 by 14,000": lambda sound: png(14_000, 14_000),
    "a claim of 60,000 by 60,000": lambda sound: png(60_000, 60_000, b""),
    "a claim of 2,000,000,000 by 1": lambda sound: png(2_000_000_000, 1, b""),
    "no width": lambda sound: png(0, 8, b""),
    "one pixel": lambda sound: png(1, 1),
    "a kind that is none": lambda sound: png(8, 8, kind=7),
    "no rows": lambda sound: png(8, 8, b""),
    "a text of 200 MB in it": _text_chunk,
    "a GIF": _picture("GIF"),
    "an icon": _picture("ICO", 16, 16),
    "a Targa picture": _picture("TGA"),
    "a PDF": _picture("PDF"),
    "a JPEG of 12,000 by 12,000": _picture("JPEG", 12_000, 12_000),
    "a BMP of 60,000 by 60,000": lambda sound: (
        b"BM"
        + struct.pack("<IIIIiiHHIIiiII", 54, 0, 54, 40, 60_000, 60_000, 1, 24, 0, 0, 0, 0, 0, 0)
    ),
    "a TIFF of a large claim": lambda sound: (
        b"II*\0\x08\0\0\0\x03\0\0\1\4\0\1\0\0\0\xff\xff\xff\x0f\1\1\4\0\1\0\0\0\xff\xff\xff\x0f\x02\1\3\0\1\0\0\0\x08\0"
        b"\0\0\0\0\0\0"
    ),
    "a TIFF whose tables lead in a circle": lambda sound: b"II*\0\x08\0\0\0\0\0\x08\0\0\0",
}

# ---------------------------------------------------------------------------------------- run files


def about(sound: bytes, **values: str | Callable[[str], str]) -> bytes:
    """Return a run file with a changed description; the rest is only moved."""
    import io

    from mcap.data_stream import ReadDataStream
    from mcap.records import Metadata

    from snakestudio.runfile.mcap.records import encoded, signed

    start = 8
    (length,) = struct.unpack_from("<Q", sound, start + 1)
    start += 9 + length
    (length,) = struct.unpack_from("<Q", sound, start + 1)
    metadata = Metadata.read(ReadDataStream(io.BytesIO(sound[start + 9 : start + 9 + length])))
    for key, value in values.items():
        metadata.metadata[key] = value(metadata.metadata[key]) if callable(value) else value
    metadata.metadata = signed(metadata.metadata)  # an attacker can do that, too
    damaged = encoded(metadata)
    # The index at the end would have wrong offsets: without it the file is scanned.
    return sound[:start] + damaged + sound[start + 9 + length : -300]


def _about(**values: str | Callable[[str], str]) -> Spoil:
    return lambda sound: about(sound, **values)


def _schema(**values: Any) -> Spoil:
    return _about(schema=lambda text: json.dumps({**json.loads(text), **values}))


def _column(number: int, row: int, value: Any) -> Spoil:
    def change(text: str) -> str:
        columns = json.loads(text)
        columns[number][row] = value
        return json.dumps(columns)

    return _about(columns=change)


MCAPS: dict[str, Spoil] = {
    "ten million links": _schema(n_links=10_000_000),
    "two links": _schema(n_links=2),
    "no links": _schema(n_links=0),
    "-5 links": _schema(n_links=-5),
    "links in words": _schema(n_links="many"),
    "infinitely many links": _schema(n_links=1e400),
    "a million kinds of energy": lambda sound: _schema(energy=["e"] * MEGA)(sound),
    "no energy": _schema(energy=[]),
    "energies of one name": _schema(energy=["e", "e", "e", "e"]),
    "more columns of others": _schema(extra=["a_m"] * 9),
    "sections without a body": _schema(sections=[0.1, 0.2, 0.3]),
    "a hundred holds": _schema(n_holds=100),
    "all fields": _schema(valid=-1),
    "a schema that is a list": _about(schema="[]"),
    "a schema that is nothing": _about(schema=""),
    "a schema 100,000 deep": _about(schema="[" * 100_000),
    "columns 100,000 deep": _about(columns="[" * 100_000),
    "columns that are none": _about(columns="{}"),
    "poses of another shape": _column(1, 2, [11, 7]),
    "poses of a huge shape": _column(1, 2, [10**9, 10**9]),
    "poses of a shape with nothing": _column(1, 2, [0, 7]),
    "times of whole numbers": _column(0, 1, "int32"),
    "times of a shape": _column(0, 2, [3]),
    "a scene of 5,000 parts": _about(scene="a" + ".a" * 5000 + " = 1"),
    "a scene of nothing": _about(scene=""),
    "a scene of other links": _about(scene=lambda text: text.replace("n_links = 3", "n_links = 7")),
    "a scene of another model": _about(
        scene=lambda text: text.replace("planar_nonsmooth", "continuum_beam")
    ),
    "no time of its making": _about(created="yesterday"),
    "a version of many digits": _about(format_version="9" * 5000),
    "a folder that is a device": _about(base_folder="/dev/zero\0"),
}


def _end(spoil: Callable[[bytearray], None]) -> Spoil:
    def make(sound: bytes) -> bytes:
        data = bytearray(sound)
        spoil(data)
        return bytes(data)

    return make


def _long_chunk(sound: bytes) -> bytes:
    """A chunk that claims and contains 500 MB, compressed."""
    import zstandard

    cut = sound[:-300]
    size = 500 * MEGA
    packed = zstandard.ZstdCompressor(level=1).compress(bytes(size))
    record = struct.pack("<QQQII4sQ", 0, 0, size, 0, 4, b"zstd", len(packed)) + packed
    chunk = struct.pack("<BQ", 6, len(record)) + record
    return cut + chunk


MCAPS["a chunk of 500 MB of zeros"] = _long_chunk
MCAPS["a record of six gigabytes"] = lambda sound: (
    sound[:-300] + struct.pack("<BQ", 6, 6_000 * MEGA)
)
MCAPS["a footer that leads to itself"] = _end(
    lambda damaged: struct.pack_into(
        "<QQI", damaged, len(damaged) - 28, len(damaged) - 37, len(damaged) - 37, 0
    )
)
MCAPS["a footer that leads nowhere"] = _end(
    lambda damaged: struct.pack_into("<QQI", damaged, len(damaged) - 28, 2**63, 2**63, 0)
)

# ------------------------------------------------------------------------------------------- robots

DBCS: dict[str, Spoil] = {
    "200,000 messages": lambda sound: (
        sound + b"\n" + b"".join(b"BO_ %d M%d: 8 A\n" % (i, i) for i in range(200_000))
    ),
    "a message of 30,000 signals": lambda sound: (
        sound
        + b"\nBO_ 1999 LONG: 64 A\n"
        + b"".join(b' SG_ s%d : 0|8@1+ (1,0) [0|0] "" A\n' % i for i in range(30_000))
    ),
    "a message of 99,999 bytes": _behind(b"\nBO_ 1999 LONG: 99999 A\n"),
    "a signal of 60,000 bits": _behind(
        b'\nBO_ 1999 LONG: 8 A\n SG_ s : 0|60000@1+ (1,0) [0|0] "" A\n'
    ),
    "a signal at bit 999,999,999": _behind(
        b'\nBO_ 1999 LONG: 8 A\n SG_ s : 999999999|8@1+ (1,0) [0|0] "" A\n'
    ),
    "an infinite factor": _behind(b'\nBO_ 1999 LONG: 8 A\n SG_ s : 0|8@1+ (1e400,0) [0|0] "" A\n'),
    "a factor that is no number": _behind(
        b'\nBO_ 1999 LONG: 8 A\n SG_ s : 0|8@1+ (nan,0) [0|0] "" A\n'
    ),
    "a number of 5,000 digits": _behind(b"\nBO_ " + b"9" * 5000 + b" LONG: 8 A\n"),
    "a multiplexer of itself": _behind(
        b'\nBO_ 1999 LONG: 8 A\n SG_ s m0M : 0|8@1+ (1,0) [0|0] "" A\n'
    ),
    "300,000 choices": lambda sound: (
        sound + b"\nVAL_ 513 Yaw " + b" ".join(b'%d "c"' % i for i in range(300_000)) + b" ;\n"
    ),
    "an open text of 5 MB": lambda sound: sound + b'\nCM_ "' + b"x" * (5 * MEGA),
    "1,000,000 words": lambda sound: sound + b"\n" + b"BU_ " * MEGA,
    "half a message": _behind(b"\nBO_ 12"),
}


def _profile(folder: Path) -> bytes:
    return (ROOT / "resources" / "profiles" / "lab_robot.toml").read_bytes()


def _dbc(folder: Path) -> bytes:
    return (ROOT / "resources" / "profiles" / "lab_robot.dbc").read_bytes()


PROFILES: dict[str, Spoil] = TOML | {
    "a DBC that is a device": lambda sound: sound.replace(
        b'dbc = "lab_robot.dbc"', b'dbc = "/dev/zero"'
    ),
    "a DBC that is a pipe": lambda sound: sound.replace(b'dbc = "lab_robot.dbc"', b'dbc = "pipe"'),
    "a hundred thousand axes": lambda sound: (
        sound + b"\n" + b'[[axes]]\njoint = 1\naxis = "yaw"\nnode = 1\n' * 100_000
    ),
    "a formula of a tower": lambda sound: sound.replace(b'"0x', b'"9**9**9**9 + 0x'),
    "a formula of brackets": lambda sound: sound.replace(b'"0x', b'"' + b"(" * 500 + b"0x"),
    "an id of 400 digits": lambda sound: sound.replace(b"0x", b"9" * 400 + b" + 0x"),
}

CAMERA = b"""follow = true
[[keyframes]]
time_s = 0.0
target_m = [0.5, 0.0, 0.0]
distance_m = 2.0
[[keyframes]]
time_s = 1.0
target_m = [0.5, 0.0, 0.0]
distance_m = 3.0
"""

LAYOUT = b"""delimiter = ","
decimal = "."
header_rows = 1
time_column = 0
time_unit = "s"
length_unit = "m"
angle_unit = "rad"
axes = "+x+y+z"
[[bodies]]
name = "link_1"
x = 1
y = 2
z = 3
link = 0
"""

LAYOUTS: dict[str, Spoil] = TOML | {
    "a column of 20 digits": _scene_with(b"x = 1", b"x = 99999999999999999999"),
    "a column before the first": _scene_with(b"x = 1", b"x = -3"),
    "a column of a billion": _scene_with(b"x = 1", b"x = 1000000000"),
    "a billion header rows": _scene_with(b"header_rows = 1", b"header_rows = 1000000000"),
    "-5 header rows": _scene_with(b"header_rows = 1", b"header_rows = -5"),
    "a delimiter of nothing": _scene_with(b'","', b'""'),
    "a long delimiter": _scene_with(b'","', b'"' + b"," * 5000 + b'"'),
    "axes that are none": _scene_with(b"+x+y+z", b"+x+x+x"),
    "a link of 20 digits": _scene_with(b"link = 0", b"link = 99999999999999999999"),
    "a rate of nothing": _scene_with(b"time_column = 0", b'time_column = "none"\nrate_hz = 1e-320'),
    "an infinite gap": _before(b"max_gap_s = inf\n"),
    "a gap that is no number": _before(b"max_gap_s = nan\n"),
}

MAPPING = b"""format = 1
dead_man = false
top_speed = 0.5
[[bindings]]
function = "speed"
input = "key:W"
scale = 1.0
"""

FRAMES = b"".join(b"(%.6f) can0 201#0011223344556677\n" % (i / 100) for i in range(50))


def _container(spoil: Spoil) -> Spoil:
    """Change the first container of a BLF file, and compress it again."""

    def make(sound: bytes) -> bytes:
        at = sound.index(b"LOBJ", 144)
        (size,) = struct.unpack_from("<L", sound, at + 8)
        packed = zlib.compress(spoil(zlib.decompress(sound[at + 32 : at + size])), 1)
        head = sound[at : at + 8] + struct.pack("<L", 32 + len(packed)) + sound[at + 12 : at + 32]
        return sound[:at] + head + packed + bytes((32 + len(packed)) % 4)

    return make


BLFS: dict[str, Spoil] = {
    "an object of no size": _container(_at(8, struct.pack("<L", 0))),
    "an object that ends before it begins": _container(_at(8, struct.pack("<L", 3))),
    "an object of four gigabytes": _container(_at(8, struct.pack("<L", 2**32 - 1))),
    "a container of two gigabytes of zeros": _container(lambda inner: inner + bytes(2_000 * MEGA)),
    "a container of no size": _at(152, bytes(4)),
    "a header of no size": _at(4, bytes(4)),
    "a header of four gigabytes": _at(4, b"\xff" * 4),
}

SIGNALS = (
    "highpass(com_x_m, 1e-5)",
    "lowpass(com_x_m, 1e-9)",
    "median(com_x_m, 1e5)",
    "median(com_x_m, 1e300)",
    "moving_mean(com_x_m, 1e300)",
    "delay(com_x_m, 1e300)",
    "at(com_x_m, 1e300)",
    "at(com_x_m, -1e300)",
    "atan(log(0*com_x_m))",
    "9^9^9^9^9",
    "com_x_m^(9^9^9)",
    "(" * 900 + "com_x_m" + ")" * 900,
    "-" * 1900 + "com_x_m",
    "sum(*_*)",
    "sum(*_*, *_*, *_*)",
    "norm(" * 50 + "com_x_m, 1" + ")" * 50,
    "com_x_m" + "+com_x_m" * 240,
    "median(median(median(median(com_x_m, 10), 10), 10), 10)",
    "lowpass(" * 20 + "com_x_m" + ", 1e-3)" * 20,
    "derivative(" * 60 + "com_x_m" + ")" * 60,
    "1e999 * com_x_m",
    "com_x_m % 0",
    "where(com_x_m, 1/0, 0/0)",
    "sum(" + "?" * 100 + ")",
    "sum(*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a_m)",
    "sum([a-z]*[a-z]*[a-z]*[a-z]*[a-z]*x_m)",
    "com_x_m if com_x_m else 1",
    "(lambda: 1)()",
    "__import__('os')",
    "com_x_m.real",
    "delay(com_x_m, 0*log(0))",
    "not not not com_x_m",
    "com_x_m < com_x_m < com_x_m",
    "integral(" * 60 + "com_x_m" + ")" * 60,
    "",
    "unwrap(at(integral(delay(com_x_m, -1e9)), 0))",
    "lowpass(com_x_m, 1e400)",
    "median(com_x_m, 1e-320)",
)


# ---------------------------------------------------------------------------------------------- all


def _run(file: Path, out: Path) -> Case:
    return {"argv": ["run", str(file), "--duration", "0.02", "--csv", str(out / "out.csv")]}


def _measured(folder: Path, name: str) -> bytes:
    """Return a measured file of another program."""
    path = folder / name
    if name == "motive.csv":
        motive(path, [rigid_body(0), marker(1, "peg", quality=True)], version="1.25", parent=True)
    elif name == "qualisys.tsv":
        qualisys(path, bodies=True, header=True, leading=True)
    else:
        save(
            path,
            [
                *vicon_section("Objects", NAMES, pose="deg"),
                [],
                *vicon_section("Devices", ["Plate"], unit="N"),
            ],
        )
    return path.read_bytes()


def _experiment(file: Path, out: Path) -> Case:
    return {"call": "tests.hostile.calls:read_measured", "args": [str(file)]}


def _import(file: Path, out: Path) -> Case:
    new = str(out / "new.toml")
    return {
        "argv": [
            "import-obstacles",
            str(file),
            "--into",
            str(out / "little.toml"),
            "--out",
            new,
            "--force",
        ]
    }


STUDY = b"""format = 1
scene = "../materials/little.toml"
[fixed]
"gait.frequency_deg_s" = 90.0
[[vary]]
key = "gait.amplitude_deg"
low = 20.0
high = 40.0
steps = 3
[[vary]]
key = "ground.mu_across"
values = [0.2, 0.8]
[search]
kind = "sobol"
points = 16
[repeats]
count = 2
[[repeats.jitter]]
key = "obstacles[*].x_m"
spread = 0.01
[[goals]]
measure = "net_speed"
[[limits]]
measure = "rms(com_vx_mps)"
at_most = 1.0
"""


def _study_with(old: bytes, new: bytes) -> Spoil:
    return lambda sound: sound.replace(old, new, 1)


STUDIES: dict[str, Spoil] = {
    "10^12 points": _study_with(b"points = 16", b"points = 1000000000000"),
    "a grid of 10^12 points": lambda sound: sound.replace(b'"sobol"', b'"grid"').replace(
        b"steps = 3", b"steps = 1000000"
    ),
    "a million repeats of a million points": lambda sound: sound.replace(
        b"points = 16", b"points = 1000000"
    ).replace(b"count = 2", b"count = 10000"),
    "more Sobol dimensions than there are": _behind(
        b"".join(b'[[vary]]\nkey = "robot.k%d"\nlow = 0\nhigh = 1\n' % i for i in range(30_000))
    ),
    "50,000 values of a list": _study_with(
        b"values = [0.2, 0.8]", b"values = [" + b",".join(b"0.%d" % i for i in range(50_000)) + b"]"
    ),
    "a range of all numbers": _study_with(
        b"low = 20.0\nhigh = 40.0", b"low = -1e308\nhigh = 1e308"
    ),
    "a measure that is code": _study_with(b'"net_speed"', b"\"__import__('os').system('true')\""),
    "a measure of powers of powers": _study_with(b'"net_speed"', b'"last(9^9^9^9^9*com_x_m)"'),
    "a measure 900 deep": _study_with(
        b'"net_speed"', b'"' + b"last(" * 380 + b"com_x_m" + b")" * 380 + b'"'
    ),
    "a scene outside": _study_with(b"../materials/little.toml", b"/etc/passwd"),
    "a scene that is a pipe": _study_with(b"../materials/little.toml", b"pipe"),
    "a scene that is this file": _study_with(b"../materials/little.toml", b"x.study.toml"),
    "a key that is code": _study_with(b'"gait.amplitude_deg"', b'"gait.__class__"'),
    "a jitter of everything": _study_with(b"spread = 0.01", b"spread = 1e6"),
    "a wave of a thousand links": _study_with(
        b'"gait.frequency_deg_s" = 90.0', b'"robot.n_links" = 100000000'
    ),
    "fixed that is a list": lambda sound: (
        b"fixed = [1]\n" + sound.replace(b'[fixed]\n"gait.frequency_deg_s" = 90.0\n', b"")
    ),
}

KINDS: dict[str, Kind] = {
    "scene": Kind("scene.toml", lambda _: SCENE, lambda f, o: {"argv": ["check", str(f)]}, SCENES),
    "scene that runs": Kind("scene.toml", lambda _: SCENE, _run, {}),
    "formula": Kind(
        "scene.toml",
        lambda _: LIBRARY + b'k_z_per_m = "sin(4*s)"\n',
        lambda f, o: {"argv": ["check", str(f)]},
        {name: _strain(text) for name, text in FORMULAS.items()},
    ),
    "csv of a run": Kind(
        "run.csv", lambda folder: (folder / "run.csv").read_bytes(), _run, RUNS_CSV
    ),
    "start from a run": Kind(
        "start.csv",
        lambda folder: (folder / "run.csv").read_bytes(),
        lambda f, o: {"call": "tests.hostile.calls:start_from", "args": [str(f)]},
        TABLES,
    ),
    "run file": Kind(
        "run.mcap",
        lambda folder: (folder / "run.mcap").read_bytes(),
        lambda f, o: {"argv": ["export", str(f), "--csv", str(o / "out.csv")]},
        MCAPS,
    ),
    "run file run again": Kind("run.mcap", lambda folder: (folder / "run.mcap").read_bytes(), _run),
    "picture": Kind(
        "map.png",
        lambda _: png(8, 8),
        lambda f, o: {"call": "tests.hostile.calls:check_with_picture", "args": [str(f)]},
        PICTURES,
    ),
    "table of circles": Kind(
        "circles.csv",
        lambda _: CIRCLES,
        _import,
        TABLES,
    ),
    "drawing": Kind(
        "circles.svg",
        lambda _: SVG,
        _import,
        SVGS,
    ),
    "measured table": Kind("track.csv", lambda _: TRACK, _experiment, TABLES),
    "Motive table": Kind(
        "motive.csv", lambda folder: _measured(folder, "motive.csv"), _experiment, {}
    ),
    "Qualisys table": Kind(
        "qualisys.tsv", lambda folder: _measured(folder, "qualisys.tsv"), _experiment, {}
    ),
    "Vicon table": Kind(
        "vicon.csv", lambda folder: _measured(folder, "vicon.csv"), _experiment, {}
    ),
    "trc": Kind("track.trc", lambda _: TRC, _experiment, TRCS),
    "c3d": Kind("track.c3d", _c3d, _experiment, C3DS),
    "layout": Kind(
        "layout.toml",
        lambda _: LAYOUT,
        lambda f, o: {
            "call": "tests.hostile.calls:read_by_layout",
            "args": [str(f), str(o / "track.csv")],
        },
        LAYOUTS,
    ),
    "camera path": Kind(
        "camera.toml",
        lambda _: CAMERA,
        lambda f, o: {"call": "snakestudio.export.camera_path:load_camera_path", "args": [str(f)]},
        TOML,
    ),
    "profile": Kind(
        "lab_robot.toml", _profile, lambda f, o: {"argv": ["profile", "check", str(f)]}, PROFILES
    ),
    "dbc": Kind(
        "lab_robot.dbc",
        _dbc,
        lambda f, o: {"argv": ["profile", "check", str(f.with_suffix(".toml"))]},
        DBCS,
    ),
    "mapping": Kind(
        "map.toml",
        lambda _: MAPPING,
        lambda f, o: {"call": "tests.hostile.calls:read_mapping", "args": [str(f)]},
        TOML,
    ),
    "log of frames, ASC": Kind(
        "frames.asc",
        lambda folder: (folder / "frames.asc").read_bytes(),
        lambda f, o: {"call": "tests.hostile.calls:read_frames", "args": [str(f)]},
        {},
    ),
    "log of frames, BLF": Kind(
        "frames.blf",
        lambda folder: (folder / "frames.blf").read_bytes(),
        lambda f, o: {"call": "tests.hostile.calls:read_frames", "args": [str(f)]},
        BLFS,
    ),
    "study": Kind(
        "x.study.toml",
        lambda _: STUDY,
        lambda f, o: {"call": "tests.hostile.calls:begin_study", "args": [str(f)]},
        {**TOML, **STUDIES},
    ),
    "results of a study": Kind(
        "x.study.results",
        lambda folder: (folder / "made.study.results").read_bytes(),
        lambda f, o: {
            "argv": [
                "study",
                "export",
                str(f.with_suffix(".toml")),
                "--csv",
                str(o / "x.csv"),
                "--force",
            ]
        },
    ),
    "log of frames": Kind(
        "frames.log",
        lambda _: FRAMES,
        lambda f, o: {"call": "tests.hostile.calls:read_frames", "args": [str(f)]},
        {},
    ),
}
"""Kinds by their usual names."""


HEAVY = frozenset(
    {
        "a million attributes",
        "a million wrong obstacles",
        "20,000 obstacles wrong in all they have",
        "two million rows of another width",
        "100,000 circles",
        "two million lines of comment",
        "a text of 200 MB in it",
        "a million elements",
        "two million brackets",
        "30,000 rectangles",
        "a line of 50 MB behind it",
        "two million empty lines",
        "a comment of 50 MB",
        "a million markers",
        "a billion laughs",
        "a text of 30 MB",
        "a million names of columns",
        "a line of 50 MB",
        "two million lines of scene",
        "a JPEG of 12,000 by 12,000",
        "a message of 30,000 signals",
        "a container of two gigabytes of zeros",
        "13,000 by 13,000",
        "endless noise",
        "nothing at all",
        "one byte",
        "all but the last byte",
        "twice",
        "six gigabytes behind a sound beginning",
        "a mark of UTF-8 before it",
        "14,000 by 14,000",
    }
)
"""Attacks that are slow, or similar to others: only in `make soak`."""


def attacks(kind: Kind) -> Iterator[tuple[str, Callable[[Path, bytes], None]]]:
    """Attacks by name, each as a function that creates the file."""
    yield from ANYTHING.items()
    for name, spoil in kind.hurts.items():
        yield name, _written(spoil)


_NUMBER = re.compile(rb"-?\d+(\.\d+)?")
TOKENS = (
    b"nan",
    b"inf",
    b"-1",
    b"0",
    b"1e400",
    b"99999999999999999999",
    b"[",
    b"]",
    b"{",
    b'"',
    b"'",
    b"\\",
    b"\0",
    b"\n",
    b"=",
    b".",
    b",",
    b"#",
    b"#|",
    b"\xff",
    b"\xef\xbb\xbf",
    b"<",
    b"&",
    b"true",
    b"1e-320",
    b"\t",
    b"_",
    b"\xc3",
)


def mutated(sound: bytes, seed: int) -> bytes:
    """Return a valid file with some changes at random places."""
    rng = random.Random(seed)
    damaged = bytearray(sound)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        at = rng.randrange(len(damaged) + 1) if damaged else 0
        length = rng.choice((1, 2, 4, 16, 100))
        match rng.randrange(7):
            case 0 if damaged:
                at = min(at, len(damaged) - 1)
                damaged[at] ^= 1 << rng.randrange(8)
            case 1:
                del damaged[at : at + length]
            case 2:
                damaged[at:at] = damaged[at : at + length] * rng.choice((1, 2, 50))
            case 3:
                damaged[at:at] = rng.choice(TOKENS)
            case 4:
                damaged[at : at + length] = rng.choice(TOKENS)
            case 5:
                damaged[at : at + length] = rng.randbytes(length)
            case _:
                numbers = list(_NUMBER.finditer(bytes(damaged[:100_000])))
                if numbers:
                    number = rng.choice(numbers)
                    damaged[number.start() : number.end()] = rng.choice(TOKENS[:6])
    return bytes(damaged)
