#!/usr/bin/env bash
# Print the interpreters that wheels are made for, one a line: 3.11, 3.12 and 3.13 if this machine has them, or those that
# PYTHONS names.
set -euo pipefail

# A name on PATH is not enough (it may be an empty shim of a version manager): query the interpreter itself.
query() { "$1" -c 'import ensurepip, sys, venv; print("%d.%d" % sys.version_info[:2], sys.executable)' 2>/dev/null; }

if [[ ${PYTHONS:-} ]]; then
    for python in $PYTHONS; do
        answer=$(query "$python") || { echo "PYTHONS names $python, which cannot create virtual environments" >&2; exit 2; }
        echo "${answer#* }"
    done
    exit
fi
for version in 3.11 3.12 3.13; do
    for python in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python; do
        if answer=$(query "$python") && [[ ${answer%% *} == "$version" ]]; then
            echo "${answer#* }"
            break
        fi
    done
done
