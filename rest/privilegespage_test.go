package rest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/testing/testaccess"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/kafka/form"
	"github.com/headwater-io/headwater/model"
)

// TestPrivilegesPage compares docs/privileges.md with the routes. The examples of the route table are sent as
// a user who may do everything, and the page has the privileges that the server asked for.
func TestPrivilegesPage(t *testing.T) {
	h := catalogtest.NewProtectedHarness(t, testaccess.Protect)
	for _, tag := range []string{"Pii", "old"} {
		h.Say(urnsOfCalls[tag], model.AspectTagProperties, `{"name":"`+tag+`"}`)
	}
	h.Say("urn:li:corpuser:rita", model.AspectCorpUserInfo, `{"active":true,"system":true}`) // only programs run sources
	closing, closeNow := context.WithCancel(context.Background())
	defer closeNow()
	registry := prometheus.NewRegistry()
	handler := New(Options{
		Catalog: h.Services, MaxBodyBytes: 20 << 20, KafkaForm: form.Text, Registry: registry, Gatherer: registry, Closing: closing,
		Audit: audit.New(audit.Options{Records: records.New(h.Store), Now: testclock.Now}), Policies: testcatalog.Policies(h.Services, h.Store, nil),
	})
	var asked *testaccess.Recorder
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		known := access.Known{Caller: requestinfo.Caller{Actor: "urn:li:corpuser:rita", Means: requestinfo.ByToken}, Permissions: asked}
		handler.ServeHTTP(w, r.WithContext(known.In(r.Context())))
	}))
	defer server.Close()
	var rows [][]string
	reading := 0
	for i := range handler.endpoints {
		e := &handler.endpoints[i]
		target, body := e.Target(), e.Example.Body
		if hasDryRun(e) {
			target, body = strings.Replace(target, "dryRun=true", "dryRun=false", 1), strings.Replace(body, `"dryRun":true`, `"dryRun":false`, 1)
		}
		// An event that is told again changes less: each route is told of a run and a job of its own.
		body = strings.NewReplacer("01938b3e-52a0", fmt.Sprintf("01938b3e-%04d", i), "copy_orders", fmt.Sprintf("copy_orders_%d", i)).Replace(body)
		needs := ""
		if !e.Changes() { // an endpoint that only reads may ask only to decide how much it answers
			asked = &testaccess.Recorder{Refuses: true}
			if status, _, _ := request(t, server, e.Method, target, body); status == http.StatusForbidden {
				needs = testaccess.Shorten(asked.Needs())
			}
		}
		if e.Changes() || needs != "" {
			asked = &testaccess.Recorder{}
			if status, answer, _ := request(t, server, e.Method, target, body); status == http.StatusForbidden || status >= http.StatusInternalServerError {
				t.Errorf("%s answers %d %.200s", e.Row(), status, answer)
			}
			needs = testaccess.Shorten(asked.Needs())
		}
		switch {
		case e.Open && needs == "":
			needs = "nothing, and no token"
		case slices.Contains(byAnybody, e.Row()):
			needs = "nothing"
		case needs != "":
		case e.Changes():
			t.Errorf("%s changes something and needs no privilege", e.Row())
		default:
			reading++
			continue
		}
		rows = append(rows, []string{"`" + e.Row() + "`", needs})
	}
	if reading < 50 {
		t.Errorf("%d routes need a token and no privilege", reading)
	}
	testaccess.Section(t, "routes", testaccess.Table([]string{"route", "needs"}, rows), *update)
}
