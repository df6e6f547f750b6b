package nearest

import (
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	known := []string{"net_revenue", "gross_revenue", "customer.id", "orderId", "x", "platform", "platforms", "total"}
	for given, want := range map[string]string{
		"Net_Revenue":            "net_revenue",
		"netrevenue":             "net_revenue",
		"totla":                  "total",
		"id":                     "customer.id",
		"orderid":                "orderId",
		"platfomr":               "platform platforms",
		"nothing":                "",
		"":                       "",
		strings.Repeat("a", 101): "",
	} {
		if got := strings.Join(Names(given, slices.Values(known)), " "); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
	if got := Question(Names("netrevenue", slices.Values(known))); got != " (did you mean net_revenue?)" {
		t.Errorf("the question is %q", got)
	}
	if got := Among("orderld", known, "fields"); got != " (did you mean orderId?)" {
		t.Errorf("among: %q", got)
	}
	if got := Among("nothing", []string{"a", "b"}, "fields"); got != "; the fields are a, b" {
		t.Errorf("among a few: %q", got)
	}
	if got := Among("nothing", make([]string, 13), "fields"); got != "" {
		t.Errorf("among many: %q", got)
	}
	if got := Question(nil); got != "" {
		t.Errorf("without names: %q", got)
	}
}
