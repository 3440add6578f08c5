#!/bin/sh
# Add SnakeStudio in its current location to your menu and associate its files with it; --remove undoes this.
# (The .deb does this for all users of the machine.)
set -eu

here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd -P)
data=${XDG_DATA_HOME:-$HOME/.local/share}
command=$HOME/.local/bin/snakestudio

if [ "${1:-}" = --remove ]; then
    (cd "$here/share" && find . -type f) | while read -r file; do rm -f "$data/$file"; done
    if [ "$(readlink "$command" 2>/dev/null)" = "$here/snakestudio" ]; then rm -f "$command"; fi
    done="SnakeStudio was removed from your menu. Delete $here to uninstall it."
else
    mkdir -p "$data" "$HOME/.local/bin"
    cp -R "$here/share/." "$data/"
    # Desktop entries have their own rules for quoting paths.
    quoted=$(printf '%s' "$here/snakestudio" | sed 's/["$`\\]/\\\\&/g; s/%/%%/g; s/[&|\\]/\\&/g')
    sed "s|^Exec=.*|Exec=\"$quoted\" %f|" "$here/share/applications/snakestudio.desktop" \
        >"$data/applications/snakestudio.desktop"
    ln -sfn "$here/snakestudio" "$command"
    done="SnakeStudio was added to your menu. To start it from a new terminal, run \`snakestudio\`."
fi
for update in "update-mime-database $data/mime" "update-desktop-database $data/applications"; do
    if command -v "${update%% *}" >/dev/null; then $update 2>/dev/null || true; fi
done
echo "$done"
