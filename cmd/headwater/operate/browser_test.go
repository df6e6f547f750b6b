package operate

import "testing"

func TestAddressForNeo4jBrowser(t *testing.T) {
	for server, want := range map[string]string{
		"http://127.0.0.1:8080": "http://localhost:8080", "http://[::1]:8080/": "http://localhost:8080", "https://127.0.0.1": "https://localhost",
		"http://localhost:8080": "http://localhost:8080", "https://u:p@catalog.example/": "https://catalog.example",
	} {
		if got, err := asNeo4jBrowserReadsIt(server); err != nil || got != want {
			t.Errorf("%s becomes %s, %v; want %s", server, got, err, want)
		}
	}
}
