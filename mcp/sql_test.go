package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
)

// TestSQL: an agent learns who owns the tables that a text reads, which columns are personal data, and which
// tables and columns are gone.
func TestSQL(t *testing.T) {
	session := client(t, sampled(t), false)
	answer, refused := ask(t, session, "sql", `{"sql":"select c.email, c.shoe_size from customers c where c.city = 'Bern'","dialect":"snowflake","database":"analytics","schema":"marts"}`)
	if refused != "" {
		t.Fatal(refused)
	}
	statement, table := itemsOf(answer, "statements")[0], itemsOf(answer, "tables")[0]
	for what, is := range map[string]bool{
		"the statement fails":    statement["runs"] == "fails" && strings.Contains(fmt.Sprint(statement["gone"]), "shoe_size"),
		"city is read":           strings.Contains(fmt.Sprint(statement["columns_read"]), "clause:filter column:analytics.marts.customers.city line:1"),
		"the table is known":     table["name"] == "analytics.marts.customers" && table["owned_by"] != nil,
		"email is personal":      strings.Contains(fmt.Sprint(table["columns"]), "labels:[PII EmailAddress] name:email personal:true"),
		"shoe_size is gone":      strings.Contains(fmt.Sprint(table["columns"]), "name:shoe_size state:gone"),
		"the answer is complete": answer["partial"] == false,
	} {
		if !is {
			t.Errorf("not so: %s: %v", what, answer)
		}
	}
	// Pages of statements name their own tables only.
	answer, refused = ask(t, session, "sql", `{"sql":"select 1 from orders; select 2 from customers","dialect":"snowflake","database":"analytics","schema":"marts","start":1,"limit":1}`)
	if tables := itemsOf(answer, "tables"); refused != "" || len(tables) != 1 || tables[0]["name"] != "analytics.marts.customers" {
		t.Errorf("%s %v", refused, answer)
	}
	// An answer is small, however long the text is.
	wide := "select " + strings.Repeat("c.email || c.city as a_long_name_of_an_output, ", 300) + "1 from customers c"
	answer, refused = ask(t, session, "sql", fmt.Sprintf(`{"sql":%q,"dialect":"snowflake","database":"analytics","schema":"marts"}`, wide+";"+wide))
	if refused != "" {
		t.Fatal(refused)
	}
	text, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	if size := len(text); size > limits.MaxAgentAnswer || answer["partial"] != true || !strings.Contains(fmt.Sprint(answer["reason"]), "cut") {
		t.Errorf("%d bytes, %v", size, answer["reason"])
	}
}
