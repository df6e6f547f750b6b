// Package sheet writes tables for spreadsheets. Every table that Headwater exports is
// written here: a spreadsheet runs a cell as a formula if its text begins like one, and
// anybody can write texts in a catalog.
package sheet

import (
	"bytes"
	"encoding/csv"
	"regexp"
)

// formula matches the places at which a spreadsheet may see the beginning of a formula: at
// the beginning of a cell, and after characters that some spreadsheets take for the end of
// a cell or row. Blanks, invisible characters and quotes may stand before the sign, which
// may also be a wide or small one. A cell that begins with a tab or a line break is
// dangerous without a sign.
var formula = regexp.MustCompile(`(^[\t\r\n])|(^|[;\t\r\n]+)([\s\p{Z}\p{C}"'` + "`" + `]*[=+\-@＝＋－＠﹦﹢﹣﹫])`)

// Inert returns the text with an apostrophe before each place at which a spreadsheet may
// see the beginning of a formula.
func Inert(cell string) string {
	return formula.ReplaceAllString(cell, "$2'$1$3")
}

// CSV returns rows in the format of RFC 4180, with cells that no spreadsheet runs.
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
