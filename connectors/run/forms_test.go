package run_test

import (
	"slices"
	"testing"

	"github.com/headwater-io/headwater/catalog/ingestion/forms"
	"github.com/headwater-io/headwater/connectors/run"
)

// TestNativeForms: the forms say which types are read without Python. Of sqlalchemy, only files of SQLite are. An
// executor reads some types by commands.
func TestNativeForms(t *testing.T) {
	commands := []string{"catalog", "openlineage-files", "query-log", "sql-files"}
	for _, form := range forms.All() {
		if want := slices.Contains(append(commands, run.Types()...), form.Type) && form.Type != "sqlalchemy"; forms.IsNative(form.Type) != want {
			t.Errorf("the form of %s says that it is native: %v", form.Type, !want)
		}
	}
}
