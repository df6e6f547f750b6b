package get

import "testing"

func TestCapital(t *testing.T) {
	for text, want := range map[string]string{"": "", "étape": "Étape", "table": "Table", "Étape": "Étape"} {
		if got := capital(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
