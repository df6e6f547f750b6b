#!/usr/bin/env bash
# Builds a release: for each platform an archive with the binary, the unit of systemd, and the
# licences, and a bill of materials; then the checksums of all. The same commit gives the same
# bytes, wherever and whenever it is built with the same Go. "make release" runs it.
#
# Variables: VERSION, COMMIT, TAGS, PLATFORMS (os/arch …), DIST, GO. Needs GNU tar.
set -euo pipefail
cd "$(dirname "$0")/.."

version=${VERSION:-dev} commit=${COMMIT:-} tags=${TAGS:-} go=${GO:-go} dist=${DIST:-dist}
platforms=${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64}
# The time of every file in the archives.
epoch=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}

mkdir -p "$dist"
dist=$(cd "$dist" && pwd)
rm -f "$dist"/headwater_* "$dist/SHA256SUMS"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# part NAME FILE: a licence or notice, under the name of what it belongs to.
part() { printf '==== %s: %s\n\n' "$1" "${2##*/}"; cat "$2"; echo; }

# licences OS ARCH: the licences and notices of all that is in the binary: Go, the scripts of
# the page for GraphQL, and every library. A library without a licence stops the release.
licences() {
  part "$("$go" env GOVERSION)" "$("$go" env GOROOT)/LICENSE"
  part "graphiql, react and react-dom" gql/graphiql/assets/LICENSES.txt
  part "polyglot-sql (the SQL parser)" sql/parser/LICENSE.polyglot
  GOOS=$1 GOARCH=$2 "$go" list -deps -tags "$tags" \
    -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/headwater | sort -u |
    while read -r module release dir; do
      if [ -z "$(find "$dir" -maxdepth 1 -type f \( -iname 'licen[sc]e*' -o -iname 'copying*' \) -size +0)" ]; then
        echo "$module $release has no licence" >&2
        exit 1
      fi
      find "$dir" -maxdepth 1 -type f \( -iname 'licen[sc]e*' -o -iname 'copying*' -o -iname 'notice*' \) | LC_ALL=C sort |
        while read -r file; do part "$module $release" "$file"; done
    done
}

"$go" -C deploy/sbom build -o "$work/sbom" .

for platform in $platforms; do
  os=${platform%/*} arch=${platform#*/}
  name=headwater_${version}_${os}_${arch}
  mkdir "$work/$name"
  echo "building $name" >&2
  CGO_ENABLED=0 GOOS=$os GOARCH=$arch "$go" build -trimpath -buildvcs=false -tags "$tags" \
    -ldflags "-s -w -buildid= -X main.version=$version -X main.commit=$commit" -o "$work/$name/headwater" ./cmd/headwater
  cp LICENSE README.md CHANGELOG.md "$work/$name"
  if [ "$os" = linux ]; then cp deploy/systemd/headwater.service deploy/systemd/headwater.env "$work/$name"; fi
  licences "$os" "$arch" > "$work/$name/THIRD-PARTY-LICENCES"
  chmod -R u=rwX,go=rX "$work/$name"
  tar --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --format=ustar -C "$work" -c "$name" |
    gzip -9 -n > "$dist/$name.tar.gz"
  "$work/sbom" "$work/$name/headwater" "$version" > "$dist/$name.cdx.json"
done
(cd "$dist" && sha256sum headwater_* > SHA256SUMS)
