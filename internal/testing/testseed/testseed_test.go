package testseed

import (
	"testing"
)

func TestOf(t *testing.T) {
	t.Setenv(Variable, "")
	if a, b := Of(t), Of(t); a == b {
		t.Errorf("two seeds are %d", a)
	}
	t.Setenv(Variable, "18446744073709551615")
	if got := Of(t); got != 1<<64-1 {
		t.Errorf("the seed of the environment became %d", got)
	}
	if a, b := Rand(t, 1).Uint64(), Rand(t, 1).Uint64(); a != b {
		t.Errorf("one seed gave %d and %d", a, b)
	}
}

func TestCommand(t *testing.T) {
	want := `HEADWATER_TEST_SEED=7 go test ./internal/testing/testseed -run '^TestX$/^a\.b$'`
	if got := command("TestX/a.b", 7); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
