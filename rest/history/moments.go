package history

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/catalog/moments"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// momentHandlers answer about an entity at a moment and its changes since, and restore it.
type momentHandlers struct{ catalog *services.Services }

// column is a column with its labels.
type column struct {
	FieldPath   string   `json:"fieldPath"`
	NativeType  string   `json:"nativeType,omitempty"`
	Nullable    bool     `json:"nullable"`
	Key         bool     `json:"key"`
	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags"`
	Terms       []string `json:"terms"`
	Upstreams   int      `json:"upstreams"`
	Downstreams int      `json:"downstreams"`
}

// columnsAt answers with the columns that an entity had at a moment.
func (h momentHandlers) columnsAt(c *call.Call) error {
	r := &call.Reader{Call: c}
	urn, at := call.Argument(r, c.URNTail, "/columns-at"), call.Argument(r, c.Moment, "asOf")
	if r.Err != nil {
		return r.Err
	}
	ctx := c.Request.Context()
	found, err := h.catalog.Moments.Columns(ctx, urn, at)
	if err != nil {
		return h.catalog.Search.WithNearest(ctx, err)
	}
	columns := make([]column, len(found.Columns))
	for i := range found.Columns {
		one := &found.Columns[i]
		columns[i] = column{one.Path, one.NativeType, one.Nullable, one.Key, one.Description, texts(one.Tags), texts(one.Terms), one.Upstreams, one.Downstreams}
	}
	return c.JSON(http.StatusOK, map[string]any{
		"urn": urn.String(), "asOf": found.AsOf, "recorded": found.Recorded, "firstRecorded": found.FirstRecorded,
		"columns": columns, "unsure": texts(found.Unsure), "lost": texts(found.Lost), "partial": found.Partial != "", "reason": found.Partial,
	})
}

func texts(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// difference is an aspect that changed.
type difference struct {
	Name      string `json:"name"`
	Operation string `json:"operation"`
	Told      bool   `json:"told"`
	Unsure    bool   `json:"unsure"`
}

// change is a change in words.
type change struct {
	Time        int64  `json:"time"`
	Actor       string `json:"actor"`
	Run         string `json:"run,omitempty"`
	Category    string `json:"category"`
	Operation   string `json:"operation"`
	Part        string `json:"part,omitempty"`
	Upstream    string `json:"upstream,omitempty"`
	Weight      string `json:"weight"`
	Description string `json:"description"`
}

func changesOf(found []lineage.Change) []change {
	changes := make([]change, len(found))
	for i := range found {
		f := &found[i]
		changes[i] = change{f.Time, f.Actor, f.Run, f.Category, f.Operation, f.Part, f.Upstream, f.Weight, f.Description}
	}
	return changes
}

// changesSince answers with the changes of an entity between two moments.
func (h momentHandlers) changesSince(c *call.Call) error {
	r := &call.Reader{Call: c}
	request := moments.SinceRequest{
		URN: call.Argument(r, c.URNTail, "/changes-since"), From: call.Argument(r, c.Moment, "from"), To: call.Argument(r, c.Moment, "to"),
		Categories: call.Argument(r, c.List, "categories"), Start: r.Number("start", 0), Count: r.Number("count", limits.DefaultLineageChanges),
	}
	if r.Err != nil {
		return r.Err
	}
	ctx := c.Request.Context()
	found, err := h.catalog.Moments.Since(ctx, request)
	if err != nil {
		return h.catalog.Search.WithNearest(ctx, err)
	}
	aspects := make([]difference, len(found.Aspects))
	for i, a := range found.Aspects {
		aspects[i] = difference(a)
	}
	return c.JSON(http.StatusOK, map[string]any{
		"urn": request.URN.String(), "from": found.From, "to": found.To, "firstRecorded": found.FirstRecorded, "aspects": aspects,
		"start": found.Start, "total": found.Total, "changes": changesOf(found.Changes.Changes), "partial": found.Partial, "reason": found.Reason,
	})
}

// restore gives an entity, or a part of it, a former state again.
func (h momentHandlers) restore(c *call.Call) error {
	var body struct {
		URN     string    `json:"urn"`
		AsOf    call.Int  `json:"asOf"`
		Version *call.Int `json:"version"`
		Aspects []string  `json:"aspects"`
		Column  string    `json:"column"`
		Member  string    `json:"member"`
		Label   string    `json:"label"`
		DryRun  bool      `json:"dryRun"`
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	request := moments.RestoreRequest{
		AsOf: int64(body.AsOf), Aspects: body.Aspects, Column: body.Column, Member: body.Member, DryRun: body.DryRun,
	}
	if body.Version != nil {
		version := int64(*body.Version)
		request.Version = &version
	}
	var err error
	if request.URN, err = c.RequiredURN("urn", body.URN); err != nil {
		return err
	}
	if body.Label != "" {
		if request.Label, err = c.URN(body.Label); err != nil {
			return err
		}
	}
	actor, err := c.Actor()
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	done, err := h.catalog.Moments.Restore(ctx, request, catalog.WriteOptions{Actor: actor})
	if err != nil {
		return h.catalog.Search.WithNearest(ctx, err)
	}
	return c.JSON(http.StatusOK, done)
}

var fromParameter = call.Parameter{Name: "from", Kind: "string", Help: "the moment after which changes are listed: epoch milliseconds, a day or a time", Required: true}

func (h momentHandlers) endpoints() []call.Endpoint {
	return []call.Endpoint{
		{
			Method: http.MethodGet, Path: "/columns-at", Tail: true, Tag: "Read",
			Summary:    "The columns that an entity had at a past moment, with their descriptions, labels and numbers of neighbours in lineage of then.",
			Parameters: []call.Parameter{call.MomentParameter},
			Example:    call.Example{Tail: call.ExampleTableEncoded, Query: "asOf=2100-01-01"},
			Handle:     h.columnsAt,
		},
		{
			Method: http.MethodGet, Path: "/changes-since", Tail: true, Tag: "Lineage",
			Summary: "What changed on an entity after a moment: the aspects that differ, and each change in words, the newest first.",
			Parameters: []call.Parameter{
				fromParameter,
				{Name: "to", Kind: "string", Help: "the second moment; now when left out"},
				{Name: "categories", Kind: "list", Help: "as of timelines; all when left out"},
				call.StartParameter,
				{Name: "count", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultLineageChanges, limits.MaxChangesPage)},
			},
			Example: call.Example{Tail: call.ExampleTableEncoded, Query: "from=2026-01-01"},
			Handle:  h.changesSince,
		},
		{
			Method: http.MethodPost, Path: "/entities", Action: "restore", Tag: "Write",
			Summary: "Makes an entity, or a part of it, again what it was, in one transaction: all of it or nothing. The answer has the aspects that change, before and after, and those that are left because it is not known for sure what they were.",
			Parameters: []call.Parameter{
				{Name: "urn", Kind: "string", Help: "the entity", Required: true},
				{Name: "asOf", Kind: "integer", Help: "the moment, epoch milliseconds"},
				{Name: "version", Kind: "integer", Help: "instead of a moment, the number of a version of the one aspect"},
				{Name: "aspects", Kind: "array", Help: "a list of names; all when left out"},
				{Name: "column", Kind: "string", Help: "the path of a column: what people wrote about it is restored"},
				{Name: "member", Kind: "string", Help: "a member of the one aspect, or of what people wrote about the column, such as description"},
				{Name: "label", Kind: "string", Help: "the URN of a tag, term, owner or domain: it is added or removed, as it was"},
				{Name: "dryRun", Kind: "boolean", Help: "answer with what would change, and write nothing"},
			},
			Example: call.Example{Body: `{"urn":"` + call.ExampleTable + `","version":1,"aspects":["datasetProperties"],"dryRun":true}`},
			Handle:  h.restore,
		},
	}
}

// pastEntity is an entity at a moment with the names of the entities that it names.
type pastEntity struct {
	*history.PastEntity
	Names map[string]nameAt `json:"names,omitempty"`
}

// nameAt is the name of an entity at a moment.
type nameAt struct {
	Name      string   `json:"name"`
	Exists    bool     `json:"exists"`
	Removed   bool     `json:"removed"`
	AsOfToday []string `json:"asOfToday,omitempty"`
}
