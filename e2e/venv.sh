#!/usr/bin/env bash
# Installs what the Python tests of a folder need, its requirements.txt, into a
# virtual environment under ~/.cache/headwater, once for each content of the
# pins. Prints nothing when it is there already, but its path with --path.
# Usage: venv.sh FOLDER [--path]
set -euo pipefail
cd "$(dirname "$0")/$1"
pins=(-r requirements.txt)
[ -f constraints.txt ] && pins+=(-c constraints.txt)
hash=$(cat requirements.txt constraints.txt 2>/dev/null | sha256sum | cut -c1-12)
venv=${HEADWATER_CACHE:-$HOME/.cache/headwater}/venv-$hash
if [ ! -f "$venv/complete" ]; then
  echo "installing what the tests in e2e/$1 need into $venv" >&2
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q "${pins[@]}"
  touch "$venv/complete"
fi
[ "${2:-}" = --path ] && echo "$venv"
exit 0
