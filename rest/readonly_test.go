package rest

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/rest/call"
)

// changing are the rows of the route table whose endpoints change something. All other
// endpoints only read.
var changing = []string{
	"POST /aspects?action=ingestProposal", "POST /aspects?action=ingestProposalBatch",
	"POST /entities?action=ingest", "POST /entities?action=batchIngest", "POST /entities?action=edit", "POST /entities?action=restore", "POST /usageStats?action=batchIngest",
	"POST /openapi/v3/entity/generic", "PATCH /openapi/v3/entity/generic",
	"POST /openapi/v3/entity/{entityType}", "PATCH /openapi/v3/entity/{entityType}",
	"POST /openapi/v3/entity/{entityType}/{urn}/{aspect}", "PATCH /openapi/v3/entity/{entityType}/{urn}/{aspect}",
	"DELETE /openapi/v3/entity/{entityType}/{urn}/{aspect}", "DELETE /openapi/v3/entity/{entityType}/{urn}",
	"POST /entities?action=delete", "POST /entities?action=batchDelete", "POST /entities?action=deleteReferences", "POST /entities?action=deleteAll",
	"POST /openapi/entities/v1", "POST /openapi/platform/entities/v1", "DELETE /openapi/entities/v1",
	"POST /operations?action=truncateTimeseriesAspect", "POST /operations?action=restoreIndices", "POST /aspects?action=restoreIndices",
	"POST /runs?action=rollback", "POST /import", "POST /index?action=rebuild",
	"POST /subscriptions", "DELETE /subscriptions", "POST /announced-changes", "POST /announced-changes/{urn}/withdraw", "POST /followers?action=remove",
	"POST /webhooks", "PATCH /webhooks/{id}", "DELETE /webhooks/{id}", "POST /webhooks/{id}/test",
	"POST /signUp", "POST /resetNativeUserCredentials", "POST /auth/first", "POST /auth/signUp", "POST /auth/resetNativeUserCredentials",
	"POST /access/policies/apply", "POST /secrets/rotate",
	"POST /ingestion/claim", "POST /ingestion/renew", "POST /ingestion/end", "POST /ingestion/secrets",
	"POST /api/v1/lineage", "POST /api/v1/lineage/batch", "POST /openapi/openlineage/api/v1/lineage", "POST /openapi/openlineage/api/v1/lineage/batch",
	"POST /webhooks/{id}/dead/{letter}/replay", "DELETE /webhooks/{id}/dead/{letter}",
}

// rowOf returns the name of an endpoint in the list changing.
func rowOf(e *call.Endpoint) string { return e.Row() }

// TestReadOnly tries the whole route table. A read-only server refuses every changing
// request before it reads the body, and answers all other requests as before. A dry run
// changes nothing, so it is answered.
func TestReadOnly(t *testing.T) {
	h, server := serveHarness(t)
	endpoints := (&Server{}).allEndpoints()
	missing := slices.Clone(changing)
	answers := map[string]int{}
	for i := range endpoints { // the examples leave entities to read, to change and to delete
		e := &endpoints[i]
		answers[rowOf(e)], _, _ = request(t, server, e.Method, e.Target(), e.Example.Body)
	}
	h.SetReadOnly(true)
	before := h.State()
	for i := range endpoints {
		e := &endpoints[i]
		refuse := func(target, body string) {
			t.Helper()
			status, answer, _ := request(t, server, e.Method, target, body)
			if status != http.StatusForbidden || !strings.Contains(answer, "read-only") {
				t.Errorf("%s %s %s: %d %.200s", e.Method, target, body, status, answer)
			}
		}
		at := slices.Index(changing, rowOf(e))
		if e.Changes() != (at >= 0) {
			t.Errorf("%s: Changes is %t, and the list changing says the opposite", rowOf(e), e.Changes())
		}
		switch {
		case at < 0 && hasDryRun(e):
			t.Errorf("%s has dry runs, so it changes something", rowOf(e))
		case at < 0: // an example may have deleted the entity, so 404 is possible now
			status, answer, _ := request(t, server, e.Method, e.Target(), e.Example.Body)
			if status == http.StatusForbidden || status >= http.StatusInternalServerError || status != answers[rowOf(e)] && answers[rowOf(e)] == e.Success() && status != http.StatusNotFound {
				t.Errorf("%s %s reads, and is answered with %d instead of %d: %.200s", e.Method, e.Target(), status, answers[rowOf(e)], answer)
			}
		case hasDryRun(e):
			if status, answer, _ := request(t, server, e.Method, e.Target(), e.Example.Body); status != http.StatusOK {
				t.Errorf("a dry run, %s %s: %d %.200s", e.Method, e.Target(), status, answer)
			}
			refuse(strings.Replace(e.Target(), "dryRun=true", "dryRun=false", 1), strings.Replace(e.Example.Body, `"dryRun":true`, `"dryRun":false`, 1))
		default:
			refuse(e.Target(), e.Example.Body)
			if e.Content != nil || e.Action != "" {
				refuse(e.Target(), "this is no JSON")
			}
		}
		missing = slices.DeleteFunc(missing, func(row string) bool { return row == rowOf(e) })
	}
	if len(missing) > 0 {
		t.Errorf("there are no such rows: %v", missing)
	}
	if diff := cmp.Diff(before, h.State()); diff != "" {
		t.Errorf("a read-only server has changed (-before +after):\n%s", diff)
	}
	for target, says := range map[string]string{"/health/ready": `"readOnly":true`, "/config": `"readOnly":true`} {
		if _, answer, _ := request(t, server, http.MethodGet, target, ""); !strings.Contains(answer, says) {
			t.Errorf("%s does not say that the server is read-only: %s", target, answer)
		}
	}
	h.SetReadOnly(false)
	written := proposalBody("tag", "urn:li:tag:again", "status", `{"removed":false}`)
	if status, answer, _ := request(t, server, http.MethodPost, "/aspects?action=ingestProposal", written); status != http.StatusOK {
		t.Errorf("a server that is not read-only any more: %d %s", status, answer)
	}
	if _, answer, _ := request(t, server, http.MethodGet, "/health/ready", ""); strings.Contains(answer, "readOnly") {
		t.Errorf("it still says that it is read-only: %s", answer)
	}
}

func hasDryRun(e *call.Endpoint) bool {
	return slices.ContainsFunc(e.Parameters, func(p call.Parameter) bool { return p.Name == "dryRun" })
}
