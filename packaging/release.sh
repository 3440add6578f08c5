#!/usr/bin/env bash
# Build all parts of a release from a clean checkout into DIR: sdist, wheels for all available Pythons, bundle (.tar.zst),
# Debian package, licences, notes, checksums.
#
#   packaging/release.sh [--check-reproducible] [--without-gpl] [DIR]      (default: dist/VERSION)
#
# The version is that of snakestudio/_version.py. It stops if the CHANGELOG has no section for it, or if there are uncommitted
# changes. --check-reproducible builds everything twice and lists the files that differ, and where; exit code 1 then.
# PYTHONS="python3.11 python3.12" chooses the interpreters; the first one goes into the bundle.
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC

say() { printf 'release: %s\n' "$*"; }
fail() { printf 'release: %s\n' "$*" >&2; exit 2; }

cd "$(dirname "${BASH_SOURCE[0]}")/.."
twice='' bundle_options=() out=''
for argument in "$@"; do
    case $argument in
        --check-reproducible) twice=1 ;;
        --without-gpl) bundle_options+=(--without-gpl) ;;
        -*) fail "unknown option $argument; see the beginning of $0" ;;
        *) out=$argument ;;
    esac
done

version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' snakestudio/_version.py)
[[ -n $version ]] || fail "snakestudio/_version.py states no __version__"
out=${out:-dist/$version}
notes=$(python3 packaging/release_notes.py "$version") || exit 2
dirty=$(git status --porcelain) || fail "this is not a git checkout"
[[ -z $dirty ]] || fail "there are uncommitted changes:"$'\n'"$dirty"
[[ ! -d $out || -z $(ls -A "$out") ]] || fail "$out is not empty"
# All files have the time of the commit.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

found=$(bash packaging/pythons.sh) || exit 2
mapfile -t pythons <<<"$found"
[[ ${pythons[0]} ]] || fail "no Python 3.11, 3.12 or 3.13 was found. Name one: PYTHONS=/path/to/python"

make_all() { # make_all FOLDER
    mkdir -p "$1"
    bash packaging/wheel.sh "$1" "${pythons[@]}"
    local tag wheel
    tag=$("${pythons[0]}" -c 'import sys; print("cp{}{}".format(*sys.version_info))')
    wheel=$(ls "$1"/*-"$tag"-*.whl 2>/dev/null || ls "$1"/*-py3-none-any.whl)
    PYTHON=${pythons[0]} bash packaging/bundle.sh "${bundle_options[@]}" --wheel "$wheel" "$1"
    local folder=("$1"/snakestudio-"$version"-linux-*/)
    cp "${folder[0]}THIRD_PARTY.txt" "$1/"
    rm -r "${folder[@]}"  # it is in the archive
    printf '%s\n' "$notes" >"$1/release-notes.md"
    (cd "$1" && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf '%P\n' | sort | xargs sha256sum >SHA256SUMS)
}

say "SnakeStudio $version, by ${#pythons[@]} interpreters"
make_all "$out"
if [[ -n $twice ]]; then
    second=$(mktemp -d)
    trap 'rm -rf "$second"' EXIT
    say "building again, to compare"
    make_all "$second/again"
    if python3 packaging/compare_builds.py "$out" "$second/again"; then
        say "both builds have the same bytes"
    else
        exit 1
    fi
fi
say "in $out:"
(cd "$out" && ls -l --block-size=1 | awk 'NR > 1 { printf "  %12d  %s\n", $5, $NF }')
