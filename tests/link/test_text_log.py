"""Text logs of frames in all known formats; expected values are from the documents of the formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.errors import LinkError
from snakestudio.link.bus.frame_log import LogReader, read_log
from snakestudio.link.frame import Frame
from tests.wording import naming

ASC = """date {date}
base hex  timestamps {timestamps}
no internal events logged
Begin Triggerblock {date}
   0.000000 Start of measurement
"""


def read(tmp_path: Path, name: str, text: str) -> tuple[list[tuple[float, Frame, bool]], LogReader]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    reader = read_log(path)
    entries = [(round(each.time, 6), each.frame, each.sent) for each in reader]
    return entries, reader


def times(tmp_path: Path, name: str, text: str) -> list[float]:
    return [time for time, _, _ in read(tmp_path, name, text)[0]]


def asc(
    lines: str, timestamps: str = "absolute", date: str = "Tue Mar 5 04:30:02.695 pm 2024"
) -> str:
    return ASC.format(date=date, timestamps=timestamps) + lines + "End TriggerBlock\n"


def test_relative_asc_times_are_summed_over_every_line(tmp_path: Path) -> None:
    lines = (
        "   0.010000 1  181             Rx   d 1 00\n"
        "   0.005000 1  Statistic: D 0 R 0 XD 0 XR 0 E 0 O 0 B 0.00%\n"
        "   0.005000 1  181             Rx   d 1 01\n"
        "   0.010000 1  181             Rx   d 1 02\n"
    )
    assert times(tmp_path, "a.asc", asc(lines, "relative")) == [0.0, 0.01, 0.02]


@pytest.mark.parametrize(
    "date", ["Mit Mär 6 14:02:11 2024", "2024/03/06 14:02", "mer. mars 6 02:02:11.123 pm 2024", "?"]
)
def test_asc_date_is_read_in_any_language(tmp_path: Path, date: str) -> None:
    entries, reader = read(tmp_path, "a.asc", asc("   0.5 1  181  Rx   d 1 07\n", date=date))
    assert [frame.data for _, frame, _ in entries] == [b"\x07"]
    assert reader.notes == ()


def test_asc_times_may_be_negative_with_commas_and_no_trigger(tmp_path: Path) -> None:
    text = (
        "base hex  timestamps absolute\n  -0,5 1  181  Rx   d 1 00\n   0,25 1  181  Tx   d 1 01\n"
    )
    entries, reader = read(tmp_path, "a.asc", text)
    assert [(time, sent) for time, _, sent in entries] == [(0.0, False), (0.75, True)]
    assert reader.notes == ()


def test_asc_frames_of_all_kinds_are_read(tmp_path: Path) -> None:
    lines = (
        "   0.1 1  1ABCDEFx  Rx   d 2 0A FF  Length = 0 BitCount = 4 ID = 28036591x\n"
        "   0.2 2  181  Tx   r 8\n"
        "   0.3 1  181  TxRq d 1 01\n"
        "   0.4 1  ErrorFrame  ECC: 10100010\n"
        "   0.5 CANFD   1 Rx  300  Name 1 0 9 12 00 01 02 03 04 05 06 07 08 09 0A 0B  0 0 3000 0\n"
        "   0.6 CANFD   1 Rx  301  0 0 1  1 AA  0 0 0 0\n"
        "   0.7 CAN 1 Status:chip status error active\n"
        "// a comment\n"
    )
    entries, reader = read(tmp_path, "a.asc", asc(lines))
    frames = [(frame, sent) for _, frame, sent in entries]
    assert [frame.time for frame, _ in frames] == pytest.approx([0.0, 0.1, 0.3, 0.4, 0.5])
    assert [
        (f.id, f.data, f.extended, f.remote, f.fd, f.error, f.length, sent) for f, sent in frames
    ] == [
        (0x1ABCDEF, b"\x0a\xff", True, False, False, False, 0, False),
        (0x181, b"", False, True, False, False, 8, True),
        (0, b"", False, False, False, True, 0, False),
        (0x300, bytes(range(12)), False, False, True, False, 0, False),
        (0x301, b"\xaa", False, False, False, False, 0, False),
    ]
    assert reader.notes == ()


def test_asc_base_dec_is_decimal(tmp_path: Path) -> None:
    text = "base dec  timestamps absolute\n   0.0 1  385  Rx   d 3 10 255 0\n"
    entries, _ = read(tmp_path, "a.asc", text)
    assert (entries[0][1].id, entries[0][1].data) == (0x181, b"\x0a\xff\x00")


def candump(stamps: list[float], form: str = "({:.6f})") -> str:
    return "".join(f"{form.format(stamp)} can0 181#{i:02X}\n" for i, stamp in enumerate(stamps))


def test_clock_set_back_does_not_stop_time(tmp_path: Path) -> None:
    stamps = [1700000000.0, 1700000000.01, 1699996400.0, 1699996400.01]
    entries, reader = read(tmp_path, "a.log", candump(stamps))
    assert [time for time, _, _ in entries] == pytest.approx([0.0, 0.01, 0.02, 0.03], abs=1e-6)
    assert reader.notes == (naming("3600 s"),)


def test_frames_slightly_out_of_order_keep_the_clock(tmp_path: Path) -> None:
    entries, reader = read(
        tmp_path, "a.log", candump([1.7e9, 1.7e9 + 0.02, 1.7e9 + 0.01, 1.7e9 + 0.03])
    )
    assert [time for time, _, _ in entries] == pytest.approx([0.0, 0.02, 0.02, 0.03], abs=1e-6)
    assert reader.notes == ()


@pytest.mark.parametrize(
    ("stamps", "expected"),
    [
        ([0.0, 0.01, 0.01, 0.01], [0.0, 0.01, 0.02, 0.03]),
        ([0.0, 0.012, 0.008, 0.02, 0.001], [0.0, 0.012, 0.02, 0.04, 0.041]),
        (
            [0.0, 0.0, 0.1, 0.1, 0.2, 0.2],
            [0.0, 0.0, 0.1, 0.1, 0.2, 0.2],
        ),  # times, two frames at each
    ],
)
def test_candump_differences_are_summed(
    tmp_path: Path, stamps: list[float], expected: list[float]
) -> None:
    assert times(tmp_path, "a.log", candump(stamps, "({:010.6f})")) == pytest.approx(
        expected, abs=1e-6
    )


def test_candump_frames_of_all_kinds_are_read(tmp_path: Path) -> None:
    text = (
        "# recorded in the laboratory\n\n"
        "(1.000000) can0 01ABCDEF#0AFF T\n"
        "(1.100000) can0 181#R8 R\n"
        "(1.200000) can0 20000080#0000000000000000\n"
        "(1.300000) can0 20000004#0004000000000000\n"
        "(1.400000) can0 300##1000102030405060708090A0B\n"
        "(1.500000) can0 181#11.22\n"
    )
    entries, reader = read(tmp_path, "a.log", text)
    assert [
        (f.id, f.data, f.extended, f.remote, f.fd, f.error, sent) for _, f, sent in entries
    ] == [
        (0x1ABCDEF, b"\x0a\xff", True, False, False, False, True),
        (0x181, b"", False, True, False, False, False),
        (0, b"", False, False, False, True, False),
        (0, b"", False, False, False, True, False),
        (0x300, bytes(range(12)), False, False, True, False, False),
        (0x181, b"\x11\x22", False, False, False, False, False),
    ]
    assert reader.notes == ()


@pytest.mark.parametrize(
    "end", ["(1.5", "(1.500000) can0 18", "(1.500000) can0 181#0011223", "(1.500000) can0 181#0011"]
)
def test_unfinished_last_line_is_dropped(tmp_path: Path, end: str) -> None:
    text = "".join(f"({i / 10:.6f}) can0 181#0011223344556677\n" for i in range(10))
    entries, reader = read(tmp_path, "a.log", text + end)
    assert len(entries) == 10
    assert reader.notes == (naming("incomplete"),)


def test_last_line_without_newline_is_read(tmp_path: Path) -> None:
    assert len(times(tmp_path, "a.log", candump([1.0, 1.1, 1.2]).rstrip("\n"))) == 3


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("a.log", "(1.0) can0 181#00\n", "(1.0) can0 181#0\n"),
        ("a.asc", "   0.5 1  181  Rx   d 2 07 08\n", "   0.5 1  181  Rx   d 2 07\n"),
        ("a.trc", " 1) 10.0 Rx 0181 2 07 08\n", " 1) 10.0 Rx 0181 2 07\n"),
    ],
)
def test_damaged_lines_are_counted(tmp_path: Path, name: str, good: str, bad: str) -> None:
    head = {"a.asc": "base hex  timestamps absolute\n", "a.trc": ";$FILEVERSION=1.1\n"}.get(
        name, ""
    )
    entries, reader = read(tmp_path, name, head + good * 10 + bad + good * 5 + bad)
    assert len(entries) == 15
    assert reader.notes == (f"2 of 17 lines could not be read (first: line {11 + bool(head)}).",)
    with pytest.raises(
        LinkError, match=rf"{name}: This is not a log of frames: 9 of 10 lines are not"
    ):
        read(tmp_path, name, head + good + bad * 9)


SCREEN = "  can0  181   [8]  00 01 02 03 04 05 06 07\n"


def test_screen_output_without_times_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(
        LinkError,
        match="-l can0",
    ):
        read(tmp_path, "screen.log", SCREEN * 20)


@pytest.mark.parametrize(
    ("stamps", "expected"),
    [
        (["1700000000.000000", "1700000000.250000"], [0.0, 0.25]),
        (["000.000000", "000.100000", "000.100000", "000.100000"], [0.0, 0.1, 0.2, 0.3]),
        (["000.000000", "000.250000"], [0.0, 0.25]),
        (["2024-03-05 23:59:59.500000", "2024-03-06 00:00:00.500000"], [0.0, 1.0]),
    ],
)
def test_screen_output_with_times_is_read(
    tmp_path: Path, stamps: list[str], expected: list[float]
) -> None:
    text = "".join(f" ({stamp}){SCREEN}" for stamp in stamps)
    assert times(tmp_path, "screen.log", text) == pytest.approx(expected, abs=1e-6)


def test_screen_frames_of_all_kinds_are_read(tmp_path: Path) -> None:
    text = (
        " (1.0)  can0  TX - -  01ABCDEF   [2]  0A FF   '..'\n"
        " (1.1)  \x1b[31mcan0  181   [8]  remote request\x1b[0m\n"
        " (1.2)  can0  20000080   [8]  00 00 00 00 00 00 00 00   ERRORFRAME\n"
        " (1.3)  can0  300  [12]  00 01 02 03 04 05 06 07 08 09 0A 0B\n"
    )
    entries, _ = read(tmp_path, "screen.txt", text)
    assert [(f.id, f.data, f.remote, f.fd, f.error, sent) for _, f, sent in entries] == [
        (0x1ABCDEF, b"\x0a\xff", False, False, False, True),
        (0x181, b"", True, False, False, False),
        (0, b"", False, False, True, False),
        (0x300, bytes(range(12)), False, True, False, False),
    ]


TRC = {
    "1.0": """
 1)  1841  0181  2  0A FF
 2)  1842  0008  4  ERROR 00 19 08 08
 3)  1843  FFFFFFFF  4  00 00 00 04 -- BUSLIGHT
 4)  1851  00000100  3  RTR
""",
    "1.1": """
 1)  1841.0  Rx  0181  2  0A FF
 2)  1842.0  Error  0008  4  00 19 08 08
 3)  1843.0  Warng  FFFFFFFF  4  00 00 00 04  BUSLIGHT
 4)  1851.0  Rx  00000100  3  RTR
""",
    "1.2": """
 1)  1841.000  1  Rx  0181  2  0A FF
 2)  1842.000  1  Error  0008  4  00 19 08 08
 3)  1843.000  1  Warng  FFFFFFFF  4  00 00 00 04  BUSLIGHT
 4)  1851.000  2  Rx  00000100  3  RTR
""",
    "1.3": """
 1)  1841.000  1  Rx  0181  -  2  0A FF
 2)  1842.000  1  Error  0008  -  4  00 19 08 08
 3)  1843.000  1  Warng  FFFFFFFF  -  4  00 00 00 04  BUSLIGHT
 4)  1851.000  2  Rx  00000100  -  3  RTR
""",
    "2.0": """
  1  1841.000 DT  0181 Rx 2  0A FF
  2  1842.000 ER  0008 Rx 5  00 00 19 08 08
  3  1843.000 ST  - Rx 4  00 00 00 04
  4  1851.000 RR  00000100 Rx 3
""",
    "2.1": """
  1  1841.000 DT 1  0181 Rx -  2  0A FF
  2  1842.000 ER 1  - Rx -  5  00 00 19 08 08
  3  1843.000 ST 1  - Rx -  4  00 00 00 04
  4  1851.000 RR 1  00000100 Rx -  3
""",
}


@pytest.mark.parametrize("version", TRC)
def test_pcan_traces_of_every_version_are_read(tmp_path: Path, version: str) -> None:
    columns = {"2.0": ";$COLUMNS=N,O,T,I,d,l,D\n", "2.1": ";$COLUMNS=N,O,T,B,I,d,R,L,D\n"}.get(
        version, ""
    )
    head = (
        ";##########\n"
        if version == "1.0"
        else f";$FILEVERSION={version}\n;$STARTTIME=39878.6772258947\n{columns}"
    )
    entries, reader = read(tmp_path, "a.trc", head + ";   Columns description:\n" + TRC[version])
    assert [
        (time, f.id, f.data, f.extended, f.remote, f.error, f.length) for time, f, _ in entries
    ] == [
        (0.0, 0x181, b"\x0a\xff", False, False, False, 0),
        (0.001, 0, b"", False, False, True, 0),
        (0.01, 0x100, b"", True, True, False, 3),
    ]
    assert reader.notes == ()


def test_pcan_can_fd_has_lengths_or_length_codes(tmp_path: Path) -> None:
    data = " ".join(f"{i:02X}" for i in range(12))
    for columns, length in (("N,O,T,I,d,l,D", 12), ("N,O,T,I,d,L,D", 9)):
        text = f";$FILEVERSION=2.1\n;$COLUMNS={columns}\n 1 5.000 FB 0300 Tx {length} {data}\n"
        ((_, frame, sent),), _ = read(tmp_path, "a.trc", text)
        assert (frame.fd, frame.data, sent) == (True, bytes(range(12)), True)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("time,id,data\n0.1,181,00\n", "looks"),
        (
            "Dear reader\nthis is a letter\n",
            '"Dear reader"',
        ),
        ("\0\1\2\3" * 20, "binary"),
    ],
)
def test_file_that_is_not_a_log_is_named(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(LinkError, match=r"candump.*PCAN") as error:
        read(tmp_path, "a.log", text)
    assert what in str(error.value)


def test_frames_without_times_name_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(LinkError, match="-l can0"):
        read(tmp_path, "a.log", "can0 181#00\ncan0 181#01\n")


def test_format_is_detected_from_the_content(tmp_path: Path) -> None:
    assert times(tmp_path, "a.txt", asc("   0.5 1  181  Rx   d 1 07\n")) == [0.0]
    assert times(tmp_path, "a.asc", candump([1.0])) == [0.0]
