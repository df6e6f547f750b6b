package rest

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// Parameters that lineage requests share.
var (
	directionParameter = parameter{"direction", "string", "UPSTREAM, where data comes from, or DOWNSTREAM, where it goes", false}
	walkParameters     = []parameter{
		{"hops", "integer", "the greatest distance; no bound when left out", false},
		{"reach", "integer", "how many entities the walk reaches at most, the nearest: 50000 when left out, at most 1000000", false},
	}
	momentParameter  = parameter{"asOf", "string", "a past moment: epoch milliseconds, 2026-10-21 or 2026-10-21T08:00:00Z; now when left out", false}
	columnsParameter = parameter{"columns", "boolean", "lineage between columns: of the column that the URN names, or of all columns of the entity", false}
	removedParameter = parameter{"removed", "string", "soft-deleted entities: pass walks through and leaves them out, show lists them, stop goes no further; pass when left out, show with asOf", false}
	filterParameters = []parameter{
		{"types", "list", "entity types", false},
		{"platforms", "list", "platforms, as URNs or names", false},
		{"owners", "list", "owners, as URNs or names", false},
		{"tags", "list", "tags, as URNs or names", false},
		{"terms", "list", "glossary terms, as URNs or names", false},
		{"domains", "list", "domains, as URNs or names", false},
	}
)

func lineageEndpoints() []endpoint {
	with := func(lists ...[]parameter) []parameter {
		var all []parameter
		for _, list := range lists {
			all = append(all, list...)
		}
		return all
	}
	return []endpoint{
		{
			method: http.MethodGet, path: "/lineage", tail: true, tag: "Lineage",
			summary: "What is up- or downstream of an entity or a column (a schemaField), the nearest first.",
			parameters: with([]parameter{directionParameter}, walkParameters, []parameter{
				columnsParameter, momentParameter, removedParameter,
				{"mergeSiblings", "boolean", "walk on from the siblings of what is reached, without a hop", false},
				{"startTimeMillis", "integer", "only edges made or confirmed since, epoch milliseconds", false},
				{"endTimeMillis", "integer", "only edges made or confirmed until then", false},
				{"start", "integer", "0 when left out", false},
				{"count", "integer", "100 when left out, at most 10000", false},
				{"paths", "integer", "how many shortest paths to show of each entity: 1 when left out, at most 100", false},
				{"edges", "boolean", "show the edges between the entities of the page", false},
			}, filterParameters),
			example: example{tail: exampleTableEncoded, query: "direction=DOWNSTREAM&hops=3"},
			handle:  (*call).lineage,
		},
		{
			method: http.MethodGet, path: "/lineage-diff", tail: true, tag: "Lineage",
			summary: "How the lineage of an entity or column changed between two moments: entities and edges added and ended, with run and actor.",
			parameters: with([]parameter{
				{"before", "string", "the first moment: epoch milliseconds, a day or a time", true},
				{"after", "string", "the second moment; now when left out", false},
				directionParameter,
			}, walkParameters, []parameter{columnsParameter, {"removed", "string", "stop goes no further than soft-deleted entities", false}}),
			example: example{tail: exampleTableEncoded, query: "before=2026-01-01"},
			handle:  (*call).lineageDiff,
		},
		{
			method: http.MethodGet, path: "/impact", tail: true, tag: "Lineage",
			summary: "What depends on an entity, grouped by type, platform, owner and degree, with the owners to tell; of a column, what breaks when it goes.",
			parameters: with([]parameter{
				{"column", "string", "the path of a column of the entity that goes", false},
				{"format", "string", "json, the default, or csv", false},
				{"direction", "string", "DOWNSTREAM when left out", false},
			}, walkParameters, []parameter{momentParameter, removedParameter}, filterParameters),
			example: example{tail: exampleTableEncoded},
			handle:  (*call).impact,
		},
		{
			method: http.MethodPost, path: "/relationships", action: "getLineage", tag: "Lineage",
			summary: "Lineage in the form of the legacy interface.",
			parameters: []parameter{
				{"urn", "string", "the entity", true},
				{"direction", "string", "UPSTREAM or DOWNSTREAM", true},
				startParameter,
				{"count", "integer", "100 when left out, at most 10000", false},
				{"maxHops", "integer", "1 when left out", false},
			},
			example: example{body: `{"urn":"` + exampleTable + `","direction":"UPSTREAM","maxHops":3}`},
			handle:  (*call).getLineage,
		},
		{
			method: http.MethodPost, path: "/entities", action: "searchAcrossLineage", tag: "Lineage",
			summary:    "Search among what is up- or downstream of an entity; the filter may name the field degree: 1, 2 or 3+.",
			parameters: append(lineageSearchParameters(), startParameter),
			example:    example{body: `{"urn":"` + exampleTable + `","direction":"DOWNSTREAM","input":"*","start":0,"count":10}`},
			handle:     (*call).searchAcrossLineage,
		},
		{
			method: http.MethodPost, path: "/entities", action: "scrollAcrossLineage", tag: "Lineage",
			summary:    "All that such a search finds, page by page: each answer has the scrollId to go on with.",
			parameters: append(lineageSearchParameters(), parameter{"scrollId", "string", "from the answer before", false}),
			example:    example{body: `{"urn":"` + exampleTable + `","direction":"DOWNSTREAM","input":"*","count":10}`},
			handle:     (*call).scrollAcrossLineage,
		},
		{
			method: http.MethodGet, path: "/openapi/timeline/v1", tail: true, tag: "Lineage",
			summary: "What became of an entity, the oldest first, as far back as versions are kept.",
			parameters: []parameter{
				{"categories", "list", strings.Join(catalog.TimelineCategories(), ", ") + "; all when left out", false},
				{"startTime", "string", "a moment; 7 days before the end when left out", false},
				{"endTime", "string", "a moment; now when left out", false},
				{"raw", "boolean", "show the differences as JSON patches", false},
			},
			example: example{tail: exampleTableEncoded, query: "categories=OWNER,LINEAGE"},
			handle:  (*call).timeline,
		},
	}
}

func lineageSearchParameters() []parameter {
	return []parameter{
		{"urn", "string", "the entity, or a column for lineage between columns", true},
		{"direction", "string", "UPSTREAM or DOWNSTREAM", true},
		inputParameter, typesParameter,
		{"maxHops", "integer", "the greatest distance; no bound when left out", false},
		filterParameter, sortParameter,
		countParameter, facetsParameter,
		{"startTimeMillis", "integer", "only edges made or confirmed since", false},
		{"endTimeMillis", "integer", "only edges made or confirmed until then", false},
		{"asOf", "integer", "a past moment in epoch milliseconds", false},
	}
}

// boolean returns a parameter that is true or false.
func (c *call) boolean(name string) (bool, error) {
	text, err := c.param(name)
	if err != nil || text == "" {
		return false, err
	}
	value, err := strconv.ParseBool(strings.ToLower(text))
	if err != nil {
		return false, catalog.Errorf(catalog.Invalid, "parameter %s is true or false, not %q", name, text)
	}
	return value, nil
}

// moment returns a parameter that is a moment: epoch milliseconds, a day, or a
// time with its zone.
func (c *call) moment(name string) (int64, error) {
	text, err := c.param(name)
	if err != nil || text == "" {
		return 0, err
	}
	at, ok := catalog.ParseMoment(text)
	if !ok {
		return 0, catalog.Errorf(catalog.Invalid, "parameter %s: %q is no moment; it takes %s", name, text, catalog.MomentForms)
	}
	return at, nil
}

// reader reads parameters until one is wrong.
type reader struct {
	*call
	err error
}

func read[T any](r *reader, get func(string) (T, error), name string) T {
	var none T
	if r.err != nil {
		return none
	}
	value, err := get(name)
	if err != nil {
		r.err = err
		return none
	}
	return value
}

func (r *reader) number(name string, otherwise int) int {
	const most = 1 << 31
	n := read(r, func(name string) (int64, error) { return r.integer(name, int64(otherwise)) }, name)
	if n > most || n < -most {
		r.err = catalog.Errorf(catalog.Invalid, "parameter %s must be below %d", name, most)
	}
	return int(n)
}

// walk reads what lineage requests share.
func (r *reader) walk(prefix, otherwise string) catalog.WalkQuery {
	q := catalog.WalkQuery{
		URN: read(r, r.tail, prefix), Direction: strings.ToUpper(read(r, r.param, "direction")), MaxHops: r.number("hops", 0), Reach: r.number("reach", 0),
	}
	if q.Direction == "" {
		q.Direction = otherwise
	}
	return q
}

func (r *reader) filter() catalog.LineageFilter {
	return catalog.LineageFilter{
		Types: read(r, r.list, "types"), Platforms: read(r, r.list, "platforms"), Owners: read(r, r.list, "owners"),
		Tags: read(r, r.list, "tags"), Terms: read(r, r.list, "terms"), Domains: read(r, r.list, "domains"),
	}
}

func (c *call) lineage() error {
	r := &reader{call: c}
	request := catalog.LineageRequest{
		Walk: r.walk("/lineage", catalog.Upstream), Filter: r.filter(), Removed: read(r, c.param, "removed"),
		Start: r.number("start", 0), Count: r.number("count", catalog.DefaultRelationshipCount), Paths: r.number("paths", 1), Edges: read(r, c.boolean, "edges"),
	}
	request.Walk.Columns, request.Walk.AsOf = read(r, c.boolean, "columns"), read(r, c.moment, "asOf")
	request.Walk.MergeSiblings = read(r, c.boolean, "mergeSiblings")
	request.Walk.From, request.Walk.To = read(r, c.moment, "startTimeMillis"), read(r, c.moment, "endTimeMillis")
	if r.err != nil {
		return r.err
	}
	page, err := c.catalog.Lineage(c.Request.Context(), request)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, page)
}

func (c *call) lineageDiff() error {
	r := &reader{call: c}
	request := catalog.LineageDiffRequest{
		Walk: r.walk("/lineage-diff", catalog.Upstream), Before: read(r, c.moment, "before"), After: read(r, c.moment, "after"),
	}
	request.Walk.Columns = read(r, c.boolean, "columns")
	request.Walk.WithoutRemoved = read(r, c.param, "removed") == catalog.RemovedStop
	if r.err != nil {
		return r.err
	}
	diff, err := c.catalog.LineageDiff(c.Request.Context(), request)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, diff)
}

func (c *call) impact() error {
	r := &reader{call: c}
	request := catalog.ImpactRequest{Walk: r.walk("/impact", catalog.Downstream), Filter: r.filter(), Removed: read(r, c.param, "removed")}
	request.Walk.AsOf = read(r, c.moment, "asOf")
	column, format := read(r, c.param, "column"), read(r, c.param, "format")
	if r.err != nil {
		return r.err
	}
	if column != "" {
		u, err := model.ParseURN(strings.TrimSpace(request.Walk.URN))
		if err == nil {
			u, err = model.BuildURN(u.Namespace(), model.EntitySchemaField, u.String(), model.EncodeFieldPath(column))
		}
		if err != nil {
			return &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
		}
		request.Walk.URN = u.String()
	}
	if format != "" && format != "json" && format != "csv" {
		return catalog.Errorf(catalog.Invalid, "parameter format is json or csv, not %q", format)
	}
	impact, err := c.catalog.Impact(c.Request.Context(), request)
	if err != nil {
		return err
	}
	if format == "csv" {
		return c.impactTable(impact)
	}
	return c.json(http.StatusOK, impact)
}

// maxPathsShown bounds the paths of the legacy form.
const maxPathsShown = 10

func (c *call) getLineage() error {
	body := struct {
		URN       string `json:"urn"`
		Direction string `json:"direction"`
		Start     int    `json:"start"`
		Count     int    `json:"count"`
		MaxHops   int    `json:"maxHops"`
	}{Count: catalog.DefaultRelationshipCount, MaxHops: 1}
	if err := c.body(&body); err != nil {
		return err
	}
	page, err := c.catalog.Lineage(c.Request.Context(), catalog.LineageRequest{
		Walk:    catalog.WalkQuery{URN: body.URN, Direction: body.Direction, MaxHops: body.MaxHops},
		Removed: catalog.RemovedShow, Start: body.Start, Count: body.Count, Paths: maxPathsShown,
	})
	if catalog.CodeOf(err) == catalog.NotFound {
		page, err = &catalog.LineageResult{}, nil // nothing is related to what is unknown
	}
	if err != nil {
		return err
	}
	related := make([]lineageRelationship, len(page.Entities))
	for i := range page.Entities {
		related[i] = relatedBy(&page.Entities[i])
	}
	return c.value(map[string]any{
		"start": body.Start, "count": body.Count, "total": page.Total, "relationships": related,
		"partial": page.Partial, "reason": page.Reason,
	})
}

// lineageRelationship is an entity in the legacy form; the relationship is the
// last one on the way to it.
type lineageRelationship struct {
	Type         string     `json:"type"`
	Entity       string     `json:"entity"`
	Degree       int        `json:"degree"`
	Paths        [][]string `json:"paths"`
	CreatedOn    int64      `json:"createdOn,omitempty"`
	CreatedActor string     `json:"createdActor,omitempty"`
	UpdatedOn    int64      `json:"updatedOn,omitempty"`
	UpdatedActor string     `json:"updatedActor,omitempty"`
	IsManual     bool       `json:"isManual"`
}

func relatedBy(e *catalog.LineageEntity) lineageRelationship {
	r := lineageRelationship{Entity: e.URN, Degree: e.Degree, Paths: [][]string{}}
	for i, path := range e.Paths {
		urns := make([]string, len(path))
		for k, step := range path {
			urns[k] = step.URN
		}
		r.Paths = append(r.Paths, urns)
		last := path[len(path)-1].Edge
		if i > 0 || last == nil {
			continue
		}
		r.Type, r.IsManual = last.Type, last.Manual
		if last.Created != nil {
			r.CreatedOn, r.CreatedActor = last.Created.Time, last.Created.Actor
		}
		if last.Updated != nil {
			r.UpdatedOn, r.UpdatedActor = last.Updated.Time, last.Updated.Actor
		}
	}
	return r
}

// lineageSearchBody is the body of searches in lineage.
type lineageSearchBody struct {
	searchBody
	URN             string `json:"urn"`
	Direction       string `json:"direction"`
	MaxHops         int    `json:"maxHops"`
	StartTimeMillis int64  `json:"startTimeMillis"`
	EndTimeMillis   int64  `json:"endTimeMillis"`
	AsOf            int64  `json:"asOf"`
}

func (c *call) searchAcrossLineage() error { return c.lineageSearch(false) }

func (c *call) scrollAcrossLineage() error { return c.lineageSearch(true) }

func (c *call) lineageSearch(scroll bool) error {
	var body lineageSearchBody
	if err := c.body(&body); err != nil {
		return err
	}
	body.settle()
	request := catalog.LineageSearchRequest{
		SearchRequest: body.request(),
		Walk: catalog.WalkQuery{
			URN: body.URN, Direction: body.Direction, MaxHops: body.MaxHops, From: body.StartTimeMillis, To: body.EndTimeMillis, AsOf: body.AsOf,
		},
	}
	if scroll {
		request.Scroll, request.ScrollID, request.Start = true, body.ScrollID, 0
	}
	found, err := c.catalog.SearchLineage(c.Request.Context(), request)
	if err != nil {
		return err
	}
	result := &catalog.SearchResult{Start: found.Start, Total: found.Total, Facets: found.Facets, ScrollID: found.ScrollID}
	type entity struct {
		searchEntity
		Degree int        `json:"degree"`
		Paths  [][]string `json:"paths"`
	}
	entities := make([]entity, len(found.Hits))
	for i, hit := range found.Hits {
		result.Hits = append(result.Hits, hit.SearchHit)
		entities[i] = entity{searchEntity{hit.URN, hit.MatchedFields}, hit.Degree, hit.Paths}
	}
	withEntityFacet(result)
	answer := c.searchAnswer(result, *body.Count)
	answer.Entities = entities
	return c.value(struct {
		searchAnswer
		Partial bool   `json:"partial"`
		Reason  string `json:"reason,omitempty"`
	}{answer, found.Partial, found.Reason})
}

func (c *call) timeline() error {
	r := &reader{call: c}
	request := catalog.TimelineRequest{
		URN: read(r, c.tail, "/openapi/timeline/v1"), Categories: read(r, c.list, "categories"),
		Start: read(r, c.moment, "startTime"), End: read(r, c.moment, "endTime"), Raw: read(r, c.boolean, "raw"),
	}
	if r.err != nil {
		return r.err
	}
	transactions, err := c.catalog.Timeline(c.Request.Context(), request)
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, transactions)
}
