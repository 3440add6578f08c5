#!/usr/bin/env bash
# Prepare .venv: system packages, pinned Python packages, SnakeStudio itself (editable).
#
# Safe to call at any time: it returns immediately if there is nothing to do, concurrent calls wait for each other, and an
# interrupted call is repeated from scratch. PYTHON=/path/to/python chooses the interpreter.
# SNAKESTUDIO_NO_APT=1 prevents the installation of system packages.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
cd "$root"
venv=.venv
stamp=$venv/.setup-stamp
incomplete=$venv/.setup-incomplete
pins=packaging/requirements-dev.txt
min_minor=11   # Python 3.11
tested_minor=13

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# --- what the environment must look like ------------------------------------------------------------------------

wanted_stamp() {
    local version hash
    version=$("$venv/bin/python" -V 2>/dev/null) || return 1
    hash=$(cat pyproject.toml "$pins" packaging/setup.sh | sha256sum 2>/dev/null || cat pyproject.toml "$pins" packaging/setup.sh | shasum -a 256)
    printf '%s|%s|%s|%s\n' "${hash%% *}" "$version" "${PYTHON:-}" "$root"
}

venv_is_current() {
    [[ -f $stamp && ! -e $incomplete ]] && [[ $(<"$stamp") == "$(wanted_stamp)" ]]
}

# --- system packages --------------------------------------------------------------------------------------------

# Prints the missing Debian packages, the first alternative of each line.
missing_system_packages() {
    command -v dpkg-query >/dev/null || return 0
    local line name alternatives installed
    installed=" $(dpkg-query -W -f '${Package}/${db:Status-Status} ' 2>/dev/null)"
    while IFS= read -r line; do
        alternatives=${line%%#*}
        alternatives=${alternatives//|/ }
        set -- $alternatives
        [[ $# -gt 0 ]] || continue
        for name in "$@"; do
            [[ $installed == *" $name/installed "* ]] && continue 2
        done
        # Only Debian's own Python lacks venv; all others include it.
        [[ $1 == python3-venv ]] && { [[ -x $venv/bin/python ]] || has_venv_module; } && continue
        echo "$1"
    done <packaging/system-packages.txt
}

as_root() {
    if [[ $EUID -eq 0 ]]; then "$@"; else sudo -n "$@"; fi
}

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 \
        install -y --no-install-recommends "$@" >/dev/null
}

# Prints the name of the listed package $1 on this release: on Debian 13 some libraries have a suffix.
apt_name() {
    local line alternatives name
    line=$(grep -E "^$1( |\$)" packaging/system-packages.txt) || line=$1
    alternatives=${line%%#*}
    for name in ${alternatives//|/ }; do
        [[ -n $(apt-cache policy "$name" 2>/dev/null | grep -v '(none)' | grep Candidate) ]] && { echo "$name"; return; }
    done
    echo "$1"
}

system_packages() {
    local missing=() names=() name
    if ! command -v dpkg-query >/dev/null; then
        if ! command -v Xvfb >/dev/null && [[ $(uname -s) == Linux ]]; then
            say "this is not a Debian system: install your system's equivalents of packaging/system-packages.txt"
            say "(Xvfb, Mesa's OpenGL and EGL, libxcb-cursor and the other libxcb libraries, libxkbcommon-x11, DejaVu fonts)"
        fi
        return
    fi
    mapfile -t missing < <(missing_system_packages)
    [[ ${#missing[@]} -gt 0 ]] || return 0
    if [[ -n ${SNAKESTUDIO_NO_APT:-} ]] || { [[ $EUID -ne 0 ]] && ! sudo -n true 2>/dev/null; }; then
        say "system packages are missing; as an administrator, run once:"
        echo "    apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
        return
    fi
    say "installing system packages: ${missing[*]}"
    if ! compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null; then
        as_root apt-get -qq -o Acquire::Retries=3 update || true
    fi
    for name in "${missing[@]}"; do names+=("$(apt_name "$name")"); done
    if ! apt_install "${names[@]}"; then
        # Old package lists name versions that the mirror no longer has.
        as_root apt-get -qq -o Acquire::Retries=3 update || true
        names=()
        for name in "${missing[@]}"; do names+=("$(apt_name "$name")"); done
        # One unknown name stops apt from installing any, so then one by one.
        apt_install "${names[@]}" || for name in "${names[@]}"; do
            apt_install "$name" || say "could not install $name; continuing without it"
        done
    fi
}

# --- Python -----------------------------------------------------------------------------------------------------

# A name on PATH is not enough (it may be an empty shim of a version manager): query the interpreter itself.
python_minor() {
    "$1" -c 'import sys; print(sys.version_info[1] if sys.version_info[0] == 3 else -1)' 2>/dev/null || echo -1
}

find_python() {
    local candidate minor newer=
    if [[ -n ${PYTHON:-} ]]; then
        [[ $(python_minor "$PYTHON") -ge $min_minor ]] || return 1
        echo "$PYTHON"
        return
    fi
    for candidate in python3 python3.13 python3.12 python3.11 /usr/bin/python3 python3.14 python; do
        command -v "$candidate" >/dev/null || continue
        minor=$(python_minor "$candidate")
        [[ $minor -ge $min_minor ]] || continue
        if [[ $minor -le $tested_minor ]]; then echo "$candidate"; return; fi
        newer=${newer:-$candidate}
    done
    [[ -n $newer ]] && echo "$newer"
}

python_bin=
has_venv_module() {
    [[ -n $python_bin ]] || python_bin=$(find_python) || return 1
    "$python_bin" -c 'import ensurepip, venv' 2>/dev/null
}

# Can the environment be updated in place?
venv_is_usable() {
    [[ ! -e $incomplete && -x $venv/bin/python ]] || return 1
    "$venv/bin/python" -c 'import pip' 2>/dev/null || return 1
    [[ $("$venv/bin/python" -c 'import sys; print(sys.prefix)') -ef $venv ]] || return 1
    [[ $(head -n 1 "$venv"/bin/pip) == *"$root/"* ]] || return 1   # the checkout was moved
    [[ $(python_minor "$venv/bin/python") == "$(python_minor "$python_bin")" ]]
}

python_packages() {
    python_bin=$(find_python) || fail "needs Python 3.$min_minor or newer; set PYTHON=/path/to/python"
    if ! venv_is_usable; then
        [[ ! -e $venv ]] || say "$venv is broken, unfinished or of another Python: recreating it"
        rm -rf "$venv"
        mkdir "$venv"
        touch "$incomplete"
        say "creating $venv with $("$python_bin" -V)"
        if ! "$python_bin" -m venv "$venv"; then
            rm -rf "$venv"
            fail "$python_bin cannot make a virtual environment; on Debian: apt-get install python3-venv \
(or python3.$(python_minor "$python_bin")-venv)"
        fi
    fi
    rm -f "$stamp"
    touch "$incomplete"
    say "installing $pins"
    local pip=("$venv/bin/python" -m pip --disable-pip-version-check --no-input)
    # uv takes a tenth of pip's time; if it is not available or fails, pip is used. -qq: errors only. Both would compile
    # eleven thousand files to bytecode on one core; below, all cores compile all but the packages' own tests.
    { "${pip[@]}" install -qq --no-compile "$(grep '^uv==' "$pins")" &&
        "$venv/bin/uv" pip install --quiet --no-cache --python "$venv/bin/python" -r "$pins" ${PIP_FIND_LINKS:+--find-links "$PIP_FIND_LINKS"}; } \
        >/dev/null 2>&1 || "${pip[@]}" install -qq --no-compile -r "$pins"
    "$venv/bin/python" -W ignore -m compileall -qq -j 0 -x '/tests?/' \
        "$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" || true
    "${pip[@]}" install -qq --no-deps --no-build-isolation -e .
    "${pip[@]}" --quiet check
    rm -f "$incomplete"
    wanted_stamp >"$stamp.new"
    mv "$stamp.new" "$stamp"
    say "ready: $("$venv/bin/python" -V), $("$venv/bin/python" -c 'import snakestudio as s; print("SnakeStudio", s.__version__)')"
}

# --- main -------------------------------------------------------------------------------------------------------

if venv_is_current && [[ -z $(missing_system_packages) ]]; then exit 0; fi

# One at a time. The lock is on this file, so there is no lock file to clean up.
if command -v flock >/dev/null; then
    exec 9<packaging/setup.sh
    flock -n 9 || { say "waiting for another setup to finish"; flock 9; }
fi

system_packages
venv_is_current || python_packages
