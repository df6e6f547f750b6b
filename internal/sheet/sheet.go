// Package sheet writes tables for spreadsheets. Each table that Headwater exports is written
// here, because a spreadsheet runs a cell as a formula if its text begins like one, and the
// texts of a catalog come from anybody.
package sheet

import (
	"bytes"
	"encoding/csv"
	"regexp"
)

// formula is where a spreadsheet may see the beginning of a formula: at the beginning of a
// cell, and after what some spreadsheets take for the end of a cell or of a row. Blanks,
// invisible characters and quotes may stand before the sign, which may be a wide or a small
// one. A cell that begins with a tab or the end of a line is dangerous without a sign.
var formula = regexp.MustCompile(`(^[\t\r\n])|(^|[;\t\r\n]+)([\s\p{Z}\p{C}"'` + "`" + `]*[=+\-@＝＋－＠﹦﹢﹣﹫])`)

// Inert returns the text with an apostrophe before each place where a spreadsheet may see
// the beginning of a formula.
func Inert(cell string) string {
	return formula.ReplaceAllString(cell, "$2'$1$3")
}

// CSV returns rows as RFC 4180 has them, with cells that no spreadsheet runs.
func CSV(rows [][]string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i := range row {
			cells[i] = Inert(row[i])
		}
		if err := w.Write(cells); err != nil {
			return nil, err
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}
