package testsize

import "testing"

func TestOf(t *testing.T) {
	for value, want := range map[string]int{"": 1, "small": 1, "large": 2} {
		t.Setenv(Variable, value)
		if got := Of(1, 2); got != want {
			t.Errorf("%q: %d, want %d", value, got, want)
		}
	}
	t.Setenv(Variable, "huge")
	defer func() {
		if recover() == nil {
			t.Error("an unknown size is accepted")
		}
	}()
	Of(1, 2)
}
