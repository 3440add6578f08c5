"""`snakestudio listen`: a decoded log with a table of nodes, and one message per mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from snakestudio.cli import main
from snakestudio.link.bus.frame_log import read_log
from snakestudio.link.profile.library import find_profile

_PROFILE = str(find_profile("lab_robot"))


def _log(folder: Path) -> Path:
    """Ten periods of 100 ms of node 3: yaw 12.34 and pitch -0.01 degrees (0x04D2 and 0xFFFF, little endian), armed."""
    path = folder / "run.log"
    path.write_text(
        "".join(
            f"({100 + i / 10:.6f}) can0 183#D204FFFF00000000 R\n({100 + i / 10:.6f}) can0 703#0200000{i} R\n"
            for i in range(10)
        )
        + "(101.000000) can0 201#0000000000000000 T\n(101.100000) can0 5AA#01 R\n"
    )
    return path


def test_log_is_decoded_and_ends_with_a_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _log(tmp_path)
    copy = tmp_path / "copy.asc"
    assert (
        main(
            [
                "listen",
                _PROFILE,
                "--interface",
                "replay",
                "--channel",
                str(path),
                "--log",
                str(copy),
            ]
        )
        == 0
    )
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert "183  D2 04 FF FF 00 00 00 00" in lines[0]
    assert "JointFeedback" in lines[0]
    assert "12.34" in lines[0]
    assert "Armed" in lines[1]
    (sent,) = [line for line in lines if "201  00 00" in line]
    assert ">" in sent
    node = next(line for line in lines if line.startswith("   3 "))
    # 20 frames over 0.9 s in the log: nineteen intervals.
    assert node.split()[1] == "20"
    assert node.split()[2] == f"{19 / 0.9:.1f}"
    assert "Armed" in node
    assert "joint 3 yaw 12.3" in node
    assert "   1       0       -       -  no frames" in lines
    assert "5AA (1)" in lines[-1]
    assert "nothing is sent" in captured.err
    assert [entry.frame.id for entry in read_log(copy)] == [
        entry.frame.id for entry in read_log(path)
    ]


def test_damaged_lines_of_a_log_are_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _log(tmp_path)
    path.write_text(path.read_text().replace("#02000003 R", "#0200000 R"))
    assert main(["listen", _PROFILE, "--interface", "replay", "--channel", str(path)]) == 0
    assert "1 of 22" in capsys.readouterr().err


def test_raw_frames_are_shown_for_a_duration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(_log(tmp_path))
    assert (
        main(
            [
                "listen",
                _PROFILE,
                "--interface",
                "replay",
                "--channel",
                path,
                "--raw",
                "--duration",
                "0.5",
            ]
        )
        == 0
    )
    out = capsys.readouterr().out
    assert "JointFeedback" not in out
    seen = sum("  D2 04 FF FF" in line for line in out.splitlines())
    assert 1 <= seen < 10  # it ended before the log did


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--interface", "sockecan"],
            '"sockecan"',
        ),
        (["--interface", "replay", "--channel", "none.blf"], "none.blf"),
        (
            ["--interface", "slcan", "--port", "5"],
            "--port goes with --interface udp_multicast, not with slcan.",
        ),
        (["--bitrate", "5"], "1000 bit/s (got 5)"),
        (["--bitrate", "9000000"], "8000000 bit/s (got 9000000)"),
        (["--interface", ""], "empty"),
        (["--channel", "c" * 201], "200 characters"),
        (["--interface", "virtual"], "virtual connects"),
        (
            ["--interface", "slcan"],
            "/dev/ttyACM0 or COM3",
        ),
        (["--duration", "0"], "--duration 0"),
        (
            ["--log", "x.txt"],
            "x.txt",
        ),
    ],
)
def test_mistakes_get_one_message(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["listen", _PROFILE, *options]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("snakestudio: ")
    assert message in captured.err
    assert len(captured.err.splitlines()) <= 2


@pytest.mark.parametrize("name", ["run.asc", "run.blf", "run.log"])
def test_log_is_replaced_only_with_force(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "source").mkdir()
    source = _log(tmp_path / "source")
    log = tmp_path / name
    log.write_text("an hour of another day")
    arguments = [
        "listen",
        _PROFILE,
        "--interface",
        "replay",
        "--channel",
        str(source),
        "--log",
        str(log),
    ]
    assert main(arguments) == 2
    output = capsys.readouterr()
    assert output.err == (
        f"snakestudio: {log} already exists, a log of frames. Give --force to replace it, or another name.\n"
    )
    assert output.out == ""
    assert log.read_text() == "an hour of another day"
    assert sorted(path.name for path in tmp_path.iterdir()) == [name, "source"]
    assert main([*arguments, "--force"]) == 0
    assert len(list(read_log(log))) == len(list(read_log(source)))


def test_log_is_not_overwritten_while_it_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = _log(tmp_path)
    before = log.read_bytes()
    arguments = ["--interface", "replay", "--channel", str(log), "--log", str(log), "--force"]
    assert main(["listen", _PROFILE, *arguments]) == 2
    assert f"{log} is an input of this command. Give another name" in capsys.readouterr().err
    assert log.read_bytes() == before
