package cases

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/rest"
)

// restDoor asks over REST.
type restDoor struct{ handler http.Handler }

func newREST(c *services.Services) restDoor {
	registry := prometheus.NewRegistry()
	return restDoor{rest.New(rest.Options{Catalog: c, Registry: registry, Gatherer: registry})}
}

func (restDoor) name() string { return "rest" }

func (d restDoor) ask(q *question) (answer, error) {
	switch {
	case q.Lineage != nil:
		return d.get("/lineage/", q.Lineage.Of, q.Lineage.parameters(), lineageAnswer)
	case q.Impact != nil:
		if q.Impact.Columns || q.Impact.MergeSiblings || q.Impact.From != 0 || q.Impact.To != 0 {
			return nil, errNotExpressible
		}
		return d.get("/impact/", q.Impact.Of, q.Impact.parameters(), impactAnswer)
	case q.Diff != nil:
		if q.Diff.MergeSiblings || q.Diff.From != 0 || q.Diff.To != 0 {
			return nil, errNotExpressible
		}
		return d.get("/lineage-diff/", q.Diff.Of, q.Diff.parameters(), diffAnswer)
	case q.Search != nil:
		return d.search(q.Search)
	case q.Autocomplete != nil:
		return d.autocomplete(q.Autocomplete)
	case q.Browse != nil:
		return d.browse("browse", q.Browse)
	case q.BrowseV2 != nil:
		return d.browse("browseV2", q.BrowseV2)
	case q.BrowsePaths != nil:
		return act(d, "getBrowsePaths", map[string]any{"urn": q.BrowsePaths.Of}, func(paths *[]string) answer { return answer{"paths": *paths} })
	default:
		return act(d, "batchGetTotalEntityCount", map[string]any{"entities": q.Count.Types}, func(counts *map[string]int) answer { return answer{"counts": *counts} })
	}
}

// send sends a request. An answer other than 200 is a refusal.
func (d restDoor) send(method, target, body string) ([]byte, answer, error) {
	request := httptest.NewRequest(method, target, strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	d.handler.ServeHTTP(recorder, request)
	if recorder.Code == http.StatusOK {
		return recorder.Body.Bytes(), nil, nil
	}
	var refused struct{ Message string }
	if err := json.Unmarshal(recorder.Body.Bytes(), &refused); err != nil {
		return nil, nil, fmt.Errorf("%d %s: %w", recorder.Code, recorder.Body, err)
	}
	return nil, refusal(codeOf(recorder.Code), refused.Message), nil
}

// codeOf is the code of the catalog behind a status.
func codeOf(status int) string {
	switch status {
	case http.StatusBadRequest:
		return string(catalog.Invalid)
	case http.StatusNotFound:
		return string(catalog.NotFound)
	}
	return strconv.Itoa(status)
}

func (d restDoor) get(path, urn string, parameters url.Values, read func(text []byte, err error) (answer, error)) (answer, error) {
	text, refused, err := d.send(http.MethodGet, path+url.PathEscape(urn)+"?"+parameters.Encode(), "")
	if err != nil || refused != nil {
		return refused, err
	}
	return read(text, nil)
}

// act sends an action on entities and reads its value.
func act[T any](d restDoor, action string, body map[string]any, read func(value *T) answer) (answer, error) {
	value, refused, err := valueOf[T](d, action, body)
	if err != nil || refused != nil {
		return refused, err
	}
	return read(value), nil
}

func valueOf[T any](d restDoor, action string, body map[string]any) (*T, answer, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, nil, err
	}
	text, refused, err := d.send(http.MethodPost, "/entities?action="+action, string(text))
	if err != nil || refused != nil {
		return nil, refused, err
	}
	var result struct{ Value T }
	if err := json.Unmarshal(text, &result); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", text, err)
	}
	return &result.Value, nil, nil
}

// parameters are the members that differ from the defaults of the door.
func (w *walk) parameters() url.Values {
	p := url.Values{}
	set := func(name, value, otherwise string) {
		if value != otherwise {
			p.Set(name, value)
		}
	}
	set("direction", w.Direction, "")
	set("hops", strconv.Itoa(w.Hops), "0")
	set("reach", strconv.Itoa(w.Reach), "0")
	set("columns", strconv.FormatBool(w.Columns), "false")
	set("mergeSiblings", strconv.FormatBool(w.MergeSiblings), "false")
	set("asOf", w.AsOf, "")
	set("startTimeMillis", strconv.FormatInt(w.From, 10), "0")
	set("endTimeMillis", strconv.FormatInt(w.To, 10), "0")
	return p
}

func (f *where) add(p url.Values) {
	for name, values := range map[string][]string{
		"types": f.Types, "platforms": f.Platforms, "owners": f.Owners, "tags": f.Tags, "terms": f.Terms, "domains": f.Domains,
	} {
		for _, value := range values {
			p.Add(name, value)
		}
	}
}

func (q *lineageQuestion) parameters() url.Values {
	p := q.walk.parameters()
	q.Where.add(p)
	p.Set("count", strconv.Itoa(size(q.Count)))
	p.Set("start", strconv.Itoa(q.Start))
	p.Set("paths", strconv.Itoa(q.Paths))
	p.Set("edges", strconv.FormatBool(q.Edges))
	p.Set("basis", strconv.FormatBool(q.Basis))
	if q.Removed != "" {
		p.Set("removed", q.Removed)
	}
	return p
}

func (q *impactQuestion) parameters() url.Values {
	p := q.walk.parameters()
	q.Where.add(p)
	for name, value := range map[string]string{"removed": q.Removed, "change": q.Change, "only": q.Only} {
		if value != "" {
			p.Set(name, value)
		}
	}
	return p
}

func (q *diffQuestion) parameters() url.Values {
	p := q.walk.parameters()
	for name, value := range map[string]string{"before": q.Before, "after": q.After} {
		if value != "" {
			p.Set(name, value)
		}
	}
	return p
}

// foundOverREST is an answer to a search. Entities are texts, or objects among
// lineage.
type foundOverREST struct {
	NumEntities int
	Entities    []json.RawMessage
	ScrollID    string
	Partial     *bool
	Metadata    struct {
		URNs    []string
		Matches []struct {
			MatchedFields []struct{ Name, Value string }
		}
		Aggregations []struct {
			Name, DisplayName string
			Aggregations      map[string]int
		}
	}
}

func (d restDoor) search(q *searchQuestion) (answer, error) {
	if q.View != "" {
		return nil, errNotExpressible
	}
	body := map[string]any{"input": q.Input, "start": q.Start, "count": size(q.Count)}
	action := "searchAcrossEntities"
	if q.Scroll {
		action = "scrollAcrossEntities"
	}
	switch {
	case q.Among != nil:
		action = strings.Replace(action, "Entities", "Lineage", 1)
		if q.Among.Reach != 0 || q.Among.MergeSiblings || q.Among.Columns {
			return nil, errNotExpressible
		}
		body["urn"], body["direction"], body["maxHops"] = q.Among.Of, q.Among.direction(), q.Among.Hops
		body["asOf"], body["startTimeMillis"], body["endTimeMillis"] = millis(q.Among.AsOf), q.Among.From, q.Among.To
		body["entities"] = q.Types
	case len(q.Types) == 1 && !q.Scroll:
		action, body["entity"] = "search", q.Types[0]
	default:
		body["entities"] = q.Types
	}
	if q.Filter != nil {
		body["filter"] = q.Filter
	}
	if q.Sort != nil {
		body["sort"] = map[string]string{"field": q.Sort.Field, "order": q.Sort.Order}
	}
	if q.Facets != nil {
		body["facets"] = q.Facets
	}
	var refused answer
	a, err := pages(q, func(scroll string) (*found, error) {
		if scroll != "" {
			body["scrollId"] = scroll
		}
		value, no, err := valueOf[foundOverREST](d, action, body)
		if refused = no; err != nil || no != nil {
			return &found{}, err
		}
		return value.found(q)
	})
	if refused != nil {
		return refused, nil
	}
	return a, err
}

func (v *foundOverREST) found(q *searchQuestion) (*found, error) {
	f := &found{total: v.NumEntities, scroll: v.ScrollID, partial: v.Partial, facets: map[string]map[string]int{}, titles: map[string]string{}}
	for _, facet := range v.Metadata.Aggregations {
		if facet.Name != "entity" { // it repeats _entityType
			f.facets[facet.Name], f.titles[facet.Name] = facet.Aggregations, facet.DisplayName
		}
	}
	for i, urn := range v.Metadata.URNs {
		h := hit{urn: urn, matched: map[string]string{}}
		for _, m := range v.Metadata.Matches[i].MatchedFields {
			h.matched[m.Name] = m.Value
		}
		if q.Among != nil {
			var reached struct {
				Degree int
				Paths  [][]string
			}
			if err := json.Unmarshal(v.Entities[i], &reached); err != nil {
				return nil, err
			}
			h.degree, h.paths = reached.Degree, reached.Paths
		}
		f.hits = append(f.hits, h)
	}
	return f, nil
}

func (d restDoor) autocomplete(q *autocompleteQuestion) (answer, error) {
	body := map[string]any{"entity": q.Type, "query": q.Query, "field": q.Field, "limit": limit(q.Limit)}
	if q.Filter != nil {
		body["filter"] = q.Filter
	}
	type suggested struct {
		Suggestions []string
		Entities    []struct{ URN string }
	}
	return act(d, "autocomplete", body, func(value *suggested) answer {
		a, urns := answer{"suggestions": value.Suggestions, "suggested": len(value.Suggestions)}, []string{}
		for _, e := range value.Entities {
			urns = append(urns, e.URN)
		}
		a.list(urns)
		return a
	})
}

func (d restDoor) browse(action string, q *browseQuestion) (answer, error) {
	body := map[string]any{"entity": q.Type, "path": q.Path, "input": q.Input, "start": q.Start, "limit": limit(q.Limit)}
	if q.Filter != nil {
		body["filter"] = q.Filter
	}
	type browsed struct {
		NumEntities, NumGroups int
		Entities               []struct{ URN string }
		Groups                 []struct {
			Name, Entity string
			Count        int
			HasSubGroups bool
		}
		Metadata struct{ TotalNumEntities int }
	}
	return act(d, action, body, func(value *browsed) answer {
		p := place{entities: value.NumEntities, below: value.Metadata.TotalNumEntities, groups: &value.NumGroups}
		for _, g := range value.Groups {
			p.steps = append(p.steps, browseGroup{g.Name, g.Count, g.Entity, g.HasSubGroups})
		}
		for _, e := range value.Entities {
			p.hits = append(p.hits, e.URN)
		}
		return p.answer()
	})
}
