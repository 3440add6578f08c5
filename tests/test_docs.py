"""Checks of the documentation: tests that it names exist, keys and faults are those of the code."""

from __future__ import annotations

import ast
import functools
import re
import shlex
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic import BaseModel

from snakestudio import cli
from snakestudio.api import Run, load_experiment
from snakestudio.link.core.codec import Codec
from snakestudio.link.emulator.fault import FAULTS
from snakestudio.link.frame import Frame
from snakestudio.link.pose_packet import PORT, unpack
from snakestudio.link.profile.check import check
from snakestudio.link.profile.library import shipped
from snakestudio.link.profile.loading import parse_profile
from snakestudio.link.profile.schema import Limits, Profile, Timing
from snakestudio.model.column_units import unit_text
from snakestudio.model.documentation import with_keys
from snakestudio.model.edits import get_value, with_values
from snakestudio.model.registry import FORMULATIONS
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene, save_scene
from snakestudio.model.scene_file.parse import parse_scene
from snakestudio.paths import docs_dir, scenes_dir
from snakestudio.plausibility.documentation import with_checks
from snakestudio.session.scene_check import check as check_scene
from snakestudio.study.description import StudyFields
from snakestudio.study.goals import MEASURES
from snakestudio.study.study_file import parse_study
from tests.conftest import ROOT
from tests.layers_picture import picture

PAGES = sorted(docs_dir().rglob("*.md"))
MODEL_PAGES = sorted(docs_dir().glob("models/*.md"))
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def page(name: str) -> str:
    return (docs_dir() / f"{name}.md").read_text(encoding="utf-8")


def code(name: str, language: str) -> list[str]:
    """Return the blocks of a page in a language; "" for quoted output."""
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", page(name), re.DOTALL | re.MULTILINE)
    return [text for block_language, text in blocks if block_language == language]


def page_id(path: Path) -> str:
    return path.relative_to(docs_dir()).with_suffix("").as_posix()


def headings(text: str) -> set[str]:
    """Return anchors of the headings of a page, as GitHub and the documentation site name them."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    }


@functools.cache
def functions(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {part.name for part in ast.walk(tree) if isinstance(part, ast.FunctionDef)}


def test_hazards_name_existing_tests() -> None:
    sections = re.split(r"^## ", page("safety"), flags=re.MULTILINE)[1:]
    hazards = [section for section in sections if "| Hazard |" in section]
    assert len(hazards) >= 20
    for section in hazards:
        title = section.splitlines()[0]
        for row in ("Hazard", "Detected by", "What happens", "Tests"):
            assert f"| {row} |" in section, title
        named = NAMED.findall(section)
        assert named, f"no test proves: {title}"
        for file, test in named:
            assert test in functions(ROOT / file), f"{title}: {file} has no {test}"


def test_formulas_name_existing_keys() -> None:
    keys = set(re.findall(r"`(timing|limits)\.(\w+)`", page("safety")))
    models = {"timing": Timing, "limits": Limits}
    assert keys
    for table, key in keys:
        assert key in models[table].model_fields


def test_values_of_formulas_are_those_of_lab_robot() -> None:
    """By hand from lab_robot.toml: window 0.25 s, references 0.25 s, lost 0.2 s, and the link's cycle of 0.01 s."""
    (path,) = (path for path in shipped() if path.stem == "lab_robot")
    loaded = parse_profile(
        path.read_text(encoding="utf-8"), path.with_suffix(".dbc").read_text(encoding="utf-8")
    )
    timing = loaded.profile.timing
    text = page("safety")
    for formula, value in (
        ("`timing.window_timeout_s` + 10 ms", timing.window_timeout_s + 0.01),
        ("`timing.reference_timeout_s` + 10 ms", timing.reference_timeout_s + 0.01),
        ("`timing.lost_s` + 10 ms", timing.lost_s + 0.01),
    ):
        assert f"{formula} (lab_robot: {value:.2f} s)" in text
    assert (
        f"The firmware's watchdog (lab_robot: {loaded.profile.emulation.watchdog_s:.2f} s)" in text
    )


@pytest.mark.parametrize(
    ("name", "root"), [("robot-profile", Profile), ("study-file", StudyFields)]
)
def test_tables_of_keys_are_up_to_date(name: str, root: type[BaseModel]) -> None:
    text = page(name)
    assert with_keys(text, root) == text, "run: python packaging/document_keys.py"


def test_table_of_plausibility_checks_is_up_to_date() -> None:
    text = page("plausibility")
    assert with_checks(text) == text, "run: python packaging/document_keys.py"


def test_page_without_marker_for_keys_is_refused() -> None:
    with pytest.raises(ValueError, match=r"marker.*keys"):
        with_keys("# A page", Profile)


def test_usual_measures_of_studies_are_described() -> None:
    described = re.findall(r"^\| `(\w+)` \| (.*?) ?\| (.+?) \|$", page("study-file"), re.MULTILINE)
    usual = [(name, unit_text(preset.unit), preset.help) for name, preset in MEASURES.items()]
    assert [row for row in described if row[0] in MEASURES] == usual


def test_example_study_is_valid() -> None:
    (text,) = code("study-file", "toml")
    study = parse_study(text)
    assert (study.n_points, study.n_runs, len(study.goals)) == (200, 1000, 2)


EXAMPLE_DBC = """VERSION ""
NS_ :
BS_:
BU_: PC Node
BO_ 512 SetPoint: 2 PC
 SG_ Target : 0|16@1- (0.01,0) [-90|90] "deg" Node
BO_ 384 Feedback: 3 Node
 SG_ Angle : 0|16@1- (0.01,0) [-90|90] "deg" PC
 SG_ State : 16|8@1+ (1,0) [0|255] "" PC
BO_ 256 Mode: 1 PC
 SG_ Mode : 0|8@1+ (1,0) [0|255] "" Node
"""


def test_example_profile_is_valid() -> None:
    (toml,) = code("robot-profile", "toml")
    loaded = parse_profile(toml, EXAMPLE_DBC)
    assert [problem.sentence() for problem in check(loaded) if problem.severity == "error"] == []
    decoded = Codec(loaded).decode(Frame(0x181, bytes([0xE8, 0x03, 2])))
    assert decoded is not None
    (angle,) = (value.value for value in decoded.values if value.quantity == "angle")
    # The node reports 10 degrees = -angle + 12.5 degrees.
    assert angle == pytest.approx(0.0436332, abs=1e-6)  # 2.5 degrees in rad


def test_example_robot_is_valid() -> None:
    text = (docs_dir() / "robots.md").read_text(encoding="utf-8")
    scene = parse_scene(re.findall(r"```toml\n(.*?)```", text, re.DOTALL)[0])
    assert [problem for problem in check_scene(scene) if problem.severity == "error"] == []
    assert [axis.kind for axis in scene.body.axes[:3]] == ["yaw", "pitch", "yaw"]
    assert scene.robot.links[0].length > scene.robot.links[1].length
    assert scene.axis_values.spring[7] == 3.5


def test_first_study_runs_as_documented(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Run the commands and the Python of the page literally, with short runs.

    The rows of the table depend on the duration, so only the other lines are compared.
    """
    scene = with_values(
        load_scene(scenes_dir() / "lagrangian_undulation.toml"), {"run.duration_s": 0.5}
    )
    (tmp_path / "scenes").mkdir()
    save_scene(scene, tmp_path / "scenes" / "lagrangian_undulation.toml")
    monkeypatch.chdir(tmp_path)
    commands = [
        line
        for line in code("tutorials/first-study", "sh")[0].splitlines()
        if line.startswith("snakestudio ")
    ]
    assert len(commands) == 4
    for line in commands:
        assert cli.main(line.split()[1:]) == 0, line
    printed = capsys.readouterr().out
    quoted = "".join(code("tutorials/first-study", "")).splitlines()
    assert [line for line in quoted if not line.startswith(" ") and line not in printed] == []
    for file in ("undulation.csv", "undulation.png"):
        assert (tmp_path / file).stat().st_size > 1000
    (source,) = code("tutorials/first-study", "python")
    namespace: dict[str, object] = {}
    exec(compile(source, "first-study.md", "exec"), namespace)
    run = namespace["run"]
    assert isinstance(run, Run)
    assert run["time_s"][-1] == pytest.approx(0.5)


def test_mistakes_in_the_first_scene_are_reported_as_documented(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (text,) = code("tutorials/first-scene", "toml")
    text = text.replace("mu_along = 0.2", "mu_along = -0.2").replace("shift_deg", "shift")
    (tmp_path / "my_scene.toml").write_text(text, encoding="utf-8")
    assert cli.main(["check", "my_scene.toml"]) == 2
    (quoted,) = code("tutorials/first-scene", "")
    assert quoted == capsys.readouterr().err


def test_imported_robot_is_reported_as_documented(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "resources").symlink_to(ROOT / "resources")
    monkeypatch.chdir(tmp_path)
    command = code("tutorials/robot-from-urdf", "sh")[0].split()
    assert cli.main(command[1:]) == 0
    (quoted,) = code("tutorials/robot-from-urdf", "")
    printed = capsys.readouterr()
    assert sorted(quoted.splitlines()) == sorted((printed.out + printed.err).splitlines())
    written = (tmp_path / "my_robot.toml").read_text(encoding="utf-8")
    (table,) = code("tutorials/robot-from-urdf", "toml")
    assert table in written


def test_code_of_first_tutorials_prints_documented_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("first-run", "first-scene"):
        for text in code(f"tutorials/{name}", "toml"):
            (tmp_path / "my_scene.toml").write_text(text, encoding="utf-8")
        namespace: dict[str, object] = {}
        for text in code(f"tutorials/{name}", "python"):
            exec(compile(text, name, "exec"), namespace)
            printed = capsys.readouterr().out.strip()
            assert printed, name
            assert f"`{printed}`" in page(f"tutorials/{name}")


def test_code_of_figure_and_fit_writes_their_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["run", "sidewinding", "--mcap", "sidewinding.mcap", "--duration", "0.5"]
    assert cli.main(command) == 0
    (figure,) = code("tutorials/figure-for-a-paper", "python")
    exec(compile(figure, "figure-for-a-paper.md", "exec"), {})
    assert (tmp_path / "sidewinding.pdf").read_bytes().startswith(b"%PDF")
    (scene,) = code("tutorials/fit-friction", "toml")
    (tmp_path / "floor.toml").write_text(scene, encoding="utf-8")
    (cameras,) = code("tutorials/fit-friction", "python")
    exec(compile(cameras, "fit-friction.md", "exec"), {})
    assert load_experiment("track.csv").bodies
    fit = code("tutorials/fit-friction", "sh")[1].split()
    assert set(truth_keys(cameras)) == {part.split("=")[0] for part in fit if "=" in part}


def test_code_of_continued_run_runs() -> None:
    (source,) = code("continue-a-run", "python")
    exec(compile(source, "continue-a-run.md", "exec"), {})


def truth_keys(source: str) -> list[str]:
    """Return the scene keys that the script of the fit changes."""
    return re.findall(r'"(ground\.\w+)":', source)


MENUS = ("File", "Edit", "View", "Simulation", "Robot", "Time", "Help")


def test_pages_name_existing_menu_commands() -> None:
    """Paths such as *File > Export > CSV*, whose commands are listed in the tests of the window."""
    table = (ROOT / "tests" / "gui" / "commands.txt").read_text(encoding="utf-8")
    known = set()
    for line in table.splitlines():
        menu, _, label = (part.strip() for part in line.split("|")[:3])
        known.add((*menu.split("/"), label.removesuffix("...").strip()))
    entries = {path[:k] for path in known for k in range(1, len(path) + 1)}
    missing = []
    for path in PAGES:
        text = re.sub(r"\s+", " ", path.read_text(encoding="utf-8"))
        for named in re.findall(r"\*([A-Z]\w+ > [^*]+)\*", text):
            steps = tuple(step.removesuffix("...").strip() for step in named.split(" > "))
            if steps[0] in MENUS and steps[:2] != ("View", "Panels") and steps not in entries:
                missing.append(f"{page_id(path)}: {named}")
    assert not missing, "\n".join(missing)


def test_example_sender_sends_poses(monkeypatch: pytest.MonkeyPatch) -> None:
    (source,) = code("live-poses", "python")
    assert len(source.strip().splitlines()) <= 14
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        receiver.settimeout(10.0)
        monkeypatch.setattr("time.sleep", lambda seconds: None)
        text = source.replace(str(PORT), str(receiver.getsockname()[1])).replace(
            "range(100)", "range(3)"
        )
        assert text != source
        thread = threading.Thread(target=_run, args=(text,), name="sender")
        thread.start()
        packets = [unpack(receiver.recv(65_536)) for _ in range(3)]
        thread.join()
    assert [packet.sequence for packet in packets] == [0, 1, 2]
    assert packets[0].bodies[0].position == (1.0, 0.0, 0.05)
    assert packets[0].bodies[0].link == 0


def _run(source: str) -> None:
    namespace: dict[str, object] = {}
    exec(compile(source, "live-poses.md", "exec"), namespace)
    out = namespace["out"]
    assert isinstance(out, socket.socket)
    out.close()


def test_packet_in_the_page_is_valid() -> None:
    (packet,) = code("live-poses", "json")
    assert unpack(packet.encode()).sequence == 17


def test_all_faults_of_emulated_robot_are_described() -> None:
    described = dict(re.findall(r"^\| `([\w-]+)` \| (.+?)\.? \|$", page("emulator"), re.MULTILINE))
    assert {kind: text[:1].upper() + text[1:] for kind, text in FAULTS.items()} == described


def test_code_has_the_quoted_lines_of_a_value_path() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    stations = re.findall(
        r"^\| `([\w/.]+)` \| `(.+?)`", text.partition("## One value's path")[2], re.MULTILINE
    )
    assert len(stations) >= 6
    for file, line in stations:
        assert line in (ROOT / file).read_text(encoding="utf-8"), f"{file} has no {line}"


def test_package_diagram_names_every_package() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    picture = text.partition("## The packages")[2].split("```")[1]
    named = set(re.findall(r"(?:^|\s\s)(\w+)/?(?=\s\s)", picture, re.MULTILINE))
    packages = {
        path.stem
        for path in (ROOT / "snakestudio").iterdir()
        if path.suffix == ".py" or path.is_dir()
    }
    assert {name for name in packages if not name.startswith("__")} - {"_data", "_version"} <= named
    assert "_version" in picture


def test_drawing_of_the_layers_is_that_of_the_import_contract() -> None:
    stored = (ROOT / "docs" / "images" / "layers.svg").read_text(encoding="utf-8")
    assert stored == picture(), "run: python -m tests.layers_picture"


@pytest.mark.parametrize(
    "path", [ROOT / "CONTRIBUTING.md", ROOT / "ARCHITECTURE.md"], ids=lambda path: path.stem
)
def test_files_named_in_developer_pages_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    named = re.findall(
        r"`((?:snakestudio|tests|resources|scenes|packaging)/[\w/.]*)`|\]\(([\w/.]+)\)", text
    )
    assert len(named) >= 10
    for inside, linked in named:
        assert (ROOT / (inside or linked)).exists(), inside or linked


@pytest.mark.parametrize("path", PAGES, ids=page_id)
def test_links_between_pages_have_targets(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)", text):
        file = path.parent / target if target else path
        assert file.exists(), target
        if anchor:
            assert anchor in headings(file.read_text(encoding="utf-8")), f"{target}#{anchor}"


@pytest.mark.parametrize("path", PAGES, ids=page_id)
def test_images_of_pages_exist_and_are_small(path: Path) -> None:
    for target in re.findall(r"!\[[^]]*\]\(([^)]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).stat().st_size <= 300_000, target


@pytest.mark.parametrize("path", MODEL_PAGES, ids=page_id)
def test_model_pages_name_existing_tests_files_and_keys(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for file, test in NAMED.findall(text):
        assert test in functions(ROOT / file), f"{file} has no {test}"
    for file in re.findall(r"`(snakestudio/[\w/.]+)`", text):
        assert (ROOT / file).exists(), file
    scene = Scene(model=FORMULATIONS[path.stem].fields()) if path.stem in FORMULATIONS else Scene()
    tables = "|".join(name for name in Scene.model_fields if name != "obstacles")
    for key in re.findall(rf"`((?:{tables})\.\w+)`", text):
        get_value(scene, key)


def test_every_formulation_has_a_page_with_all_sections() -> None:
    sections = {
        "when-to-choose-it",
        "equations",
        "symbols",
        "corrections-to-the-paper",
        "code",
        "validation",
    }
    for kind in FORMULATIONS:
        if "." in kind or not (ROOT / "snakestudio" / "engines" / kind).is_dir():
            continue  # of a plug-in
        text = (docs_dir() / "models" / f"{kind}.md").read_text(encoding="utf-8")
        assert sections <= headings(text), kind
        assert NAMED.findall(text), kind


def command_lines(text: str) -> list[list[str]]:
    """Return all `snakestudio` commands in the blocks of a page, split like in a shell."""
    commands = []
    for _, block in re.findall(
        r"^( *)```(?:sh|bash|console)?\n(.*?)^\1```", text, re.DOTALL | re.MULTILINE
    ):
        for line in block.replace("\\\n", " ").splitlines():
            command = re.match(r" *(?:\$ )?(?:[A-Z_]+=\w+ )?snakestudio (.+)", line)
            if command:
                arguments = shlex.split(command[1], comments=True)
                end = next(
                    (k for k, argument in enumerate(arguments) if argument[0] in "|<>&"),
                    len(arguments),
                )
                commands.append(arguments[:end])
    return commands


@pytest.mark.parametrize(
    "path", [*PAGES, ROOT / "README.md"], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_commands_in_pages_can_be_parsed(path: Path, parse: Callable[[list[str]], None]) -> None:
    for arguments in command_lines(path.read_text(encoding="utf-8")):
        parse(arguments)


def test_commands_are_read_from_every_kind_of_block() -> None:
    text = (
        "```sh\nsnakestudio run a --set 'x=[1, 2]'  # so\n```\n"
        "- b:\n\n  ```console\n  $ snakestudio diff a b | jq .\n  ```\n"
    )
    assert command_lines(text) == [["run", "a", "--set", "x=[1, 2]"], ["diff", "a", "b"]]


@pytest.fixture
def parse(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[str]], None]:
    """Parse command lines without running the commands."""
    import importlib

    def parse(arguments: list[str]) -> None:
        name = " ".join(arguments[:2]) if " ".join(arguments[:2]) in cli.COMMANDS else arguments[0]
        if "/" in name:  # a scene alone opens the window
            name = "gui"
        module = importlib.import_module(
            f"snakestudio.cli.{cli.COMMANDS[name][0] if name in cli.COMMANDS else name.replace('-', '_')}"
        )
        done: list[object] = []

        def execute(options: object) -> int:
            done.append(options)
            return 0

        monkeypatch.setattr(module, "execute", execute)
        monkeypatch.setattr("snakestudio.plugins.loading.load_all", lambda plugins: ())
        assert cli.main(arguments) == 0
        assert done

    return parse


def options_of(command: str) -> set[str]:
    return {
        option for action in cli.parser_of(command).arguments for option in action.option_strings
    }


def test_command_line_page_lists_every_command() -> None:
    section = page("cli").partition("## Commands")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| `([a-z0-9 -]+)` \| (.+) \|$", section, re.MULTILINE))
    assert sorted(rows) == sorted(cli.COMMANDS)
    for command, text in rows.items():
        assert set(re.findall(r"`(--[a-z-]+)", text)) <= options_of(command), command


def test_command_line_page_names_existing_options() -> None:
    known = {option for command in cli.COMMANDS for option in options_of(command)}
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", page("cli")))
    assert len(named) > 30
    assert named <= known


def test_citation_names_the_five_papers() -> None:
    import yaml

    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert [paper["notes"][:2] for paper in citation["references"]] == [
        "P1",
        "P2",
        "P3",
        "P4",
        "P5",
    ]
    assert all(
        paper["title"] and paper["authors"] and paper["year"] for paper in citation["references"]
    )


def test_commit_hooks_are_the_checks_of_make_lint() -> None:
    import yaml

    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][
        0
    ]["hooks"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("$(bin)", ".venv/bin")
    makefile = makefile.replace("$(sources)", "snakestudio tests packaging")
    (checks,) = re.findall(r"^checks := (.*)$", makefile, re.MULTILINE)
    assert [hook["id"] for hook in hooks] == checks.split()
    for hook in hooks:
        assert f"$(call step,{hook['name']},{hook['entry']})" in makefile


def test_issue_forms_have_what_github_requires() -> None:
    import yaml

    folder = ROOT / ".github" / "ISSUE_TEMPLATE"
    forms = sorted(path for path in folder.glob("*.yml") if path.stem != "config")
    assert [form.stem for form in forms] == ["bug", "feature"]
    for form in forms:
        content = yaml.safe_load(form.read_text(encoding="utf-8"))
        assert {"name", "description", "body"} <= set(content)
        ids = [field["id"] for field in content["body"] if field["type"] != "markdown"]
        assert len(set(ids)) == len(ids)
        for field in content["body"]:
            assert field["type"] in {"markdown", "textarea", "input", "dropdown", "checkboxes"}
            text = "value" if field["type"] == "markdown" else "label"
            assert field["attributes"][text], form.stem


def test_package_has_a_typed_marker() -> None:
    assert (ROOT / "snakestudio" / "py.typed").is_file()
