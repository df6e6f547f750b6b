package access

import "testing"

// TestReserved: a provider cannot name a person as a machine, a service account or the server itself.
func TestReserved(t *testing.T) {
	for name, want := range map[string]bool{
		"__datahub_system": true, "__oauth_id_example_com_x": true, "service_1": true, "UNKNOWN": true, "unknown": true,
		"ada": false, "ada@example.com": false, "_ada": false, "services": false,
	} {
		if reserved(name) != want {
			t.Errorf("reserved(%q) is %t", name, !want)
		}
	}
}
