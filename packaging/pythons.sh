#!/usr/bin/env bash
# Print the interpreters that wheels are made for, one a line: 3.11, 3.12 and 3.13 as far as this machine has them, or those
# that PYTHONS names.
set -euo pipefail

# A name on PATH proves nothing (it may be a version manager's empty shim): ask the interpreter itself.
ask() { "$1" -c 'import ensurepip, sys, venv; print("%d.%d" % sys.version_info[:2], sys.executable)' 2>/dev/null; }

if [[ ${PYTHONS:-} ]]; then
    for python in $PYTHONS; do
        found=$(ask "$python") || { echo "PYTHONS names $python, which is no Python that makes environments" >&2; exit 2; }
        echo "${found#* }"
    done
    exit
fi
for version in 3.11 3.12 3.13; do
    for python in "python$version" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$version".*/bin/python; do
        if found=$(ask "$python") && [[ ${found%% *} == "$version" ]]; then
            echo "${found#* }"
            break
        fi
    done
done
