#!/usr/bin/env bash
# Installs the Python client that the end-to-end tests drive into a virtual
# environment under ~/.cache/headwater, once for each content of the pins.
# Prints nothing when it is there already.
set -euo pipefail
cd "$(dirname "$0")"
hash=$(cat requirements.txt constraints.txt | sha256sum | cut -c1-12)
venv=${HEADWATER_CACHE:-$HOME/.cache/headwater}/venv-$hash
if [ ! -f "$venv/complete" ]; then
  echo "installing the Python client acryl-datahub 0.10.5 into $venv" >&2
  python3 -m venv "$venv"
  "$venv/bin/pip" install -q -r requirements.txt -c constraints.txt
  touch "$venv/complete"
fi
[ "${1:-}" = --path ] && echo "$venv"
exit 0
