package graphstore

import "testing"

// TestFillVersions: a version that got the number of a former version, after a rollback, is not
// mistaken for the former version.
func TestFillVersions(t *testing.T) {
	for _, c := range []struct {
		name      string
		createdOn int64
		found     bool
		pruned    bool
	}{
		{"of this change", 10, true, false},
		{"restored, with its own time", 5, true, false},
		{"written later under the same number", 11, true, true},
		{"gone", 0, false, true},
	} {
		change := Change{Time: 10, Seq: 3}
		err := change.FillVersions(func(int64) (Aspect, bool, error) {
			return Aspect{Value: []byte(`{}`), CreatedOn: c.createdOn}, c.found, nil
		})
		if err != nil || change.ValuesPruned != c.pruned || (change.Value == nil) != c.pruned {
			t.Errorf("%s: %+v %v", c.name, change, err)
		}
	}
}
