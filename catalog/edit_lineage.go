package catalog

import (
	"context"
	"slices"
)

// manualSource marks lineage drawn by hand.
const manualSource = "UI"

// LineageEdge is an edge that somebody draws.
type LineageEdge struct{ Upstream, Downstream string }

// stated is where an aspect of one end of an edge states it.
type stated struct {
	aspect string
	// list names the member with the edges, plain the one with the URNs of
	// older writers.
	list, plain string
	// required: the aspect must exist.
	required bool
	// byUpstream: the upstream end states the edge.
	byUpstream bool
}

const inputOutput = "dataJobInputOutput"

// statedBy says which aspect states an edge, by the types of its downstream and
// upstream ends.
var statedBy = map[[2]string]stated{
	{"dataset", "dataset"}:   {aspect: "upstreamLineage", list: "upstreams"},
	{"dataset", "dataJob"}:   {aspect: inputOutput, list: "outputDatasetEdges", plain: "outputDatasets", byUpstream: true},
	{"chart", "dataset"}:     {aspect: "chartInfo", list: "inputEdges", plain: "inputs", required: true},
	{"dashboard", "chart"}:   {aspect: "dashboardInfo", list: "chartEdges", plain: "charts", required: true},
	{"dashboard", "dataset"}: {aspect: "dashboardInfo", list: "datasetEdges", plain: "datasets", required: true},
	{"dataJob", "dataJob"}:   {aspect: inputOutput, list: "inputDatajobEdges", plain: "inputDatajobs"},
	{"dataJob", "dataset"}:   {aspect: inputOutput, list: "inputDatasetEdges", plain: "inputDatasets"},
}

// EditLineage adds and removes lineage edges, all or none. Both ends of every
// edge must exist.
func (c *Catalog) EditLineage(ctx context.Context, add, remove []LineageEdge, o WriteOptions) error {
	if n := len(add) + len(remove); n > maxEdits {
		return Errorf(Invalid, "%d changes in one request, at most %d are allowed", n, maxEdits)
	}
	ends := make([]lineageEnds, 0, len(add)+len(remove))
	var urns []string
	for _, e := range slices.Concat(add, remove) {
		parsed, err := c.lineageEnds(e)
		if err != nil {
			return err
		}
		ends, urns = append(ends, parsed), append(urns, parsed.up, parsed.down)
	}
	slices.Sort(urns)
	existing, err := c.Existing(ctx, slices.Compact(urns))
	if err != nil {
		return err
	}
	edits := make([]Edit, len(ends))
	for i := range ends {
		if err := ends[i].check(existing); err != nil {
			return err
		}
		edits[i] = ends[i].edit(c.naming, i < len(add))
	}
	return c.Edit(ctx, edits, o)
}

// lineageEnds are the normalised ends of an edge, and how it is stated.
type lineageEnds struct {
	up, down string
	by       stated
}

func (c *Catalog) lineageEnds(e LineageEdge) (lineageEnds, error) {
	up, _, err := c.parseURN(e.Upstream)
	if err != nil {
		return lineageEnds{}, err
	}
	down, _, err := c.parseURN(e.Downstream)
	if err != nil {
		return lineageEnds{}, err
	}
	by, ok := statedBy[[2]string{down.EntityType(), up.EntityType()}]
	if !ok {
		return lineageEnds{}, Errorf(Invalid, "a %s cannot be upstream of a %s", up.EntityType(), down.EntityType())
	}
	return lineageEnds{up.String(), down.String(), by}, nil
}

func (e *lineageEnds) check(existing map[string]bool) error {
	for _, end := range []struct{ side, urn string }{{"downstream", e.down}, {"upstream", e.up}} {
		if !existing[end.urn] {
			return Errorf(Invalid, "Cannot upsert lineage as %s urn %s doesn't exist", end.side, end.urn)
		}
	}
	return nil
}

// edit adds or removes the edge. naming reports which entries name an entity.
func (e *lineageEnds) edit(naming func(urn string) func(any) bool, add bool) Edit {
	by, owner, other := e.by, e.down, e.up
	if by.byUpstream {
		owner, other = other, owner
	}
	return Edit{URN: owner, Aspect: by.aspect, Change: func(value Tree, stamp AuditStamp) error {
		if by.required && len(value) == 0 {
			return Errorf(Invalid, "Failed to update %s. It has no %s.", owner, by.aspect)
		}
		if add {
			by.add(value, naming(other), other, stamp)
		} else {
			by.remove(value, naming(other))
		}
		return nil
	}}
}

// end returns the other end of an entry.
func (s *stated) end(entry Tree) string {
	if s.plain == "" {
		return text(entry, "dataset")
	}
	return text(entry, "destinationUrn")
}

func (s *stated) add(value Tree, is func(any) bool, other string, by AuditStamp) {
	if s.aspect == inputOutput {
		for _, name := range []string{"inputDatasets", "outputDatasets"} {
			if value[name] == nil {
				value[name] = []any{}
			}
		}
	}
	entries := items(value, s.list)
	if slices.ContainsFunc(entries, func(e Tree) bool { return is(s.end(e)) }) {
		return
	}
	entry := Tree{"created": by.tree(), "properties": Tree{"source": manualSource, "actor": by.Actor}}
	if s.plain == "" {
		entry["dataset"], entry["type"], entry["auditStamp"] = other, "TRANSFORMED", by.tree()
	} else {
		entry["destinationUrn"], entry["lastModified"] = other, by.tree()
	}
	setItems(value, s.list, append(entries, entry))
}

func (s *stated) remove(value Tree, is func(any) bool) {
	before := items(value, s.list)
	if after := slices.DeleteFunc(slices.Clone(before), func(e Tree) bool { return is(s.end(e)) }); len(after) < len(before) {
		setItems(value, s.list, after)
	}
	if plain, ok := value[s.plain].([]any); ok {
		value[s.plain] = slices.DeleteFunc(slices.Clone(plain), func(item any) bool {
			if union, ok := item.(Tree); ok { // as chartInfo has them
				return is(text(union, "string"))
			}
			return is(item)
		})
	}
}
