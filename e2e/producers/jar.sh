#!/usr/bin/env bash
# Fetches a Java library into ~/.cache/headwater, once, and prints the path of its file.
# Usage: jar.sh GROUP:NAME:VERSION
set -euo pipefail
IFS=: read -r _ name version <<<"$1"
dir=${HEADWATER_CACHE:-$HOME/.cache/headwater}/$name-$version
mkdir -p "$dir"
exec 9>"$dir/lock"
flock 9 # another process may be fetching it
if [ ! -f "$dir/complete" ]; then
  echo "fetching $1 into $dir" >&2
  mvn -q -B dependency:copy "-Dartifact=$1" "-DoutputDirectory=$dir" >"$dir/log" 2>&1 || {
    cat "$dir/log" >&2
    exit 1
  }
  touch "$dir/complete"
fi
echo "$dir/$name-$version.jar"
