package edit

import (
	"testing"

	"github.com/headwater-io/headwater/client"
)

// TestWholeNames: filters of delete accept complete names, but not the ends of names.
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
