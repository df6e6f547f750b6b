package copying_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/client/copying"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/sample"
)

// beyond are entities of types that a search without types leaves out, and a soft-deleted
// entity.
var beyond = []string{
	"urn:li:structuredProperty:io.acme.tier", "propertyDefinition", `{"qualifiedName":"io.acme.tier","valueType":"urn:li:dataType:datahub.string","entityTypes":["urn:li:entityType:datahub.dataset"]}`,
	table("priced"), "structuredProperties", `{"properties":[{"propertyUrn":"urn:li:structuredProperty:io.acme.tier","values":[{"string":"gold"}]}]}`,
	"urn:li:form:review", "formInfo", `{"name":"Review","type":"COMPLETION","prompts":[]}`,
	"urn:li:dataProcessInstance:one", "dataProcessInstanceProperties", `{"name":"one","created":{"time":1,"actor":"urn:li:corpuser:ada"}}`,
	"urn:li:dataProcessInstance:one", "dataProcessInstanceRunEvent", `{"timestampMillis":1795046400000,"status":"STARTED"}`,
	"urn:li:dataProcessInstance:one", "dataProcessInstanceRunEvent", `{"timestampMillis":1795046460000,"status":"COMPLETE"}`,
	"urn:li:tag:gone", "status", `{"removed":true}`,
	"urn:li:dataset:(urn:li:dataPlatform:hive,a%28b%29 ü\"%2C,PROD)", "datasetProperties", `{"description":"\u2603 <b>","customProperties":{"n":"1.50"}}`,
}

func table(name string) string { return "urn:li:dataset:(urn:li:dataPlatform:hive," + name + ",PROD)" }

// wholeSource is a source with the sample, the entities of beyond, and the entities that every server has
// from its start.
func wholeSource(t *testing.T, odd oddity) side {
	t.Helper()
	from := serve(t, testcatalog.New(t), odd)
	if _, err := from.AddPlatforms(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := sample.Load(t.Context(), from.Services); err != nil {
		t.Fatal(err)
	}
	from.write(t, "nightly", beyond...)
	return from
}

// sameContents compares the exports of source and target.
func sameContents(t *testing.T, from, to side) {
	t.Helper()
	source, target := from.contents(t), to.contents(t)
	if len(source) < 3000 {
		t.Fatalf("only %d values and edges were compared", len(source))
	}
	if diff := cmp.Diff(source, target); diff != "" {
		t.Errorf("the exports differ (- source, + target):\n%s", diff[:min(len(diff), 4000)])
	}
}

// TestCopy: source and target have the same export after a copy. A second copy writes only
// the values that have changed since the first.
func TestCopy(t *testing.T) {
	from, to := wholeSource(t, honest), serve(t, testcatalog.New(t), nil)
	seen := 0
	report, err := copyOf(t, from, to, func(o *copying.Options) {
		o.Progress = func(done, total int) {
			if done <= seen || done > total {
				t.Errorf("%d of %d after %d", done, total, seen)
			}
			seen = done
		}
	})
	if err != nil {
		t.Fatalf("%v: %+v", err, report.Differences)
	}
	total := report.Total
	if len(report.Types) < 27 || total.Entities.Source != seen || total.Entities.Here != seen || total.Aspects.Source != total.Aspects.Here ||
		total.Values.Source != total.Values.Here || total.Values.Source < 900 || report.Uncounted != "" {
		t.Errorf("%d types, %d entities seen: %+v, not counted: %s", len(report.Types), seen, total, report.Uncounted)
	}
	for _, name := range []string{"assertion", "query", "structuredProperty", "form", "dataProcessInstance"} {
		if !slices.ContainsFunc(report.Types, func(r copying.TypeReport) bool { return r.Type == name && r.Entities.Here > 0 }) {
			t.Errorf("no %s was copied", name)
		}
	}
	sameContents(t, from, to)

	second, err := copyOf(t, from, to, nil)
	if err != nil || second.Written.Aspects+second.Written.Values > 0 || second.Total.Entities != total.Entities {
		t.Errorf("again: %+v %v", second.Written, err)
	}
	from.write(t, "later", "urn:li:tag:gone", "status", `{"removed":false}`, "urn:li:tag:new", "tagProperties", `{"name":"new"}`,
		"urn:li:dataProcessInstance:one", "dataProcessInstanceRunEvent", `{"timestampMillis":1795046460001,"status":"STARTED"}`)
	if compared, err := copyOf(t, from, to, func(o *copying.Options) { o.DryRun = true }); !errors.Is(err, copying.ErrIncomplete) || compared.DifferenceCount != 3 || compared.Written.Aspects > 0 {
		t.Errorf("a dry run: %d differences %+v, %v", compared.DifferenceCount, compared.Differences, err)
	}
	third, err := copyOf(t, from, to, nil)
	if err != nil || third.Written.Aspects != 3 || third.Written.Values != 1 {
		t.Errorf("after changes: %+v %v", third.Written, err)
	}
	sameContents(t, from, to)
}

// of0105 imitates a server of release 0.10.5. It does not describe its model, it refuses
// newer entity types and time series, and it has no interface but Rest.li.
func of0105(w http.ResponseWriter, path, body string, next func() *httptest.ResponseRecorder) {
	switch {
	case strings.HasPrefix(path, "/openapi/"):
		reply(w, http.StatusNotFound, `{"timestamp":1,"status":404,"error":"Not Found"}`)
	case path == "/config":
		answer := next().Body.String()
		reply(w, http.StatusOK, strings.Replace(answer, "acryldata/datahub", "other", 1))
	case path == "/entities?action=listUrns" && strings.Contains(body, `"agentSkill"`):
		refuse(w, http.StatusBadRequest, "Failed to find entity with name agentSkill in EntityRegistry")
	case path == "/aspects?action=getTimeseriesAspectValues" && strings.Contains(body, "queryUsageStatistics"):
		refuse(w, http.StatusInternalServerError, "com.datahub.util.exception.ESQueryException: Search query failed:")
	case path == "/aspects?action=getCount" && strings.Contains(body, "subTypes"):
		refuse(w, http.StatusForbidden, "User is unauthorized to get aspect counts.")
	default:
		honest(w, path, body, next)
	}
}

func TestCopyFrom0105(t *testing.T) {
	from, to := wholeSource(t, of0105), serve(t, testcatalog.New(t), nil)
	report, err := copyOf(t, from, to, nil)
	if err != nil || report.Release != "v0.10.5" || !strings.Contains(report.Uncounted, "unauthorized") {
		t.Fatalf("%v: release %s, not counted: %s, %+v", err, report.Release, report.Uncounted, report.Differences)
	}
	sameContents(t, from, to)
}

// some are the entities of small sources.
var some = []string{
	"urn:li:tag:a", "tagProperties", `{"name":"a"}`, "urn:li:tag:b", "tagProperties", `{"name":"b"}`, "urn:li:tag:c", "tagProperties", `{"name":"c"}`,
	"urn:li:tag:c", "status", `{"removed":true}`, table("t"), "operation", operation(3), table("t"), "operation", operation(2), table("t"), "operation", operation(1),
}

func operation(at int) string {
	return fmt.Sprintf(`{"timestampMillis":%d,"lastUpdatedTimestamp":%d,"operationType":"INSERT"}`, at, at)
}

// inPages lists URNs in pages of two. If overlap is 1, each page repeats the last URN of
// the page before.
func inPages(overlap int) oddity {
	return func(w http.ResponseWriter, path, body string, next func() *httptest.ResponseRecorder) {
		if path != "/entities?action=listUrns" || !strings.Contains(body, `"tag"`) {
			honest(w, path, body, next)
			return
		}
		all := []string{"urn:li:tag:a", "urn:li:tag:b", "urn:li:tag:c"}
		var asked struct{ Start int }
		_ = json.Unmarshal([]byte(body), &asked)
		first := min(max(asked.Start-overlap, 0), len(all))
		text, _ := json.Marshal(map[string]any{"value": map[string]any{"entities": all[first:min(first+2, len(all))], "total": len(all) + overlap}})
		if strings.Contains(body, `"count":1,`) {
			text = []byte(`{"value":{"entities":["urn:li:tag:a"],"total":3}}`)
		}
		reply(w, http.StatusOK, string(text))
	}
}

// TestOddSources: a copy checks the source's answers about its entities. An answer that is
// wrong becomes a difference about one entity or about a number, and all other entities are
// copied.
func TestOddSources(t *testing.T) {
	const (
		list, read, values, count = "/entities?action=listUrns", "/entitiesV2", "/aspects?action=getTimeseriesAspectValues", "/aspects?action=getCount"
		scroll                    = "/entities?action=scrollAcrossEntities"
	)
	for name, c := range map[string]struct {
		odd oddity
		// want are the beginnings of the expected differences, sorted.
		want []string
	}{
		"honest":              {honest, nil},
		"small pages":         {inPages(0), nil},
		"pages that overlap":  {inPages(1), nil},
		"more than it lists":  {replacing(list, `"total":3`, `"total":4`), []string{"tag: the source counts 4 of them, and listed 3"}},
		"fewer than it lists": {replacing(list, `"total":3`, `"total":2`), []string{"tag: the source counts 2 of them, and listed 3"}},
		"an entity twice":     {replacing(list, `"urn:li:tag:b",`, `"urn:li:tag:b","urn:li:tag:b",`), nil},
		"nothing of an entity": {replacing(read, `"urn:li:tag:b":{`, `"urn:li:tag:bb":{`), []string{
			"tag tagKey: the source counts 3 values, and 2 were read", "tag tagProperties: the source counts 3 values, and 2 were read",
			"urn:li:tag:b: the source does not answer: it lists the entity and answers nothing",
		}},
		"an aspect is left out": {func(w http.ResponseWriter, path, body string, next func() *httptest.ResponseRecorder) {
			if path != read {
				honest(w, path, body, next)
				return
			}
			var answer struct {
				Results map[string]struct {
					Aspects map[string]any `json:"aspects"`
				} `json:"results"`
			}
			_ = json.Unmarshal(next().Body.Bytes(), &answer)
			for _, one := range answer.Results {
				delete(one.Aspects, "status")
			}
			text, _ := json.Marshal(answer)
			reply(w, http.StatusOK, string(text))
		}, []string{"tag status: the source counts 1 values, and 0 were read"}},
		"an aspect that no model has": {replacing(read, `"tagProperties":{`, `"tagColours":{`), []string{
			"tag tagProperties: the source counts 3 values, and 0", "urn:li:tag:a tagColours: the server refused it: Unknown aspect", "urn:li:tag:b tagColours", "urn:li:tag:c tagColours",
		}},
		"a value that does not fit": {replacing(read, `"name":"b"`, `"name":["b"]`), []string{"urn:li:tag:b tagKey: the server refused it", "urn:li:tag:b tagProperties: the server refused it"}},
		"no counts":                 {refusing(count, "", http.StatusForbidden, "unauthorized"), nil},
		"values in the wrong order": {replacing(values, `\"timestampMillis\":1`, `\"timestampMillis\":9`), []string{table("t") + " operation: the source does not answer: its answer is not what the interface says: the values of operation are not the newest first"}},
		"values that are refused":   {refusing(values, `"operation"`, http.StatusInternalServerError, "search failed"), []string{table("t") + " operation: the source does not answer: search failed"}},
		"values that are no JSON":   {replacing(values, `\"INSERT\"`, `INSERT`), []string{table("t") + " operation: the source does not answer: its answer is not"}},
		"values of all times": {func(w http.ResponseWriter, path, body string, next func() *httptest.ResponseRecorder) {
			if path == values && strings.Contains(body, `"operation"`) {
				text, _ := json.Marshal(map[string]any{"value": map[string]any{"values": []any{map[string]any{"aspect": map[string]string{"value": operation(9)}}, map[string]any{"aspect": map[string]string{"value": operation(8)}}}}})
				reply(w, http.StatusOK, string(text))
				return
			}
			honest(w, path, body, next)
		}, []string{table("t") + " operation: the source does not answer: its answer is not what the interface says: the values of operation are newer"}},
		"an entity without a key": {func(w http.ResponseWriter, path, body string, next func() *httptest.ResponseRecorder) {
			answer := next()
			text := answer.Body.String()
			switch path {
			case list:
				text = strings.NewReplacer(`,"urn:li:tag:b"`, "", `"total":3`, `"total":2`).Replace(text)
			case count:
				if strings.Contains(body, "tagKey") {
					text = strings.Replace(text, "3", "2", 1)
				}
			}
			reply(w, answer.Code, text)
		}, nil},
		"no search": {func(w http.ResponseWriter, path, body string, next func() *httptest.ResponseRecorder) {
			if path == scroll {
				refuse(w, http.StatusInternalServerError, "no search")
				return
			}
			replacing(count, `{"value":3}`, `{"value":4}`)(w, path, body, next)
		}, []string{"tag tagKey: the source counts 4", "tag tagProperties: the source counts 4"}},
		"a type that the server does not have": {func(w http.ResponseWriter, path, body string, next func() *httptest.ResponseRecorder) {
			switch {
			case path == "/openapi/v1/registry/models/entity/specifications":
				reply(w, http.StatusOK, `{"start":0,"count":2,"total":2,"elements":[{"name":"tag","keyAspectName":"tagKey","aspectSpecs":[]},{"name":"rocket","keyAspectName":"rocketKey","aspectSpecs":[]}]}`)
			case path == list && strings.Contains(body, `"rocket"`):
				reply(w, http.StatusOK, `{"value":{"entities":["urn:li:rocket:one"],"start":0,"count":1,"total":1}}`)
			default:
				honest(w, path, body, next)
			}
		}, []string{"rocket: the source has 1 of them, and the model of the server does not have", "urn:li:rocket:one: the source does not answer"}},
		"429 and 503 at first": {func() oddity {
			answered := map[string]int{}
			return func(w http.ResponseWriter, path, body string, next func() *httptest.ResponseRecorder) {
				if path == scroll || path != list || !strings.Contains(body, `"tag"`) || answered[path] > 1 {
					honest(w, path, body, next)
					return
				}
				answered[path]++
				refuse(w, []int{http.StatusTooManyRequests, http.StatusServiceUnavailable}[answered[path]-1], "busy")
			}
		}(), nil},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := filled(t, c.odd, some...), serve(t, testcatalog.New(t), nil)
			var lines bytes.Buffer
			report, err := copyOf(t, from, to, func(o *copying.Options) { o.Differences = &lines })
			if (len(c.want) > 0) != errors.Is(err, copying.ErrIncomplete) || err != nil && len(c.want) == 0 {
				t.Fatalf("%v: %+v", err, report)
			}
			var got []string
			for _, d := range report.Differences {
				about := d.Type
				if d.URN != "" {
					about = d.URN
				}
				got = append(got, strings.TrimSuffix(about+" "+d.Aspect, " ")+": "+d.Message)
			}
			slices.Sort(got)
			if len(got) != len(c.want) || report.DifferenceCount != len(got) || strings.Count(lines.String(), "\n") != len(got) {
				t.Fatalf("%d differences, want %d:\n%s", len(got), len(c.want), strings.Join(got, "\n"))
			}
			for i := range got {
				if !strings.HasPrefix(got[i], c.want[i]) {
					t.Errorf("%s\nwant %s", got[i], c.want[i])
				}
			}
			target := to.contents(t)
			for _, urn := range []string{"urn:li:tag:a", "urn:li:tag:c"} {
				if target[urn+" tagKey"] == "" {
					t.Errorf("%s is not copied", urn)
				}
			}
			if len(c.want) == 0 && !cmp.Equal(from.contents(t), target) {
				t.Error(cmp.Diff(from.contents(t), target))
			}
		})
	}
}

// TestNoSource: a server that is not a metadata service, or a source that stops answering,
// ends a copy. A later copy continues.
func TestNoSource(t *testing.T) {
	var broken bool
	for name, c := range map[string]struct {
		odd  oddity
		want string
	}{
		"the web application": {replacing("/config", `{"datahub"`, `{"config":{"application":"datahub-frontend"},"datahub"`), "is not a metadata service"},
		"another program":     {refusing("/config", "", http.StatusNotFound, "no such page"), "is not a metadata service"},
		"a page": {func(w http.ResponseWriter, _, _ string, _ func() *httptest.ResponseRecorder) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>Log in</html>")
		}, "it is not the metadata service of a catalog"},
		"no listing": {refusing("/entities?action=listUrns", "", http.StatusNotFound, "No root resource defined"), "listing entities of type"},
		"the same page": {func(w http.ResponseWriter, path, body string, next func() *httptest.ResponseRecorder) {
			if path == "/entities?action=listUrns" && strings.Contains(body, `"tag"`) {
				reply(w, http.StatusOK, `{"value":{"entities":["urn:li:tag:a"],"total":9}}`)
				return
			}
			honest(w, path, body, next)
		}, "the page before"},
		"refused from then": {func(w http.ResponseWriter, path, body string, next func() *httptest.ResponseRecorder) {
			if broken && path == "/aspects?action=getTimeseriesAspectValues" {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			honest(w, path, body, next)
		}, "HEADWATER_SOURCE_TOKEN"},
	} {
		t.Run(name, func(t *testing.T) {
			broken = true
			from, to := filled(t, c.odd, some...), serve(t, testcatalog.New(t), nil)
			_, err := copyOf(t, from, to, nil)
			if err == nil || errors.Is(err, copying.ErrIncomplete) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), token) {
				t.Fatalf("%v, want %q", err, c.want)
			}
			broken = false
			if report, err := copyOf(t, from, to, nil); name == "refused from then" && (err != nil || !cmp.Equal(from.contents(t), to.contents(t))) {
				t.Errorf("again: %v %+v", err, report.Differences)
			}
		})
	}
}

// TestRefusedReads: a source that refuses every read ends a copy. If a source refuses some
// entities, the others are copied.
func TestRefusedReads(t *testing.T) {
	var texts []string
	for n := range 60 {
		texts = append(texts, fmt.Sprintf("urn:li:tag:%02d", n), "tagProperties", `{"name":"x"}`)
	}
	broken := func(every bool) oddity {
		return func(w http.ResponseWriter, path, body string, next func() *httptest.ResponseRecorder) {
			if path != "/entitiesV2" {
				honest(w, path, body, next)
				return
			}
			answer := next()
			if every || strings.Contains(answer.Body.String(), `"urn:li:tag:07"`) {
				refuse(w, http.StatusInternalServerError, "cannot be decoded")
				return
			}
			reply(w, answer.Code, answer.Body.String())
		}
	}
	to := serve(t, testcatalog.New(t), nil)
	if _, err := copyOf(t, filled(t, broken(true), texts...), to, nil); err == nil || !strings.Contains(err.Error(), "reads one after the other") {
		t.Errorf("a source that refuses everything: %v", err)
	}
	report, err := copyOf(t, filled(t, broken(false), texts...), to, nil)
	if !errors.Is(err, copying.ErrIncomplete) || report.Total.Entities != (copying.Both{Source: 60, Here: 59}) || report.Differences[0].URN != "urn:li:tag:07" {
		t.Errorf("a source that refuses one entity: %v %+v", err, report)
	}
}

// TestLongSeries: time series are read in pages, even if many values have the same time.
// Answers that are too long are requested in smaller parts.
func TestLongSeries(t *testing.T) {
	var texts []string
	add := func(at int, more string) {
		texts = append(texts, table("t"), "operation", fmt.Sprintf(`{"timestampMillis":%d,"lastUpdatedTimestamp":%d,"operationType":"INSERT"%s}`, at, at, more))
	}
	for n := range 450 {
		add(1000+n, "")
	}
	for n := range 250 {
		add(1100, fmt.Sprintf(`,"messageId":"%d"`, n))
	}
	for n := range 6 {
		add(n, `,"affectedDatasets":["`+table(strings.Repeat("x", 400))+`"]`)
	}
	from, to := filled(t, honest, texts...), serve(t, testcatalog.New(t), nil)
	report, err := copyOf(t, from, to, nil)
	if want := (copying.Both{Source: 706, Here: 706}); err != nil || report.Total.Values != want || !cmp.Equal(from.contents(t), to.contents(t)) {
		t.Errorf("%v %+v %+v", err, report.Total, report.Differences)
	}
	if text, err := json.Marshal(report); err != nil || bytes.Contains(text, []byte(token)) {
		t.Errorf("%s %v", text, err)
	}
}

// TestNewerSource: if the source is newer than the model, fields that the model lacks are
// kept.
func TestNewerSource(t *testing.T) {
	for release, want := range map[string]bool{"v1.4.0": false, "v99.0.0": true} {
		odd := func(w http.ResponseWriter, path, body string, next func() *httptest.ResponseRecorder) {
			answer := next()
			reply(w, answer.Code, strings.NewReplacer("v1.4.0", release, `"description":"d"`, `"description":"d","shape":{"sides":3}`).Replace(answer.Body.String()))
		}
		from, to := filled(t, odd, "urn:li:tag:a", "tagProperties", `{"name":"a","description":"d"}`), serve(t, testcatalog.New(t), nil)
		report, err := copyOf(t, from, to, nil)
		if kept := strings.Contains(to.contents(t)["urn:li:tag:a tagProperties"], `"shape":{"sides":3}`); kept != want || want != (err == nil) {
			t.Errorf("%s: kept %t, %v %+v", release, kept, err, report.Differences)
		}
	}
}
