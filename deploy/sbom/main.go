// Command sbom writes the bill of materials of a Go binary in the CycloneDX format: the
// modules that Go has recorded in the binary, with their checksums. The output for a binary
// is always the same.
//
//	sbom BINARY VERSION > FILE
//
// It is a module of its own, so that its library is not a dependency of the program.
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 2 {
		return errors.New("give a binary and its version")
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return err
	}
	bill, err := billOf(info, args[1])
	if err != nil {
		return err
	}
	encoder := cyclonedx.NewBOMEncoder(out, cyclonedx.BOMFileFormatJSON)
	return encoder.SetPretty(true).EncodeVersion(bill, cyclonedx.SpecVersion1_6)
}

// billOf returns the bill of a binary: its modules, and Go itself.
func billOf(info *buildinfo.BuildInfo, version string) (*cyclonedx.BOM, error) {
	program := component(info.Main.Path, version)
	program.Type = cyclonedx.ComponentTypeApplication
	components := []cyclonedx.Component{component("std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, module := range info.Deps {
		if module.Replace != nil {
			module = module.Replace
		}
		c := component(module.Path, module.Version)
		hash, err := checksum(module)
		if err != nil {
			return nil, err
		}
		c.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hash}}
		components = append(components, c)
	}
	used := make([]string, len(components))
	for i, c := range components {
		used[i] = c.BOMRef
	}
	bill := cyclonedx.NewBOM()
	bill.Metadata = &cyclonedx.Metadata{Component: &program}
	bill.Components = &components
	bill.Dependencies = &[]cyclonedx.Dependency{{Ref: program.BOMRef, Dependencies: &used}}
	return bill, nil
}

func component(path, version string) cyclonedx.Component {
	url := "pkg:golang/" + path + "@" + version
	return cyclonedx.Component{BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: url}
}

// checksum returns Go's hash of a module's files, in hexadecimal.
func checksum(module *debug.Module) (string, error) {
	text, ok := strings.CutPrefix(module.Sum, "h1:")
	sum, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(sum) != 32 {
		return "", fmt.Errorf("%s has no checksum of the known form: %q", module.Path, module.Sum)
	}
	return hex.EncodeToString(sum), nil
}
