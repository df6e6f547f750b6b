#!/usr/bin/env bash
# Runs MariaDB in the foreground, without Docker, from Debian's package mariadb-server. The user
# root needs no password. See ../README.md.
set -euo pipefail
dir=${1:?data directory} port=${2:?port}
command -v mariadbd mariadb-install-db >/dev/null || { echo "MariaDB is not installed: apt-get install mariadb-server" >&2; exit 1; }
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
# The server refuses to run as root. It is killed when the process that started it has ended.
as=(setpriv --pdeathsig TERM)
if [ "$(id -u)" = 0 ]; then
  as=(setpriv --reuid nobody --regid "$(id -g nobody)" --clear-groups --pdeathsig TERM)
  chown -R nobody "$dir"
fi
if [ ! -d "$dir/data/mysql" ]; then
  "${as[@]}" mariadb-install-db --no-defaults --datadir="$dir/data" --auth-root-authentication-method=normal --skip-test-db >&2
fi
cd "$dir"
exec "${as[@]}" mariadbd --no-defaults --datadir="$dir/data" --bind-address=127.0.0.1 --port="$port" --socket="$dir/sock" --pid-file="$dir/pid" --performance-schema=ON >&2
