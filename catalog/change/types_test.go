package change

import "testing"

// TestTypes: one type has many names, and a type that holds less than another is narrower.
func TestTypes(t *testing.T) {
	for _, c := range []struct {
		old, now     string
		same, narrow bool
	}{
		{"INTEGER", "int", true, false},
		{"int", "bigint", false, false},
		{"bigint", "int", false, true},
		{"decimal(9,2)", "numeric(9, 2)", true, false},
		{"decimal(9,2)", "decimal(10,2)", false, false},
		{"decimal(9,2)", "decimal(9,4)", false, true},
		{"varchar", "text", true, false},
		{"varchar(20)", "varchar(10)", false, true},
		{"text", "varchar(10)", false, true},
		{"varchar(10)", "text", false, false},
		{"timestamp", "date", false, true},
		{"timestamp with time zone", "timestamptz", true, false},
		{"timestamp(3)", "timestamp", true, false},
		{"int", "double", false, false},
		{"double", "int", false, true},
		{"int", "varchar", false, false},
		{"varchar", "int", false, true},
		{"decimal(9,2)", "double", false, false},
		{"date", "decimal(9,2)", false, true},
		{"struct(a int)", "struct(a int)", true, false},
		{"json", "struct(a int)", false, true},
	} {
		if sameType(c.old, c.now) != c.same {
			t.Errorf("%s and %s: same is %v", c.old, c.now, !c.same)
		}
		if !c.same && narrower(c.old, c.now) != c.narrow {
			t.Errorf("%s to %s: narrower is %v", c.old, c.now, !c.narrow)
		}
	}
}
