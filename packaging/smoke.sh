#!/usr/bin/env bash
# Test the Debian package, and with it the bundle, on a minimal machine: a root file system of Debian packages without
# Python, an unprivileged user, an empty home, no network but loopback.
#
#   packaging/smoke.sh [--suite bookworm|trixie] [--keep FOLDER] PACKAGE.deb OUT
#
# OUT gets a table of the checks with times, the programs' output, and screenshots of the window. --keep FOLDER saves the
# minimal system there for the next call. Needs root and debootstrap; the mirror is the one that apt uses here.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
say() { printf 'smoke: %s\n' "$*"; }
fail() { printf 'smoke: %s\n' "$*" >&2; exit 2; }

suite=bookworm keep='' words=()
while [[ $# -gt 0 ]]; do
    case $1 in
        --suite) suite=${2:?}; shift ;;
        --keep) mkdir -p "${2:?}"; keep=$(realpath "$2"); shift ;;
        *) words+=("$1") ;;
    esac
    shift
done
[[ ${#words[@]} -eq 2 ]] || fail "name the package and a folder for the results"
[[ $EUID -eq 0 ]] || fail "this script needs root"
for tool in debootstrap unshare setpriv ip; do
    command -v "$tool" >/dev/null || fail "$tool is missing: apt-get install debootstrap util-linux iproute2"
done
package=$(realpath "${words[0]}")
mkdir -p "${words[1]}"
out=$(realpath "${words[1]}")

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
root=$work/root
plain=${keep:-$work}/$suite.tar
if [[ ! -f $plain ]]; then
    # On other systems debootstrap has its own default mirror.
    site=$(. /etc/os-release; [[ $ID != debian ]] || apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | head -n 1)
    say "creating a minimal $suite"
    debootstrap --variant=minbase "$suite" "$root" ${site:+"$site"} >"$out/debootstrap.txt" 2>&1 ||
        { tail -5 "$out/debootstrap.txt"; fail "debootstrap failed"; }
    tar -C "$root" -cf "$plain.new" . && mv "$plain.new" "$plain"
    rm -rf "$root"
fi
mkdir "$root"
tar -C "$root" -xf "$plain"
cp -L /etc/resolv.conf /etc/hosts "$root/etc/" 2>/dev/null || true
cp "$package" "$root/tmp/snakestudio.deb"
cp "$here/smoke/inside.sh" "$root/usr/local/bin/"
echo 'APT::Sandbox::User "root"; Acquire::Check-Valid-Until "false"; Acquire::Check-Date "false";' \
    >"$root/etc/apt/apt.conf.d/99smoke"
rm -f "$root/etc/dpkg/dpkg.cfg.d/excludes"

# A separate mount namespace: its mounts end with this script.
inside() { # inside [-n] COMMAND...; -n: without network
    local network=()
    if [[ $1 == -n ]]; then network=(--net); shift; fi
    unshare --mount --pid --fork --kill-child "${network[@]}" bash -c '
        set -e
        root=$1 network=$2
        shift 2
        mount -t proc proc "$root/proc"
        mount -t tmpfs tmpfs "$root/dev" -o mode=755
        mkdir "$root/dev/shm" "$root/dev/pts"
        mount -t tmpfs tmpfs "$root/dev/shm" -o mode=1777
        mount -t devpts devpts "$root/dev/pts" -o ptmxmode=666,newinstance
        ln -s pts/ptmx "$root/dev/ptmx"
        ln -s /proc/self/fd "$root/dev/fd"
        for node in "null 3" "zero 5" "full 7" "random 8" "urandom 9"; do
            mknod -m 666 "$root/dev/${node% *}" c 1 "${node#* }"
        done
        mknod -m 666 "$root/dev/tty" c 5 0
        if [[ -n $network ]]; then
            ip link set lo up multicast on
            ip route add 224.0.0.0/4 dev lo
        fi
        exec chroot "$root" "$@"' - "$root" "${network[*]}" "$@"
}
quiet() { # quiet NAME COMMAND...: shows the output only on failure
    local log=$out/$1.txt
    shift
    "$@" >"$log" 2>&1 || { tail -20 "$log"; fail "see $log"; }
}

: >"$out/table.txt"
began=$SECONDS
quiet update inside env DEBIAN_FRONTEND=noninteractive apt-get -q update
say "installing the package and its dependencies"
quiet install inside env DEBIAN_FRONTEND=noninteractive apt-get -q install -y /tmp/snakestudio.deb
quiet checkers inside env DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends \
    xvfb man-db desktop-file-utils shared-mime-info xdg-utils libglib2.0-bin
quiet user inside useradd --create-home --skel /dev/null tester
printf '%-58s %8s s  ok\n' "package installed on $suite with its dependencies" "$((SECONDS - began))" | tee "$out/table.txt"

mkdir -p "$root/result"
chmod 777 "$root/result"
status=0
inside -n setpriv --reuid=1000 --regid=1000 --clear-groups env -i HOME=/home/tester USER=tester LANG=C.UTF-8 \
    XDG_RUNTIME_DIR=/tmp PATH=/usr/local/bin:/usr/bin:/bin \
    sh -c 'cd /home/tester && exec sh /usr/local/bin/inside.sh /result' || status=1
cp -R "$root/result/." "$out/"
for screen in "$out"/*.xwd; do
    [[ -e $screen ]] || continue
    picture=${screen%.xwd}.png
    if found=$(python3 "$here/smoke/screen.py" "$screen" "$picture"); then word=ok; else word=FAILED status=1; fi
    printf '%-58s %8s    %s (%s)\n' "screenshot: $(basename "$picture")" '' "$word" "$found" | tee -a "$out/table.txt"
    rm "$screen"
done
quiet remove inside env DEBIAN_FRONTEND=noninteractive apt-get -q purge -y snakestudio
[[ ! -e $root/usr/lib/snakestudio ]] || { say "the removed package left files behind"; status=1; }
[[ $status -eq 0 ]] && say "all checks passed: $out/table.txt" || say "some checks FAILED: $out/log.txt"
exit $status
