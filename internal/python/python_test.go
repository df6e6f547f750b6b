package python

import "testing"

func TestNumbersAreSpelledAsInPython(t *testing.T) {
	for given, want := range map[string]string{"1": "1", "-0": "0", "1.0": "1.0", "1e2": "100.0", "0.00001": "1e-05", "1e16": "1e+16", "1e999": "inf"} {
		if got := Number(given); got != want {
			t.Errorf("Number(%s) is %s, not %s", given, got, want)
		}
	}
}

// The digest is the one that the client makes of the database of a recipe.
func TestDigestsOfKeys(t *testing.T) {
	key := map[string]string{"platform": "postgres", "instance": "PROD", "database": "conn_a", "absent": ""}
	if got := GUID(key); got != "1a2a0646a673473bb53b1ba664cdeef4" {
		t.Errorf("the digest is %s", got)
	}
}

func TestTextsInASCII(t *testing.T) {
	if got := JSONString("é\"\n😀"); got != `"\u00e9\"\n\ud83d\ude00"` {
		t.Error(got)
	}
	if got := Quoted("it's"); got != `"it's"` {
		t.Error(got)
	}
}

// TestTemplates: a backslash has the meaning that it has in a template of re.sub.
func TestTemplates(t *testing.T) {
	for text, want := range map[string]string{"a b": "a b", `a\nb`: "a\nb", `a\\b`: `a\b`, `a\.b`: `a\.b`} {
		if got, fits := Template(text); got != want || !fits {
			t.Errorf("%s: %q %v", text, got, fits)
		}
	}
	for _, text := range []string{`a\`, `\d`, `\1`, `\g<0>`} {
		if got, fits := Template(text); fits {
			t.Errorf("%s: %q", text, got)
		}
	}
}
