package gate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/catalog/change/gate"
	"github.com/headwater-io/headwater/internal/limits"
)

var now = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// result is a change that drops a column, which a dashboard of another domain and a model of this one read.
func result() *change.Result {
	return &change.Result{
		Changes: []change.Change{{Kind: change.ColumnDropped, Table: "shop.orders", Column: "state", Sure: 1}, {Kind: change.TableRemoved, Table: "shop.old", Sure: 1}},
		Certain: []change.Impact{
			{Name: "Sales", URN: "urn:li:dashboard:(looker,sales)", Column: "shop.orders.state", Domains: []string{"urn:li:domain:marketing"}},
			{Name: "shop.paid", Column: "shop.orders.state", Domains: []string{"urn:li:domain:finance"}},
		},
		Possible:        []change.Impact{{Name: "shop.all", Column: "shop.orders.state"}},
		Contracts:       []change.Hurt{{Name: "orders", Effect: change.Certain, Table: "shop.orders"}, {Name: "maybe", Effect: change.Possible}},
		Assertions:      []change.Hurt{{Name: "not_null", Effect: change.Certain, Table: "shop.orders", Column: "state"}},
		NewPersonalData: []change.Personal{{Table: "shop.board", Column: "contact", From: "shop.customers.email", Label: "pii"}},
		NotUnderstood:   []change.NotUnderstood{{Name: "shop.odd"}},
	}
}

func decide(t *testing.T, policy string) *gate.Verdict {
	t.Helper()
	p, err := gate.Parse([]byte(policy))
	if err != nil {
		t.Fatal(err)
	}
	return p.Decide(result(), now)
}

func because(v *gate.Verdict) string {
	var names []string
	for _, f := range v.Because {
		names = append(names, f.Name)
	}
	return strings.Join(names, " ")
}

// TestRules: each rule is about its own findings.
func TestRules(t *testing.T) {
	for policy, want := range map[string]string{
		"fail on: certain impact":                                                      "Sales shop.paid",
		"fail on: [certain impact outside my domain]\ndomain: Finance":                 "Sales",
		"fail on: [certain impact outside my domain]\ndomain: urn:li:domain:marketing": "shop.paid",
		"fail on: [possible impact]":                                                   "shop.all",
		"fail on: [contract]":                                                          "orders",
		"fail on: [assertion]":                                                         "not_null",
		"fail on: [personal data]":                                                     "shop.board.contact",
		"fail on: [table removed]":                                                     "shop.old",
		"fail on: [not understood]":                                                    "shop.odd",
		"fail on: []":                                                                  "",
	} {
		v := decide(t, policy)
		if got := because(v); got != want || v.Refused != (want != "") {
			t.Errorf("%s: %q, refused %v; want %q", policy, got, v.Refused, want)
		}
	}
	if got := because(gate.Usual().Decide(result(), now)); got != "Sales shop.paid" {
		t.Errorf("the usual policy: %q", got)
	}
}

// TestExceptions: an exception counts to the end of its last day, and an expired one is told.
func TestExceptions(t *testing.T) {
	policy := func(lines string) string {
		return "fail on: certain impact\nexceptions:\n  - {" + lines + ", who: ada, reason: agreed}"
	}
	for lines, want := range map[string]string{
		"affects: Sales, until: 2026-11-28":                                   "shop.paid",
		`affects: "urn:li:dashboard:(looker,sales)", until: 2026-12-01`:       "shop.paid",
		"change: orders.state, until: 2026-12-01":                             "",
		"change: 'orders.*', affects: 'p*', until: 2026-12-01":                "Sales",
		"change: ders.state, until: 2026-12-01":                               "Sales shop.paid",
		"affects: Sales, until: 2026-11-27":                                   "Sales shop.paid",
		"change: shop.orders.state, affects: nothing here, until: 2026-12-01": "Sales shop.paid",
	} {
		v := decide(t, policy(lines))
		if got := because(v); got != want {
			t.Errorf("%s: %q, want %q", lines, got, want)
		}
		if expired := strings.Contains(lines, "11-27"); expired != (len(v.Expired) == 1) || expired && v.Expired[0].Who != "ada" {
			t.Errorf("%s: expired %+v", lines, v.Expired)
		}
		if len(v.Excused)+len(v.Because) != 2 {
			t.Errorf("%s: excused %+v", lines, v.Excused)
		}
	}
}

// TestErrors: an error names the line, and the nearest name.
func TestErrors(t *testing.T) {
	exception := func(members string) string { return "fail on: contract\nexceptions:\n  - {" + members + "}" }
	for policy, want := range map[string]string{
		"":                                  "the policy is empty",
		"domain: a":                         `the policy lacks "fail on"`,
		"fail on: [certain impcat]":         `line 1: unknown rule "certain impcat" (did you mean certain impact`,
		"fail on:\n- contract\n- pii":       `line 3: unknown rule "pii"; the rules are certain impact`,
		"fial on: contract":                 `line 1: unknown name "fial on" (did you mean fail on?)`,
		"fail on: contract\nexceptions: {}": "line 2: a list of exceptions is expected",
		"fail on: {a: b}":                   "line 1: a text is expected",
		"- a":                               "line 1: names with values are expected",
		"fail on: certain impact outside my domain":       "needs the domain",
		exception("affects: a, who: b, reason: c"):        "line 3: an exception says who answers for it, until when, and a reason",
		exception("who: b, reason: c, until: 2026-12-01"): "line 3: an exception says what it affects or which change it is about",
		exception("affects: a, until: soon"):              `line 3: until is a day, such as 2026-12-31, and not "soon"`,
		exception("affects: '[', until: 2026-12-01"):      `line 3: "[" is not a pattern`,
		exception("affects: [a], until: 2026-12-01"):      "line 3: affects is a text",
		exception("affected: a"):                          `unknown name "affected" (did you mean affects?)`,
		strings.Repeat("#", limits.CheckPolicyBytes+1):    "a policy may have 1048576 bytes",
	} {
		if _, err := gate.Parse([]byte(policy)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", policy, err, want)
		}
	}
	fits := "fail on: contract\n"
	if _, err := gate.Parse([]byte(fits + strings.Repeat("#", limits.CheckPolicyBytes-len(fits)))); err != nil {
		t.Error(err)
	}
}

// TestExceptionsLimit: a policy with as many exceptions as the limit is accepted, a policy with one more is refused.
func TestExceptionsLimit(t *testing.T) {
	var b strings.Builder
	b.WriteString("fail on: contract\nexceptions:\n")
	for i := range limits.CheckExceptions {
		fmt.Fprintf(&b, "  - {affects: t%d, who: ada, until: 2026-12-01, reason: x}\n", i)
	}
	if p, err := gate.Parse([]byte(b.String())); err != nil || len(p.Exceptions) != limits.CheckExceptions {
		t.Fatal(err)
	}
	b.WriteString("  - {affects: more, who: ada, until: 2026-12-01, reason: x}\n")
	if _, err := gate.Parse([]byte(b.String())); err == nil || !strings.Contains(err.Error(), "line 1003: a policy may have 1000 exceptions") {
		t.Error(err)
	}
}
