"""Study files and messages about their mistakes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from snakestudio.errors import StudyError
from snakestudio.model.scene import Scene
from snakestudio.study.begin import begun, choices_of, range_of
from snakestudio.study.description import FORMAT, StudyFields, Vary, problems
from snakestudio.study.study_file import dump_study, load_study, parse_study, save_study
from tests.study.conftest import STUDY

HEAD = 'format = 1\nscene = "a.toml"\n'
RANGE = '[[vary]]\nkey = "ground.mu_along"\nlow = 0.1\nhigh = 0.5\nsteps = 3\n'


def _goals(count: int) -> str:
    return "".join(f'[[goals]]\nname = "g{k}"\nmeasure = "net_speed"\n' for k in range(count))


def test_saved_study_is_read_unchanged(tmp_path: Path) -> None:
    study = parse_study(
        HEAD
        + RANGE
        + '[fixed]\nrun.duration_s = 2.0\n"gait.amplitude_deg" = 30.0\n[search]\nkind = "sobol"\npoints = 8\n'
        '[repeats]\ncount = 3\n[[repeats.jitter]]\nkey = "obstacles[*].x_m"\nspread = 0.01\n'
    )
    assert study.fixed == {"run.duration_s": 2.0, "gait.amplitude_deg": 30.0}
    assert parse_study(dump_study(study)) == study
    path = tmp_path / "s.toml"
    save_study(study, path)
    assert load_study(path) == study


def test_comments_stay_when_other_values_change(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text("# why\n" + HEAD + "[fixed]\nrun.duration_s = 2.0  # short\n" + RANGE)
    study = load_study(path)
    save_study(study.model_copy(update={"title": "Friction"}), path)
    text = path.read_text()
    assert "# why" in text
    assert "# short" in text
    assert load_study(path).title == "Friction"


def test_incomplete_study_is_saved_unchanged(tmp_path: Path) -> None:
    """A study is saved at any time during editing, and keeps comments and incomplete values."""
    path = tmp_path / "s.toml"
    path.write_text("# why\n" + HEAD + RANGE.replace("low = 0.1", "low = 0.7  # odd"))
    with pytest.raises(StudyError):
        load_study(path)
    study = load_study(path, strict=False)
    assert study.vary[0].low == 0.7
    save_study(study.model_copy(update={"title": "Friction", "vary": (*study.vary, Vary())}), path)
    text = path.read_text()
    assert "# why" in text
    assert "# odd" in text
    assert load_study(path, strict=False).vary == (study.vary[0], Vary())


def test_new_value_has_a_useful_range() -> None:
    scene = Scene()
    assert range_of(scene, "ground.mu_along").steps == 11
    assert range_of(scene, "model.kind").values == choices_of(scene, "model.kind")
    assert "planar_nonsmooth" in choices_of(scene, "model.kind")
    assert range_of(scene, "title").values == (scene.title,)
    assert choices_of(scene, "title") == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("scene = 3", "format is missing"),
        ("format = 3\n" + RANGE, "newer"),
        (HEAD, "vary: Nothing varies"),
        (HEAD + RANGE.replace("low", "lo"), "vary[1].lo"),
        (
            HEAD + RANGE.replace("low = 0.1", "low = 0.7"),
            "vary[1].low: The range goes from 0.7 to 0.5",
        ),
        (HEAD + RANGE.replace("steps = 3", ""), "vary[1].steps"),
        (HEAD + RANGE.replace("steps = 3", "steps = 1"), "vary[1].steps"),
        (
            HEAD + RANGE.replace("low = 0.1", 'low = 0.0\nscale = "log"'),
            "0",
        ),
        (HEAD + RANGE + RANGE, "vary[2]: ground.mu_along varies twice"),
        (
            HEAD + RANGE + "[fixed]\nground.mu_along = 0.2\n",
            "vary[1]: ground.mu_along",
        ),
        (
            HEAD + RANGE.replace("steps = 3", "steps = 3\nvalues = [1.0, 2.0]"),
            "range",
        ),
        (HEAD + '[[vary]]\nkey = "a.b"\nvalues = [1.0]\n', "does not vary"),
        (HEAD + '[[vary]]\nkey = "a.b"\nvalues = [1.0, 1.0]\n', "value twice"),
        (
            HEAD + RANGE + '[search]\nkind = "cma_es"\n',
            "goals: This search needs 1 goal, but there are 0. Add a goal.",
        ),
        (
            HEAD + RANGE + '[search]\nkind = "nsga2"\n[[goals]]\nmeasure = "net_speed"\n',
            "3 goals, but there is 1. ",
        ),
        (HEAD + RANGE + '[search]\nkind = "gird"\n', 'search.kind cannot be "gird"'),
        *(
            (
                f'{HEAD}{RANGE}[search]\nkind = "{kind}"\nbatch = 1\n' + _goals(count),
                "search.batch: This search cannot",
            )
            for kind, count in (("cma_es", 1), ("nsga2", 2))
        ),
        *(
            (f"{HEAD}{RANGE}[search]\n{key} = {number}\n", f"search.{key}")
            for key, number in (
                ("batch", -1),
                ("batch", 10_001),
                ("points", 0),
                ("points", -3),
                ("seed", -1),
                ("seed", 2**32),
                ("points", 1.5),
                ("batch", "true"),
            )
        ),
        (
            HEAD + RANGE + "[search]\npoints = 1000000000000\n",
            "search.points",
        ),
        (
            HEAD
            + RANGE.replace("steps = 3", "steps = 1000")
            + RANGE.replace("along", "across").replace("= 3", "= 1001"),
            "1,001,000 points of 1",
        ),
        (
            HEAD + RANGE + "[repeats]\n[[repeats.jitter]]\nkey = 'a'\nspread = 1.0\n",
            "one repeat",
        ),
        (HEAD + RANGE + '[[limits]]\nmeasure = "net_speed"\n', "limits[1]: It has no bound"),
        (
            HEAD + RANGE + '[[goals]]\nmeasure = "net_speed"\n' * 2,
            'goals[2].name: "net_speed" occurs twice',
        ),
        (
            HEAD + RANGE + '[[goals]]\nmeasure = "net_speed"\nover = "spread"\n',
            "One repeat",
        ),
        (HEAD + RANGE + "low = ", "not valid TOML"),
    ],
)
def test_problem_names_its_key(text: str, message: str) -> None:
    with pytest.raises(StudyError) as caught:
        parse_study(text, "s.toml")
    assert message in str(caught.value)
    assert all(line.startswith("s.toml: ") for line in str(caught.value).splitlines())


LIMIT = '[[limits]]\nmeasure = "net_speed"\n'
GOAL = '[[goals]]\nmeasure = "net_speed"\nover = "spread"\n'


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("", {"vary"}),
        (
            '[[vary]]\nkeys = ["a", "b"]\nkey = "a"\n',
            {"vary[1].keys", "vary[1].low", "vary[1]", "vary[1].steps"},
        ),
        ("[[vary]]\nvalues = [1]\nlow = 1\n[fixed]\na = 1\n", {"vary[1].key", "vary[1].values"}),
        (
            '[[vary]]\nkey = "a"\nlow = 0\nhigh = 1\nscale = "log"\n[fixed]\na = 1\n',
            {"vary[1].low", "vary[1]", "vary[1].steps"},
        ),
        (
            RANGE
            + '[search]\nkind = "nsga2"\n[[repeats.jitter]]\nkey = "a"\nspread = 1\n'
            + GOAL
            + LIMIT,
            {"repeats.jitter", "limits[1].name", "limits[1]", "goals[1].over", "goals"},
        ),
        (
            RANGE + '[search]\nkind = "cma_es"\npoints = 1000000\n[repeats]\ncount = 2\n',
            {"goals", "search"},
        ),
        (RANGE + LIMIT + "at_least = 2\nat_most = 1\n", {"limits[1].at_least"}),
    ],
)
def test_problem_is_readable_with_and_without_key(text: str, keys: set[str]) -> None:
    """The command line puts the key before the message; the window, which shows a field, omits it."""
    listed = problems(parse_study(HEAD + text, strict=False))
    assert {problem.key for problem in listed} == keys
    for problem in listed:
        assert problem.sentence().startswith((f"{problem.key}: ", f"{problem.key} "))
        sentence = f"{problem.message}; {problem.remedy}"
        sentence = re.sub(r"gait\.amplitude_deg|net_speed", "", sentence)  # the usual names
        assert not re.search(r"[][=_]|[a-z]\.[a-z]", sentence), sentence


def test_grouped_values_have_equal_steps() -> None:
    with pytest.raises(StudyError, match=r"together.*different"):
        parse_study(
            HEAD
            + RANGE
            + 'together = "friction"\n'
            + RANGE.replace("along", "across").replace("= 3", "= 4")
            + 'together = "friction"\n'
        )


def test_grid_points_count_groups_once() -> None:
    study = parse_study(
        HEAD
        + RANGE
        + 'together = "f"\n'
        + RANGE.replace("along", "across")
        + 'together = "f"\n'
        + '[[vary]]\nkey = "gait.amplitude_deg"\nvalues = [10.0, 20.0]\n[repeats]\ncount = 5\n'
    )
    assert study.n_points == 6
    assert study.n_runs == 30


def test_range_has_its_ends_and_short_numbers() -> None:
    vary = Vary(key="a", low=0.1, high=0.7, steps=7)
    assert [vary.step(index, 7) for index in range(7)] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    log = Vary(key="a", low=0.01, high=1.0, scale="log", steps=3)
    assert [log.step(index, 3) for index in range(3)] == [0.01, 0.1, 1.0]
    assert Vary(key="a", values=(3, "x")).at(0.99) == "x"


def test_study_of_format_1_stays_readable() -> None:
    assert "format = 1" in STUDY
    assert isinstance(parse_study(STUDY), StudyFields)
    assert FORMAT == 2, "a new format needs a migration from the old one"


@pytest.mark.parametrize(
    ("goal", "aim"),
    [
        ('measure = "net_distance"', "maximise"),
        ('measure = "cost_of_transport"', "minimise"),
        ('measure = "cost_of_transport"\naim = "maximise"', "maximise"),
        ('measure = "net_distance"\naim = "minimise"', "minimise"),
        ('measure = "max(solver_unconverged)"', "minimise"),
        ('measure = "net_speed"\nover = "spread"', "minimise"),
    ],
)
def test_goal_without_aim_takes_that_of_its_measure(goal: str, aim: str) -> None:
    text = (
        HEAD.replace("format = 1", "format = 2")
        + RANGE
        + f"[repeats]\ncount = 3\n[[goals]]\n{goal}\n"
    )
    study = parse_study(text)
    assert study.goals[0].aim == aim
    assert parse_study(dump_study(study)) == study
    assert parse_study(dump_study(study, text)) == study


def test_goal_without_aim_is_maximised_in_format_1(tmp_path: Path) -> None:
    """The meaning of a file of an earlier version does not change, also when it is saved in the current format."""
    path = tmp_path / "s.toml"
    path.write_text(HEAD + RANGE + '[[goals]]\nmeasure = "cost_of_transport"  # why\n')
    study = load_study(path)
    assert study.goals[0].aim == "maximise"
    save_study(study.model_copy(update={"title": "Friction"}), path)
    assert "# why" in path.read_text()
    assert "format = 2" in path.read_text()
    assert load_study(path).goals[0].aim == "maximise"


def test_new_study_takes_the_direction_of_its_measures() -> None:
    goals = begun(Scene(), "a.toml", (), goals=("cost_of_transport", "net_distance")).goals
    assert [goal.aim for goal in goals] == ["minimise", "maximise"]
    assert [goal.measure for goal in begun(Scene(), "a.toml", ()).goals] == ["net_speed"]
