package screen

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

const hostile = "a\x1b[31mred\x1b[0m\x07\u009b2J\u202egnp.exe\x7f\xff b\r\nnext\tend"

// TestHostile: a cleaned text, as a line, as a text or as JSON, has no character that
// controls a terminal.
func TestHostile(t *testing.T) {
	asJSON, err := json.Marshal(hostile + "\U000E0041")
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{"line": Line(hostile), "text": Text(hostile), "json": string(JSON(asJSON))} {
		for _, r := range got {
			if unicode.IsControl(r) && r != '\n' && r != '\t' || r == '\u202e' || r == '\U000E0041' {
				t.Errorf("%s contains %U: %q", name, r, got)
			}
		}
	}
	if got, want := Line(hostile), "a�[31mred�[0m��2J�gnp.exe�� b next end"; got != want {
		t.Errorf("the line is %q, want %q", got, want)
	}
	var back string
	if err := json.Unmarshal(JSON(asJSON), &back); err != nil || back != strings.ReplaceAll(hostile, "\xff", "�")+"\U000E0041" {
		t.Errorf("JSON means %q afterwards, %v", back, err)
	}
	if family := "👩‍👩‍👧 Ünïcode"; Line(family) != family {
		t.Errorf("harmless text is changed: %q", Line(family))
	}
}

func TestCutAndWrap(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Cut("analytics.marts", 0), "analytics.marts"},
		{Cut("analytics.marts", 8), "analyti…"},
		{CutFront("analytics.marts", 6), "…marts"},
		{Cut("表格表格", 5), "表格…"},
		{CutFront("表格表格", 5), "…表格"},
		{strings.Join(Wrap("one two three\n\n  four five", 8), "|"), "one two|three||  four|five"},
		{strings.Join(Wrap("see https://example.org/long here", 8), "|"), "see|https://example.org/long|here"},
		{strings.Join(Wrap("as it is", 0), "|"), "as it is"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// TestTable: columns are aligned by their visible width, and empty columns are left out. On
// a narrow screen, the widest columns that may be cut are cut.
func TestTable(t *testing.T) {
	table := &Table{Columns: []Column{{Head: "NAME"}, {Head: "N", Right: true}, {Head: "EMPTY"}, {Head: "PATH", Least: 6, Front: true}}, Indent: 1}
	table.Add("表", "5", "", "analytics.marts.orders")
	table.Add("orders\x1b", "12", "", "x")
	for limit, want := range map[int]string{
		0:  " NAME      N  PATH\n 表        5  analytics.marts.orders\n orders�  12  x\n",
		24: " NAME      N  PATH\n 表        5  …ts.orders\n orders�  12  x\n",
		5:  " NAME      N  PATH\n 表        5  …rders\n orders�  12  x\n",
	} {
		var b strings.Builder
		if err := table.Write(&b, limit); err != nil || b.String() != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", limit, b.String(), want)
		}
	}
	below := &Table{Columns: []Column{{}, {}}, Below: true}
	below.Add("orders", "column refund_id")
	below.Add("x", "")
	for limit, want := range map[int]string{40: "orders  column refund_id\nx\n", 20: "orders\n    column refund_id\nx\n", 12: "orders\n    column …\nx\n"} {
		var b strings.Builder
		if err := below.Write(&b, limit); err != nil || b.String() != want {
			t.Errorf("%d columns:\n%s\nwant\n%s", limit, b.String(), want)
		}
	}
}

func TestWidthOf(t *testing.T) {
	t.Setenv("COLUMNS", "")
	if got := WidthOf(&strings.Builder{}); got != 0 {
		t.Errorf("of no terminal: %d", got)
	}
	t.Setenv("COLUMNS", "72")
	if got := WidthOf(&strings.Builder{}); got != 72 {
		t.Errorf("with COLUMNS: %d", got)
	}
}
