package e2e

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The run that e2e/openlineage/emit.py tells of.
const (
	emittedRun    = "urn:li:dataProcessInstance:01938b3e-52a0-7bb0-9c0e-2f3f0c6b8f99"
	emittedJob    = "urn:li:dataJob:(urn:li:dataFlow:(unknown,sum_revenue,nightly),sum_revenue)"
	emittedInput  = "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public.orders,PROD)"
	emittedOutput = "urn:li:dataset:(urn:li:dataPlatform:snowflake,lake.public.revenue,PROD)"
)

// TestOpenLineage sends events with the unmodified client, plain and packed, on both kinds of server, with a
// token. It then asks the catalog for the facts from these events.
func TestOpenLineage(t *testing.T) {
	venv := pythonFor(t, "openlineage")
	var answers []map[string]any
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			s := startForAdmin(t, b.flags(t)...)
			for _, compression := range []string{"", "gzip"} {
				s.emit(venv, compression)
			}
			answers = append(answers, s.emitted())
			s.refusesEvents()
			s.stop()
		})
	}
	if len(answers) == 2 {
		if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
			t.Errorf("the stores differ:\n%s", diff)
		}
	}
}

// emit runs emit.py against the server.
func (s *server) emit(venv, compression string) {
	s.t.Helper()
	cmd := exec.Command(filepath.Join(venv, "bin", "python"), "openlineage/emit.py")
	cmd.Env = append(os.Environ(),
		"OPENLINEAGE__TRANSPORT__TYPE=http", "OPENLINEAGE__TRANSPORT__URL="+s.base, "OPENLINEAGE__TRANSPORT__ENDPOINT=api/v1/lineage",
		fmt.Sprintf(`OPENLINEAGE__TRANSPORT__AUTH={"type":"api_key","apiKey":%q}`, strings.TrimPrefix(s.authorization, "Bearer ")))
	if compression != "" {
		cmd.Env = append(cmd.Env, "OPENLINEAGE__TRANSPORT__COMPRESSION="+compression)
	}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "sent") {
		s.t.Fatalf("%v\n%s", err, out)
	}
}

// emitted returns the catalog's facts about the run of emit.py.
func (s *server) emitted() map[string]any {
	s.t.Helper()
	answers := map[string]any{}
	ask := func(name, method, target, body string) any {
		status, answer := s.send(method, target, body)
		if status != http.StatusOK {
			s.t.Fatalf("%s: %d %v", target, status, answer)
		}
		answers[name] = answer
		return answer
	}
	graphql := fmt.Sprintf(`{"query":"{ dataJob(urn:\"%s\") { properties { description } runs(count: 10) { total runs { urn state { status result { resultType } } } } inputOutput { inputDatasets { urn } outputDatasets { urn } } } dataset(urn: \"%s\") { operations(limit: 5) { operationType numAffectedRows } schemaMetadata { fields { fieldPath } } } }"}`, emittedJob, emittedOutput)
	got := fmt.Sprint(ask("graphql", http.MethodPost, "/api/graphql", graphql))
	for _, want := range []string{"Sums the revenue.", emittedRun, "COMPLETE", "SUCCESS", emittedInput, emittedOutput, "INSERT", "12", "total"} {
		if !strings.Contains(got, want) {
			s.t.Errorf("GraphQL tells nothing of %s: %s", want, got)
		}
	}
	column := "urn:li:schemaField:(" + emittedOutput + ",total)"
	if got := fmt.Sprint(ask("columns", http.MethodGet, "/lineage/"+url.PathEscape(column)+"?direction=UPSTREAM", "")); !strings.Contains(got, "urn:li:schemaField:("+emittedInput+",amount)") {
		s.t.Errorf("the column lineage lacks the input: %s", got)
	}
	if got := fmt.Sprint(ask("kept", http.MethodGet, "/openlineage/facets?urn="+url.QueryEscape(emittedOutput), "")); !strings.Contains(got, "AGGREGATION") {
		s.t.Errorf("the facets lack the column lineage: %s", got)
	}
	delete(answers, "graphql") // compared above; its answers have times of the server
	delete(answers, "columns")
	return answers
}

// refusesEvents: events without a token are refused with 401, and JSON that is no event with 400.
func (s *server) refusesEvents() {
	s.t.Helper()
	nobody := *s
	nobody.authorization = ""
	event := `{"eventTime":"2026-11-27T10:00:00Z","job":{"namespace":"n","name":"j"}}`
	for _, path := range []string{"/api/v1/lineage", "/openapi/openlineage/api/v1/lineage"} {
		if status, answer := nobody.send(http.MethodPost, path, event); status != http.StatusUnauthorized {
			s.t.Errorf("%s without a token: %d %v", path, status, answer)
		}
		if status, answer := s.send(http.MethodPost, path, event); status != http.StatusOK {
			s.t.Errorf("%s: %d %v", path, status, answer)
		}
		if status, answer := s.send(http.MethodPost, path, `{"eventTime":"2026-11-27T10:00:00Z"}`); status != http.StatusBadRequest {
			s.t.Errorf("%s with what is not an event: %d %v", path, status, answer)
		}
	}
}
