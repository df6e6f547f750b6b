package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// facts has the tables of the model, read as data.
type facts struct {
	entities      map[string]*entityFact
	relationships map[string][]*relationshipFact // by aspect
	searchable    map[string][]*searchableFact   // by aspect
	fields        map[string][]fieldFact         // fields of a record, by the record's name without its package
	aspectRecords map[string]string              // the record of an aspect, by aspect
	members       map[string]string              // the aspect of a member of a snapshot's union, by its record
	timeSeries    map[string]bool                // the time-series aspects
	lineage       map[lineageKind]bool           // true if the destination is upstream
}

type entityFact struct {
	Name, KeyAspect, KeyRecord, Category string
	Aspects                              []string
}

func (e *entityFact) has(aspect string) bool { return slices.Contains(e.Aspects, aspect) }

type fieldFact struct{ Name, Type string }

// lastName returns a record's name without its package. These names are unique.
func lastName(record string) string { return record[strings.LastIndexByte(record, '.')+1:] }

type relationshipFact struct {
	Aspect, FieldPath, Relationship        string
	IsLineage, IsUpstream                  bool
	SourceEntities, DestinationEntityTypes []string
}

type searchableFact struct {
	Aspect, FieldPath, IndexField, FieldType, ValueType string
	Entities                                            []string
	QueryByDefaultEffective                             bool
	Flags                                               struct {
		AddToFilters       bool
		HasValuesFieldName string
	}
}

// isText reports whether searches find words in the field.
func (s *searchableFact) isText() bool {
	switch s.FieldType {
	case "COUNT", "DATETIME", "BOOLEAN", "BROWSE_PATH", "BROWSE_PATH_V2":
		return false
	}
	return s.QueryByDefaultEffective
}

// isURN reports whether the values are URNs. The words of a URN are the words of its last parts.
func (s *searchableFact) isURN() bool {
	return s.FieldType == "URN" || s.FieldType == "URN_PARTIAL" || strings.HasPrefix(s.ValueType, "urn")
}

type lineageKind struct{ relationship, source, destination string }

// column is the entity type of columns. derives is the relationship between columns, which
// no table states.
const (
	column  = "schemaField"
	derives = "DownstreamOf"
)

func readFacts(dir string) (*facts, error) {
	f := &facts{
		entities: map[string]*entityFact{}, relationships: map[string][]*relationshipFact{}, searchable: map[string][]*searchableFact{},
		fields: map[string][]fieldFact{}, aspectRecords: map[string]string{}, members: map[string]string{}, timeSeries: map[string]bool{}, lineage: map[lineageKind]bool{},
	}
	var entities []*entityFact
	var relationships []*relationshipFact
	var searchable []*searchableFact
	var records []struct {
		Name   string
		Fields []fieldFact
	}
	var snapshots []struct {
		Aspects []struct{ Aspect, UnionMember string }
	}
	var aspects []struct{ Name, Kind, Record string }
	for name, into := range map[string]any{
		"entities": &entities, "relationships": &relationships, "searchable": &searchable,
		"records": &records, "snapshots": &snapshots, "aspects": &aspects,
	} {
		text, err := os.ReadFile(filepath.Join(dir, name+".json"))
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, into); err != nil {
			return nil, fmt.Errorf("%s.json: %w", name, err)
		}
	}
	for _, e := range entities {
		f.entities[e.Name] = e
	}
	for _, r := range relationships {
		f.relationships[r.Aspect] = append(f.relationships[r.Aspect], r)
		if !r.IsLineage {
			continue
		}
		for _, source := range r.SourceEntities {
			for _, destination := range r.DestinationEntityTypes {
				f.lineage[lineageKind{r.Relationship, source, destination}] = r.IsUpstream
			}
		}
	}
	f.lineage[lineageKind{derives, column, column}] = true
	for _, s := range searchable {
		f.searchable[s.Aspect] = append(f.searchable[s.Aspect], s)
	}
	for _, r := range records {
		f.fields[lastName(r.Name)] = r.Fields
	}
	for _, s := range snapshots {
		for _, a := range s.Aspects {
			f.members[strings.Replace(a.UnionMember, "<prefix>", "com.linkedin", 1)] = a.Aspect
		}
	}
	for _, a := range aspects {
		f.timeSeries[a.Name] = a.Kind == "timeseries"
		f.aspectRecords[a.Name] = lastName(a.Record)
	}
	return f, nil
}

// ofTheModel are the entity types of which every catalog has entities from the start. They
// describe the model. A search finds them only if it names their type.
var ofTheModel = []string{"dataType", "entityType"}

// searchedTypes returns the entity types of a search without types.
func (f *facts) searchedTypes() []string {
	var types []string
	for name, e := range f.entities {
		if e.Category != "internal" && !slices.Contains(ofTheModel, name) {
			types = append(types, name)
		}
	}
	slices.Sort(types)
	return types
}

// typeOf returns the entity type in a URN, "" for another text.
func typeOf(urn string) string {
	words := strings.SplitN(urn, ":", 4)
	if len(words) < 4 || words[0] != "urn" {
		return ""
	}
	return words[2]
}

// partsOf returns the parts of a URN's key: one part, or the parts in its parentheses.
func partsOf(urn string) []string {
	words := strings.SplitN(urn, ":", 4)
	if len(words) < 4 {
		return []string{urn}
	}
	key := words[3]
	if !strings.HasPrefix(key, "(") || !strings.HasSuffix(key, ")") {
		return []string{key}
	}
	var parts []string
	depth, from := 0, 1
	for i := 1; i < len(key)-1; i++ {
		switch key[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth == 0 {
				parts, from = append(parts, key[from:i]), i+1
			}
		}
	}
	return append(parts, key[from:len(key)-1])
}

// at calls visit with the values at a path of an aspect. A * stands for each item of a list
// or value of a map, or for a value that is neither.
func at(value any, path string, visit func(any)) {
	step, rest, more := strings.Cut(path, "/")
	into := func(v any) {
		switch {
		case v == nil:
		case more:
			at(v, rest, visit)
		default:
			visit(v)
		}
	}
	switch value := value.(type) {
	case map[string]any:
		if step != "*" {
			into(value[step])
			return
		}
		for _, v := range value {
			into(v)
		}
	case []any:
		if step == "*" {
			for _, v := range value {
				into(v)
			}
		}
	default:
		if step == "*" && !more && value != nil {
			visit(value)
		}
	}
}
