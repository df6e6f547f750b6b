package show

import "testing"

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"orders": "orders", "snowflake:marts.orders": "snowflake:marts.orders", "": "''", "Ada Wren": "'Ada Wren'", "a(b)": "'a(b)'", "it's": `'it'\''s'`, "$x": "'$x'",
	} {
		if got := ShellWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}
