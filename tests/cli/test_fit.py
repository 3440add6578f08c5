"""`snakestudio fit`: the table, the fitted scene, the figure, and one message per mistake; the same in Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import snakestudio as ss
from snakestudio.analysis.fitting import Trial
from snakestudio.cli import main
from tests.cli.command_line import code_of
from tests.synthetic_tracks import FRICTION, brisk, measured, write_csv

FREE = ["--free", "ground.mu_along=0.03:0.3:log"]
QUICK = ["--method", "least_squares", "--workers", "0"]


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    """A scene with a friction along that is 40 % off, and a comment."""
    path = tmp_path / "floor.toml"
    ss.save_scene(brisk(**{"run.duration_s": 1.0}), path)
    text = path.read_text(encoding="utf-8")
    assert "mu_along = 0.1\n" in text
    path.write_text(
        text.replace("mu_along = 0.1\n", "mu_along = 0.14  # guessed\n"), encoding="utf-8"
    )
    return path


@pytest.fixture
def track(tmp_path: Path) -> Path:
    """Track of a camera of a run with the true friction, 50 ms late."""
    return write_csv(
        tmp_path / "trial.csv", measured(brisk(**{"run.duration_s": 1.0}), {}, late=0.05)
    )


def test_fit_writes_table_scene_and_figure(
    scene: Path, track: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "fitted.toml"
    picture = tmp_path / "fit.pdf"
    arguments = [
        "fit",
        str(scene),
        str(track),
        f"{track}@{scene}",
        *FREE,
        *QUICK,
        "--offset",
        "-0.1",
        "0.1",
    ]
    assert main([*arguments, "--out", str(out), "--report", str(picture)]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    fitted = ss.load_scene(out).ground.mu_along
    assert fitted == pytest.approx(FRICTION["ground.mu_along"], rel=0.05)
    line = next(line for line in output.out.splitlines() if line.startswith("ground.mu_along"))
    words_of_line = line.split()
    assert words_of_line[1:3] == ["Friction", "along"]
    assert float(words_of_line[3]) == pytest.approx(fitted, rel=1e-3)
    assert float(words_of_line[4]) < fitted < float(words_of_line[6])
    assert words_of_line[7] == "0.14"
    assert output.out.count("time offset -50 ms") == 2
    assert "# guessed" in out.read_text(encoding="utf-8")
    assert picture.read_bytes().startswith(b"%PDF")


def test_fit_in_python_accepts_files_trials_and_tracks(
    scene: Path, track: Path, tmp_path: Path
) -> None:
    free = {"ground.mu_along": (0.03, 0.3, "log")}
    options = {"method": "least_squares", "workers": 0, "limit": 5}
    one = ss.fit(scene, track, free, offset_s=-0.05, **options)
    assert one["ground.mu_along"] == one.scene.ground.mu_along
    with pytest.raises(KeyError, match=r"ground\.mu_across"):
        one["ground.mu_across"]
    loaded = ss.load_scene(scene)
    tracks = measured(brisk(**{"run.duration_s": 1.0}), {}, late=0.05)
    again = ss.fit(
        loaded, tracks, ["ground.mu_along=0.03:0.3:log"], offset_s=(-0.05, -0.05), **options
    )
    assert again["ground.mu_along"] == pytest.approx(one["ground.mu_along"], rel=1e-3), (
        "files have six digits"
    )
    trial = Trial("$t_1$", loaded, tracks, scene.parent, (-0.05, -0.05))
    named = ss.fit(scene, [trial], free, **options)
    assert named["ground.mu_along"] == again["ground.mu_along"]
    named.to_picture(tmp_path / "a.svg")
    page = named.to_report(tmp_path / "a.html").read_text(encoding="utf-8")
    assert "Friction along" in page
    assert page.count("data:image/svg+xml") == 1
    named.to_csv(tmp_path / "a.csv")
    last = (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()[-1].split(",")
    assert (last[0], float(last[3])) == ("ground.mu_along", named["ground.mu_along"])
    named.to_picture(tmp_path / "b.svg")
    assert ">$t_1$<" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert "measured, link 1" in (tmp_path / "a.svg").read_text(encoding="utf-8")
    with pytest.raises(ss.SnakeStudioError, match="7 is not a measurement"):
        ss.fit(scene, 7, free)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("arguments", "piece"),
    [
        (["SCENE"], "EXPERIMENT"),
        (["SCENE", "TRACK"], "no value to fit"),
        (["SCENE", "nowhere.csv", *FREE], "nowhere.csv"),
        (["SCENE", "TRACK", "--free", "ground.mu_along"], "KEY=LOW:HIGH"),
        (["SCENE", "TRACK", "--free", "ground.nowhere=1:2"], "no such key"),
        (["SCENE", "TRACK", *FREE, "--method", "magic"], "magic"),
        (["SCENE", "TRACK", *FREE, "--workers", "-1"], "--workers -1"),
        (["SCENE", "TRACK", *FREE, "--offset", "soon", "0"], "'soon'"),
        (["SCENE", "TRACK", *FREE, "--offset", "1", "0"], "1 to 0 s, are reversed"),
        (["SCENE", "TRACK", *FREE, "--out", "SCENE"], "the scene itself"),
        (["SCENE", "TRACK", *FREE, "--report", "fit.doc"], "suffixes .pdf"),
    ],
)
def test_mistake_is_one_sentence_and_exit_code_2(
    arguments: list[str], piece: str, scene: Path, track: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = {"SCENE": str(scene), "TRACK": str(track)}
    assert code_of(["fit", *(paths.get(argument, argument) for argument in arguments)]) == 2
    output = capsys.readouterr()
    assert piece in output.err
    assert "Traceback" not in output.err


@pytest.mark.parametrize("name", ["", "@"])
def test_measurement_is_never_overwritten(
    scene: Path, track: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """Not even with --force."""
    before = track.read_bytes()
    trial = f"{track}@{scene}" if name else str(track)
    assert main(["fit", str(scene), trial, *FREE, *QUICK, "--out", str(track), "--force"]) == 2
    assert f"{track} is an input of this command. Give another name" in capsys.readouterr().err
    assert track.read_bytes() == before
