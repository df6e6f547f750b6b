package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/announced"
	"github.com/headwater-io/headwater/internal/limits"
)

// TestExpected: the history of a dataset, and of a column of it, names the announced changes that are expected; the
// history of another dataset does not. An answer is small, however much was announced.
func TestExpected(t *testing.T) {
	c := sampled(t)
	session := client(t, c, false)
	orders := "urn:li:dataset:(urn:li:dataPlatform:snowflake,analytics.marts.orders,PROD)"
	announce := func(pull string, members ...announced.Member) {
		t.Helper()
		d := announced.Draft{PullRequest: pull, Author: "Ada Wren"}
		d.Changes = members
		if _, err := c.Announced.Announce(t.Context(), &d, catalog.WriteOptions{Actor: "urn:li:corpuser:ada"}); err != nil {
			t.Fatal(err)
		}
	}
	member := func(column string) announced.Member {
		return announced.Member{Kind: "columnDropped", Datasets: []string{orders}, Column: column}
	}
	told := func(arguments string) map[string]any {
		t.Helper()
		answer, refused := ask(t, session, "history", arguments)
		if refused != "" {
			t.Fatal(refused)
		}
		text, err := json.Marshal(answer)
		if err != nil || len(text) > limits.MaxAgentAnswer {
			t.Errorf("%s: %d bytes %v", arguments, len(text), err)
		}
		return answer
	}
	if answer := told(`{"of":"marts.orders"}`); answer["expected"] != nil {
		t.Errorf("%v", answer["expected"])
	}
	announce("https://git.example/larkspur/orders/pull/12", member("net_revenue"), member("placed_at"))
	for _, one := range []struct {
		arguments string
		members   int
	}{
		{`{"of":"marts.orders"}`, 2},
		{`{"of":"marts.orders.net_revenue"}`, 1},
		{`{"of":"marts.orders.order_id"}`, 0},
		{`{"of":"marts.customers"}`, 0},
		{`{"of":"marts.orders","until":"2026-10-01"}`, 0},
		{`{"of":"marts.orders","start":1}`, 0},
		{`{"of":"PII"}`, 0},
	} {
		answer := told(one.arguments)
		expected := itemsOf(answer, "expected")
		if one.members == 0 {
			if len(expected) != 0 {
				t.Errorf("%s: %v", one.arguments, expected)
			}
			continue
		}
		if len(expected) != 1 || len(itemsOf(expected[0], "changes")) != one.members || expected[0]["pull_request"] != "https://git.example/larkspur/orders/pull/12" || expected[0]["author"] != "Ada Wren" {
			t.Errorf("%s: %v", one.arguments, expected)
		}
	}
	for i := range 9 {
		var many []announced.Member
		for k := range 30 {
			many = append(many, member(fmt.Sprintf("%d%s", k, strings.Repeat("x", 1000))))
		}
		announce(fmt.Sprintf("https://git.example/larkspur/orders/pull/1%d", i), many...)
	}
	answer := told(fmt.Sprintf(`{"of":"marts.orders","limit":%d}`, limits.MaxAgentItems))
	if more, _ := answer["more_expected"].(float64); int(more)+len(itemsOf(answer, "expected")) != 9 { // the tenth announced 12 again
		t.Errorf("%v and %d", answer["more_expected"], len(itemsOf(answer, "expected")))
	}
}
