#!/usr/bin/env bash
# Shows that a release is reproducible and runs: builds this machine's archive here and in a
# copy of the source elsewhere, compares them, unpacks one, and runs its binary.
set -euo pipefail
cd "$(dirname "$0")/.."

version=0.0.0-check commit=0123456
platform=$(go env GOHOSTOS)/$(go env GOHOSTARCH)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
epoch=$(git log -1 --format=%ct)

# The files as they are here, committed or not, without what git ignores.
mkdir "$work/source"
git ls-files -z --cached --others --exclude-standard |
  while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
  tar --null -T - -c | tar -x -C "$work/source"

build() { # DIR DIST
  make --no-print-directory -C "$1" release VERSION=$version COMMIT=$commit PLATFORMS="$platform" DIST="$2"
}
export SOURCE_DATE_EPOCH=$epoch
build . "$work/here"
build "$work/source" "$work/there"
(cd "$work/here" && sha256sum --check --quiet SHA256SUMS)
cmp "$work/here/SHA256SUMS" "$work/there/SHA256SUMS"

name=headwater_${version}_${platform/\//_}
tar -xzf "$work/here/$name.tar.gz" -C "$work"
"$work/$name/headwater" version | tee "$work/version"
grep -q "^version  *$version$" "$work/version"
grep -q "^commit  *$commit$" "$work/version"
for file in LICENSE README.md CHANGELOG.md THIRD-PARTY-LICENCES; do test -s "$work/$name/$file"; done
grep -q '"bomFormat": "CycloneDX"' "$work/here/$name.cdx.json"
for part in "$(go env GOVERSION)" graphiql modernc.org/sqlite; do grep -q "^==== $part" "$work/$name/THIRD-PARTY-LICENCES"; done
size=$(wc -c < "$work/$name/headwater")
echo "two builds are identical; the binary has $((size / 1000000)) MB"
# What it had when docs/decisions/0059-releases.md was written, and a little.
if [ "$size" -gt 71000000 ]; then echo "it may have 71 MB" >&2; exit 1; fi
