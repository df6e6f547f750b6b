// Package testseed gives random tests their seeds. One variable sets it for all of them:
// HEADWATER_TEST_SEED, so that a run that has failed can be repeated.
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

// Variable is the environment variable that is read.
const Variable = "HEADWATER_TEST_SEED"

// Of returns the seed of a test, a new one unless the environment names one. It logs the command
// that runs the test with this seed again.
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

// Rand returns numbers that follow from the seed of a test. Those of two streams differ.
func Rand(t testing.TB, stream uint64) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Of(t), stream))
}

// command is the line that runs a test with a seed, from the top of the module.
func command(test string, seed uint64) string {
	parts := strings.Split(test, "/")
	for i := range parts {
		parts[i] = "^" + regexp.QuoteMeta(parts[i]) + "$"
	}
	return fmt.Sprintf("%s=%d go test ./%s -run '%s'", Variable, seed, folder(), strings.Join(parts, "/"))
}

// folder is the folder of the package whose tests run, from the top of the module.
func folder() string {
	here, err := os.Getwd()
	if err != nil {
		return "..."
	}
	for top := here; ; top = filepath.Dir(top) {
		if _, err := os.Stat(filepath.Join(top, "go.mod")); err == nil {
			below, _ := filepath.Rel(top, here) // both are absolute
			return filepath.ToSlash(below)
		}
		if top == filepath.Dir(top) {
			return "..."
		}
	}
}
