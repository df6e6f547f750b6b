package rest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/ingestion"
	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/client/runs"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// TestRunsOfSources: the client of executors waits for a run, takes it, tells how it goes on and ends it. Then
// the server answers 410.
func TestRunsOfSources(t *testing.T) {
	h, server := serveHarness(t)
	ctx := t.Context()
	queue := runs.New(client.New(server.URL, "", time.Minute))
	claim := ingestion.Claim{Worker: "w"}
	if run, err := queue.Claim(ctx, claim, 0); run != nil || err != nil {
		t.Fatalf("a run of an empty catalog: %+v, %v", run, err)
	}
	source := catalogtest.URN("urn:li:dataHubIngestionSource:shop")
	err := h.Ingestion.Put(ctx, source, &ingestion.Source{Name: "Shop", Type: "postgres", Recipe: `{"source":{"type":"postgres","config":{"password":"${NONE}"}}}`}, catalogtest.ByAda)
	if err != nil {
		t.Fatal(err)
	}
	taken := make(chan *ingestion.Run, 1)
	go func() {
		run, err := queue.Claim(ctx, claim, 30*time.Second)
		if err != nil {
			t.Error(err)
		}
		taken <- run
	}()
	urn, err := h.Ingestion.Request(ctx, source, catalogtest.ByAda)
	if err != nil {
		t.Fatal(err)
	}
	run := <-taken
	if run == nil || run.URN != urn || run.Name != "Shop" || !strings.Contains(run.Recipe, `"run_id":"`+urn+`"`) {
		t.Fatalf("%+v, want the run %s", run, urn)
	}
	if found, err := queue.Secrets(ctx, run.Lease); err != nil || len(found) != 0 {
		t.Errorf("%v, %v", found, err)
	}
	if err := h.Ingestion.Cancel(ctx, source, catalogtest.URN(urn), catalogtest.ByAda); err != nil {
		t.Error(err)
	}
	if renewed, err := queue.Renew(ctx, ingestion.Progress{Lease: run.Lease, Log: "half"}); err != nil || !renewed.Cancel || renewed.Until.Before(run.Until) {
		t.Errorf("%+v, %v", renewed, err)
	}
	if err := queue.End(ctx, ingestion.Outcome{Lease: run.Lease, Status: ingestion.StatusCancelled, Log: "stopped"}); err != nil {
		t.Error(err)
	}
	if _, err := queue.Renew(ctx, ingestion.Progress{Lease: run.Lease}); !runs.IsGone(err) {
		t.Errorf("a run that has ended is renewed: %v", err)
	}
	if err := queue.End(ctx, ingestion.Outcome{Lease: run.Lease, Status: ingestion.StatusSuccess}); !runs.IsGone(err) {
		t.Errorf("a run that has ended is ended: %v", err)
	}
}

// TestWrongCallsOfExecutors: each is refused, and says why.
func TestWrongCallsOfExecutors(t *testing.T) {
	_, server := serveHarness(t)
	for _, c := range []struct{ path, body, says string }{
		{"claim", ``, "the request has no body"},
		{"claim", `{}`, "worker is required"},
		{"claim", `{"worker":"w","wait":31}`, "wait must be 0 to 30 seconds"},
		{"claim", `{"worker":"w","wait":-1}`, "wait must be 0 to 30 seconds"},
		{"claim", `{"worker":7}`, "a JSON number is not accepted here"},
		{"claim", `{"worker":"w","executors":[` + strings.TrimSuffix(strings.Repeat(`"x",`, 21), ",") + `]}`, "21 executor IDs in one request, at most 20 are allowed"},
		{"claim", `{"worker":"` + strings.Repeat("w", 501) + `"}`, "the name of the worker has more than 500 bytes"},
		{"renew", `{}`, "lease is required"},
		{"renew", `{"lease":"x.webhook/y"}`, "the lease is not one that a claim has answered"},
		{"end", `{"status":"SUCCESS"}`, "lease is required"},
		{"end", `{"lease":"x.test/y","status":"RUNNING"}`, "status must be one of SUCCESS, FAILURE, CANCELLED, TIMEOUT"},
		{"secrets", `{}`, "lease is required"},
	} {
		status, answer, _ := request(t, server, http.MethodPost, "/ingestion/"+c.path, c.body)
		if status != http.StatusBadRequest || !strings.Contains(answer, c.says) {
			t.Errorf("%s %.100s: %d %s, want 400 and %q", c.path, c.body, status, answer, c.says)
		}
	}
}

// TestRunsAreAudited: the audit trail has the readings of secrets by executors, and not each claim and renewal.
func TestRunsAreAudited(t *testing.T) {
	s := serveAudited(t)
	s.caller = requestinfo.Caller{Actor: catalogtest.Ada, Means: requestinfo.ByToken, Admin: true}
	s.catalog.Say(catalogtest.Ada, model.AspectCorpUserInfo, `{"active":true,"system":true}`)
	source := catalogtest.URN("urn:li:dataHubIngestionSource:shop")
	err := s.catalog.Ingestion.Put(t.Context(), source, &ingestion.Source{Name: "Shop", Type: "postgres", Recipe: `{"source":{"type":"postgres"}}`}, catalogtest.ByAda)
	if err == nil {
		_, err = s.catalog.Ingestion.Request(t.Context(), source, catalogtest.ByAda)
	}
	if err != nil {
		t.Fatal(err)
	}
	queue := runs.New(client.New(s.URL, "", time.Minute))
	run, err := queue.Claim(t.Context(), ingestion.Claim{Worker: "w"}, 0)
	if err != nil || run == nil {
		t.Fatalf("%+v, %v", run, err)
	}
	if _, err := queue.Renew(t.Context(), ingestion.Progress{Lease: run.Lease, Log: "half"}); err != nil {
		t.Error(err)
	}
	if _, err := queue.Secrets(t.Context(), run.Lease); err != nil {
		t.Error(err)
	}
	if err := queue.End(t.Context(), ingestion.Outcome{Lease: run.Lease, Status: ingestion.StatusSuccess}); err != nil {
		t.Error(err)
	}
	if noted := s.entries(t); len(noted) != 1 || noted[0].Kind != audit.SecretRead || noted[0].Door != "POST /ingestion/secrets" {
		t.Errorf("the trail has %+v", noted)
	}
	s.caller.Means = requestinfo.BySession
	if _, err := queue.Claim(t.Context(), ingestion.Claim{Worker: "w"}, 0); err == nil || !strings.Contains(err.Error(), "Only programs that run recipes may take runs") {
		t.Errorf("a person takes a run: %v", err)
	}
}
