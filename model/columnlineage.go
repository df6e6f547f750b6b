package model

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/jsontree"
)

// columnStatement describes how an aspect states edges between columns. Each entry of a
// list states an edge from every downstream column to every upstream column. Paths begin at
// the entry.
type columnStatement struct {
	list string
	// upstreams and downstreams are the paths to URNs of columns. If downstreams is empty,
	// ownColumn is the path to the name of the owner's column that is downstream.
	upstreams, downstreams, ownColumn string
	// properties are the members of the entry that become properties of its edges.
	properties []string
	// path is the path of the edges, beginning at the aspect.
	path string
	// derived: the server has derived the edges from SQL, and their properties say so.
	derived bool
}

// DerivedProperty is the property of the edges that the server has derived from SQL.
const DerivedProperty = "derived"

// columnStatements are the aspects that state edges between columns.
var columnStatements = map[string]columnStatement{
	AspectUpstreamLineage:    fineGrainedLineages,
	AspectDataJobInputOutput: fineGrainedLineages,
	AspectDerivedLineage: {
		list: fineGrainedLineages.list, upstreams: fineGrainedLineages.upstreams, downstreams: fineGrainedLineages.downstreams,
		properties: fineGrainedLineages.properties, path: fineGrainedLineages.path, derived: true,
	},
	AspectInputFields: {
		list: "fields", upstreams: "schemaFieldUrn", ownColumn: "schemaField/fieldPath",
		path: "fields/*/schemaField/fieldPath",
	},
}

var fineGrainedLineages = columnStatement{
	list: "fineGrainedLineages", upstreams: "upstreams/*", downstreams: "downstreams/*",
	properties: []string{"transformOperation", "confidenceScore"},
	path:       "fineGrainedLineages/*/upstreams/*",
}

// columnEdges adds the edges between columns that an aspect of owner states.
func (r *Registry) columnEdges(owner URN, v *Value, set *edgeSet) {
	s, ok := columnStatements[v.Aspect.Name]
	if !ok {
		return
	}
	var latest struct {
		of   [2]any
		text json.RawMessage
	}
	for _, entry := range jsontree.Items(v.Tree, s.list) {
		of, plain := s.plainProperties(entry)
		properties := latest.text
		if !plain || properties == nil || of != latest.of { // most entries of a value have the same properties as the one before
			properties = s.propertiesOf(entry)
			latest.of, latest.text = of, properties
			if !plain {
				latest.text = nil
			}
		}
		via, _ := entry["query"].(string)
		relationship := RelationshipDownstreamOf
		if operation, _ := entry["transformOperation"].(string); readWithoutFlow(operation) {
			relationship = RelationshipIndirectlyDownstreamOf
		}
		upstreams := r.urnsOf(textsAt(entry, s.upstreams))
		for _, downstream := range r.downstreams(&s, owner, entry) {
			for _, upstream := range upstreams {
				set.add(Edge{
					Source: downstream.text, SourceType: downstream.EntityType(), Relationship: relationship,
					Destination: upstream.text, DestinationType: upstream.EntityType(),
					Path: s.path, Properties: properties, Via: via,
				})
			}
		}
	}
}

// readWithoutFlow reports whether a transformOperation tells that the upstream columns are read
// and their values do not flow into the downstream columns. OpenLineage calls such ways INDIRECT:
// joins, filters, groupings, orders, windows and conditions. The ways are separated by commas, as
// in INDIRECT:JOIN,INDIRECT:FILTER; MASKED after a way is not a way. If any way is not indirect,
// values flow.
func readWithoutFlow(operation string) bool {
	indirect := false
	for way := range strings.SplitSeq(strings.ToUpper(operation), ",") {
		kind, _, _ := strings.Cut(strings.TrimSpace(way), ":")
		switch kind {
		case "INDIRECT":
			indirect = true
		case "MASKED":
		default:
			return false
		}
	}
	return indirect
}

func (r *Registry) downstreams(s *columnStatement, owner URN, entry map[string]any) []URN {
	if s.downstreams != "" {
		return r.urnsOf(textsAt(entry, s.downstreams))
	}
	var columns []URN
	for _, path := range textsAt(entry, s.ownColumn) {
		if path == "" {
			continue
		}
		if column, err := ColumnURN(owner, path); err == nil {
			columns = append(columns, column)
		}
	}
	return columns
}

// plainProperties returns the members of an entry that become properties, if all of them are texts, numbers or
// missing. Entries with equal members then have equal properties.
func (s *columnStatement) plainProperties(entry map[string]any) (of [2]any, plain bool) {
	if len(s.properties) > len(of) {
		return of, false
	}
	for i, name := range s.properties {
		switch value := entry[name].(type) {
		case string, json.Number:
			of[i] = value
		case nil:
			if _, stated := entry[name]; stated {
				return of, false
			}
		default:
			return of, false
		}
	}
	return of, true
}

func (s *columnStatement) propertiesOf(entry map[string]any) json.RawMessage {
	properties := map[string]any{}
	for _, name := range s.properties {
		if value, ok := entry[name]; ok {
			properties[name] = value
		}
	}
	if s.derived {
		properties[DerivedProperty] = "true" // a text, as the properties of upstreams are
	}
	if len(properties) == 0 {
		return nil
	}
	text, _ := jsontree.Encode(properties) // encoding decoded JSON cannot fail
	return text
}

// pairs returns the largest number of edges that the entries of an aspect may state. It
// returns 0 if the owner's own columns are downstream: then there are no more edges than
// entries.
func (s *columnStatement) pairs(v *Value) int {
	n := 0
	if s.downstreams == "" {
		return n
	}
	for _, entry := range jsontree.Items(v.Tree, s.list) {
		n += len(textsAt(entry, s.upstreams)) * len(textsAt(entry, s.downstreams))
	}
	return n
}

func textsAt(tree any, path string) []string {
	var texts []string
	jsontree.Walk(tree, strings.Split(path, "/"), func(leaf any, _ []string) {
		if text, ok := leaf.(string); ok {
			texts = append(texts, text)
		}
	})
	return texts
}

// urnsOf parses URNs, and leaves out texts that are not URNs.
func (r *Registry) urnsOf(texts []string) []URN {
	urns := make([]URN, 0, len(texts))
	for _, text := range texts {
		if u, err := r.parseNormal(text); err == nil {
			urns = append(urns, u)
		}
	}
	return urns
}

// WithoutEqualColumns returns two texts of an aspect for a comparison of the edges that they state: without the lists
// of edges between columns, if both texts have the same list. A run of a job changes the times of its edges to
// datasets, and states the same columns as the run before. Either text may be nil.
func WithoutEqualColumns(aspect string, a, b json.RawMessage) (x, y json.RawMessage) {
	s, ok := columnStatements[aspect]
	if !ok || s.downstreams == "" {
		return a, b
	}
	before, listBefore := withoutMember(a, s.list)
	after, listAfter := withoutMember(b, s.list)
	if listBefore == nil || !bytes.Equal(listBefore, listAfter) || statesOtherColumns(before) || statesOtherColumns(after) {
		return a, b
	}
	return before, after
}

// columnLists are further lists of columns in aspects that state edges between columns. They may state the same edges.
var columnLists = []string{"inputDatasetFields", "outputDatasetFields"}

func statesOtherColumns(text json.RawMessage) bool {
	return slices.ContainsFunc(columnLists, func(name string) bool { return bytes.Contains(text, []byte(`"`+name+`"`)) })
}

// withoutMember returns the text of an object without a member, and the text of the member's value. The value is nil if
// there is no such member, or if the text is not an object.
func withoutMember(text json.RawMessage, name string) (rest, value json.RawMessage) {
	if !bytes.Contains(text, []byte(`"`+name+`"`)) {
		return text, nil
	}
	members, err := jsontree.Members(text)
	if err != nil {
		return text, nil
	}
	rest = append(rest, '{')
	for _, m := range members {
		if m.Name == name {
			value = m.Value
			continue
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = append(append(append(rest, m.Quoted...), ':'), m.Value...)
	}
	return append(rest, '}'), value
}
