package rest

import (
	"net/http"
	"strings"
	"testing"
)

// bad are texts in JSON that decoders would replace, because Unicode does not have them.
var bad = []string{`\ud800`, `\udc00\ud800`, `\ud83dx`, "\xff", "\xed\xa0\x80", "\xc3"}

func proposalOf(urn, value string) string {
	return `{"proposal":{"entityType":"tag","entityUrn":"` + urn + `","changeType":"UPSERT","aspectName":"tagProperties","aspect":{"value":"` + value + `","contentType":"application/json"}}}`
}

// TestBadText: invalid Unicode is refused in every part of a request, and the request
// changes nothing.
func TestBadText(t *testing.T) {
	h := guarded(t, Guard{})
	for _, text := range bad {
		escaped := strings.ReplaceAll(text, `\`, `\\`)
		for name, body := range map[string]string{
			"/aspects?action=ingestProposal a urn":   proposalOf("urn:li:tag:"+text, `{\"name\":\"x\"}`),
			"/aspects?action=ingestProposal a value": proposalOf("urn:li:tag:x", `{\"name\":\"`+escaped+`\"}`),
			"/aspects?action=ingestProposal a patch": `{"proposal":{"entityType":"dataset","entityUrn":"urn:li:dataset:(urn:li:dataPlatform:hive,x,PROD)","changeType":"PATCH","aspectName":"globalTags","aspect":{"value":"[{\"op\":\"add\",\"path\":\"/tags/urn:li:tag:` + escaped + `\",\"value\":{}}]","contentType":"application/json-patch+json"}}}`,
			"/aspects?action=ingestProposal a run":   strings.Replace(proposalOf("urn:li:tag:x", `{\"name\":\"x\"}`), `"proposal":{`, `"proposal":{"systemMetadata":{"runId":"`+text+`"},`, 1),
			"/entities?action=ingest a snapshot":     `{"entity":{"value":{"com.linkedin.metadata.snapshot.TagSnapshot":{"urn":"urn:li:tag:x","aspects":[{"com.linkedin.tag.TagProperties":{"name":"` + text + `"}}]}}}}`,
			"/entities?action=search words":          `{"input":"` + text + `","entity":"dataset","start":0,"count":1,"facets":[]}`,
			"/entities?action=delete a urn":          `{"urn":"urn:li:tag:` + text + `"}`,
			"/import a line":                         `{"header":{"format":1,"time":0}}` + "\n" + `{"entity":"urn:li:tag:` + text + `"}`,
		} {
			target, _, _ := strings.Cut(name, " ")
			w := send(h, "POST", target, body)
			if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "surrogate pair") && !strings.Contains(w.Body.String(), "UTF-8") {
				t.Errorf("%s with %q: %d %s", name, text, w.Code, w.Body)
			}
		}
		for _, body := range []string{
			`{"query":"mutation { createTag(input: {id: \"x\", name: \"` + escaped + `\"}) }"}`,
			`{"query":"mutation m($n: String!) { createTag(input: {id: \"x\", name: $n}) }","variables":{"n":"` + text + `"}}`,
			`{"query":"{ entityExists(urn: \"urn:li:tag:x\") }","operationName":"` + text + `"}`,
		} {
			w := send(h, "POST", "/api/graphql", body)
			if !strings.Contains(w.Body.String(), "surrogate pair") && !strings.Contains(w.Body.String(), "UTF-8") || !strings.Contains(w.Body.String(), `"data":null`) {
				t.Errorf("%s: %d %s", body, w.Code, w.Body)
			}
		}
	}
	for _, target := range []string{
		"/entities/urn%3Ali%3Atag%3A%ff", "/entities/%ed%a0%80", "/relationships?direction=INCOMING&types=%ff&urn=urn%3Ali%3Atag%3Ax", "/relationships?direction=INCOMING&urn=urn%3Ali%3Atag%3A%c3",
		"/entities?ids=List(urn%3Ali%3Atag%3A%ff)", "/entities?ids=List%28urn%253Ali%253Atag%253A%25ff%29", "/aspects/urn%3Ali%3Atag%3Ax?aspect=%ff&version=0", "/events?from=%c3%28",
	} {
		if w := send(h, "GET", target, ""); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d %s", target, w.Code, w.Body)
		}
	}
	for _, header := range []string{"X-DataHub-Actor", "Last-Event-ID", "X-Headwater-Wait"} {
		if w := send(h, "GET", "/events", "", header, "urn:li:corpuser:\xff"); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d %s", header, w.Code, w.Body)
		}
	}
	if w := send(h, "GET", "/events", ""); strings.Contains(w.Body.String(), "entityUrn") {
		t.Errorf("something was written: %s", w.Body)
	}
	for _, text := range []string{`\ud83d\ude00`, `😀`, `\ufffd`} {
		if w := send(h, "POST", "/aspects?action=ingestProposal", proposalOf("urn:li:tag:"+text, `{\"name\":\"`+strings.ReplaceAll(text, `\`, `\\`)+`\"}`)); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", text, w.Code, w.Body)
		}
	}
}

// TestEchoes: an error repeats at most one line of a request, even if the request is long.
func TestEchoes(t *testing.T) {
	h := guarded(t, Guard{})
	long := strings.Repeat("ä", 200_000)
	key := strings.Repeat(`{\"`+long[:2000]+`\":1},`, 50)
	urn := "urn:li:tag:" + long
	quoted := `"` + long + `"`
	requests := [][3]string{
		{"POST", "/aspects?action=ingestProposal", proposalOf(urn, `{}`)},
		{"POST", "/aspects?action=ingestProposal", proposalOf("urn:li:tag:x", `{\"name\":\"x\",\"`+long+`\":1}`)},
		{"POST", "/aspects?action=ingestProposal", proposalOf("urn:li:tag:x", `{\"name\":[`+key+`1]}`)},
		{"POST", "/aspects?action=ingestProposal", proposalOf("urn:li:tag:x", long)},
		{"POST", "/aspects?action=ingestProposal", strings.Replace(proposalOf("urn:li:tag:x", `{}`), `"tagProperties"`, quoted, 1)},
		{"POST", "/aspects?action=ingestProposal", strings.Replace(proposalOf("urn:li:tag:x", `{}`), `"tag"`, quoted, 1)},
		{"POST", "/aspects?action=ingestProposal", strings.Replace(proposalOf("urn:li:tag:x", `{}`), `"UPSERT"`, quoted, 1)},
		{"POST", "/aspects?action=ingestProposal", strings.Replace(proposalOf("urn:li:tag:x", `{}`), `application/json`, long, 1)},
		{"POST", "/aspects?action=ingestProposalBatch", `{"proposals":` + quoted + `}`},
		{"POST", "/entities?action=ingest", `{"entity":{"value":{` + quoted + `:{}}}}`},
		{"POST", "/entities?action=search", `{"input":"*","entity":` + quoted + `,"start":0,"count":1,"facets":[]}`},
		{"POST", "/entities?action=search", `{"input":"*","entity":"dataset","start":0,"count":1,"facets":[` + quoted + `]}`},
		{"POST", "/entities?action=search", `{"input":"*","entity":"dataset","start":0,"count":1,"facets":[],"filter":{"or":[{"and":[{"field":` + quoted + `,"value":"x"}]}]}}`},
		{"POST", "/entities?action=search", `{"input":"*","entity":"dataset","start":0,"count":1,"facets":[],"filter":{"or":[{"and":[{"field":"name","value":"x","condition":` + quoted + `}]}]}}`},
		{"POST", "/entities?action=delete", `{"urn":` + quoted + `}`},
		{"POST", "/entities?action=" + long, `{}`},
		{"POST", "/import", `{"entity":` + quoted + `}`},
		{"POST", "/import", long},
		{"GET", "/" + long, ""},
		{"PUT", "/entities/" + long, ""},
		{"GET", "/entities/" + long, ""},
		{"GET", "/relationships?direction=" + long + "&urn=urn:li:tag:x", ""},
		{"GET", "/relationships?direction=INCOMING&start=" + long + "&urn=urn:li:tag:x", ""},
		{"GET", "/aspects/urn%3Ali%3Atag%3Ax?aspect=" + long + "&version=0", ""},
		{"GET", "/events?from=" + long, ""},
		{"POST", "/api/graphql", `{"query":"{ ` + strings.Repeat("x", 200_000) + ` }"}`},
		{"POST", "/api/graphql", `{"query":"{ entity(urn: \"` + long + `\") { urn } }"}`},
		{"POST", "/api/graphql", `{"query":"{ search(input: {type: \"` + long + `\", query: \"x\"}) { total } }"}`},
		{"POST", "/api/graphql", `{"query":"{ entity(urn: [` + strings.Repeat("[", 20) + `\"` + long + `\"` + strings.Repeat("]", 20) + `]) { urn } }"}`},
		{"POST", "/api/graphql", `{"query":"query q($i: SearchInput!) { search(input: $i) { total } }","variables":{"i":{` + quoted + `:1}}}`},
		{"POST", "/api/graphql", `{"query":"query q($i: SearchInput!) { search(input: $i) { total } }","variables":{"i":{"type":` + quoted + `,"query":"x"}}}`},
		{"POST", "/api/graphql", `{"query":"{ __typename }","operationName":` + quoted + `}`},
		{"POST", "/api/graphql", `{"query":` + quoted + `}`},
	}
	for _, r := range requests {
		target := strings.ReplaceAll(r[1], "ä", "%C3%A4")
		w := send(h, r[0], target, r[2])
		if n := w.Body.Len(); n > 4000 || w.Code >= 500 || w.Code == http.StatusOK && !strings.Contains(w.Body.String(), "errors") && !strings.Contains(w.Body.String(), "failures") && !strings.Contains(r[2], "facets") {
			t.Errorf("%s %.60s %.90s: %d, %d bytes: %.300s", r[0], r[1], r[2], w.Code, n, w.Body)
		}
	}
}
