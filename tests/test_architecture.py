"""Bars of the package's measures: import cycles, chains, private accesses, mentions of kinds. None may rise.

`python -m tests.architecture` prints all counts, `python -m tests.architecture NAME` all places of
one count.
"""

from __future__ import annotations

import textwrap
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.architecture import MEASURES, PACKAGE, Measure, Package, measures, strongly_connected
from tests.layout_measures import quoted_phrases


class Bar(NamedTuple):
    """Bar of a count: at most `most`, and at least `slack` below it, because otherwise the bar must be lowered.

    `goal` is the target of the count; None if there is none.
    """

    most: int
    slack: int = 0
    goal: int | None = None


BARS = {
    "circles": Bar(0, goal=0),
    "in_circles": Bar(0, goal=0),
    "chain_in_gui": Bar(10, goal=8),  # fields, editors, form and dialog are four
    "private_members": Bar(0, goal=0),
    "private_of_libraries": Bar(17),
    "set_elsewhere": Bar(0, goal=0),
    "literal_indices": Bar(0, goal=0),
    "continuum_asked": Bar(0, goal=0),
    "continuum_asking": Bar(0, goal=0),
    "naming_formulations": Bar(3, goal=3),
    "naming_kinds": Bar(14),
    "passing_on_arming": Bar(4, goal=4),
    "window_attributes": Bar(1),
    "window_importers": Bar(1),
    "polling_timers": Bar(9),
    "format_skips": Bar(21, goal=80),
    "parallel_assignments": Bar(25, goal=200),
    "copied_lines": Bar(6, goal=0),
    "listed_names": Bar(0, goal=0),
    "private_in_tests": Bar(19, goal=100),
    "quoted_phrases": Bar(266),
    "architecture_bytes": Bar(12_000, slack=12_000, goal=12_000),
    "handmade_dialogs": Bar(0, goal=0),
}
"""Bars. They only fall: lower a bar in the commit that lowers the count."""

SHOWN = 12


@cache
def counted() -> dict[str, Measure]:
    return {measure.name: measure for measure in measures(Package())}


@pytest.mark.parametrize("name", MEASURES)
def test_no_count_exceeds_its_bar(name: str) -> None:
    measure = counted()[name]
    bar = BARS[name]
    if measure.count > bar.most:
        places = "\n  ".join(measure.places[:SHOWN])
        pytest.fail(
            f"{name}: {measure.count}, where {bar.most} are allowed. {measure.what}\nThe worst:\n  {places}\n"
            f"`python -m tests.architecture {name}` lists all; see which your change has added.",
            pytrace=False,
        )
    if measure.count < bar.most - bar.slack:
        pytest.fail(
            f"{name} has fallen from {bar.most} to {measure.count}. Lower its bar in {Path(__file__).name} to "
            f"{measure.count}.",
            pytrace=False,
        )


NAMING_FORMULATIONS = (
    "model/formulations.py: planar_nonsmooth",  # the formulation of a scene that names none
    "model/robot/discretise.py: planar_lagrangian",  # a body becomes a chain
    "model/robot/strain_fit.py: continuum_beam",  # a chain becomes a body
)


def test_only_listed_files_name_formulations() -> None:
    assert counted()["naming_formulations"].places == tuple(
        f"{PACKAGE}/{each}" for each in NAMING_FORMULATIONS
    )


NAMING_KINDS = {
    "gui/robot/teleop/panel.py": {
        "teleoperation"
    },  # its own panel, which shows how accurately the reference is followed
    "gui/scene/strain_text.py": {
        "formulas",
        "inching",
        "peristalsis",
        "serpentine",
    },  # the papers' cases, by name
    "kinds/reads.py": {
        "gait"
    },  # the gait's values are used while the robot starts in the gait's pose
    "live/base_pose.py": {"joint_angles"},  # the joint angles of a live robot become a start
    # Bending a joint converts a start to another kind.
    "model/edits/bending.py": {"joint_angles", "link_angles", "recording", "state", "wrapped"},
    # A drawn pose becomes the kind of start that can describe it.
    "model/edits/pose.py": {
        "gait",
        "joint_angles",
        "link_angles",
        "recording",
        "state",
        "wrapped",
        "straight",
    },
    "model/obstacles/importing.py": {"cylinder"},  # circles become cylinders
    "model/robot/discretise.py": {
        "state"
    },  # a body becomes a chain, whose links start on the body's curve
    # Positions of the links at the start.
    "model/robot/pose.py": {"gait", "joint_angles", "link_angles", "recording", "state", "wrapped"},
    "model/robot/strain_fit.py": {
        "formulas",
        "friction",
        "none",
        "rings",
        "straight",
    },  # a chain becomes a body
    "robot_files/obstacles.py": {
        "box",
        "cylinder",
        "height_field",
    },  # the surroundings of a robot in its file become obstacles
    # An imported robot starts straight, or in the pose of its file's keyframe.
    "robot_files/starting.py": {"joint_angles", "straight"},
    "robot_files/to_scene.py": {"joint_angles", "straight"},  # an imported robot gets a start
    "model/scene.py": {
        "lateral_undulation",
        "none",
        "planar_nonsmooth",
        "rings",
        "serpentine",
        "straight",
    },  # defaults
}


def test_only_listed_files_name_kinds_of_others() -> None:
    named = {}
    for location in counted()["naming_kinds"].places:
        file, _, listed = location.removeprefix(f"{PACKAGE}/").partition(": ")
        named[file] = set(listed.split(", "))
    assert named == NAMING_KINDS


# ----------------------------------------------------------------------------- how places are counted

LITTLE = {
    "__init__": "",
    "gui/__init__": "",
    "gui/main_window": """
        from snakestudio.gui.view import View
        class MainWindow:
            view: View
            def __init__(self, view: View):
                self.view = view
                view.marks = []
                self.view.edge.colour = "red"
                self.view.edge.width, self.title = 2, "x"
        """,
    "gui/view": """
        from __future__ import annotations
        from typing import TYPE_CHECKING
        from dataclasses import dataclass
        from snakestudio.gui import base
        if TYPE_CHECKING:
            from snakestudio.gui.main_window import MainWindow
        @dataclass
        class Edge:
            colour: str
            width: int
        class View:
            edge: Edge
            def __init__(self, window: MainWindow):
                self.marks = self._kept = []
        """,
    "gui/tool": """
        def use(view):
            from snakestudio.gui import view as module
            from . import below
            view.marks, view._kept = [], view._kept
            view.scene().setText._library
        """,
    "gui/below": "x = 1\n",
    "gui/timers": """
        class Watching:
            def __init__(self):
                self._poll = QTimer(self)
                self._poll.timeout.connect(self._look)
                self._again = QTimer(self)
                self._again.setSingleShot(True)
                self._again.timeout.connect(self._retry)
                self._pause = QTimer(self, singleShot=True)
                self._pause.timeout.connect(self._rest)
                self._later = Delay(100, self._rest, self)
                self._soon = Delay(100, self._refresh, self)
            def _look(self):
                self._pause.start()
            def _retry(self):
                self._again.start()
            def _rest(self):
                pass
            def _refresh(self):
                self._soon.request()
            def _turn(self):
                QTimer.singleShot(10, self, self._turn)
                QTimer.singleShot(0, self, self._look)
        def watch(window):
            window.startTimer(20)
        """,
    "gui/base": "x = 1\n",
    "gui/forms/__init__": "",
    "gui/forms/dialog": """
        class Dialog(QDialog):
            def arrange(self, *parts):
                [self.layout().addWidget(part) for part in parts]
        """,
    "gui/robot/__init__": "",
    "gui/robot/connect_form": "form = QFormLayout()\n",
    "gui/robot/dialogs": """
        from snakestudio.gui.robot.connect_form import form
        class Connect(Dialog): ...
        """,
    "gui/tour": """
        class Declared(Dialog):
            def fill(self, row):
                row.addWidget(1), row.addWidget(2), row.addWidget(3), row.addRow(4)
        """,
    "gui/plans": """
        class Plan(dialog.Dialog):
            def fill(self, row):
                row.addWidget(1), row.addWidget(2), row.addWidget(3), row.addRow(4), row.addLayout(5)
        class Small(Plan): ...
        """,
    "kernels/__init__": "",
    "kernels/step": """
        def step(a, k, n: tuple[int, ...], problem):
            a[k, 0] = a[-1, k] + a[0] + a[k, 1:2] + problem[k, n]
        """,
    "kernels/vec3": "def load(a, k):\n    return a[k, 0], a[k, 1], a[k, 2]\n",
    "engines/__init__": "",
    "engines/beam/__init__": "",
    "engines/beam/check": 'NAME = "beam"\n',
    "engines/plane/__init__": "",
    "engines/plane/check": 'OTHER = "beam"\n',
    "model/__init__": "",
    "model/gaits": """
        from typing import Literal
        class Wave:
            kind: Literal["wave"] = "wave"
        class Still:
            kind: Literal["still"] = "still"
        """,
    "model/wave_source": "from snakestudio.model.gaits import Wave\nx = [Wave]\n",
    "link/__init__": "",
    "link/core": """
        class Robot:
            def arm(self):
                self.link.command("arm")
            @property
            def arming(self):
                return True
        class Core:
            def command(self, command: LinkCommand | None):
                match command.kind:
                    case "stop":
                        pass
        class Link(Protocol):
            def arm(self): ...
        class Button:
            def show(self, robot):
                self.hold.does(robot.arm)
        class Told:
            def says_armed(self, profile):
                return profile.sequences.arm
        """,
    "model/asking": """
        def ask(scene):
            if scene.model.continuum and not scene.model.continuum and scene.gait.kind in ("still", "rest"):
                return "wave"
            return isinstance(scene.body, (ContinuousBody, Rod))
        """,
}


@pytest.fixture
def little(tmp_path: Path) -> dict[str, Measure]:
    """All counts of a small package with known contents."""
    for name, text in LITTLE.items():
        path = tmp_path / PACKAGE / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    (tmp_path / "ARCHITECTURE.md").write_text("Short.", encoding="utf-8")
    return {measure.name: measure for measure in measures(Package(tmp_path / PACKAGE))}


def test_imports_count_everywhere(little: dict[str, Measure]) -> None:
    assert little["circles"].places == ("2: gui.main_window, gui.view",)
    assert little["in_circles"].count == 2
    assert little["chain_in_gui"].places == (
        "gui.tool",
        "circle of 2: gui.main_window...",
        "gui.base",
    )
    assert little["window_importers"].places == ("gui.view",)
    assert little["window_attributes"].places == ("view",)


def test_accesses_to_others_count_and_values_do_not(little: dict[str, Measure]) -> None:
    places = [location.split(": ", 1)[1] for location in little["set_elsewhere"].places]
    assert sorted(places) == ["view._kept", "view.marks", "view.marks"]
    assert [location.split(": ", 1)[1] for location in little["private_members"].places] == [
        "view._kept",
        "view._kept",
    ]
    assert [location.split(": ", 1)[1] for location in little["private_of_libraries"].places] == [
        "view.scene().setText._library"
    ]


def test_named_kinds_count_except_in_their_files(little: dict[str, Measure]) -> None:
    assert little["naming_formulations"].places == (f"{PACKAGE}/engines/plane/check.py: beam",)
    assert little["naming_kinds"].places == (f"{PACKAGE}/model/asking.py: still",)
    assert little["continuum_asked"].count == 3
    assert little["continuum_asking"].places == (f"{PACKAGE}/model/asking.py: 3",)


def test_receivers_of_arm_count_and_reporters_do_not(
    little: dict[str, Measure],
) -> None:
    assert little["passing_on_arming"].places == (
        "link.core.Button",
        "link.core.Core",
        "link.core.Robot",
    )
    assert little["passing_on_arming"].count == 3


def test_literal_indices_count(little: dict[str, Measure]) -> None:
    assert [location.split(": ", 1)[1] for location in little["literal_indices"].places] == [
        "a[-1, k]",
        "a[k, 0]",
    ]
    assert little["architecture_bytes"].count == 6


def test_repeating_timers_count(little: dict[str, Measure]) -> None:
    assert sorted(location.split(": ", 1)[1] for location in little["polling_timers"].places) == [
        "QTimer.singleShot(10, self, self._turn)",
        "self._again",
        "self._poll",
        "self._soon",
        "window.startTimer(20)",
    ]


def test_dialogs_with_own_rows_count(little: dict[str, Measure]) -> None:
    assert little["handmade_dialogs"].places == (
        f"{PACKAGE}/gui/plans.py: Plan, 5 parts",
        f"{PACKAGE}/gui/robot/dialogs.py: Connect, 0 parts, gui.robot.connect_form",
    )


def test_phrases_count_and_keys_values_and_docstrings_do_not(tmp_path: Path) -> None:
    files = {
        "snakestudio/texts.py": """
            TEXT = f"mass_kg: {mass} wants quick brown foxes. Hunt them."
        """,
        "tests/test_texts.py": """
            'It wants quick brown foxes.'
            EXACT = "wants quick brown foxes"
            PATTERN = r"quick brown foxes\\. Hunt"
            SHORT = "mass_kg: -1 wants quick foxes"
        """,
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir()
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    _, places = quoted_phrases(Package(tmp_path / PACKAGE))
    assert [location.split(":")[1] for location in places] == ["3", "4"]


def test_groups_follow_those_they_lead_to() -> None:
    edges = {"a": "bc", "b": "d", "c": "d", "d": "e", "e": "d", "f": "f"}
    assert strongly_connected(edges) == [["d", "e"], ["b"], ["c"], ["a"], ["f"]]
