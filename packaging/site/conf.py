"""Configuration of the documentation site; `make docs` runs Sphinx with it."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT)]

import snakestudio  # noqa: E402

project = "SnakeStudio"
author = "SnakeStudio developers"
copyright = author
version = release = snakestudio.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "site_api",
    "site_mathml",
    "site_pages",
    "site_search",
]

nitpicky = True
# Types in docstrings are written for people: "callable, optional".
nitpick_ignore_regex = [("py:.*", ".*")]
suppress_warnings = ["epub.unknown_project_files"]

# GitHub-flavoured Markdown, so that every page is also readable in the repository.
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
myst_dmath_allow_space = False

default_role = "literal"  # the meaning of single backticks in docstrings

autodoc_member_order = "bysource"
autodoc_typehints = "none"
autodoc_preserve_defaults = True
add_module_names = False
python_maximum_signature_line_length = 88

# The base class of `SnakeVecEnv` is in a package that the site is built without.
for name in ("stable_baselines3", "stable_baselines3.common", "stable_baselines3.common.vec_env"):
    sys.modules[name] = ModuleType(name)
sys.modules["stable_baselines3.common.vec_env"].VecEnv = type("VecEnv", (), {})
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True

copybutton_exclude = ".linenos, .gp, .go"
copybutton_prompt_text = "$ "

smartquotes = False  # they would turn -- in options into a dash

html_theme = "furo"
html_title = f"SnakeStudio {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_search_scorer = str(HERE / "static" / "scorer.js")
html_logo = html_favicon = str(ROOT / "resources" / "icons" / "snakestudio.svg")
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
# Files opened from disk, not from a server: links name the files.
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
html_math_renderer = "mathml"
pygments_style = "friendly"
pygments_dark_style = "github-dark"
