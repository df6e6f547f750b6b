package lineage

import "testing"

// TestBasisSentence checks the sentence of a basis.
func TestBasisSentence(t *testing.T) {
	const hour = 3_600_000
	const now = 100 * 24 * hour
	dbt := BasisSource{Name: "dbt-prod", Entities: 142, LastSeen: now - 2*hour}
	looker := BasisSource{Name: "looker-prod", Entities: 1, LastSeen: now - 72*hour, FailedSince: &FailedRun{Run: "r", Status: "FAILURE", At: now - 5*hour}}
	tableau := BasisSource{Name: "tableau", FailedSince: &FailedRun{Run: "t", Status: "CANCELLED", At: now - 60_000}}
	hourly := BasisSource{Name: "hourly", Entities: 2, LastSeen: now - 72*hour, FailedSince: &FailedRun{Run: "h", Status: "FAILURE", At: now - 71*hour, Runs: 71, LastAt: now - hour}}
	ada := BasisSource{Name: "Ada Wren", Actor: "urn:li:corpuser:ada", Entities: 2, LastSeen: now + hour}
	for want, b := range map[string]Basis{
		"nothing that anybody stated":                                      {},
		"dbt-prod (142 entities, seen 2 hours ago)":                        {Entities: 142, Walked: 142, Sources: []BasisSource{dbt}},
		"nothing that anybody stated; 1 of 1 entity has no column lineage": {Entities: 1, Walked: 1, WithoutColumnLineage: 1},
		"dbt-prod (142 entities, seen 2 hours ago), looker-prod (1 entity, seen 3 days ago, last run failed 5 hours ago); 14 of 160 entities have no column lineage": {
			Entities: 160, Walked: 160, WithoutColumnLineage: 14, Sources: []BasisSource{dbt, looker},
		},
		"hourly (2 entities, seen 3 days ago, failing since 2 days ago, 71 runs)":                               {Sources: []BasisSource{hourly}},
		"Ada Wren without a run (2 entities, seen at 1970-04-11T01:00:00Z), tableau (last run failed just now)": {Sources: []BasisSource{ada, tableau}},
		"dbt-prod (142 entities, seen 2 hours ago), 20 more; only the nearest 1000 of 5000 entities were looked at": {
			Entities: 1000, Walked: 5000, Sources: []BasisSource{dbt}, MoreSources: 20,
		},
	} {
		b.At = now
		if got := b.sentence(); got != want {
			t.Errorf("%+v:\n%s, wanted\n%s", b, got, want)
		}
	}
}

// TestHasItems: hasItems finds lists that are not empty, without decoding the value.
func TestHasItems(t *testing.T) {
	for value, want := range map[string]bool{
		`{}`: false, `{"fields":[]}`: false, `{"fields": [ ] }`: false, `{"fields":null}`: false, `{"fields":[1]}`: true, `{"fields" : [ {"a":1}]}`: true,
		`{"text":"fields"}`: false, `{"text":"\"fields\":[1]"}`: false, `{"a":"fields","fields":[1]}`: true, `{"myfields":[1]}`: false,
		`{"b":{"fields":[]},"fields":[2]}`: true, `{"fields"`: false, `{"fields":`: false, `{"fields":[`: false,
	} {
		if got := hasItems([]byte(value), "fields"); got != want {
			t.Errorf("%s: %v", value, got)
		}
	}
}
