#!/usr/bin/env bash
# Makes polyglot.wasm.gz: the module of the npm package @polyglot-sql/sdk, of which everything is
# removed that parsing does not need (22.8 MB become 4.5 MB). Needs npm; run it for a new version.
set -euo pipefail
cd "$(dirname "$0")"
package=@polyglot-sql/sdk@0.12.1
integrity=sha512-c8FwAqExkFPpk5CM3uLJ/erJDYuTruFEJKnH8yargInHHjDS3LmGce55Sy+qxWuue/B3uB4GdKGgKZTPPPi1kw==
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$PWD
cd "$work"
npm init -y >/dev/null
[ "$(npm view "$package" dist.integrity)" = "$integrity" ] || { echo "$package is not the package that was reviewed" >&2; exit 1; }
npm install --silent --ignore-scripts "$package" binaryen@123.0.0
cat >reached.json <<'JSON'
[{"name": "outside", "root": true, "reaches": ["parse", "memory", "allocate", "free", "stack"]},
 {"name": "parse", "export": "parse"},
 {"name": "memory", "export": "memory"},
 {"name": "allocate", "export": "__wbindgen_export"},
 {"name": "free", "export": "__wbindgen_export4"},
 {"name": "stack", "export": "__wbindgen_add_to_stack_pointer"}]
JSON
node_modules/.bin/wasm-metadce node_modules/@polyglot-sql/sdk/dist/polyglot_sql.wasm --all-features -f reached.json -o reached.wasm >/dev/null
node_modules/.bin/wasm-opt --all-features --remove-unused-module-elements --strip-debug --strip-producers reached.wasm -o polyglot.wasm
gzip -9 -n polyglot.wasm
cp polyglot.wasm.gz "$here/"
cp node_modules/@polyglot-sql/sdk/LICENSE "$here/LICENSE.polyglot"
