#!/usr/bin/env bash
# Runs Neo4j Community 5.26 in the foreground, without Docker. See ../README.md.
set -euo pipefail
cd "$(dirname "$0")/neo4j"
mode=durable
if [ "${1:-}" = --browser ]; then mode=browser; shift; fi
dir=${1:?data directory} bolt=${2:?Bolt port} last=${3:-false}
jars=${HEADWATER_CACHE:-$HOME/.cache/headwater}/neo4j-5.26.0
# Compiling Server.java takes a fifth of the processor time of a start, so it is done once.
launcher=$jars/launcher-$(cksum <Server.java | cut -d ' ' -f 1)
mkdir -p "$jars" "$dir"
(
  flock 9
  if [ ! -f "$jars/complete" ]; then
    echo "installing Neo4j 5.26.0 into $jars" >&2
    # Maven ends its output with escape codes and without an end of line, so the output after it
    # would not begin a line.
    mvn -q -B -f pom.xml dependency:copy-dependencies -DoutputDirectory="$jars" >"$jars/install.log" 2>&1 || {
      cat "$jars/install.log" >&2
      exit 1
    }
    touch "$jars/complete"
  fi
  if [ ! -f "$launcher/Server.class" ]; then
    javac -cp "$jars/*" -d "$launcher" Server.java
  fi
) 9>"$jars/lock"
# The quick compiler of Java alone halves the processor time of a server's first minutes; the serial
# collector needs a twentieth less than the one for many cores. An empty
# NEO4J_JVM uses both compilers, for servers that run for long and for benchmarks. The code of an hour of
# tests does not fit into the 48 MB that the quick compiler has by itself: Neo4j then fails with
# NoSuchMethodException.
# shellcheck disable=SC2086 # several options
exec java ${NEO4J_JVM--XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:ReservedCodeCacheSize=256m} "-Xmx${NEO4J_HEAP:-1g}" -cp "$launcher:$jars/*" Server "$mode" "$dir" "$bolt" "$last"
