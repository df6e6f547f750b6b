#!/usr/bin/env bash
# Makes polyglot.wasm.zst: the module of the npm package @polyglot-sql/sdk, of which everything is
# removed that parsing does not need (22.8 MB become 4.5 MB). Each loop gets a counter: at every 10,000th
# turn of loops the module calls "pause" of the module "headwater", with which parser.go ends calls that
# take too long. Needs npm and zstd; run it for a new version.
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
node_modules/.bin/wasm-dis --all-features polyglot.wasm -o polyglot.wat
awk '
  /^ \(import / { imports = 1 }
  imports && !/^ \(import / {
    imports = 0
    print " (import \"headwater\" \"pause\" (func $headwater_pause))"
    print " (global $headwater_left (mut i32) (i32.const 10000))"
    print " (func $headwater_paused (call $headwater_pause) (global.set $headwater_left (i32.const 10000)))"
  }
  { print }
  /^ *\(loop \$/ {
    print "(global.set $headwater_left (i32.sub (global.get $headwater_left) (i32.const 1)))"
    print "(if (i32.eqz (global.get $headwater_left)) (then (call $headwater_paused)))"
  }' polyglot.wat >paused.wat
node_modules/.bin/wasm-as --all-features paused.wat -o polyglot.wasm
zstd -q --ultra -22 polyglot.wasm
cp polyglot.wasm.zst "$here/"
cp node_modules/@polyglot-sql/sdk/LICENSE "$here/LICENSE.polyglot"
