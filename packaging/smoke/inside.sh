#!/bin/sh
# Checks of smoke.sh in the minimal system, as an unprivileged user with an empty home: each check is a line with its time.
# $1: folder for the results.
set -u

out=$1
scenes=/usr/lib/snakestudio/lib/snakestudio/_data/scenes
kernels=/usr/lib/snakestudio/lib/snakestudio/_data/kernels
experiments=/usr/lib/snakestudio/lib/snakestudio/_data/resources/experiments
failed=0

now() { date +%s%N; }
line() { printf '%-58s %8s s  %s\n' "$1" "$2" "$3" | tee -a "$out/table.txt"; }

# check NAME COMMAND...: its output is logged, and shown on failure.
check() {
    name=$1
    shift
    began=$(now)
    "$@" >"$out/last.txt" 2>&1
    code=$?
    took=$(awk "BEGIN { printf \"%.2f\", ($(now) - $began) / 1e9 }")
    if [ $code -eq 0 ]; then
        line "$name" "$took" ok
    else
        failed=$((failed + 1))
        line "$name" "$took" "FAILED (exit code $code)"
        sed 's/^/    /' "$out/last.txt"
    fi
    printf '== %s\n' "$name" >>"$out/log.txt"
    cat "$out/last.txt" >>"$out/log.txt"
}

has() { grep -q -- "$1" "$out/last.txt" "$2" 2>/dev/null || { echo "$2 has no '$1'"; return 1; }; }
rows() { # rows FILE N: the CSV has more than N lines
    found=$(grep -vc '^#' "$1") && [ "$found" -gt "$2" ] || { echo "$1 has $found lines"; return 1; }
}
wait_for() { # wait_for SECONDS TEXT FILE PROCESS: until the process has written TEXT, or has ended
    left=$(($1 * 10))
    until grep -q "$2" "$3" 2>/dev/null; do
        left=$((left - 1))
        if [ $left -eq 0 ] || ! kill -0 "$4" 2>/dev/null; then
            echo "no '$2' within $1 s in:"
            cat "$3"
            return 1
        fi
        sleep 0.1
    done
}

# --- the machine ---------------------------------------------------------------------------------------------------

no_python() { ! ls /usr/bin/python* /usr/local/bin/python* 2>/dev/null; }
check "no Python on this machine" no_python
check "the home folder is empty" sh -c '[ -z "$(ls -A "$HOME")" ]'
check "snakestudio --version" snakestudio --version
check "snakestudio --help" snakestudio --help

# --- desktop integration -------------------------------------------------------------------------------------------

check "desktop entry" desktop-file-validate /usr/share/applications/snakestudio.desktop
man_page() { man -l --warnings /usr/share/man/man1/snakestudio.1.gz >"$out/man.txt" 2>"$out/man-warnings.txt" &&
    grep -q 'snakestudio run' "$out/man.txt" && ! grep . "$out/man-warnings.txt"; }
check "man page" man_page
kind() { # kind FILE TYPE
    found=$(xdg-mime query filetype "$1") && [ "$found" = "$2" ] || { echo "$1 is $found, not $2"; return 1; }
}
kinds() {
    cp $scenes/worm.toml "$HOME/worm.snake.toml" && cp $scenes/worm.toml "$HOME/worm" && cp $scenes/worm.toml "$HOME/" &&
        kind "$HOME/worm.snake.toml" application/vnd.snakestudio.scene+toml &&
        kind "$HOME/worm" application/vnd.snakestudio.scene+toml &&
        kind "$HOME/worm.toml" application/toml &&
        [ "$(xdg-mime query default application/x-mcap)" = snakestudio.desktop ]
}
check "kinds of files: scenes, recordings" kinds

# --- engines -------------------------------------------------------------------------------------------------------

# With bundled kernels nothing is compiled: warm-up lists each function that is, and the cache stays empty.
engine() { # engine KIND SCENE SECONDS
    rm -f "$out/$1.csv"
    snakestudio run "$scenes/$2.toml" --duration "$3" --csv "$out/$1.csv" || return 1
    rows "$out/$1.csv" 5 || return 1
    if [ -d $kernels ]; then
        snakestudio warm-up "$1" >"$out/warm.txt" || return 1
        if grep -vE 'Loading the compiler|Ready' "$out/warm.txt"; then echo "warm-up compiled these functions"; return 1; fi
        compiled=$(find "$HOME" -name '*.kernel' -o -name '*.nb[ci]' 2>/dev/null | head -3)
        [ -z "$compiled" ] || { echo "compiled although its code is bundled: $compiled"; return 1; }
    fi
}
check "engine planar_nonsmooth: obstacle_aided_small" engine planar_nonsmooth obstacle_aided_small 0.5
check "engine spatial_nonsmooth: sidewinding" engine spatial_nonsmooth sidewinding 0.3
check "engine planar_lagrangian: lagrangian_undulation" engine planar_lagrangian lagrangian_undulation 0.5
check "engine planar_nonholonomic: jam_resolution" engine planar_nonholonomic jam_resolution 0.5
check "engine continuum_beam: continuum_snake_2d" engine continuum_beam continuum_snake_2d 0.5

# --- files ---------------------------------------------------------------------------------------------------------

video() {
    snakestudio run $scenes/obstacle_aided_small.toml --duration 1 --mcap "$out/run.mcap" --video "$out/run.$1" || return 1
    [ "$(stat -c %s "$out/run.$1")" -gt 20000 ] || return 1
    snakestudio export "$out/run.mcap" --csv "$out/again.csv" --hdf5 "$out/run.h5" && rows "$out/again.csv" 50
}
if [ -d /usr/lib/snakestudio/lib/av ]; then
    check "run file, video (mp4), CSV and HDF5 from it" video mp4
    check "the video is an MP4 file" sh -c "head -c 64 '$out/run.mp4' | grep -q ftyp"
else
    check "run file, animation (gif), CSV and HDF5 from it" video gif
    no_video() { snakestudio export "$out/run.mcap" --video "$out/no.mp4" 2>&1 | tee "$out/no.txt"; grep -q 'no video encoder' "$out/no.txt"; }
    check "the missing video encoder is reported" no_video
fi
check "kind of a run file" kind "$out/run.mcap" application/x-mcap
check "plan of a scene (PDF)" snakestudio plan $scenes/stairs.toml "$out/plan.pdf"
check "strain laws by sympy" snakestudio check $scenes/continuum_undulation.toml $scenes/worm.toml

# --- other processes of the program --------------------------------------------------------------------------------

fit() {
    snakestudio fit $scenes/sidewinding.toml "$experiments/synthetic_sidewinding_1.csv" --free ground.mu_along=0.2:0.6 \
        --workers 2 --evaluations 3 --out "$out/fitted.toml" && [ -s "$out/fitted.toml" ]
}
check "fit, by two worker processes" fit
study() {
    file=$out/speed.study.toml
    snakestudio study new obstacle_aided_small "$file" --vary gait.amplitude_deg=20:30:2 --goal net_speed --force &&
        snakestudio study run "$file" --workers 2 && snakestudio study export "$file" --csv "$out/speed.csv" &&
        rows "$out/speed.csv" 2
}
check "study, by two worker processes" study
plugin() {
    file=$out/wave.py
    snakestudio plugin new gait "$file" --force || return 1
    echo 'import csv, email.message, http.client, random, sqlite3, ssl, statistics, urllib.request, xml.dom.minidom' >>"$file"
    echo 'import numba, numpy.polynomial, scipy.integrate, scipy.ndimage, scipy.signal, scipy.spatial, scipy.stats' >>"$file"
    snakestudio run $scenes/lagrangian_undulation.toml --plugin "$file" --set 'gait.kind="wave"' --duration 0.5
}
check "plug-in that imports the standard library and SciPy" plugin
text() { # long enough for a helper process to start
    snakestudio run $scenes/lagrangian_undulation.toml --duration 40 --rate 1000 --csv "$out/long.csv" &
    process=$!
    seen=1
    while kill -0 $process 2>/dev/null; do
        for each in /proc/[0-9]*/cmdline; do
            if tr '\0' ' ' <"$each" 2>/dev/null | grep -q ' number-text'; then seen=0; fi
        done
        sleep 0.05
    done
    wait $process && rows "$out/long.csv" 39000 && rm "$out/long.csv" && return $seen
}
check "long CSV, by a helper process" text

robot() {
    : >"$out/emulator.txt"
    snakestudio emulate lab_robot --interface udp_multicast >"$out/emulator.txt" 2>&1 &
    process=$!
    result=1
    if wait_for 30 axes "$out/emulator.txt" $process &&
        snakestudio listen lab_robot --interface udp_multicast --duration 2 >"$out/heard.txt" 2>&1 &&
        [ "$(grep -c . "$out/heard.txt")" -gt 20 ] &&
        snakestudio drive $scenes/spatial_lateral_undulation.toml lab_robot --interface udp_multicast --arm \
            --duration 2 --csv "$out/driven.csv" --log "$out/driven.blf" &&
        rows "$out/driven.csv" 50; then result=0; fi
    kill $process
    wait $process
    return $result
}
check "emulated robot: listened to, armed and driven" robot

# --- the window ----------------------------------------------------------------------------------------------------

mkdir -p "$out/screen"
Xvfb :7 -screen 0 1600x1000x24 -fbdir "$out/screen" -nolisten tcp >"$out/xvfb.txt" 2>&1 &
x_server=$!
window() { # window IMAGE SECONDS ARGUMENTS...: shows the window, waits, saves the screen, and ends it like a log-out
    picture=$1 seconds=$2
    shift 2
    : >"$out/$picture.txt"
    DISPLAY=:7 SNAKESTUDIO_TRACE_START=1 snakestudio "$@" >"$out/$picture.txt" 2>&1 &
    process=$!
    wait_for 60 "first frame drawn" "$out/$picture.txt" $process || { kill $process 2>/dev/null; return 1; }
    sleep "$seconds"
    cp "$out/screen/Xvfb_screen0" "$out/$picture.xwd"
    kill -TERM $process
    wait $process
    code=$?
    cat "$out/$picture.txt"
    if grep -q Traceback "$out/$picture.txt"; then return 1; fi
    [ $code -eq 143 ] || { echo "the program ended with exit code $code"; return 1; }
}
until [ -s "$out/screen/Xvfb_screen0" ]; do sleep 0.1; done
# Long enough to compile an engine whose code is not bundled.
check "window plays a scene" window playing 15 --play $scenes/obstacle_aided_small.toml
check "window, started again" window again 8 $scenes/sidewinding.toml
check "window opens a run file" window replay 8 "$out/run.mcap"
kill $x_server

[ $failed -eq 0 ]
