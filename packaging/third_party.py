"""Generate THIRD_PARTY.txt: the parts of the bundle other than SnakeStudio, with their licences and licence texts.

`third_party.py --contents FILE --out FILE` reads the list of contents that a build of the bundle
has written; without `--contents` it covers the packages of `requirements.txt` in the current
environment. A part without a stated licence or without its text is an error, so nothing gets into
the bundle unnoticed. `third_party.toml` has what the packages do not state themselves.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import sysconfig
import tomllib
from dataclasses import dataclass, field
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
TEXTS = (HERE / "bundle" / "licences", Path("/usr/share/common-licenses"))
OWN = "snakestudio"

GPL = """\
SnakeStudio itself is under the BSD-3-Clause licence (LICENSE). This build as a whole is not: its video encoder includes
libx264 and libx265, which are under the GNU General Public License, version 2 or later, linked with an FFmpeg under the
LGPL, version 3 or later. Anyone who distributes THIS BUILD must therefore do so under the terms of the GNU General
Public License, version 3: with this file, and with the complete source or a written offer of it. Using it carries no
obligation.

To make a build without any part that is under the GPL alone, run packaging/bundle.sh --without-gpl. It exports
animations (GIF) and image sequences (PNG) instead of videos; everything else is the same. A wheel of SnakeStudio
contains none of these packages: it is under the BSD-3-Clause licence, and its users install them separately."""

NO_GPL = """\
SnakeStudio itself is under the BSD-3-Clause licence (LICENSE). This build contains no part that is under the GNU
General Public License alone: it was made without a video encoder. It may be distributed with this file; the parts under
the LGPL require those who distribute it to give their source, or a written offer of it, on request."""

LGPL = """\
Parts under the GNU Lesser General Public License (Qt, Qt for Python, python-can and others, see below) are separate
files under lib/: they may be replaced by other versions, and nothing in the licence of SnakeStudio forbids reverse
engineering for that purpose. Their unchanged source is at the addresses below."""


class UnstatedError(Exception):
    """The licence of a part is unknown; the message names the part."""


@dataclass
class Part:
    """Part of the bundle.

    Attributes
    ----------
    name, licence, source : str
        Name with version, licence, and address of the source.
    files : list of str
        Files in the bundle; empty for a package, which consists of many.
    texts : dict of str to str
        Licence texts by file name.
    """

    name: str
    licence: str
    source: str = ""
    files: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)


def table() -> dict[str, list[dict[str, Any]]]:
    """Return the entries of third_party.toml."""
    return tomllib.loads((HERE / "third_party.toml").read_text(encoding="utf-8"))


def canonical(name: str) -> str:
    """Return the normalised name of a package."""
    return re.sub(r"[-_.]+", "-", name).lower()


def common_texts(entry: dict[str, Any]) -> dict[str, str]:
    """Return the texts of well-known licences that an entry of the table names."""
    texts = {}
    for name in entry.get("texts", ()):
        if name == "wheel":
            continue
        paths = [
            path
            for folder in TEXTS
            for path in (folder / f"{name}.txt", folder / name)
            if path.is_file()
        ]
        if not paths:
            raise UnstatedError(
                f"the text of the licence {name} is missing on this machine (searched in {TEXTS[1]})."
            )
        text = paths[0].read_text(encoding="utf-8")
        if "{copyright}" in text and "copyright" not in entry:
            raise UnstatedError(
                f"third_party.toml: an entry with the licence {name} has no `copyright`. Add it."
            )
        texts[name] = text.replace("{copyright}", entry.get("copyright", ""))
    return texts


def stated_licence(about: Distribution) -> str:
    """Return the licence that a package's metadata state; "" if they state none."""
    meta = about.metadata
    expression = meta.get("License-Expression") or ""
    classifiers = [
        line.rsplit(" :: ", 1)[-1]
        for line in meta.get_all("Classifier") or ()
        if line.startswith("License :: ")
    ]
    licence = meta.get("License") or ""
    if (
        "\n" in licence
        or len(licence) > 100
        or licence.startswith(("Copyright", "===", "License agreement"))
    ):
        licence = ""  # a whole text instead of a name
    return str(
        expression or licence or " AND ".join(c for c in classifiers if c != "OSI Approved")
    ).strip()


def licence_files(about: Distribution) -> dict[str, str]:
    """Return the licence texts included in a package."""
    texts = {}
    for file in about.files or ():
        inside = file.parts[0].endswith(".dist-info")
        named = re.match(r"(?i)(licen[cs]es?|copying|notice|authors)\b", file.name)
        if (
            not inside
            or file.suffix in (".py", ".pyc")
            or not (named or "licenses" in file.parts[1:-1])
        ):
            continue
        text = Path(str(about.locate_file(file))).read_text(encoding="utf-8", errors="replace")
        if len(text) > 100:  # shorter ones only refer to another file
            texts["/".join(file.parts[1:]).removeprefix("licenses/")] = text
    return texts


def package(name: str, known: list[dict[str, Any]]) -> Part:
    """Return an installed package as a part.

    Raises
    ------
    UnstatedError
        If its licence or licence text is unknown.
    """
    about = distribution(name)
    entry = next((entry for entry in known if canonical(entry["name"]) == canonical(name)), {})
    licence = entry.get("licence") or stated_licence(about)
    if not licence:
        raise UnstatedError(
            f"{name} states no licence. Read its files and add the licence to packaging/third_party.toml."
        )
    texts = licence_files(about) | common_texts(entry)
    if not texts:
        raise UnstatedError(
            f"{name} ({licence}) contains no licence text. Name the text in packaging/third_party.toml."
        )
    return Part(f"{about.name} {about.version}", licence, _address(about), texts=texts)


def _address(about: Distribution) -> str:
    urls = dict(
        line.split(", ", 1) for line in about.metadata.get_all("Project-URL") or () if ", " in line
    )
    labels = ("source", "source code", "repository", "github", "homepage", "code")
    chosen = [url for key in labels for name, url in urls.items() if name.lower() == key]
    return str((chosen or [about.metadata.get("Home-page") or ""])[0])


def shared_libraries(
    files: dict[str, str], known: list[dict[str, Any]], owners: list[str]
) -> list[Part]:
    """Return the libraries that are not the packages' own code; `files`: names in the bundle with their origins.

    Raises
    ------
    UnstatedError
        If the licence of a library is unknown.
    """
    parts: dict[str, Part] = {}
    for inside, source in sorted(files.items()):
        base = inside.rsplit("/", 1)[-1]
        if re.search(r"(\.cpython-[\w-]+|\.abi3)\.so$", base) or base.startswith("libpython"):
            continue  # an extension module of a listed package, or Python itself, which is listed, too
        if source.startswith(("/usr/lib/", "/lib/")):
            part = debian_library(source)
        else:
            entry = next(
                (
                    e
                    for e in known
                    if re.fullmatch(e["files"], base) or re.fullmatch(e["files"], inside)
                ),
                None,
            )
            if entry is None:
                raise UnstatedError(
                    f"{inside}: unknown library. Add it with its licence to third_party.toml."
                )
            part = Part(
                entry["project"], entry["licence"], entry["source"], texts=common_texts(entry)
            )
            if not part.texts and not any(
                canonical(o) in canonical(inside.split("/")[0]) for o in owners
            ):
                raise UnstatedError(
                    f"{inside}: no package of the bundle contains its licence text."
                )
        parts.setdefault(part.name, part).files.append(inside)
    return list(parts.values())


def debian_library(path: str) -> Part:
    """Return a library that was copied from the system on which the bundle was made.

    Raises
    ------
    UnstatedError
        If no Debian package owns it.
    """
    for name in (path, path.removeprefix("/usr")):
        query = subprocess.run(
            ["dpkg-query", "-S", name], capture_output=True, text=True, check=False
        )
        if query.returncode == 0:
            break
    else:
        raise UnstatedError(f"{path}: no Debian package owns it, so its licence is unknown.")
    owner = query.stdout.split(":")[0]
    text = Path("/usr/share/doc", owner, "copyright").read_text(encoding="utf-8", errors="replace")
    version = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", owner], capture_output=True, text=True, check=True
    ).stdout
    return Part(f"{owner} {version} (Debian)", "see its text below", texts={"copyright": text})


def python_itself() -> Part:
    """Return the interpreter."""
    folders = (
        Path(sysconfig.get_path("stdlib")),
        Path(f"/usr/share/doc/python3.{sys.version_info[1]}"),
    )
    for path in [
        folder / name for folder in folders for name in ("LICENSE.txt", "LICENSE", "copyright")
    ]:
        if path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            return Part(
                f"Python {sys.version.split()[0]}",
                "PSF-2.0",
                "https://www.python.org",
                texts={path.name: text},
            )
    raise UnstatedError("the licence text of Python was not found next to its library.")


def fonts() -> Part:
    """Return the font that SnakeStudio draws into its images."""
    text = (ROOT / "resources" / "fonts" / "LICENSE-DejaVu.txt").read_text(encoding="utf-8")
    address = "https://dejavu-fonts.github.io"
    return Part(
        "DejaVu Sans, as letters.npz",
        "Bitstream-Vera AND Arev",
        address,
        texts={"LICENSE-DejaVu": text},
    )


def third_party(parts: list[Part], head: list[str]) -> str:
    """Return the whole text: introduction, list of parts, and each licence text once."""
    texts: dict[str, str] = {}
    lines = [
        "THIRD-PARTY SOFTWARE IN THIS BUILD OF SNAKESTUDIO",
        "",
        *head,
        "",
        "=" * 100,
        "WHAT IS INSIDE",
        "",
    ]
    for part in parts:
        lines += [
            part.name,
            f"    licence: {part.licence}",
            *([f"    {part.source}"] if part.source else []),
        ]
        lines += [f"    {name}" for name in part.files]
    for part in parts:
        for title, text in part.texts.items():
            known = texts.get(text.strip())
            texts[text.strip()] = f"{known}; {part.name}" if known else f"{title}, of: {part.name}"
    for text, title in texts.items():
        lines += ["", "=" * 100, title, "=" * 100, "", text]
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()) + "\n"


def required() -> list[str]:
    """Return the packages of `requirements.txt` that this environment needs."""
    names = []
    for line in (HERE / "requirements.txt").read_text(encoding="utf-8").splitlines():
        name, _, condition = line.partition("==")
        if line and not line.startswith("#") and ";" not in condition:
            names.append(name)
    return names


def main() -> int:
    """Write the file. Return 1 after listing what is unknown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--contents", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    names = required()
    files = {}
    if options.contents is not None:
        contents = json.loads(options.contents.read_text(encoding="utf-8"))
        names = contents["distributions"]
        files = contents["libraries"]
    known = table()
    troubles = []
    parts = [python_itself(), fonts()]
    for name in sorted(names, key=canonical):
        if canonical(name) == OWN:
            continue
        try:
            parts.append(package(name, known["package"]))
        except PackageNotFoundError:
            troubles.append(f"{name} is not installed in {sys.prefix}.")
        except UnstatedError as trouble:
            troubles.append(str(trouble))
    try:
        parts += shared_libraries(files, known["library"], names)
    except UnstatedError as trouble:
        troubles.append(str(trouble))
    if troubles:
        print("\n".join(f"third_party: {trouble}" for trouble in troubles), file=sys.stderr)
        return 1
    with_gpl = any(re.match(r"libx26[45]", name.rsplit("/", 1)[-1]) for name in files) or (
        not files and "av" in names
    )
    text = third_party(parts, [GPL if with_gpl else NO_GPL, "", LGPL])
    if options.out is None:
        sys.stdout.write(text)
    else:
        options.out.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
