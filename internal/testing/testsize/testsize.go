// Package testsize says how much the random test suites do. One variable sets
// it for all of them: HEADWATER_TEST_SIZE, "small" when it is not set, or
// "large", which "make soak" uses.
package testsize

import (
	"fmt"
	"os"
)

// Variable is the environment variable that is read.
const Variable = "HEADWATER_TEST_SIZE"

// Of returns small or large, as the environment asks for. It panics on a value
// that it does not know, so that a misspelt size is not mistaken for a long run.
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
