package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// TestReferenceExecutor: the reference's own executor, unmodified, runs the sources that have its executor ID. It
// learns of runs from Kafka, reads their secrets, tells that a run goes on and how it ends, and stops a run that people
// cancel.
func TestReferenceExecutor(t *testing.T) {
	t.Run("without authentication", func(t *testing.T) { testReferenceExecutor(t, start) })
	t.Run("as the system client", func(t *testing.T) {
		testReferenceExecutor(t, func(t testing.TB, flags ...string) *server {
			_, system, _ := startKnowing(t, flags...)
			return system
		})
	})
}

func testReferenceExecutor(t *testing.T, begin func(testing.TB, ...string) *server) {
	t.Helper()
	if testsize.Of(0, 1) == 0 && os.Getenv("HEADWATER_TEST_CLIENTS") == "" {
		t.Skip("installs the reference's executor; make soak and make test-cli run it")
	}
	venv := pythonFor(t, "executor17")
	topics := newKafkaTopics(t, testservers.Kafka(t))
	s := begin(t, append(topics.flags(), "--data", t.TempDir(), "--executor", "off")...)
	t.Setenv("PATH", filepath.Join(venv, "bin")+":"+os.Getenv("PATH"))
	stop := s.runActions(venv, topics, referenceExecutor(t), map[string]any{"type": "event_type", "config": map[string]any{"filter": map[string]any{
		"MetadataChangeLogEvent_v1": map[string]any{"event": []any{map[string]any{
			"entityType": "dataHubExecutionRequest", "changeType": "UPSERT", "aspectName": []string{"dataHubExecutionRequestInput", "dataHubExecutionRequestSignal"},
			"aspect": map[string]any{"value": map[string]any{"executorId": "reference"}},
		}}},
	}}})

	var made struct{ Secret string }
	s.graph(`mutation($v: String!) { secret: createSecret(input: {name: "RECORDS", value: $v}) }`, map[string]any{"v": kafkaFile(t, 3)}, &made)
	good := s.sourceOfReference("Records", s.base)
	run := s.askReference(good)
	statuses := s.followRun(run, "SUCCESS", "FAILURE", "CANCELLED")
	if last := statuses[len(statuses)-1]; last != "SUCCESS" || !slices.Contains(statuses, "RUNNING") {
		t.Fatalf("the run went %v: %s", statuses, s.seeRun(run).Report)
	}
	for n := range 3 {
		s.awaitDescription(kafkaTable("sink", n), fmt.Sprintf("proposal %d", n))
	}
	if second := s.askReference(good); second == run {
		t.Error("a run that the other executor has ended is asked for again")
	} else if statuses = s.followRun(second, "SUCCESS", "FAILURE", "CANCELLED"); statuses[len(statuses)-1] != "SUCCESS" {
		t.Errorf("the second run went %v", statuses)
	}

	asked, released := make(chan struct{}, 100), make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-released:
		case <-r.Context().Done():
		}
	}))
	defer silent.Close()
	defer close(released)
	hangs := s.sourceOfReference("Silent", silent.URL)
	run = s.askReference(hangs)
	begun := testclock.Poll(5*time.Minute, func() bool { return len(asked) > 0 || s.seeRun(run).Status == "FAILURE" })
	if now := s.seeRun(run); !begun || now.Status != "RUNNING" {
		t.Fatalf("the run does not wait for its sink: %+v", now)
	}
	s.graph(`mutation($s: String!, $r: String!) { secret: cancelIngestionExecutionRequest(input: {ingestionSourceUrn: $s, executionRequestUrn: $r}) }`, map[string]any{"s": hangs, "r": run}, &made)
	if statuses = s.followRun(run, "SUCCESS", "FAILURE", "CANCELLED"); statuses[len(statuses)-1] != "CANCELLED" {
		t.Errorf("the cancelled run went %v: %s", statuses, s.seeRun(run).Report)
	}
	stop()
	s.stop()
}

// referenceExecutor is the action that runs sources, with directories of the test.
func referenceExecutor(t *testing.T) map[string]any {
	t.Helper()
	configs := map[string]any{"tmp_dir": t.TempDir(), "log_dir": t.TempDir()}
	return map[string]any{"type": "executor", "config": map[string]any{"executor_id": "reference", "task_configs": []any{
		map[string]any{"name": "RUN_INGEST", "type": "acryl.executor.execution.sub_process_ingestion_task.SubProcessIngestionTask", "configs": configs},
	}}}
}

// sourceOfReference makes a source that the reference's executor runs, from its own environment. It writes to a server.
func (s *server) sourceOfReference(name, sink string) string {
	s.t.Helper()
	recipe := fmt.Sprintf(`{"source":{"type":"file","config":{"path":"${RECORDS}"}},"sink":{"type":"datahub-rest","config":{"server":%q}}}`, sink)
	var made struct{ Source string }
	s.graph(`mutation($i: UpdateIngestionSourceInput!) { source: createIngestionSource(input: $i) }`, map[string]any{
		"i": map[string]any{"name": name, "type": "file", "config": map[string]any{"recipe": recipe, "executorId": "reference", "version": "native"}},
	}, &made)
	return made.Source
}

func (s *server) askReference(source string) string {
	s.t.Helper()
	var asked struct{ Run string }
	s.graph(`mutation($u: String!) { run: createIngestionExecutionRequest(input: {ingestionSourceUrn: $u}) }`, map[string]any{"u": source}, &asked)
	return asked.Run
}

// followRun returns the statuses of a run until the run has one of the statuses that end it.
func (s *server) followRun(urn string, ends ...string) (statuses []string) {
	s.t.Helper()
	ended := testclock.Poll(5*time.Minute, func() bool {
		status := s.seeRun(urn).Status
		if status != "" && (len(statuses) == 0 || statuses[len(statuses)-1] != status) {
			statuses = append(statuses, status)
		}
		return slices.Contains(ends, status)
	})
	if !ended {
		s.t.Fatalf("the run has not ended: %v", statuses)
	}
	return statuses
}
