module github.com/headwater-io/headwater/deploy/sbom

go 1.26.0

require github.com/CycloneDX/cyclonedx-go v0.9.2
