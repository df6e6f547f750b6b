package catalog_test

import (
	"testing"

	"github.com/headwater-io/headwater/catalog"
)

// TestIsReservedName: no person is named as a machine, a service account or the server itself.
func TestIsReservedName(t *testing.T) {
	for name, want := range map[string]bool{
		"__datahub_system": true, "__oauth_id_example_com_x": true, "service_1": true, "UNKNOWN": true, "unknown": true,
		"ada": false, "ada@example.com": false, "_ada": false, "services": false,
	} {
		if catalog.IsReservedName(name) != want {
			t.Errorf("IsReservedName(%q) is %t", name, !want)
		}
	}
}
