package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
)

// liar is a server in memory that acknowledges every write. A test can make it commit a certain fault.
type liar struct {
	mu       sync.Mutex
	versions map[string][]json.RawMessage // by URN and aspect, the oldest first
	fault    string
}

func (l *liar) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case r.URL.Query().Get("action") == "ingestProposal":
		var body struct {
			Proposal struct {
				URN    string `json:"entityUrn"`
				Aspect string `json:"aspectName"`
				Value  struct {
					Text string `json:"value"`
				} `json:"aspect"`
			} `json:"proposal"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		p := body.Proposal
		key := p.URN + " " + p.Aspect
		if l.fault == "forgets" && len(l.versions[key]) == 3 {
			l.fault = "has forgotten"
			return
		}
		l.versions[key] = append(l.versions[key], json.RawMessage(p.Value.Text))
		if n := len(l.versions[key]); l.fault == "reorders" && n == 4 {
			slices.Reverse(l.versions[key])
		}
	case r.URL.Query().Get("action") == "search":
		var body struct {
			Input string `json:"input"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body) // the checker has sent valid JSON
		found := []string{}
		for key, list := range l.versions {
			looked := list[len(list)-1:]
			if l.fault == "finds the past" {
				looked = list
			}
			for _, value := range looked {
				if strings.Contains(string(value), strings.Trim(body.Input, `"`)) {
					found = append(found, strings.Fields(key)[0])
				}
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"value": map[string]any{"metadata": map[string]any{"urns": found}}})
	case r.URL.Path == "/relationships":
		related := []string{}
		if list := l.versions[r.URL.Query().Get("urn")+" upstreamLineage"]; len(list) > 0 && l.fault != "has no edges" {
			var value struct{ Upstreams []struct{ Dataset string } }
			_ = json.Unmarshal(list[len(list)-1], &value) // the checker has sent valid JSON
			for _, u := range value.Upstreams {
				related = append(related, u.Dataset)
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"entities": related})
	default:
		l.read(w, r)
	}
}

// read answers with a version of an aspect. 0 is the latest version, others are archived.
func (l *liar) read(w http.ResponseWriter, r *http.Request) {
	urn, _ := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), "/aspects/"))
	list := l.versions[urn+" "+r.URL.Query().Get("aspect")]
	number := int(r.URL.Query().Get("version")[0] - '0')
	gap := l.fault == "has a gap" && number == 2
	if number == 0 {
		number = len(list)
	} else if number >= len(list) {
		number = 0
	}
	if number == 0 || gap {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"aspect": map[string]any{"record": list[number-1]}})
}

// TestCheckerNotices: the checker finds each fault of a server, and finds none in a server
// without faults.
func TestCheckerNotices(t *testing.T) {
	for fault, want := range map[string]string{
		"":               "",
		"forgets":        "1 acknowledged writes are not among its versions",
		"reorders":       "not in the order of the writes",
		"has a gap":      "a gap: there is a version 3",
		"has no edges":   "its edges are []",
		"finds the past": "still finds the value before the latest",
	} {
		t.Run("it "+fault, func(t *testing.T) {
			fake := httptest.NewServer(&liar{versions: map[string][]json.RawMessage{}, fault: fault})
			defer fake.Close()
			s := &server{}
			s.base.Store(fake.URL)
			check := newChecker(s)
			e := check.entry("one")
			for range 5 {
				if r := check.write(t.Context(), check.client, e); !r.ok() {
					t.Fatal(r)
				}
				if r := check.relate(t.Context(), check.client, e); !r.ok() {
					t.Fatal(r)
				}
			}
			v := check.verify(t.Context(), true)
			said := strings.Join(v.problems, "\n")
			if want == "" && said != "" || !strings.Contains(said, want) {
				t.Errorf("the checker says %q, want %q", said, want)
			}
			if lost := v.lost > 0; lost != (fault == "forgets") {
				t.Errorf("%d writes are counted as lost", v.lost)
			}
		})
	}
}
