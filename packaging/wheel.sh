#!/usr/bin/env bash
# Build wheels: wheel.sh DIR [PYTHON ...]
#
# Writes to DIR the sdist, the wheel for any Python (it compiles its engines when they are first used), and for each PYTHON
# (default: those of packaging/pythons.sh) a wheel with the compiled kernels.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ $# -ge 1 ]] || { echo "usage: packaging/wheel.sh DIR [PYTHON ...]" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift

# All archives have the time of the commit.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 1700000000)}

version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }

pythons=("$@")
[[ $# -gt 0 ]] || { found=$(bash packaging/pythons.sh); mapfile -t pythons <<<"$found"; }
[[ ${pythons[0]:-} ]] || { echo "wheel.sh: no Python 3.11, 3.12 or 3.13 was found. Name one." >&2; exit 2; }

# Packages that build the documentation site; the pins are those of development.
docs=$("${pythons[0]}" -c 'import tomllib
with open("pyproject.toml", "rb") as file: print(*tomllib.load(file)["project"]["optional-dependencies"]["docs"])')

build_site() { # build_site SPHINX_BUILD FOLDER
    PYTHONHASHSEED=0 PYTHONDONTWRITEBYTECODE=1 "$1" --quiet --fail-on-warning --conf-dir packaging/site \
        --doctree-dir "$2.doctrees" docs "$2"
    rm -rf "$2/.buildinfo" "$2/_sources" "$2/objects.inv"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
plain=1
for python in "${pythons[@]}"; do
    version=$(version_of "$python") || { echo "wheel.sh: $python is not a Python interpreter" >&2; exit 2; }
    echo "wheel.sh: Python $version"
    "$python" -m venv "$work/$version"
    build=("$work/$version/bin/python")
    "${build[@]}" -m pip install --quiet --disable-pip-version-check --no-compile \
        -r packaging/requirements.txt -c packaging/requirements-dev.txt hatchling
    if [[ $plain ]]; then
        "${build[@]}" -m pip install --quiet --disable-pip-version-check --no-compile \
            -c packaging/requirements-dev.txt $docs
        build_site "$work/$version/bin/sphinx-build" "$work/site"
        export SNAKESTUDIO_SITE=$work/site
        "${build[@]}" -m hatchling build -t sdist -d "$out"
        "${build[@]}" -m hatchling build -t wheel -d "$out"
        plain=
    fi
    SNAKESTUDIO_WITH_KERNELS=1 "${build[@]}" -m hatchling build -t wheel -d "$out"
done
ls -l "$out"
