#!/usr/bin/env bash
# Installs what the Python tests of a folder need, its requirements.txt, into a
# virtual environment under ~/.cache/headwater, once for each content of the
# pins. Prints nothing when it is there already, but its path with --path.
# The folder "docs" stands for what the README tells readers to install: that line is run
# as it is written there.
# Usage: venv.sh FOLDER [--path]
set -euo pipefail
cd "$(dirname "$0")"
if [ "$1" = docs ]; then
  cd ..
  install=$(grep -m1 '^pip install .*acryl-datahub' README.md)
  pins=$(cat e2e/clients/constraints.txt)
else
  cd "$1"
  install='pip install -r requirements.txt'
  [ -f constraints.txt ] && install+=' -c constraints.txt'
  pins=$(cat requirements.txt constraints.txt 2>/dev/null)
fi
hash=$({ [ "$1" = docs ] && echo "$install"; echo "$pins"; } | sha256sum | cut -c1-12)
venv=${HEADWATER_CACHE:-$HOME/.cache/headwater}/venv-$hash
mkdir -p "$(dirname "$venv")"
exec 9>"$venv.lock"
flock 9 # another process may be installing it
if [ ! -f "$venv/complete" ]; then
  echo "installing what the tests of $1 need into $venv" >&2
  python3 -m venv "$venv"
  # Python compiles the few modules that the tests use when they are used.
  PATH="$venv/bin:$PATH" PIP_QUIET=1 PIP_NO_COMPILE=1 bash -c "$install"
  touch "$venv/complete"
fi
[ "${2:-}" = --path ] && echo "$venv"
exit 0
