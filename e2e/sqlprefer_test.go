package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testservers"
)

// misread are views of which the client's SQL parser states wrong or no sources.
var misread = map[string]any{
	"tables": map[string]any{"public.orders": []string{"id", "amount", "state"}, "public.payments": []string{"order_id", "paid"}},
	"views": map[string]any{
		// The client takes the table for a table of the view's schema.
		"views.elsewhere": map[string]any{"columns": []string{"id", "amount"}, "sql": "SELECT o.id, o.amount FROM orders o"},
		"public.docs":     map[string]any{"columns": []string{"doc", "id"}, "sql": "SELECT to_jsonb(o) AS doc, o.id FROM orders o"},
		"public.totals": map[string]any{"columns": []string{"id", "total"}, "sql": "SELECT o.id, x.total FROM orders o, " +
			"LATERAL (SELECT max(p.paid) AS total FROM payments p WHERE p.order_id = o.id) x"},
	},
}

// shopTable returns the URN of a table of the shop, such as public.orders.
func shopTable(name string) string {
	return "urn:li:dataset:(urn:li:dataPlatform:postgres,shop." + name + ",PROD)"
}

func shopColumn(name string) string {
	at := strings.LastIndexByte(name, '.')
	return "urn:li:schemaField:(" + shopTable(name[:at]) + "," + name[at+1:] + ")"
}

// stateMisread runs the client, and returns the confidences that it states by column, and the tables that it states by view.
func (s *server) stateMisread(python string) (confidence map[string]float64, tables map[string][]string) {
	s.t.Helper()
	given, err := json.Marshal(misread)
	if err != nil {
		s.t.Fatal(err)
	}
	program := exec.Command(python, filepath.Join(testservers.Root(), "e2e", "sqlclient", "views.py"), s.base)
	program.Stdin = strings.NewReader(string(given))
	program.Env = append(program.Environ(), "DATAHUB_TELEMETRY_ENABLED=false", "HOME="+s.t.TempDir())
	out, err := program.Output()
	if err != nil {
		s.t.Fatal(err, string(out))
	}
	confidence, tables = map[string]float64{}, map[string][]string{}
	for line := range strings.Lines(string(out)) {
		var stated struct {
			URN   string
			Value struct {
				Upstreams []struct{ Dataset string }
				Entries   []struct {
					Downstreams []string
					Confidence  float64 `json:"confidenceScore"`
				} `json:"fineGrainedLineages"`
			}
		}
		if err := json.Unmarshal([]byte(line), &stated); err != nil {
			s.t.Fatal(err, line)
		}
		for _, up := range stated.Value.Upstreams {
			tables[stated.URN] = append(tables[stated.URN], up.Dataset)
		}
		for _, e := range stated.Value.Entries {
			confidence[e.Downstreams[0]] = e.Confidence
		}
	}
	return confidence, tables
}

// sources returns the URNs from which an entity or a column derives directly, sorted, now or at a moment.
func (s *server) sources(urn, moment string) []string {
	s.t.Helper()
	status, answer := s.send(http.MethodGet, "/lineage/"+url.PathEscape(urn)+"?direction=UPSTREAM&hops=1&edges=true"+moment, "")
	if status != http.StatusOK {
		s.t.Fatal(status, answer)
	}
	found := []string{}
	list, _ := at(answer, "entities").([]any)
	for _, e := range list {
		found = append(found, at(e, "urn").(string))
	}
	slices.Sort(found)
	return found
}

// preferred returns whose reading of a column holds, now or at a moment, "" if both readings are the same.
func (s *server) preferred(column, moment string) string {
	s.t.Helper()
	_, answer := s.send(http.MethodGet, "/relationships?provenance=true&direction=OUTGOING&types=DownstreamOf&urn="+url.QueryEscape(column)+moment, "")
	list, _ := at(answer, "relationships").([]any)
	for _, r := range list {
		if by, is := at(r, "provenance", "readings", "preferred").(string); is {
			return by
		}
	}
	return ""
}

// bothReadings returns the columns from which a column derives by the client's and by the server's reading, now or at a
// moment. Relationships and lineage must answer the same.
func (s *server) bothReadings(column, moment string) (client, own []string) {
	s.t.Helper()
	_, answer := s.send(http.MethodGet, "/relationships?provenance=true&direction=OUTGOING&types=DownstreamOf&urn="+url.QueryEscape(column)+moment, "")
	_, walked := s.send(http.MethodGet, "/lineage/"+url.PathEscape(column)+"?direction=UPSTREAM&hops=1&edges=true"+moment, "")
	read := func(edges any) any {
		list, _ := edges.([]any)
		for _, e := range list {
			if both := at(e, "provenance", "readings"); both != nil {
				return both
			}
		}
		return nil
	}
	both := read(at(answer, "relationships"))
	if diff := cmp.Diff(both, read(at(walked, "edges"))); diff != "" {
		s.t.Errorf("relationships and lineage differ in the readings of %s%s: %s", column, moment, diff)
	}
	names := func(reading any) []string {
		list, _ := at(reading, "upstreams").([]any)
		found := []string{}
		for _, urn := range list {
			found = append(found, urn.(string))
		}
		slices.Sort(found)
		return found
	}
	return names(at(both, "client")), names(at(both, "own"))
}

// affected returns the datasets that the loss of a column affects for certain.
func (s *server) affected(table, column string) []string {
	s.t.Helper()
	status, answer := s.send(http.MethodGet, "/impact/"+url.PathEscape(table)+"?only=certain&column="+column, "")
	if status != http.StatusOK {
		s.t.Fatal(status, answer)
	}
	found := []string{}
	list, _ := at(answer, "entities").([]any)
	for _, e := range list {
		if urn := at(e, "urn").(string); strings.HasPrefix(urn, "urn:li:dataset:") {
			found = append(found, urn)
		}
	}
	slices.Sort(found)
	return found
}

// TestPrefersOwnReadingOfTheClientsViews: on both kinds of store, the client's SQL parser reads views wrongly; with
// --sql-prefer own, lineage and impact follow the reading of the server, also after the client has stated its reading
// again, and questions about the past are still answered with the former lineage.
func TestPrefersOwnReadingOfTheClientsViews(t *testing.T) {
	for _, b := range backends() {
		t.Run(b.name, func(t *testing.T) { prefersOwnReading(t, b.flags(t)) })
	}
}

func prefersOwnReading(t *testing.T, store []string) {
	elsewhere, ghost, orders, payments := shopTable("views.elsewhere"), shopTable("views.orders"), shopTable("public.orders"), shopTable("public.payments")
	total, doc := shopColumn("public.totals.total"), shopColumn("public.docs.doc")
	flags := append(slices.Clone(store), "--platforms=false", "--sql-derive", "on")
	s := start(t, flags...)
	python := filepath.Join(pythonFor(t, "clients"), "bin", "python")
	confidence, tables := s.stateMisread(python)
	if !slices.Equal(tables[elsewhere], []string{ghost}) || confidence[shopColumn("views.elsewhere.id")] >= 0.9 {
		t.Fatalf("the client does not misread a table of another schema any more: %v %v", tables[elsewhere], confidence)
	}
	if _, stated := confidence[doc]; stated {
		t.Fatalf("the client now states the sources of a row as JSON: %v", confidence)
	}
	same := func(what string, got []string, want ...string) {
		t.Helper()
		want = append([]string{}, want...)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", what, diff)
		}
	}
	testclock.Await(t, "both readings of a view stand side by side", func() bool {
		return s.preferred(shopColumn("views.elsewhere.id"), "") == "client" && s.preferred(total, "") == "client" && len(s.sources(doc, "")) == 3
	})
	same("the tables of both readings", s.sources(elsewhere, ""), ghost, orders)
	statedTotal := s.sources(total, "")
	if slices.Equal(statedTotal, []string{shopColumn("public.payments.paid")}) {
		t.Fatalf("the client does not misread a correlated lateral any more: %v", statedTotal)
	}
	clientThen, ownThen := s.bothReadings(total, "")
	same("our reading of the lateral", ownThen, shopColumn("public.payments.paid"))
	if len(clientThen) == 0 || slices.Equal(clientThen, ownThen) || !slices.Contains(statedTotal, clientThen[0]) {
		t.Errorf("the client reads the lateral as %v, of %v", clientThen, statedTotal)
	}
	then := fmt.Sprint("&asOf=", time.Now().UnixMilli())
	s.stop()

	s = start(t, append(slices.Clone(flags), "--sql-prefer", "own")...)
	holds := func(what string) {
		t.Helper()
		testclock.Await(t, what, func() bool {
			return slices.Equal(s.sources(elsewhere, ""), []string{orders}) && slices.Equal(s.sources(total, ""), []string{shopColumn("public.payments.paid")})
		})
		same("columns of the view in another schema", s.sources(shopColumn("views.elsewhere.amount"), ""), shopColumn("public.orders.amount"))
		same("columns of a row as JSON", s.sources(doc, ""), shopColumn("public.orders.amount"), shopColumn("public.orders.id"), shopColumn("public.orders.state"))
		same("who loses orders.amount", s.affected(orders, "amount"), shopTable("public.docs"), elsewhere)
		same("who loses orders.state", s.affected(orders, "state"), shopTable("public.docs"))
		same("who loses payments.paid", s.affected(payments, "paid"), shopTable("public.totals"))
		same("who loses a column of the table that does not exist", s.affected(ghost, "amount"))
	}
	holds("the reading of the server holds")
	s.stateMisread(python)
	holds("the reading of the server holds after the client has stated its own again")
	if by := s.preferred(total, ""); by != "own" {
		t.Errorf("the reading of %q is preferred", by)
	}
	same("the tables at the moment before", s.sources(elsewhere, then), ghost, orders)
	same("the columns at the moment before", s.sources(total, then), statedTotal...)
	if by := s.preferred(total, then); by != "client" {
		t.Errorf("at the moment before, the reading of %q was preferred", by)
	}
	client, own := s.bothReadings(total, then)
	same("the client's reading at the moment before", client, clientThen...)
	same("our reading at the moment before", own, ownThen...)
	s.stop()
}
