package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/internal/testing/testsize"
)

// TestPolicyRaces switches a policy on and off while the user whom it concerns writes batches at every server
// over the store: one server over the embedded store, two over Neo4j. Each batch is written whole or refused
// whole. The server at which the policy is withdrawn refuses every batch that comes afterwards; another server
// refuses them within a second, and goes on to refuse them.
func TestPolicyRaces(t *testing.T) {
	for i, b := range backends() {
		t.Run(b.name, func(t *testing.T) {
			auth, secrets := authFlags(t)
			flags := append(append(b.flags(t), auth...), "--platforms=false", "--caller-rate", "0")
			servers := []*server{start(t, flags...)}
			if i > 0 {
				servers = append(servers, start(t, append(flags, "--data", t.TempDir())...))
			}
			system := servers[0].as(systemHeader(t, secrets))
			system.propose("UPSERT", "urn:li:corpuser:wim", "corpUserInfo", `{"active":true,"displayName":"Wim"}`, "race")
			token := system.token("urn:li:corpuser:wim", "race").text
			set := func(state string) {
				t.Helper()
				body, _ := json.Marshal(map[string]string{"text": "policies: [{id: race, name: Race, state: " + state + ", allow: [EDIT_ENTITY], who: {users: [wim]}}]"})
				if status, answer := system.send(http.MethodPost, "/access/policies/apply", string(body)); status != http.StatusOK {
					t.Fatal(status, answer)
				}
			}
			var (
				mu       sync.Mutex
				statuses = map[string]int{}
				over     atomic.Bool
				workers  sync.WaitGroup
			)
			batch := func(name string) []string {
				return []string{"urn:li:tag:" + name + ".0", "urn:li:tag:" + name + ".1", "urn:li:tag:" + name + ".2"}
			}
			try := func(s *server, name string) int {
				var proposals []any
				for _, urn := range batch(name) {
					proposals = append(proposals, map[string]any{
						"entityType": "tag", "entityUrn": urn, "changeType": "UPSERT", "aspectName": "tagProperties",
						"aspect": map[string]string{"value": `{"name":"` + name + `"}`, "contentType": "application/json"},
					})
				}
				body, _ := json.Marshal(map[string]any{"proposals": proposals})
				status, answer, err := s.bearer(token).try(http.MethodPost, "/aspects?action=ingestProposalBatch", string(body))
				if err != nil || status != http.StatusOK && status != http.StatusForbidden {
					t.Errorf("%s: %d %v %v", name, status, answer, err)
				}
				mu.Lock()
				defer mu.Unlock()
				statuses[name] = status
				return status
			}
			set("inactive")
			for at, s := range servers {
				for worker := range 2 {
					workers.Go(func() {
						for n := 0; !over.Load(); n++ {
							try(s, fmt.Sprint("s", at, "w", worker, "n", n))
						}
					})
				}
			}
			for round := range testsize.Of(6, 40) {
				set("active")
				if status := try(servers[0], fmt.Sprint("on", round)); status != http.StatusOK {
					t.Errorf("after the policy was switched on: %d", status)
				}
				set("inactive")
				if status := try(servers[0], fmt.Sprint("off", round)); status != http.StatusForbidden {
					t.Errorf("after the policy was withdrawn: %d", status)
				}
				for at, s := range servers[1:] {
					n := 0
					if !testclock.Poll(revocationTime, func() bool {
						n++
						return try(s, fmt.Sprint("poll", at, "r", round, "n", n)) == http.StatusForbidden
					}) {
						t.Error("another server goes on to write after a second")
					}
					for second := range 5 {
						if status := try(s, fmt.Sprint("later", at, "r", round, "n", second)); status != http.StatusForbidden {
							t.Errorf("another server has refused a batch, and then answers %d", status)
						}
					}
				}
			}
			over.Store(true)
			workers.Wait()
			_, answer := system.send(http.MethodPost, "/entities?action=listUrns", `{"entity":"tag","start":0,"count":10000}`)
			stored := map[any]bool{}
			urns, _ := at(answer, "value", "entities").([]any)
			for _, urn := range urns {
				stored[urn] = true
			}
			counts := map[int]int{}
			for name, status := range statuses {
				counts[status]++
				for _, urn := range batch(name) {
					if stored[urn] != (status == http.StatusOK) {
						t.Errorf("a batch was answered with %d, and %s is stored: %t", status, urn, stored[urn])
					}
				}
			}
			t.Logf("%v", counts)
			if counts[http.StatusOK] < 10 || counts[http.StatusForbidden] < 10 || len(urns) != 3*counts[http.StatusOK] {
				t.Errorf("%d tags are stored after %v", len(urns), counts)
			}
			for _, s := range servers {
				s.stop()
			}
		})
	}
}

// TestPoliciesTwoServers: a policy that hides an entity at one of two servers over one store hides it at the other
// within a second, from reads, searches and walks. When the policy is withdrawn, the other server shows the entity
// within a second.
func TestPoliciesTwoServers(t *testing.T) {
	auth, secrets := authFlags(t)
	flags := append(append(backends()[1].flags(t), auth...), "--platforms=false", "--caller-rate", "0")
	one, other := start(t, append(flags, "--data", t.TempDir())...), start(t, append(flags, "--data", t.TempDir())...)
	system := one.as(systemHeader(t, secrets))
	const (
		source = "urn:li:dataset:(urn:li:dataPlatform:hive,shared.source,PROD)"
		hidden = "urn:li:dataset:(urn:li:dataPlatform:hive,shared.salaries,PROD)"
	)
	system.propose("UPSERT", "urn:li:corpuser:wim", "corpUserInfo", `{"active":true,"displayName":"Wim"}`, "shared")
	system.propose("UPSERT", source, "datasetProperties", `{"name":"source"}`, "shared")
	system.propose("UPSERT", hidden, "datasetProperties", `{"name":"salaries"}`, "shared")
	system.propose("UPSERT", hidden, "globalTags", `{"tags":[{"tag":"urn:li:tag:private"}]}`, "shared")
	system.propose("UPSERT", hidden, "upstreamLineage", `{"upstreams":[{"dataset":"`+source+`","type":"TRANSFORMED","auditStamp":{"time":0,"actor":"urn:li:corpuser:wim"}}]}`, "shared")
	wim := other.bearer(system.token("urn:li:corpuser:wim", "shared").text)

	// seen returns by how many of the doors the caller sees the entity.
	doors := []string{
		`{ dataset(urn: "` + hidden + `") { properties { name } } }`,
		`{ searchAcrossEntities(input: {types: [DATASET], query: "salaries", start: 0, count: 5}) { searchResults { entity { ... on Dataset { properties { name } } } } } }`,
		`{ searchAcrossLineage(input: {urn: "` + source + `", direction: DOWNSTREAM, count: 5}) { searchResults { entity { ... on Dataset { properties { name } } } } } }`,
	}
	seen := func() (n int) {
		t.Helper()
		for _, door := range doors {
			text, err := json.Marshal(wim.graphQL(door, nil))
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), `"salaries"`) {
				n++
			}
		}
		return n
	}
	testclock.Await(t, "the other server shows the entity", func() bool { return seen() == len(doors) })
	for round := range 3 {
		for _, policy := range []struct {
			state string
			seen  int
		}{{"active", 0}, {"inactive", len(doors)}} {
			body, _ := json.Marshal(map[string]string{"text": "policies: [{id: private, name: Private, state: " + policy.state + ", deny: [READ], who: {users: [wim]}, on: {tags: [private]}}]"})
			if status, answer := system.send(http.MethodPost, "/access/policies/apply", string(body)); status != http.StatusOK {
				t.Fatal(status, answer)
			}
			if !testclock.Poll(revocationTime, func() bool { return seen() == policy.seen }) {
				t.Errorf("round %d: a second after the policy became %s, the other server shows the entity at %d doors", round, policy.state, seen())
			}
			for range 3 {
				if second := seen(); second != policy.seen {
					t.Errorf("round %d: the policy is %s, and the other server shows the entity at %d doors again", round, policy.state, second)
				}
			}
		}
	}
	one.stop()
	other.stop()
}
