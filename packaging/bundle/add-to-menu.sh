#!/bin/sh
# Put SnakeStudio, where it lies now, into your menu, and teach your desktop its files; --remove takes that back.
# (The .deb does this for everybody on the machine.)
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd -P)
data=${XDG_DATA_HOME:-$HOME/.local/share}
command=$HOME/.local/bin/snakestudio

if [ "${1:-}" = --remove ]; then
    (cd "$here/share" && find . -type f) | while read -r file; do rm -f "$data/$file"; done
    if [ "$(readlink "$command" 2>/dev/null)" = "$here/snakestudio" ]; then rm -f "$command"; fi
    done="SnakeStudio is no longer in your menu; delete $here to remove it."
else
    mkdir -p "$data" "$HOME/.local/bin"
    cp -R "$here/share/." "$data/"
    # A path in quotes, as the desktop entry's own rules want it.
    quoted=$(printf '%s' "$here/snakestudio" | sed 's/["$`\\]/\\\\&/g; s/%/%%/g; s/[&|\\]/\\&/g')
    sed "s|^Exec=.*|Exec=\"$quoted\" %f|" "$here/share/applications/snakestudio.desktop" \
        >"$data/applications/snakestudio.desktop"
    ln -sfn "$here/snakestudio" "$command"
    done="SnakeStudio is in your menu, and starts by \`snakestudio\` in a new terminal."
fi
for update in "update-mime-database $data/mime" "update-desktop-database $data/applications"; do
    if command -v "${update%% *}" >/dev/null; then $update 2>/dev/null || true; fi
done
echo "$done"
