package rest

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestOverlayRequests: a request with a wrong overlay or without an overlay is refused with 400 and a sentence.
func TestOverlayRequests(t *testing.T) {
	server := newServer(t)
	urn := url.PathEscape("urn:li:dataset:(urn:li:dataPlatform:hive,overlay,PROD)")
	const status = `{"overlay":[{"entityType":"dataset","entityUrn":"urn:li:dataset:(urn:li:dataPlatform:hive,overlay,PROD)","aspectName":"status","aspect":{"json":{"removed":false}}}]}`
	for _, path := range []string{"/lineage/", "/impact/"} {
		for _, one := range []struct {
			query, body, want string
			status            int
		}{
			{"", `{}`, "the body has no overlay", http.StatusBadRequest},
			{"", ``, "no body", http.StatusBadRequest},
			{"", `{"overlay":[{"entityUrn":"x"}]}`, "overlay[0]", http.StatusBadRequest},
			{"?asOf=1", status, "about the present", http.StatusBadRequest},
			{"?hops=none", status, "hops", http.StatusBadRequest},
			{"", status, `"entities"`, http.StatusOK}, // only the overlay has the dataset
		} {
			answer, err := http.Post(server.URL+path+urn+one.query, "application/json", strings.NewReader(one.body))
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(answer.Body)
			if err != nil {
				t.Fatal(err)
			}
			if err := answer.Body.Close(); err != nil {
				t.Fatal(err)
			}
			if answer.StatusCode != one.status || !strings.Contains(string(text), one.want) {
				t.Errorf("%s%s %s: %d %s, want %d %q", path, one.query, one.body, answer.StatusCode, text, one.status, one.want)
			}
		}
	}
}

// TestOverlayDiffRequests: a comparison needs an overlay, and hops and an entity that are right.
func TestOverlayDiffRequests(t *testing.T) {
	server := newServer(t)
	const urn = "urn:li:dataset:(urn:li:dataPlatform:hive,overlaid,PROD)"
	const status = `{"overlay":[{"entityType":"dataset","entityUrn":"` + urn + `","aspectName":"status","aspect":{"json":{"removed":false}}}]}`
	for _, one := range []struct {
		query, body, want string
		status            int
	}{
		{"", `{}`, "the body has no overlay", http.StatusBadRequest},
		{"?hops=6", status, "hops is 1 to 5", http.StatusBadRequest},
		{"?urn=nonsense", status, "invalid urn", http.StatusBadRequest},
		{"?urn=" + url.QueryEscape(urn), status, `"change":"added"`, http.StatusOK},
		{"", `{"overlay":[]}`, `"tables":[]`, http.StatusOK},
	} {
		answer, err := http.Post(server.URL+"/overlay-diff"+one.query, "application/json", strings.NewReader(one.body))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		if err := answer.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode != one.status || !strings.Contains(string(text), one.want) {
			t.Errorf("%s %s: %d %s, want %d %q", one.query, one.body, answer.StatusCode, text, one.status, one.want)
		}
	}
}
