package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// TestKafkaConsumer: a consumer with the client's event classes reads all changes from
// Kafka, although the server is killed meanwhile.
func TestKafkaConsumer(t *testing.T) {
	broker := testservers.Kafka(t)
	python := filepath.Join(pythonFor(t, "kafka"), "bin", "python")
	const before, after, prefix = 300, 20, "consumer."
	flags := []string{"--data", t.TempDir(), "--platforms=false", "--kafka", broker, "--kafka-topic-prefix", prefix}
	s := start(t, flags...)
	s.loadDatasets(0, before)
	s.kill()
	s = start(t, flags...)
	s.loadDatasets(before, before+after)
	out, err := exec.CommandContext(t.Context(), python, filepath.Join("kafka", "consume_log.py"),
		broker, s.base+"/schema-registry/api/", prefix+"MetadataChangeLog_Versioned_v1", fmt.Sprint(before+after)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for n := range before + after {
		if name := fmt.Sprintf("load.t%05d", n); !strings.Contains(string(out), name) {
			t.Errorf("%s is not among what came:\n%s", name, out)
		}
	}
	s.stop()
}
