// Package testseed gives random tests their seeds. The variable HEADWATER_TEST_SEED sets
// the seed of all tests, to repeat a failed run.
package testseed

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// Variable is the environment variable with the seed.
const Variable = "HEADWATER_TEST_SEED"

// Of returns the seed of a test: the one in the environment, otherwise a new one. It logs
// the command that runs the test again with this seed.
func Of(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv(Variable); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s is %q: use a whole number", Variable, text)
		}
	}
	t.Logf("to run this again: %s", command(t.Name(), seed))
	return seed
}

// Rand returns random numbers from the seed of a test. Different streams have different
// numbers.
func Rand(t testing.TB, stream uint64) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Of(t), stream))
}

// command returns the command line that runs a test with a seed, in the top folder of the
// module.
func command(test string, seed uint64) string {
	parts := strings.Split(test, "/")
	for i := range parts {
		parts[i] = "^" + regexp.QuoteMeta(parts[i]) + "$"
	}
	return fmt.Sprintf("%s=%d go test ./%s -run '%s'", Variable, seed, folder(), strings.Join(parts, "/"))
}

// folder returns the folder of the running tests, relative to the top folder of the module.
func folder() string {
	here, err := os.Getwd()
	if err != nil {
		return "..."
	}
	for top := here; ; top = filepath.Dir(top) {
		if _, err := os.Stat(filepath.Join(top, "go.mod")); err == nil {
			below, _ := filepath.Rel(top, here) // both paths are absolute, so there is no error
			return filepath.ToSlash(below)
		}
		if top == filepath.Dir(top) {
			return "..."
		}
	}
}
