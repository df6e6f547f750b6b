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

// recorded is a server whose caller has the permissions of a Recorder.
type recorded struct {
	h       *catalogtest.SearchHarness
	handler *Server
	server  *httptest.Server
	asked   *testaccess.Recorder
}

func serveRecorded(t *testing.T, h *catalogtest.SearchHarness) *recorded {
	t.Helper()
	for _, tag := range []string{"Pii", "old"} {
		h.Say(urnsOfCalls[tag], model.AspectTagProperties, `{"name":"`+tag+`"}`)
	}
	h.Say("urn:li:corpuser:rita", model.AspectCorpUserInfo, `{"active":true,"system":true}`) // only programs run sources
	closing, closeNow := context.WithCancel(context.Background())
	t.Cleanup(closeNow)
	registry := prometheus.NewRegistry()
	r := &recorded{h: h, handler: New(Options{
		Catalog: h.Services, MaxBodyBytes: 20 << 20, KafkaForm: form.Text, Registry: registry, Gatherer: registry, Closing: closing,
		Audit: audit.New(audit.Options{Records: records.New(h.Store), Now: testclock.Now}), Policies: testcatalog.Policies(h.Services, h.Store, nil),
	})}
	r.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		known := access.Known{Caller: requestinfo.Caller{Actor: "urn:li:corpuser:rita", Means: requestinfo.ByToken}, Permissions: r.asked}
		r.handler.ServeHTTP(w, request.WithContext(known.In(request.Context())))
	}))
	t.Cleanup(r.server.Close)
	return r
}

// try sends the example of a row of the route table, whose number is i, as a caller with some permissions.
func (r *recorded) try(t *testing.T, i int, asked *testaccess.Recorder) (status int, answer string) {
	t.Helper()
	r.asked = asked
	e := &r.handler.endpoints[i]
	target, body := e.Target(), e.Example.Body
	if hasDryRun(e) {
		target, body = strings.Replace(target, "dryRun=true", "dryRun=false", 1), strings.Replace(body, `"dryRun":true`, `"dryRun":false`, 1)
	}
	// An event that is told again changes less: each route is told of a run and a job of its own.
	body = strings.NewReplacer("01938b3e-52a0", fmt.Sprintf("01938b3e-%04d", i), "copy_orders", fmt.Sprintf("copy_orders_%d", i)).Replace(body)
	status, answer, _ = request(t, r.server, e.Method, target, body)
	return status, answer
}

// needed returns the needs without those that only decide how much a row tells in its answer: whoever may rebuild
// the index is told of refused documents only with the right to read every entity.
func needed(row string, needs []string) []string {
	if row != "POST /index?action=rebuild" {
		return needs
	}
	return slices.DeleteFunc(needs, func(need string) bool { return need == "the right to read every entity" })
}

// TestPrivilegesPage compares docs/privileges.md with the routes. The examples of the route table are sent as
// a user who may do everything, and the page has the privileges that the server asked for.
func TestPrivilegesPage(t *testing.T) {
	r := serveRecorded(t, catalogtest.NewProtectedHarness(t, testaccess.Protect))
	var rows [][]string
	reading := 0
	for i := range r.handler.endpoints {
		e := &r.handler.endpoints[i]
		needs := ""
		if !e.Changes() { // an endpoint that only reads may ask only to decide how much it answers
			asked := &testaccess.Recorder{Refuses: true}
			if status, _ := r.try(t, i, asked); status == http.StatusForbidden {
				needs = testaccess.Shorten(asked.Needs())
			}
		}
		if e.Changes() || needs != "" {
			asked := &testaccess.Recorder{}
			if status, answer := r.try(t, i, asked); status == http.StatusForbidden || status >= http.StatusInternalServerError {
				t.Errorf("%s answers %d %.200s", e.Row(), status, answer)
			}
			needs = testaccess.Shorten(needed(e.Row(), asked.Needs()))
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

// TestEveryNeedOfRoutes runs the changing rows of the route table on each pair of backends. A caller who lacks
// one of the needs of a row, whichever it is, is refused with 403 and changes nothing; a caller with these needs
// and no other is not refused.
func TestEveryNeedOfRoutes(t *testing.T) {
	catalogtest.OnEachPair(t, testaccess.Protect, func(t *testing.T, h *catalogtest.SearchHarness) {
		permissive := serveRecorded(t, catalogtest.NewProtectedHarness(t, testaccess.Protect))
		judged := serveRecorded(t, h)
		refused := 0
		for i := range judged.handler.endpoints {
			e := &judged.handler.endpoints[i]
			if !e.Changes() {
				continue
			}
			asked := &testaccess.Recorder{}
			want, _ := permissive.try(t, i, asked)
			needs := needed(e.Row(), asked.Needs())
			testaccess.EveryNeed(t, e.Row(), needs, h, func(without *testaccess.Recorder) (string, bool) {
				refused++
				status, answer := judged.try(t, i, without)
				return fmt.Sprint(status, " ", answer), status == http.StatusForbidden
			})
			if status, answer := judged.try(t, i, testaccess.With(needs)); status != want {
				t.Errorf("%s with %q: %d instead of %d %.300s", e.Row(), needs, status, want, answer)
			}
		}
		if refused < 50 {
			t.Errorf("%d requests were to be refused", refused)
		}
	})
}
