package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// TestKafkaOfTodaysClient: the newest client writes through its Kafka sink, and its event
// classes read the change log and the entity change events.
func TestKafkaOfTodaysClient(t *testing.T) {
	if testsize.Of(0, 1) == 0 && os.Getenv("HEADWATER_TEST_CLIENTS") == "" {
		t.Skip("installs today's client; make soak and make test-cli run it")
	}
	venv := pythonFor(t, "kafka17")
	topics := newKafkaTopics(t, testservers.Kafka(t))
	s := start(t, append(topics.flags(), "--data", t.TempDir())...)
	const count = 20
	s.ingestThroughKafka(venv, topics.broker, topics.prefix, count)
	out, err := exec.CommandContext(t.Context(), filepath.Join(venv, "bin", "python"), filepath.Join("kafka17", "consume.py"),
		topics.broker, s.base+"/schema-registry/api/", topics.prefix, fmt.Sprint(2*count)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for n := range count {
		for _, from := range []string{"log", "event"} {
			for _, want := range []string{
				fmt.Sprintf("%s %s proposal %d\n", from, kafkaTable("sink", n), n), fmt.Sprintf("%s %s snapshot %d\n", from, kafkaTable("snapshot", n), n),
			} {
				if !strings.Contains(string(out), want) {
					t.Errorf("%q is not among what came:\n%s", want, out)
				}
			}
		}
	}
	s.stop()
}
