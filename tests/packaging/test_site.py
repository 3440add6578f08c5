"""The documentation site: the reference is complete, and links lead to existing pages."""

from __future__ import annotations

import argparse
import ast
import importlib
import pickle
import pydoc
import re
import runpy
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from textwrap import dedent
from types import ModuleType, SimpleNamespace
from typing import Any, get_args

import pytest
from pydantic import BaseModel

import snakestudio as ss
import snakestudio.gym
import snakestudio.plugin
from snakestudio.analysis.signals.functions import FUNCTIONS
from snakestudio.analysis.signals.reductions import REDUCTIONS
from snakestudio.api.batch_state import BatchState
from snakestudio.cli import COMMANDS, parser_of
from snakestudio.gui.app import features
from snakestudio.gui.shell.commands import table
from snakestudio.model.columns import column_names
from snakestudio.model.field_docs import field_docs
from snakestudio.model.quantities import QUANTITIES
from snakestudio.model.registry import CONTROLLERS, FORMULATIONS, GAIT_KINDS, SHAPES
from snakestudio.model.robot.overrides import JointOverride, LinkOverride
from snakestudio.model.scene import Scene
from snakestudio.model.scene_file import load_scene
from snakestudio.model.snapshot import BodyFields, Contacts, ContactState, SolverStats
from snakestudio.model.world import GroundPatch, GroundPicture
from snakestudio.paths import docs_dir, scenes_dir
from snakestudio.session.run_schema import run_schema
from tests.conftest import ROOT

SITE = ROOT / "packaging" / "site"


@pytest.fixture(scope="module")
def site() -> Iterator[SimpleNamespace]:
    """Modules of `packaging/site`."""
    names = ("reference", "site_api", "site_pages", "site_mathml", "site_search")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(SITE))
        modules: dict[str, ModuleType] = {name: importlib.import_module(name) for name in names}
        yield SimpleNamespace(**modules)
    for name in names:
        sys.modules.pop(name, None)


def parts_of_a_scene() -> set[type[BaseModel]]:
    """Return all classes whose fields are keys of scenes, gathered independently of the reference."""
    parts: set[type[BaseModel]] = {Scene, LinkOverride, JointOverride, GroundPatch, GroundPicture}
    for registry in (FORMULATIONS, GAIT_KINDS, CONTROLLERS, SHAPES):
        parts |= {kind.fields for kind in registry.values()}
    for name in ("robot", "beam", "ground", "path", "joint_controller", "actuator"):
        parts.add(type(getattr(Scene(), name)))
    for name in ("control", "solver", "run"):
        parts.add(type(getattr(Scene(), name)))
    for name in ("strain", "support", "start"):
        parts |= set(get_args(Scene.model_fields[name].annotation))
    return parts


def test_reference_has_every_scene_key_with_its_meaning(site: SimpleNamespace) -> None:
    text = site.reference.scene_keys()
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    keys = {(row[0].strip("| `"), row[-1]) for row in rows if len(row) == 7}
    names = {name for name, _ in keys}
    for part in parts_of_a_scene():
        for name, info in part.model_fields.items():
            if name == "kind" or (part is Scene and info.annotation not in (str, int)):
                continue
            assert name in names, f"{part.__name__}.{name}"
            if info.description:
                meaning = info.description.replace("|", "\\|")
                assert any(key == name and meaning in help for key, help in keys), name


def test_reference_names_the_models_that_read_a_key(site: SimpleNamespace) -> None:
    rows: dict[str, list[str]] = {}
    for line in site.reference.scene_keys().splitlines():
        if line.startswith("| `"):
            rows.setdefault(line.split("`")[1], line.split(" | "))
    assert rows["axial_inertia_kg_m2"][5] == "spatial"
    assert rows["duration_s"][5] == "all"
    assert rows["link_length_m"][5] == "all with links"
    assert rows["mu_rolling"][3:6] == ["from 0 to 100", "`0.05`", "spatial"]


def test_every_column_has_a_meaning_in_the_reference(site: SimpleNamespace) -> None:
    text = site.reference.columns() + site.reference.displayed_columns()
    for quantity in QUANTITIES:
        assert quantity.help, quantity.name
        if quantity.name != "{}":
            name = quantity.name.replace("{}", "N")
            assert f"| `{name}` |" in text
            assert f" | {quantity.help} |" in text


def test_page_of_columns_has_all_columns_of_the_bundled_scenes(site: SimpleNamespace) -> None:
    text = (docs_dir() / "reference" / "columns.md").read_text(encoding="utf-8")
    text = site.site_pages.markdown_of("reference/columns", text)
    listed = set(re.findall(r"`([a-z][a-z0-9_N]*)`", text))
    for path in sorted(scenes_dir().glob("*.toml")):
        for name in column_names(run_schema(load_scene(path), path.parent)):
            numbered = re.sub(r"(?<=link_|oint_|tact_|tion_)\d+(?=_)", "N", name)
            on_page = {numbered, re.sub(r"_(pitch|roll)_", "_yaw_", numbered)} & listed
            assert on_page or name.startswith("compliant_"), f"{path.stem}: {name}"


def test_reference_has_every_option_of_every_command(site: SimpleNamespace) -> None:
    text = site.reference.commands()
    sections = dict(part.split("\n", 1) for part in text.removeprefix("## ").split("\n\n## "))
    assert list(sections) == list(COMMANDS)
    for name, section in sections.items():
        for action in parser_of(name).arguments:
            if action.help is not argparse.SUPPRESS and "--help" not in action.option_strings:
                for option in action.option_strings:
                    assert option in section, f"{name} {option}"


def test_reference_has_every_function_of_expressions(site: SimpleNamespace) -> None:
    functions = site.reference.signal_functions()
    reductions = site.reference.reductions()
    assert all(f"`{function.signature}`" in functions for function in FUNCTIONS.values())
    assert all(f"`{function.signature}`" in reductions for function in REDUCTIONS.values())


def test_reference_has_every_shortcut(site: SimpleNamespace) -> None:
    text = site.reference.shortcuts()
    for spec in table(features()):
        for keys in spec.shortcuts:
            assert f"{{kbd}}`{keys}`" in text, spec.id


def test_reference_has_all_of_the_python_api(site: SimpleNamespace) -> None:
    text = site.reference.python_api()
    for name in ss.__all__:
        if not name.startswith("_"):
            assert f":: snakestudio.{name}\n" in text


def test_reference_has_all_of_the_environments_api(site: SimpleNamespace) -> None:
    text = site.reference.gym_api()
    assert all(f":: snakestudio.gym.{name}\n" in text for name in snakestudio.gym.__all__)
    assert ":: snakestudio.gym.sb3.SnakeVecEnv\n" in text


def test_reference_has_all_of_the_plugin_api(site: SimpleNamespace) -> None:
    text = site.reference.plugin_api() + site.reference.python_api()
    for name in snakestudio.plugin.__all__:
        assert re.search(rf":: snakestudio(\.plugin)?\.{name}\n", text), name
    assert re.findall(r"^## (.*)$", site.reference.plugin_api(), re.MULTILINE)[0] == "Kinds"


def test_reference_has_the_classes_of_attributes_and_results(site: SimpleNamespace) -> None:
    text = site.reference.python_api()
    for thing in (Contacts, ContactState, SolverStats, BodyFields, BatchState):
        assert f":: {thing.__module__}.{thing.__name__}\n" in text


def public_dataclasses() -> dict[str, type]:
    """Return the dataclasses and named tuples that user code touches, by name."""
    others = (Contacts, SolverStats, BodyFields, snakestudio.gym.TaskState)
    things = {thing.__name__: thing for thing in others}
    for module in (ss, snakestudio.plugin, snakestudio.gym):
        things |= {name: getattr(module, name) for name in module.__all__}
    return {
        name: thing
        for name, thing in things.items()
        if isinstance(thing, type) and (is_dataclass(thing) or hasattr(thing, "_fields"))
    }


@pytest.mark.parametrize(("name", "kind"), sorted(public_dataclasses().items()))
def test_every_public_field_is_described(name: str, kind: type) -> None:
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else kind._fields  # type: ignore[attr-defined]
    described: dict[str, str] = {}
    for base in kind.__mro__:
        described = field_docs(base) | described
    assert [each for each in names if not each.startswith("_") and not described.get(each)] == []
    texts = list(described.values())
    assert len(set(texts)) == len(texts), "two fields share a text"


@pytest.mark.parametrize("kind", [Contacts, ss.Snapshot, snakestudio.gym.TaskState])
def test_help_shows_the_descriptions_of_fields(kind: Any) -> None:
    text = pydoc.plain(pydoc.render_doc(kind))
    for field in fields(kind):
        assert field_docs(kind)[field.name].splitlines()[0] in text
    assert pickle.loads(pickle.dumps(Contacts.none())).link.shape == (0,)


@pytest.mark.parametrize(
    ("code", "entry"),
    [
        ("ss.simulate", "snakestudio.simulate"),
        ("ss.simulate(scene, plugins=[path])", "snakestudio.simulate"),
        ("sim.state", "snakestudio.Simulation.state"),
        ("sim.state.heading", "snakestudio.State.heading"),
        ("Contacts.other", "snakestudio.model.snapshot.Contacts.other"),
        ("AngleGait", "snakestudio.plugin.AngleGait"),
        ("snakestudio.gym.register(...)", "snakestudio.gym.register"),
        ("ss.unknown", None),
        ("time", None),
        ("value", None),
        ("value(1.0, ge=0)", "snakestudio.plugin.value"),
        ("snakestudio run scene.toml", None),
    ],
)
def test_code_in_texts_is_linked_to_the_api(
    site: SimpleNamespace, code: str, entry: str | None
) -> None:
    entries = {
        "snakestudio.simulate",
        "snakestudio.Simulation.state",
        "snakestudio.Simulation.time",
        "snakestudio.State.heading",
        "snakestudio.model.snapshot.Contacts.other",
        "snakestudio.plugin.AngleGait",
        "snakestudio.plugin.value",
        "snakestudio.gym.register",
    }
    assert site.site_api.entry_of(code, entries) == entry


def test_text_of_an_attribute_is_not_parsed_as_its_type(site: SimpleNamespace) -> None:
    from sphinx.ext.napoleon import NumpyDocstring

    site.site_api.setup(SimpleNamespace(connect=print, add_post_transform=print))
    lines = NumpyDocstring("Best point: its row.", what="property", name="best").lines()
    assert lines == ["Best point: its row."]


def test_links_out_of_pages_lead_to_existing_targets(site: SimpleNamespace) -> None:
    text = "[a](../../README.md#how-to-cite) [b](../../ARCHITECTURE.md) [c](other.md#x) [d](https://a.b/c.md)"
    assert site.site_pages.markdown_of("decisions/page", text) == (
        "[a](../bibliography.md) [b](../explanation/architecture.md) [c](other.md#x) "
        "[d](https://a.b/c.md)"
    )
    page = site.site_pages.markdown_of("explanation/contributing", "<!-- file: CONTRIBUTING.md -->")
    assert page.startswith("# Contributing")
    assert "](architecture.md)" in page
    assert "](../safety.md)" in page


def test_navigation_follows_the_lists_of_a_section(site: SimpleNamespace) -> None:
    text = (docs_dir() / "how-to" / "index.md").read_text(encoding="utf-8")
    page = site.site_pages.markdown_of("how-to/index", text)
    tree = page.partition("```{toctree}")[2].split("```")[0]
    entries = [line for line in tree.splitlines() if line and not line.startswith(":")]
    assert entries[0] == "../window"
    assert len(entries) == text.count("\n- [")


def test_page_of_scenes_shows_every_bundled_scene() -> None:
    text = (docs_dir() / "scenes.md").read_text(encoding="utf-8")
    pictures = dict(re.findall(r"\(\.\./(resources/gallery/\w+-light\.png)\) `(\w+)`", text))
    assert set(pictures.values()) == {path.stem for path in scenes_dir().glob("*.toml")}
    assert all((ROOT / picture).is_file() for picture in pictures)


def test_every_page_is_in_one_section(site: SimpleNamespace) -> None:
    sections = [path for path in docs_dir().rglob("index.md") if path.parent != docs_dir()]
    listed: list[str] = []
    for path in sections:
        name = path.relative_to(docs_dir()).with_suffix("").as_posix()
        page = site.site_pages.markdown_of(name, path.read_text(encoding="utf-8"))
        tree = page.partition("```{toctree}")[2].split("```")[0]
        entries = [line for line in tree.splitlines() if line and not line.startswith(":")]
        listed += [str((path.parent / entry).resolve()) for entry in entries]
    twice = {entry for entry in listed if listed.count(entry) > 1}
    assert not twice


def test_formulas_become_mathml(site: SimpleNamespace) -> None:
    formula = site.site_mathml.mathml(r"\frac{\mathbf q}{2} \in \mathbb R^n, \dot{\boldsymbol\tau}")
    assert "<mfrac><mrow><mi>𝐪</mi></mrow>" in formula
    assert "<mi>ℝ</mi>" in formula
    assert '<mover accent="true"><mrow><mi>𝝉</mi></mrow>' in formula
    assert "mathvariant" not in formula


def test_wheel_contains_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hook_type = runpy.run_path(str(ROOT / "packaging" / "build_hook.py"))["KernelsHook"]
    hook = hook_type(str(ROOT), {}, None, None, str(tmp_path), "wheel")
    monkeypatch.setenv("SNAKESTUDIO_SITE", str(tmp_path))
    monkeypatch.delenv("SNAKESTUDIO_WITH_KERNELS", raising=False)
    for version, included in (
        ("standard", {str(tmp_path): "snakestudio/_data/site"}),
        ("editable", {}),
    ):
        build_data: dict[str, Any] = {"force_include": {}}
        hook.initialize(version, build_data)
        assert build_data["force_include"] == included


def is_in(module: str, name: str) -> bool:
    """Whether a module has a name; read from its source if a package that it needs is not installed."""
    try:
        return hasattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        if str(error.name).startswith("snakestudio"):
            raise
        path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        return name in {node.name for node in tree.body if isinstance(node, ast.ClassDef)}


PAGES = [*sorted(docs_dir().rglob("*.md")), ROOT / "README.md"]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_python_of_pages_imports_existing_names(path: Path) -> None:
    """The tests of pages run some blocks; this one checks the imports of all blocks against the API."""
    text = path.read_text(encoding="utf-8")
    for _, block in re.findall(r"^( *)```python\n(.*?)^\1```", text, re.DOTALL | re.MULTILINE):
        tree = ast.parse(dedent(block))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("snakestudio"):
                assert all(is_in(str(node.module), alias.name) for alias in node.names)
            elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "ss":
                assert hasattr(ss, node.attr), node.attr


# ------------------------------------------------------------------------------------------- search

PAGES = {
    "index": "Site\n====\n\n.. toctree::\n   :glob:\n\n   *\n   */*\n",
    "bibliography": "Bibliography\n============\n\nContact force, friction and streaming.\n",
    "friction": "Friction\n========\n\nLaws of friction, and the force of a contact.\n",
    "reference/columns": "Columns\n=======\n\nContact forces\n--------------\n\nTheir columns.\n",
    "reference/commands": "Commands\n========\n\nFit\n---\n\nFit friction.\n",
    "tutorials/fit": "Fit friction to tracks\n======================\n\nTracks.\n",
}


@pytest.fixture(scope="module")
def small_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of a few pages with the ranking of the documentation."""
    from sphinx.application import Sphinx

    source, built = tmp_path_factory.mktemp("pages"), tmp_path_factory.mktemp("site")
    for name, text in PAGES.items():
        (source / name).parent.mkdir(exist_ok=True)
        (source / f"{name}.rst").write_text(text)
    settings = {"html_search_scorer": str(SITE / "static" / "scorer.js"), "project": "pages"}
    app = Sphinx(source, None, built, built / "doctrees", "html", settings, None, None)
    app.build()
    return built


def test_search_ranks_titles_above_lists_and_bibliography(
    site: SimpleNamespace, small_site: Path, qapp: object
) -> None:
    answers = {
        "contact force": "reference/columns",
        "fit friction": "tutorials/fit",
        "friction": "friction",
        "streaming": "bibliography",
    }
    ranked = site.site_search.ranking(small_site)
    assert site.site_search.misranked(ranked, answers) == []
    assert ranked("contact force")[-1] == "bibliography"
    (message,) = site.site_search.misranked(ranked, {"streaming": "friction"})
    assert '"streaming" finds bibliography first, and not friction' in message
    assert ranked("nowhere") == []


def test_each_answer_of_the_search_is_a_page(site: SimpleNamespace) -> None:
    answers = site.site_search.ANSWERS
    assert len(answers) >= 10
    for page in answers.values():
        assert (docs_dir() / f"{page}.md").is_file()
