package model

import "testing"

// TestColumnURN: ColumnOf returns the entity and the path from which ColumnURN built a URN,
// even if the path contains characters that separate the parts of URNs.
func TestColumnURN(t *testing.T) {
	u := owner(t, datasetA)
	for path, want := range map[string]string{
		"id":                         "id",
		"round(a,b)":                 "round%28a%2Cb%29",
		"[version=2.0].[type=int].a": "[version=2.0].[type=int].a",
	} {
		column, err := ColumnURN(u, path)
		if err != nil {
			t.Fatal(err)
		}
		if column.String() != columnIn(datasetA, want) || column.String() != columnText(u, path) {
			t.Errorf("the column %q is %s, or %s inside transactions", path, column, columnText(u, path))
		}
		if holder, told, ok := ColumnOf(column); !ok || holder != u || told != path {
			t.Errorf("%s is column %q of %s (%t)", column, told, holder, ok)
		}
	}
	if _, err := ColumnURN(u, ""); err == nil {
		t.Error("a column has no path")
	}
}
