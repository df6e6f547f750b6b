package policyfile

import (
	_ "embed"
	"slices"

	"github.com/headwater-io/headwater/access/policies"
)

//go:embed defaults.yaml
var defaults []byte

// Defaults returns the policies with which a server starts. Policies that are not editable are written at
// each start, the others only if they are absent.
func Defaults() []policies.Policy { return slices.Clone(parsed) }

// parsed are the policies of the file, which is part of the program: an error in it makes every test fail.
var parsed = func() []policies.Policy {
	file, err := Parse("defaults.yaml", defaults, nil)
	if err != nil {
		panic(err)
	}
	return file.Policies
}()
