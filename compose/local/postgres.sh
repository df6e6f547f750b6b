#!/usr/bin/env bash
# Runs PostgreSQL in the foreground, without Docker. See ../README.md.
set -euo pipefail
dir=${1:?data directory} port=${2:?port}
version=16.9.0
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

# installed prints the folder of an installed server's programs, of Debian's newest one where
# none is in the PATH.
installed() {
  local server
  for server in "$(readlink -f "$(command -v postgres)")" $(ls -d /usr/lib/postgresql/*/bin/postgres 2>/dev/null | sort -rV); do
    if [ -x "$server" ] && [ -x "$(dirname "$server")/initdb" ]; then dirname "$server"; return; fi
  done
}

# fetched unpacks the programs of the jar in Maven Central beside the data: where root runs
# this script, the user who runs the server cannot read root's cache.
fetched() {
  local machine=amd64 cache=${HEADWATER_CACHE:-$HOME/.cache/headwater}/postgres-$version
  [ "$(uname -m)" = aarch64 ] && machine=arm64v8
  mkdir -p "$cache" "$dir/programs"
  (
    flock 9
    if [ ! -f "$cache/complete" ]; then
      echo "installing PostgreSQL $version into $cache" >&2
      mvn -q -B dependency:copy "-Dartifact=io.zonky.test.postgres:embedded-postgres-binaries-linux-$machine:$version" \
        "-DoutputDirectory=$cache" >&2
      python3 -m zipfile -e "$cache"/*.jar "$cache" >&2
      touch "$cache/complete"
    fi
  ) 9>"$cache/lock"
  [ -x "$dir/programs/bin/postgres" ] || python3 -m tarfile -e "$cache"/*.txz "$dir/programs" >&2
  echo "$dir/programs/bin"
}

bin=$(installed)
bin=${bin:-$(fetched)}
# The server refuses to run as root. It shuts down when the process that started it has ended.
as=(setpriv --pdeathsig QUIT)
if [ "$(id -u)" = 0 ]; then
  as=(setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups --pdeathsig QUIT)
  chown -R nobody "$dir"
fi
if [ ! -f "$dir/data/PG_VERSION" ]; then
  "${as[@]}" "$bin/initdb" -D "$dir/data" -U postgres -A trust -E UTF8 --locale=C --no-sync >&2
fi
# The server counts statements if it has the library for it, and keeps the times of commits.
settings=(-c track_commit_timestamp=on)
if [ -f "$bin/../lib/pg_stat_statements.so" ] || [ -f "$bin/../lib/postgresql/pg_stat_statements.so" ]; then
  settings+=(-c shared_preload_libraries=pg_stat_statements)
fi
cd "$dir"
exec "${as[@]}" "$bin/postgres" -D "$dir/data" -h 127.0.0.1 -p "$port" -k '' -F -c logging_collector=off "${settings[@]}" >&2
