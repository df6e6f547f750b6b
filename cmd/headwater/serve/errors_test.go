package serve

import (
	"errors"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/app/config"
)

// TestStartErrors: errors of backends get their next steps.
func TestStartErrors(t *testing.T) {
	if startError(nil, nil) != nil {
		t.Error("an error about nothing")
	}
	unknown := errors.New("something else")
	if got := startError(&config.Server{Graph: "embedded", Search: "embedded"}, unknown); !errors.Is(got, unknown) || got.Error() != unknown.Error() {
		t.Errorf("another error becomes %v", got)
	}
	for text, want := range map[string]string{
		"the data directory ./data is in use by another process":            "stop the other",
		"Neo4jError: Neo.ClientError.Security.Unauthorized (The client is…": "refuses the user or password",
		"search index: status: 401 response: x-typesense-api-key":           "refuses the key",
		"search index http://x:4013: no such host":                          "is Neo4j running there?",
		"search index http://x: connection refused":                         "is Neo4j running there?",
	} {
		if got := startError(&config.Server{Graph: "neo4j://x", Search: "typesense://k@x"}, errors.New(text)).Error(); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %q", text, got, want)
		}
	}
}
