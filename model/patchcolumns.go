package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// A patch addresses lineage between columns by single pairs of columns, at
// /fineGrainedLineages/<operation>/<downstream>/<query>/<upstream>. Before such a patch,
// the stored entries are converted to that spread form. After it, they are converted back.

// noName stands in a path for a missing operation or query.
const noName = "NONE"

// columnLevels is the number of levels of the spread form.
const columnLevels = 4

// columnShape is the shape of the spread form.
var columnShape = &shape{keys: make([][]string, columnLevels), item: &shape{}}

// columnGroup identifies an entry by its operation, its downstream column and its query.
type columnGroup [columnLevels - 1]string

// columnEntries has the other members of the stored entries, and the entries without an
// upstream column.
type columnEntries struct {
	rest map[columnGroup]map[string]any
	bare []any
}

// pairMembers are the members of an entry that the spread form represents.
var pairMembers = []string{"transformOperation", "downstreams", "query", "upstreams", "upstreamType", "downstreamType", "confidenceScore"}

// addressesColumns reports whether an operation addresses lineage between columns in the
// spread form. An operation on the whole list, or on an entry by its number, does not.
func (p *Operations) addressesColumns() bool {
	return slices.ContainsFunc(p.list, func(o operation) bool {
		if len(o.path) < 2 || o.path[0] != fineLineages {
			return false
		}
		_, err := strconv.Atoi(o.path[1])
		return err != nil && o.path[1] != "-"
	})
}

// spreadColumns converts the entries of a value to the spread form. It returns the data of
// the entries that the spread form does not represent.
func spreadColumns(value map[string]any) (columnEntries, error) {
	entries := columnEntries{rest: map[columnGroup]map[string]any{}}
	list, ok := value[fineLineages].([]any)
	if !ok {
		return entries, nil
	}
	root := newBranch(columnLevels, columnShape.item)
	for i, item := range list {
		object, _ := item.(map[string]any)
		downstreams := jsontree.Texts(object, "downstreams")
		if len(downstreams) != 1 {
			return entries, &PatchError{Reason: fmt.Sprintf("the patch does not apply: entry %d of %s has %d downstream columns; only entries with exactly one can be patched by their columns",
				i, fineLineages, len(downstreams))}
		}
		group := columnGroup{nameOr(object, "transformOperation"), downstreams[0], nameOr(object, "query")}
		upstreams := jsontree.Texts(object, "upstreams")
		if len(upstreams) == 0 {
			entries.bare = append(entries.bare, item)
			continue
		}
		for _, upstream := range upstreams {
			leaf := map[string]any{}
			if score, ok := object["confidenceScore"]; ok {
				leaf["confidenceScore"] = score
			}
			root.add(append(group[:], upstream), leaf)
		}
		if entries.rest[group] == nil {
			entries.rest[group] = map[string]any{}
			for name, member := range object {
				if !slices.Contains(pairMembers, name) {
					entries.rest[group][name] = member
				}
			}
		}
	}
	value[fineLineages] = root
	return entries, nil
}

func nameOr(object map[string]any, member string) string {
	return cmp.Or(jsontree.Text(object, member), noName)
}

// gather returns the entries of a spread form: one for each operation, downstream column
// and query, in the order in which these first came.
func (e *columnEntries) gather(root *branch) ([]any, error) {
	list := []any{}
	err := eachBelow(root, func(operation string, below any) error {
		return eachBelow(below, func(downstream string, below any) error {
			return eachBelow(below, func(query string, upstreams any) error {
				entry, err := e.entry(columnGroup{operation, downstream, query}, upstreams)
				if entry != nil {
					list = append(list, entry)
				}
				return err
			})
		})
	})
	return append(list, e.bare...), err
}

// eachBelow calls each with every key of a level and the node below the key.
func eachBelow(level any, each func(key string, below any) error) error {
	b, ok := level.(*branch)
	if !ok {
		return &PatchError{Reason: "the patch does not apply: what it puts into " + fineLineages + " is not lineage of columns by operation, downstream, query and upstream"}
	}
	for i := range b.entries {
		if e := &b.entries[i]; !e.removed {
			if err := each(e.key, e.value); err != nil {
				return err
			}
		}
	}
	return nil
}

// entry returns one entry, nil if it has no upstream column.
func (e *columnEntries) entry(group columnGroup, upstreams any) (map[string]any, error) {
	entry := map[string]any{"downstreamType": "FIELD", "downstreams": []any{group[1]}}
	maps.Copy(entry, e.rest[group])
	for level, member := range map[int]string{0: "transformOperation", 2: "query"} {
		if group[level] != noName {
			entry[member] = group[level]
		}
	}
	var urns []any
	datasets := true
	score, lowest := any(json.Number("1.0")), 1.0
	err := eachBelow(upstreams, func(upstream string, leaf any) error {
		object, ok := leaf.(map[string]any)
		if !ok {
			return &PatchError{Reason: fmt.Sprintf("the patch does not apply: %.300q in %s is not an object with a confidenceScore", upstream, fineLineages)}
		}
		urns = append(urns, upstream)
		datasets = datasets && entityTypeIn(upstream) == EntityDataset
		if stated, ok := object["confidenceScore"]; ok && stated != nil {
			switch n, isNumber := jsontree.Number(stated); {
			case !isNumber:
				score = stated // validation reports a score that is not a number
			case n < lowest:
				score, lowest = stated, n
			}
		}
		return nil
	})
	if err != nil || len(urns) == 0 {
		return nil, err
	}
	entry["upstreams"], entry["confidenceScore"] = urns, score
	entry["upstreamType"] = map[bool]string{true: "DATASET", false: "FIELD_SET"}[datasets]
	return entry, nil
}

// entityTypeIn returns the entity type in the text of a URN, "" for another text.
func entityTypeIn(text string) string {
	u, err := ParseURN(text)
	if err != nil {
		return ""
	}
	return u.EntityType()
}
