#!/usr/bin/env bash
# Build a SnakeStudio that needs no Python: a folder, an archive of it (.tar.zst) and a Debian package, in DIR.
#
#   packaging/bundle.sh [--without-gpl] [--wheel FILE] DIR
#
# --without-gpl omits PyAV, whose FFmpeg includes x264 and x265: it exports no videos, only GIF and PNG.
# --wheel FILE uses this wheel of SnakeStudio instead of a new one. PYTHON=/path/to/python chooses the interpreter (with a
# shared library, as Debian's and pyenv's --enable-shared have). The same commit gives the same bytes; SOURCE_DATE_EPOCH
# overrides its date. docs/releasing.md lists the contents.
set -euo pipefail
export LC_ALL=C.UTF-8 TZ=UTC PYTHONHASHSEED=0 PIP_DISABLE_PIP_VERSION_CHECK=1
umask 022

say() { printf 'bundle: %s\n' "$*"; }
fail() { printf 'bundle: %s\n' "$*" >&2; exit 2; }

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
python=${PYTHON:-python3} wheel='' out='' suffix='' without_gpl=''
while [[ $# -gt 0 ]]; do
    case $1 in
        --without-gpl) without_gpl=1 suffix=-without-gpl ;;
        --wheel) wheel=$(realpath "${2:?--wheel FILE}"); shift ;;
        -*) fail "unknown option $1; see the beginning of $0" ;;
        *) out=$1 ;;
    esac
    shift
done
[[ -n $out ]] || fail "name the output folder"
for tool in zstd dpkg-deb dpkg-shlibdeps strip readelf; do
    command -v "$tool" >/dev/null || fail "$tool is missing: apt-get install zstd dpkg-dev binutils"
done
mkdir -p "$out"
out=$(cd "$out" && pwd -P)
cd "$root"

version=$(sed -n 's/^__version__ = "\(.*\)"$/\1/p' snakestudio/_version.py)
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
machine=$(uname -m)
name=snakestudio-$version-linux-$machine$suffix

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# --- an environment with the contents only -------------------------------------------------------------------------

say "creating an environment with $("$python" -V)"
"$python" -m venv "$work/venv"
bin=$work/venv/bin
cp packaging/requirements-bundle.txt "$work/requirements.txt"
if [[ -n $without_gpl ]]; then sed -i '/^av==/d' "$work/requirements.txt"; fi
"$bin/pip" install -qq --no-compile -r "$work/requirements.txt"
if [[ -z $wheel ]]; then
    bash packaging/wheel.sh "$work/wheels" "$python"
    # The wheel with compiled kernels.
    wheel=$(ls "$work"/wheels/*-cp"$("$python" -c 'import sys; print("{}{}".format(*sys.version_info))')"-*.whl)
fi
"$bin/pip" install -qq --no-compile --no-deps "$wheel"

# --- PyInstaller ---------------------------------------------------------------------------------------------------

say "collecting $(basename "$wheel") and what it needs"
cp -R packaging/bundle "$work/recipe"
# In a folder without sources, so that the wheel is collected.
(
    cd "$work"
    export SNAKESTUDIO_CONTENTS=$work/contents.json SNAKESTUDIO_WITHOUT_GPL=$without_gpl
    export PYINSTALLER_CONFIG_DIR=$work/pyinstaller
    "$bin/pyinstaller" --noconfirm --log-level ERROR --distpath "$work/dist" --workpath "$work/build" \
        recipe/snakestudio.spec
)
tree=$work/$name
mv "$work/dist/snakestudio" "$tree"
[[ -z $(find "$tree" -xtype l) ]] || fail "broken links: $(find "$tree" -xtype l)"

"$bin/python" packaging/bundle/strip.py "$tree/lib"

# The modules that stay as files are compiled here, because the folder may be read-only for its users. They are never
# compared with their sources, whose times are lost in packing.
"$bin/python" -m compileall -q --invalidation-mode unchecked-hash -s "$tree/lib" "$tree/lib/snakestudio" "$tree/lib/can"

# --- files next to it ---------------------------------------------------------------------------------------------

PYTHONPATH=$root "$bin/python" packaging/bundle/share.py "$tree/share"
"$bin/python" packaging/third_party.py --contents "$work/contents.json" --out "$tree/THIRD_PARTY.txt"
glibc=$(find "$tree" -type f \( -name '*.so*' -o -name snakestudio \) -exec readelf -VW {} + 2>/dev/null |
    grep -oE 'GLIBC_2\.[0-9]+' | sort -uV | tail -1)
note='It exports videos by x264 and x265: as a whole it is under the GNU General Public License.'
if [[ -n $without_gpl ]]; then note='It has no video encoder, and no part that is under the GNU General Public License alone.'; fi
sed "s/@VERSION@/$version/; s/@GLIBC@/${glibc#GLIBC_}/; s/@NOTE@/$note/" packaging/bundle/README.txt >"$tree/README.txt"
install -m 644 LICENSE "$tree/LICENSE"
install -m 755 packaging/bundle/add-to-menu.sh "$tree/add-to-menu.sh"

settle() { # all users may read it, and all files have the time of the commit
    chmod -R u=rwX,go=rX "$1"
    find "$1" -type f -name '*.so*' -exec chmod 644 {} +
    find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}
settle "$tree"

# --- archive -------------------------------------------------------------------------------------------------------

say "packing"
rm -rf "${out:?}/$name" "$out/$name.tar.zst"
tar -C "$work" --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$name" |
    zstd -q -15 --long=27 -T2 -o "$out/$name.tar.zst"

# --- Debian package ------------------------------------------------------------------------------------------------

package=$work/debian/snakestudio
doc=$package/usr/share/doc/snakestudio
mkdir -p "$package/DEBIAN" "$package/usr/lib" "$package/usr/bin" "$doc" "$package/usr/share/lintian/overrides"
cp -a "$tree" "$package/usr/lib/snakestudio"
(cd "$package/usr/lib/snakestudio" && rm -r share README.txt LICENSE THIRD_PARTY.txt add-to-menu.sh)
cp -a "$tree/share/." "$package/usr/share/"
ln -s ../lib/snakestudio/snakestudio "$package/usr/bin/snakestudio"
install -m 644 packaging/bundle/debian/lintian-overrides "$package/usr/share/lintian/overrides/snakestudio"
gzip -9n <"$tree/THIRD_PARTY.txt" >"$doc/THIRD_PARTY.txt.gz"
{ sed "s/@NOTE@/$note/" packaging/bundle/debian/copyright; echo; sed 's/^/    /; s/ *$//' LICENSE; } >"$doc/copyright"
deb_version=$version${without_gpl:++nogpl}
gzip -9n <<END >"$doc/changelog.gz"
snakestudio ($deb_version) stable; urgency=medium

  * SnakeStudio $version; what is new stands in its own CHANGELOG.

 -- SnakeStudio developers <snakestudio@localhost>  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END

# Dependencies of its libraries: determined by Debian's own tool, whose names are those of this release; names of other
# releases are in packaging/system-packages.txt. Libraries that show windows are loaded by name.
say "determining its system dependencies"
printf 'Source: snakestudio\n\nPackage: snakestudio\nArchitecture: amd64\n' >"$work/debian/control"
mapfile -t folders < <(find "$package/usr/lib/snakestudio/lib" -name '*.so*' -printf '-l%h\n' | sort -u)
mapfile -t files < <(find "$package/usr/lib/snakestudio" -type f \( -name '*.so*' -o -name snakestudio \) ! -name '*qgtk3*')
needed=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info "${folders[@]}" "${files[@]}" 2>/dev/null |
    sed 's/^shlibs:Depends=//; s/, /\n/g')
brought=$("$bin/python" - "$work/contents.json" <<'END'
import json, subprocess, sys
for path in json.load(open(sys.argv[1]))["libraries"].values():
    if path.startswith(("/usr/lib/", "/lib/")):
        asked = [subprocess.run(["dpkg-query", "-S", p], capture_output=True, text=True) for p in (path, path[4:])]
        print(next(each.stdout.split(":")[0] for each in asked if each.returncode == 0))
END
)
depends=''
while read -r line; do
    plain=${line%% *}
    if grep -qx "$plain" <<<"$brought"; then continue; fi
    other=$(sed -n "s/^$plain *| *\([a-z0-9.+-]*\).*/\1/p" packaging/system-packages.txt)
    depends+="$line${other:+ | $other}, "
done < <(printf '%s\n' "$needed" libgl1 libegl1 libopengl0 libglx-mesa0 libegl-mesa0 libgl1-mesa-dri xkb-data | sort -u)
sed "s/@VERSION@/$deb_version/; s/@DEPENDS@/${depends%, }/; s/@SIZE@/$(du -sk --apparent-size "$package/usr" | cut -f1)/" \
    packaging/bundle/debian/control >"$package/DEBIAN/control"
(cd "$package" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
settle "$package"
deb=$out/snakestudio_${deb_version}_amd64.deb
dpkg-deb --root-owner-group -Zxz -z4 --build "$package" "$deb" >/dev/null

# -------------------------------------------------------------------------------------------------------------------

mv "$tree" "$out/$name"
say "$out/$name: $(du -sm --apparent-size "$out/$name" | cut -f1) MB, for ${glibc/_/ } and newer"
say "$out/$name.tar.zst: $(($(stat -c %s "$out/$name.tar.zst") / 1000000)) MB"
say "$deb: $(($(stat -c %s "$deb") / 1000000)) MB"
