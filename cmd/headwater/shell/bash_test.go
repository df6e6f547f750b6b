package shell

import "testing"

// TestBashLine: a line of bash is split into words, and completions are the texts that bash
// inserts after the last character at which it splits words.
func TestBashLine(t *testing.T) {
	const breaks = " \t\n\"'><=;|&(:"
	for _, c := range []struct{ line, text, longer, want string }{
		{"headwater get ord", "ord", "orders", "orders"},
		{"headwater get ", "", "orders", "orders"},
		{"headwater get snowflake:mar", "snowflake:mar", "snowflake:marts.orders", "marts.orders"},
		{"headwater get urn:li:dataset:", "urn:li:dataset:", "urn:li:dataset:(urn:li:x,y)", `\(urn:li:x,y\)`},
		{`headwater get urn:li:dataset:\(urn:li:x,`, "urn:li:dataset:(urn:li:x,", "urn:li:dataset:(urn:li:x,y)", `x,y\)`},
		{`headwater get 'urn:li:dataset:(urn:li:x,`, "urn:li:dataset:(urn:li:x,", "urn:li:dataset:(urn:li:x,y)", `urn:li:dataset:(urn:li:x,y)`},
		{`headwater get "urn:li:dataset:(urn:li:x,`, "urn:li:dataset:(urn:li:x,", "urn:li:dataset:(urn:li:x,y$)", `urn:li:dataset:(urn:li:x,y\$)`},
		{`headwater get Board\ ov`, "Board ov", "Board overview", `Board\ overview`},
		{`headwater get "Board ov`, "Board ov", "Board overview", `Board overview`},
		{`headwater get Boa`, "Boa", "Board overview", `Board\ overview`},
		{`headwater lineage x --platform=sn`, "--platform=sn", "--platform=snowflake", "snowflake"},
		{`headwater get a'b c'd`, "ab cd", "ab cde", `ab\ cde`},
		{`headwater get Zoë`, "Zoë", "Zoë Q", `Zoë\ Q`},
	} {
		words := parseLine(c.line)
		last := words[len(words)-1]
		if got := last.continued(c.longer, breaks); last.text != c.text || got != c.want {
			t.Errorf("%s: %q continues with %s, want %q and %s", c.line, last.text, got, c.text, c.want)
		}
	}
}
