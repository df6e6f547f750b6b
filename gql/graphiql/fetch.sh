#!/usr/bin/env bash
# This script makes assets/ anew from the npm registry. The assets are the page in which
# people try queries, with all files that the page needs, so that the binary serves the page
# without any other server.
set -euo pipefail
cd "$(dirname "$0")"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# fetch NAME VERSION SHA512(base64) unpacks a package. It refuses a package with another hash.
fetch() {
  local file="$work/$1.tgz"
  curl -fsSL "https://registry.npmjs.org/$1/-/$1-$2.tgz" -o "$file"
  [ "$(openssl dgst -sha512 -binary "$file" | base64 -w0)" = "$3" ] || { echo "$1 $2 is not what it was" >&2; exit 1; }
  mkdir "$work/$1"
  tar xzf "$file" -C "$work/$1" --strip-components=1
}

fetch graphiql 3.8.3 cuPDYtXVKV86Pu5PHBX642Odi/uVEE2y1Jxq5rGO/Qy1G2lRp7ZZ7a/T30RzxhuLSWo9zUbzq0P3U49//H0Ugw==
fetch react 18.3.1 wS+hAgJShR0KhEvPJArfuPVN1+Hz1t0Y6n5jLrGQbkb4urgPE/0Rve+1kMB1v/oWgHgm4WIcV+i7F2pTVj+2iQ==
fetch react-dom 18.3.1 5m4nQKp+rZRb09LNH59GM4BxTh9251/ylbKIbpe7TpGxfJ+9kv6BLkLBXIjjspbgbnIBNqlI23tRnTWT0snUIw==

keep() { gzip -9 -n -c "$work/$1" >"assets/$(basename "$1").gz"; }
rm -f assets/*
keep graphiql/graphiql.min.js
keep graphiql/graphiql.min.css
keep react/umd/react.production.min.js
keep react-dom/umd/react-dom.production.min.js
for package in graphiql react react-dom; do
  echo "== $package"
  cat "$work/$package/LICENSE"
done >assets/LICENSES.txt
