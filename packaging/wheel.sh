#!/usr/bin/env bash
# Build wheels: wheel.sh DIR [PYTHON ...]
#
# Into DIR go the sdist, the wheel for any Python (it compiles its engines when they are first used), and for each PYTHON
# (3.11, 3.12 and 3.13 as far as this machine has them) a wheel with the compiled kernels inside.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ $# -ge 1 ]] || { echo "usage: packaging/wheel.sh DIR [PYTHON ...]" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift

# A fixed time in every archive: that of the commit.
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 1700000000)}

version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }

# A name on PATH proves nothing (it may be a version manager's empty shim).
find_pythons() {
    local version candidate
    for version in 3.11 3.12 3.13; do
        for candidate in "python$version" "$HOME/.pyenv/versions/$version".*/bin/python; do
            if command -v "$candidate" >/dev/null && [[ $(version_of "$candidate") == "$version" ]]; then
                echo "$candidate"
                break
            fi
        done
    done
}

pythons=("$@")
[[ $# -gt 0 ]] || mapfile -t pythons < <(find_pythons)
[[ ${#pythons[@]} -gt 0 ]] || { echo "wheel.sh: found no Python 3.11, 3.12 or 3.13; name one" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
plain=1
for python in "${pythons[@]}"; do
    version=$(version_of "$python") || { echo "wheel.sh: $python is no Python" >&2; exit 2; }
    echo "wheel.sh: Python $version"
    "$python" -m venv "$work/$version"
    build=("$work/$version/bin/python")
    "${build[@]}" -m pip install --quiet --disable-pip-version-check --no-compile \
        -r packaging/requirements.txt -c packaging/requirements-dev.txt hatchling
    if [[ $plain ]]; then
        "${build[@]}" -m hatchling build -t sdist -d "$out"
        "${build[@]}" -m hatchling build -t wheel -d "$out"
        plain=
    fi
    SNAKESTUDIO_WITH_KERNELS=1 "${build[@]}" -m hatchling build -t wheel -d "$out"
done
ls -l "$out"
