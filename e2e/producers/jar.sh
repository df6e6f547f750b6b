#!/usr/bin/env bash
# Fetches a Java library into ~/.cache/headwater, once, and prints the path of its file. With --all, fetches what it
# depends on too, and prints the folder of all files.
# Usage: jar.sh GROUP:NAME:VERSION [--all]
set -euo pipefail
IFS=: read -r group name version <<<"$1"
dir=${HEADWATER_CACHE:-$HOME/.cache/headwater}/$name-$version${2:-}
mkdir -p "$dir"
exec 9>"$dir/lock"
flock 9 # another process may be fetching it
if [ ! -f "$dir/complete" ]; then
  echo "fetching $1 into $dir" >&2
  goal=(dependency:copy "-Dartifact=$1")
  if [ "${2:-}" = --all ]; then
    cat >"$dir/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>headwater</groupId>
  <artifactId>producer</artifactId>
  <version>1</version>
  <dependencies>
    <dependency><groupId>$group</groupId><artifactId>$name</artifactId><version>$version</version></dependency>
  </dependencies>
</project>
POM
    goal=(-f "$dir/pom.xml" dependency:copy-dependencies)
  fi
  mvn -q -B "${goal[@]}" "-DoutputDirectory=$dir" >"$dir/log" 2>&1 || {
    cat "$dir/log" >&2
    exit 1
  }
  touch "$dir/complete"
fi
if [ "${2:-}" = --all ]; then echo "$dir"; else echo "$dir/$name-$version.jar"; fi
