#!/usr/bin/env bash
# Pin all packages: pyproject.toml -> packaging/requirements.txt (runtime), requirements-dev.txt (with tools) and
# requirements-bundle.txt (contents and build tools of the bundle).
#
# One version of each package for all supported Python versions. Run it, run `make test`, commit the files.
# `lock.sh --upgrade-package NAME` or `lock.sh --upgrade` installs newer versions; otherwise pins stay where possible.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
python3 -m venv "$tools"
"$tools/bin/pip" install --quiet --disable-pip-version-check uv

compile() {
    "$tools/bin/uv" pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
        --no-header --no-emit-index-url --no-emit-find-links --no-annotate --output-file "$@"
}
header='# Made by packaging/lock.sh from pyproject.toml; do not edit.'
compile packaging/requirements-dev.txt --extra dev "$@" pyproject.toml
compile packaging/requirements.txt --constraint packaging/requirements-dev.txt pyproject.toml
compile packaging/requirements-bundle.txt --extra bundle --constraint packaging/requirements-dev.txt pyproject.toml
for file in packaging/requirements{,-dev,-bundle}.txt; do
    sed -i "1i $header" "$file"
done
