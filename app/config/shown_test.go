package config_test

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/app/config"
)

// TestShown: Shown returns every setting and contains no password.
func TestShown(t *testing.T) {
	s := &config.Server{
		Graph: "neo4j://neo4j:hidden@graph.example:7687", Search: "typesense://hidden@search.example:8108", KafkaPassword: "hidden", OTLPEndpoint: "http://u:hidden@traces.example:4318", SourceToken: "hidden", SecretsKey: "hidden",
		Kafka: []string{"a:1", "b:2"}, ReadOnly: true,
	}
	values := map[string]string{}
	for _, one := range s.Shown() {
		if strings.Contains(one.Value, "hidden") != one.Secret {
			t.Errorf("%+v", one)
		}
		values[one.Name] = one.Value
	}
	if values["kafka"] != "a:1,b:2" || values["read-only"] != "true" || !strings.Contains(values["graph"], "graph.example") || !strings.Contains(values["search"], "search.example") {
		t.Error(values)
	}
	if len(values) < 50 {
		t.Errorf("%d settings", len(values))
	}
}
