// Package testsize sets the sizes of the random test suites. The variable
// HEADWATER_TEST_SIZE sets the size of all: "small", which is the default, or "large",
// which "make soak" uses.
package testsize

import (
	"fmt"
	"os"
)

// Variable is the environment variable with the size.
const Variable = "HEADWATER_TEST_SIZE"

// Of returns small or large, as the environment says. It panics on another value, so that a
// misspelt size is not mistaken for a long run.
func Of(small, large int) int {
	switch size := os.Getenv(Variable); size {
	case "", "small":
		return small
	case "large":
		return large
	default:
		panic(fmt.Sprintf("%s is %q: use small or large", Variable, size))
	}
}
