package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
	"github.com/headwater-io/headwater/kafka/wire"
)

// TestKafkaActions: the unmodified actions framework of DataHub reads the topics, and its
// tag propagation tags the datasets downstream of a tagged one, step by step. Each step is
// an event of the server, a read of relationships and a patch. With authentication, the
// framework shows the id and the secret of the system client.
func TestKafkaActions(t *testing.T) {
	t.Run("without authentication", func(t *testing.T) { testKafkaActions(t, start) })
	t.Run("as the system client", func(t *testing.T) {
		testKafkaActions(t, func(t testing.TB, flags ...string) *server {
			_, system, _ := startKnowing(t, flags...)
			return system
		})
	})
}

func testKafkaActions(t *testing.T, begin func(testing.TB, ...string) *server) {
	t.Helper()
	if testsize.Of(0, 1) == 0 && os.Getenv("HEADWATER_TEST_CLIENTS") == "" {
		t.Skip("installs today's client; make soak and make test-cli run it")
	}
	venv := pythonFor(t, "kafka17")
	topics := newKafkaTopics(t, testservers.Kafka(t))
	s := begin(t, append(topics.flags(), "--data", t.TempDir())...)
	raw, staging, mart := kafkaTable("raw", 0), kafkaTable("staging", 0), kafkaTable("mart", 0)
	for _, edge := range [][2]string{{raw, staging}, {staging, mart}} {
		s.propose("UPSERT", edge[1], "upstreamLineage", fmt.Sprintf(`{"upstreams":[{"dataset":%q,"type":"TRANSFORMED"}]}`, edge[0]), "actions")
	}
	const tag = "urn:li:tag:propagated"
	s.propose("UPSERT", raw, "globalTags", fmt.Sprintf(`{"tags":[{"tag":%q}]}`, tag), "actions")

	stop := s.runActions(venv, topics, map[string]any{"type": "tag_propagation"})
	for _, step := range []struct{ urn, origin string }{{staging, raw}, {mart, staging}} {
		testclock.Await(t, step.urn+" is tagged", func() bool {
			_, answer, err := s.try("GET", "/aspects/"+url.QueryEscape(step.urn)+"?aspect=globalTags&version=0", "")
			text, _ := json.Marshal(answer)
			return err == nil && strings.Contains(string(text), tag) && strings.Contains(string(text), step.origin)
		})
	}
	stop()
	s.stop()
}

// runActions runs one action of the actions framework on the topics from their beginning,
// behind filters. stop ends the framework, which must end without an error.
func (s *server) runActions(venv string, topics *kafkaTopics, action map[string]any, filters ...map[string]any) (stop func()) {
	s.t.Helper()
	recipe := filepath.Join(s.t.TempDir(), "action.yml")
	text, err := json.Marshal(map[string]any{
		"name": topics.prefix + "actions",
		"source": map[string]any{"type": "kafka", "config": map[string]any{
			"connection": map[string]any{
				"bootstrap": topics.broker, "schema_registry_url": s.base + "/schema-registry/api/",
				"consumer_config": map[string]string{"auto.offset.reset": "earliest"},
			},
			"topic_routes": map[string]string{
				"mcl": topics.prefix + wire.VersionedLogTopic, "mcl_timeseries": topics.prefix + wire.TimeseriesLogTopic, "pe": topics.prefix + wire.PlatformEventTopic,
			},
		}},
		"filters": append([]map[string]any{}, filters...),
		"action":  action,
		"datahub": map[string]string{"server": s.base},
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(recipe, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
	framework := exec.CommandContext(s.t.Context(), filepath.Join(venv, "bin", "datahub"), "actions", "run", "-c", recipe)
	framework.Env = append(os.Environ(), "DATAHUB_TELEMETRY_ENABLED=false", "HOME="+s.t.TempDir())
	framework.Env = append(framework.Env, s.credentials()...)
	told := &logText{}
	framework.Stdout, framework.Stderr = told, told
	if err := framework.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if s.t.Failed() {
			s.t.Logf("the actions framework said: %s", told)
		}
	})
	return func() {
		s.t.Helper()
		if err := framework.Process.Signal(os.Interrupt); err != nil {
			s.t.Fatal(err)
		}
		if err := framework.Wait(); err != nil {
			s.t.Errorf("the actions framework ended with %v: %s", err, told)
		}
	}
}
