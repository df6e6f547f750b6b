package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
)

// TestUnusedColumns: an agent learns which columns nobody reads, with the basis of the claim, in pages of
// whole datasets.
func TestUnusedColumns(t *testing.T) {
	session := client(t, sampled(t), false)
	answer, refused := ask(t, session, "unused_columns", `{"datasets":["marts.customers"],"all":true}`)
	if refused != "" {
		t.Fatal(refused)
	}
	verdicts := map[string]bool{}
	for _, c := range itemsOf(answer, "columns") {
		verdicts[fmt.Sprint(c["verdict"])] = true
		if c["verdict"] == "read" && len(itemsOf(c, "readers")) == 0 && c["usage_queries"] == nil {
			t.Errorf("nothing says who reads %v", c)
		}
	}
	if !verdicts["read"] || answer["judged"] != float64(len(itemsOf(answer, "columns"))) || answer["datasets"] != 1.0 {
		t.Errorf("%v", answer)
	}
	first, refused := ask(t, session, "unused_columns", `{"platforms":["snowflake"],"limit":1,"all":true}`)
	if refused != "" || first["next"] == nil || first["partial"] != true {
		t.Fatalf("%s %v", refused, first["next"])
	}
	second, refused := ask(t, session, "unused_columns", fmt.Sprintf(`{"platforms":["snowflake"],"limit":1,"all":true,"start":%v}`, first["next"]))
	if refused != "" || itemsOf(second, "columns")[0]["dataset"] == itemsOf(first, "columns")[0]["dataset"] {
		t.Errorf("%s %v", refused, second)
	}
	// An answer is small, however many columns there are.
	answer, refused = ask(t, session, "unused_columns", fmt.Sprintf(`{"all":true,"limit":%d}`, limits.MaxAgentItems))
	text, err := json.Marshal(answer)
	if refused != "" || err != nil || len(text) > limits.MaxAgentAnswer {
		t.Errorf("%s %v %d bytes", refused, err, len(text))
	}
	for call, says := range map[string]string{
		`{"datasets":["marts.custommers"]}`: "marts.customers",
		`{"days":0}`:                        "days",
		`{"days":-1}`:                       "days",
		fmt.Sprintf(`{"days":%d}`, limits.MaxUnusedDays+1): "days",
	} {
		if _, refused := ask(t, session, "unused_columns", call); !strings.Contains(refused, says) {
			t.Errorf("%s: %q", call, refused)
		}
	}
	if _, refused := ask(t, session, "unused_columns", fmt.Sprintf(`{"datasets":["marts.customers"],"days":%d}`, limits.MaxUnusedDays)); refused != "" {
		t.Error(refused)
	}
}
