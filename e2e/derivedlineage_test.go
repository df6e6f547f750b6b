package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// derivedTable returns the URN of a table of the tests of derived lineage.
func derivedTable(name string) string {
	return "urn:li:dataset:(urn:li:dataPlatform:postgres,shop.public." + name + ",PROD)"
}

// says writes an aspect of a dataset.
func (s *server) says(urn, aspect string, value map[string]any) {
	s.t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		s.t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{"proposal": map[string]any{
		"entityType": "dataset", "entityUrn": urn, "changeType": "UPSERT", "aspectName": aspect, "aspect": map[string]string{"value": string(text), "contentType": "application/json"},
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	if status, answer := s.send(http.MethodPost, "/aspects?action=ingestProposal", string(body)); status != http.StatusOK {
		s.t.Fatal(status, answer)
	}
}

// upstreamColumns returns the columns from which a column derives for certain, and whether the edges are told to be derived.
func (s *server) derivedUpstreams(dataset, column string) (columns []string, derived bool) {
	s.t.Helper()
	urn := "urn:li:schemaField:(" + dataset + "," + column + ")"
	_, answer := s.send(http.MethodGet, "/relationships?provenance=true&direction=OUTGOING&types=DownstreamOf&urn="+url.QueryEscape(urn), "")
	list, _ := at(answer, "relationships").([]any)
	derived = len(list) > 0
	for _, r := range list {
		name, _ := at(r, "entity").(string)
		columns = append(columns, strings.TrimSuffix(name[strings.LastIndexByte(name, ',')+1:], ")"))
		derived = derived && at(r, "provenance", "derived") == true
	}
	slices.Sort(columns)
	return columns, derived
}

// TestDerivedLineage: a server derives the lineage of views from their SQL although it is killed in the middle, shows it as
// derived, leaves it as it is when the setting is off, and takes it back.
func TestDerivedLineage(t *testing.T) {
	for i, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			if i > 0 && testsize.Of(0, 1) == 0 {
				t.Skip("make soak runs it")
			}
			const views, kills = 60, 3
			flags := append(b.flags(t), "--platforms=false")
			field := func(name string) map[string]any {
				return map[string]any{"fieldPath": name, "nativeDataType": "int", "type": map[string]any{"type": map[string]any{"com.linkedin.schema.NumberType": map[string]any{}}}}
			}
			define := func(s *server, n int, column string) {
				s.says(derivedTable(fmt.Sprintf("v%d", n)), "viewProperties", map[string]any{
					"materialized": false, "viewLogic": "select " + column + " as c from orders where state > 0", "viewLanguage": "SQL",
				})
			}
			s := start(t, flags...)
			s.says(derivedTable("orders"), "schemaMetadata", map[string]any{
				"schemaName": "s", "platform": "urn:li:dataPlatform:postgres", "version": 0, "hash": "",
				"platformSchema": map[string]any{"com.linkedin.schema.OtherSchema": map[string]any{"rawSchema": ""}},
				"fields":         []any{field("id"), field("amount"), field("state")},
			})
			for n := range views {
				define(s, n, "id")
			}
			s.stop()

			deriving := append(slices.Clone(flags), "--sql-derive", "on")
			for kill := range kills { // in the middle of the first reading, and of changes
				s = start(t, deriving...)
				define(s, kill, "amount")
				s.kill()
			}
			s = start(t, deriving...)
			wait := func(what string, n int, wanted ...string) {
				t.Helper()
				testclock.Await(t, what, func() bool {
					got, derived := s.derivedUpstreams(derivedTable(fmt.Sprintf("v%d", n)), "c")
					return slices.Equal(got, wanted) && derived == (len(wanted) > 0)
				})
			}
			for n := range views {
				column := "id"
				if n < kills {
					column = "amount"
				}
				wait("the lineage of a view is derived", n, column)
			}
			impact := "/impact/" + url.PathEscape(derivedTable("orders")) + "?column=state&only=certain"
			if _, answer := s.send(http.MethodGet, impact, ""); at(answer, "total") != float64(views) {
				t.Errorf("the impact of a column that the views filter by: %v", at(answer, "total"))
			}
			define(s, 0, "id + amount")
			wait("the lineage of a changed view is derived", 0, "amount", "id")
			s.stop()

			s = start(t, flags...)
			wait("what was derived stays when the setting is off", 0, "amount", "id")
			s.stop()
			s = start(t, append(slices.Clone(flags), "--sql-derive", "remove")...)
			for n := range views {
				wait("derived lineage is taken back", n)
			}
			s.stop()
		})
	}
}
