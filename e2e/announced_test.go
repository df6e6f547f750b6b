package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// announcedTable returns the URN of a table of the tests of announced changes, and announcedSchema a schema.
func announcedTable(name string) string {
	return "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public." + name + ",PROD)"
}

func announcedSchema(columns ...string) string {
	var fields []string
	for _, c := range columns {
		fields = append(fields, fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":"int","type":{"type":{"com.linkedin.schema.NumberType":{}}}}`, c))
	}
	return `{"schemaName":"s","platform":"urn:li:dataPlatform:postgres","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` + strings.Join(fields, ",") + `]}`
}

func announcedLineage(from, column, to string) string {
	return fmt.Sprintf(`{"upstreams":[{"dataset":%q,"type":"TRANSFORMED"}],"fineGrainedLineages":[{"upstreamType":"FIELD_SET","upstreams":["urn:li:schemaField:(%s,%s)"],"downstreamType":"FIELD","downstreams":["urn:li:schemaField:(%s,a)"]}]}`, from, from, column, to)
}

// writes ingests an aspect of a dataset, with some headers.
func (s *server) writes(urn, aspect, value string, headers ...string) {
	s.t.Helper()
	body, err := json.Marshal(map[string]any{"proposal": map[string]any{
		"entityType": "dataset", "entityUrn": urn, "changeType": "UPSERT", "aspectName": aspect, "aspect": map[string]string{"value": value, "contentType": "application/json"},
		"systemMetadata": map[string]any{"runId": "nightly", "lastObserved": 1},
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	if status, answer := s.send(http.MethodPost, "/aspects?action=ingestProposal", string(body), headers...); status != http.StatusOK {
		s.t.Fatal(status, answer)
	}
}

// announcedTold returns the summaries of the items about announced changes in the feed of an actor.
func (s *server) announcedTold(actor string, headers ...string) []string {
	s.t.Helper()
	_, answer := s.send(http.MethodGet, "/feed?count=200&actor="+url.QueryEscape("urn:li:corpuser:"+actor), "", headers...)
	items, _ := at(answer, "items").([]any)
	var told []string
	for _, item := range items {
		events := at(item, "events").([]any)
		if at(events[0], "category") == "ANNOUNCED_CHANGE" {
			summary, _ := at(item, "summary").(string)
			told = append(told, summary)
		}
	}
	return told
}

// TestAnnounced announces the change of a migration script with headwater check, ingests the new schema, and asks who
// is told. The account of the pipeline may do nothing but announce. A person who may not see the table is not told of
// it.
func TestAnnounced(t *testing.T) {
	data := t.TempDir()
	s := start(t, "--data", data, "--auth", "on")
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	run := func(code int, token string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), path, append(args, "--server", s.base)...)
		cmd.Env = append(os.Environ(), "HEADWATER_TOKEN="+token)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		_ = cmd.Run()
		if got := cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("headwater %s: exit code %d, want %d: %s", strings.Join(args, " "), got, code, &out)
		}
		return out.String()
	}
	says := func(text string, want ...string) {
		t.Helper()
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%s\nwant %s", text, part)
			}
		}
	}
	keys := filepath.Join(data, "keys.json")
	account := func(name string, flags ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), path, append([]string{"token", "create", name, "--keys", keys, "--server", s.base}, flags...)...)
		out, err := command.Output()
		if err != nil {
			t.Fatal(err, string(out))
		}
		return strings.TrimSpace(string(out))
	}
	admin, reader := account("admin", "--service-account", "admin", "--role", "Admin"), account("reader", "--service-account", "reader")
	by := func(token string) []string {
		return []string{"X-RestLi-Protocol-Version", "2.0.0", "Authorization", "Bearer " + token}
	}
	for _, name := range []string{"bo", "eve", "ci"} {
		body := `{"proposal":{"entityType":"corpuser","entityUrn":"urn:li:corpuser:` + name + `","changeType":"UPSERT","aspectName":"corpUserInfo","aspect":{"contentType":"application/json","value":"{\"active\":true}"}}}`
		if status, answer := s.send(http.MethodPost, "/aspects?action=ingestProposal", body, by(admin)...); status != http.StatusOK {
			t.Fatal(status, answer)
		}
	}
	ci, bo, eve := account("ci", "--user", "urn:li:corpuser:ci"), account("bo", "--user", "urn:li:corpuser:bo"), account("eve", "--user", "urn:li:corpuser:eve")
	folder := t.TempDir()
	file := func(name, text string) string {
		t.Helper()
		name = filepath.Join(folder, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	says(run(0, admin, "policies", "apply", file("policies.yaml", `policies:
  - {id: pipelines, name: Pipelines announce, type: platform, allow: [ANNOUNCE_CHANGES], who: {users: [ci]}}
  - {id: hidden, name: Hidden from Eve, deny: [READ, VIEW_ENTITY_PAGE], who: {users: [eve]}, on: {urns: ["`+announcedTable("orders")+`"]}}
`)), "created")

	orders, mart := announcedTable("orders"), announcedTable("mart")
	s.writes(orders, "schemaMetadata", announcedSchema("id", "state", "note"), by(admin)...)
	s.writes(mart, "upstreamLineage", announcedLineage(orders, "state", mart), by(admin)...)
	for name, token := range map[string]string{"bo": bo, "eve": eve} {
		if status, answer := s.send(http.MethodPost, "/subscriptions", `{"actor":"urn:li:corpuser:`+name+`","entity":"`+mart+`"}`, by(token)...); status != http.StatusOK {
			t.Fatal(status, answer)
		}
	}
	base := file("base.sql", "CREATE TABLE orders (id int, state int, note int);")
	head := file("head.sql", "CREATE TABLE orders (id int, note int);")
	const pull = "https://git.example/larkspur/orders/pull/12"
	check := []string{"check", "--base", base, "--head", head, "--dialect", "postgres", "--database", "shop", "--default-schema", "public"}
	announce := append(slices.Clone(check), "--announce", "--pull-request", pull, "--author", "Ada Wren")
	says(run(6, reader, check...), "mart")
	says(run(1, reader, announce...), "mart", "the change could not be announced", "ANNOUNCE_CHANGES")
	says(run(2, ci, append(slices.Clone(check), "--pull-request", pull)...), "belong to --announce")
	says(run(2, ci, append(slices.Clone(check), "--announce")...), "--pull-request")
	says(run(6, ci, announce...), "announced as urn:li:announcedChange:pr-", "1 change")
	says(run(0, reader, "announced", "list"), "larkspur/orders 12", "announced", "0 of 1", "Ada Wren")

	s.writes(orders, "schemaMetadata", announcedSchema("id", "note"), by(admin)...)
	told := func(name, token string, want ...string) {
		t.Helper()
		testclock.Await(t, name+" is told", func() bool { return len(s.announcedTold(name, by(token)...)) >= len(want) })
		if got := s.announcedTold(name, by(token)...); !slices.Equal(got, want) {
			t.Errorf("%s is told %q, want %q", name, got, want)
		}
	}
	arrived := "shop.public.orders: Column state was removed, as announced in " + pull + ": affects 1 certainly of yours"
	told("bo", bo, arrived)
	says(run(0, reader, "announced", "show", pull), "larkspur/orders 12: arrived", "shop.public.orders.state is dropped", "with nightly: "+orders)
	s.writes(orders, "schemaMetadata", announcedSchema("id"), by(admin)...)
	told("bo", bo, "shop.public.orders: Column note was removed, which nobody announced: affects 1 possibly of yours", arrived)
	says(run(0, reader, "announced", "list", "--state", "unannounced", "--dataset", orders), "Column note was removed", "unannounced", "1 of 1")
	says(run(1, reader, "announced", "withdraw", pull), "ANNOUNCE_CHANGES")
	says(run(1, ci, "announced", "withdraw", pull), "has arrived")

	told("eve", eve)
	says(run(0, eve, "announced", "list"), "there are no such changes")
	says(run(3, eve, "announced", "show", pull), "no change of "+pull+" was announced")
	if status, answer := s.send(http.MethodGet, "/entities/"+url.PathEscape(orders), "", by(eve)...); status == http.StatusOK {
		t.Errorf("eve sees the table: %v", answer)
	}
	s.stop()
}

// TestAnnouncedSurvivesKills: each change that was announced is told once, although the server is killed while it matches.
func TestAnnouncedSurvivesKills(t *testing.T) {
	for i, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			if i > 0 && testsize.Of(0, 1) == 0 {
				t.Skip("make soak runs it")
			}
			const tables, kills = 40, 4
			flags := append(b.flags(t), "--platforms=false")
			name := func(kind string, n int) string { return announcedTable(fmt.Sprint(kind, n)) }
			s := start(t, flags...)
			var members []map[string]any
			for n := range tables {
				s.writes(name("t", n), "schemaMetadata", announcedSchema("id", "state"))
				s.writes(name("m", n), "upstreamLineage", announcedLineage(name("t", n), "state", name("m", n)))
				if status, answer := s.send(http.MethodPost, "/subscriptions", `{"actor":"urn:li:corpuser:bo","entity":"`+name("m", n)+`","categories":["ANNOUNCED_CHANGE"]}`); status != http.StatusOK {
					t.Fatal(status, answer)
				}
				if n%2 == 0 {
					members = append(members, map[string]any{"kind": "columnDropped", "datasets": []string{name("t", n)}, "column": "state"})
				}
			}
			body, err := json.Marshal(map[string]any{"pullRequest": "https://git.example/a/pull/1", "changes": members})
			if err != nil {
				t.Fatal(err)
			}
			if status, answer := s.send(http.MethodPost, "/announced-changes", string(body)); status != http.StatusOK {
				t.Fatal(status, answer)
			}
			for kill := range kills {
				for n := kill * tables / kills; n < (kill+1)*tables/kills; n++ {
					s.writes(name("t", n), "schemaMetadata", announcedSchema("id"))
				}
				if kill%2 == 1 {
					before := len(s.announcedTold("bo"))
					testclock.Await(t, "some more is told", func() bool { return len(s.announcedTold("bo")) > before })
				}
				s.kill()
				s = start(t, flags...)
			}
			testclock.Await(t, "all is told", func() bool { return len(s.announcedTold("bo")) >= tables })
			counts := map[string]int{}
			for _, summary := range s.announcedTold("bo") {
				table, rest, _ := strings.Cut(summary, ":")
				counts[table+strings.Split(rest, ",")[1][:20]]++
			}
			for n := range tables {
				want := " as announced in htt"
				if n%2 == 1 {
					want = " which nobody announ"
				}
				if got := counts[fmt.Sprint("shop.public.t", n, want)]; got != 1 {
					t.Errorf("table %d is told %d times: %v", n, got, counts)
				}
			}
			if len(counts) != tables {
				t.Errorf("%d are told: %v", len(counts), counts)
			}
			_, answer := s.send(http.MethodGet, "/announced-changes?states=ARRIVED", "")
			if at(answer, "total") != float64(1) {
				t.Errorf("what was announced: %v", answer)
			}
			_, answer = s.send(http.MethodGet, "/announced-changes?states=UNANNOUNCED", "")
			if at(answer, "total") != float64(tables/2) {
				t.Errorf("what nobody announced: %v", at(answer, "total"))
			}
			s.stop()
		})
	}
}
