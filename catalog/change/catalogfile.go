package change

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// FileVersion is the version of the form of a catalog in a file.
const FileVersion = 1

// The kinds of edges of a catalog in a file.
const (
	// EdgeValue: values of the column flow into the other one. EdgeRead: the column is read, and its values do not flow.
	EdgeValue = "value"
	EdgeRead  = "read"
	// EdgeEntity: one entity derives from the other. EdgeAbout: an assertion or a contract is about the entity or the column.
	EdgeEntity = "entity"
	EdgeAbout  = "about"
)

// CatalogFile is a catalog in a file: names, types, edges, owners and labels, and no values.
type CatalogFile struct {
	Version  int          `json:"headwaterCatalog"`
	Entities []FileEntity `json:"entities"`
	Edges    []FileEdge   `json:"edges"`

	byURN map[string]*FileEntity
	from  map[string][]FileEdge
}

// FileEntity is an entity.
type FileEntity struct {
	URN      string       `json:"urn"`
	Name     string       `json:"name"`
	Type     string       `json:"type"`
	Platform string       `json:"platform,omitempty"`
	Owners   []Owner      `json:"owners,omitempty"`
	Domains  []string     `json:"domains,omitempty"`
	Columns  []FileColumn `json:"columns,omitempty"`
	// Forms and Properties are the URNs of its forms, and of structured properties of which it has values.
	Forms      []string `json:"forms,omitempty"`
	Properties []string `json:"structuredProperties,omitempty"`
	// Fields are the columns and the fields inside them, nil if no column has fields.
	Fields []FileColumn `json:"fields,omitempty"`
}

// FileColumn is a column of an entity.
type FileColumn struct {
	Name string `json:"name"`
	// Path is the path with the types of fields, of a column in Fields only.
	Path    string   `json:"path,omitempty"`
	Type    string   `json:"type,omitempty"`
	NotNull bool     `json:"notNull,omitempty"`
	Labels  []string `json:"labels,omitempty"`
}

// FileEdge leads from an entity, or one of its columns, to an entity or column downstream.
type FileEdge struct {
	From       string `json:"from"`
	FromColumn string `json:"fromColumn,omitempty"`
	To         string `json:"to"`
	ToColumn   string `json:"toColumn,omitempty"`
	Kind       string `json:"kind"`
}

// ReadCatalogFile reads a catalog from a file.
func ReadCatalogFile(r io.Reader) (*CatalogFile, error) {
	limited := &io.LimitedReader{R: r, N: limits.CheckCatalogBytes + 1}
	f := &CatalogFile{}
	if err := json.NewDecoder(limited).Decode(f); err != nil {
		if limited.N <= 0 {
			return nil, fmt.Errorf("a catalog in a file may have %d bytes", limits.CheckCatalogBytes)
		}
		return nil, fmt.Errorf("it is not a catalog that headwater check export has written: %w", err)
	}
	if f.Version != FileVersion {
		return nil, fmt.Errorf("version %d of a catalog in a file is unknown; this program knows version %d", f.Version, FileVersion)
	}
	f.byURN, f.from = map[string]*FileEntity{}, map[string][]FileEdge{}
	for i := range f.Entities {
		f.byURN[f.Entities[i].URN] = &f.Entities[i]
	}
	for _, e := range f.Edges {
		f.from[e.From] = append(f.from[e.From], e)
	}
	return f, nil
}

// Tables returns tables of the catalog, by URN.
func (f *CatalogFile) Tables(_ context.Context, urns []string) (map[string]*Table, error) {
	found := map[string]*Table{}
	for _, urn := range urns {
		e := f.byURN[urn]
		if e == nil {
			continue
		}
		t := &Table{URN: urn}
		for _, c := range e.Columns {
			t.Columns = append(t.Columns, Column{Name: c.Name, Type: c.Type, NotNull: c.NotNull, Labels: c.Labels})
		}
		t.Fields = t.Columns
		if len(e.Fields) > 0 {
			t.Fields = nil
		}
		for _, c := range e.Fields {
			t.Fields = append(t.Fields, Column{Name: c.Name, Path: c.Path, Type: c.Type, NotNull: c.NotNull, Labels: c.Labels})
		}
		found[urn] = t
	}
	return found, nil
}

// Labels returns the labels of personal data, by dataset and by the name of the column in lower case.
func (f *CatalogFile) Labels(context.Context) (map[string]map[string][]string, error) {
	found := map[string]map[string][]string{}
	for i := range f.Entities {
		for _, c := range f.Entities[i].Columns {
			if slices.ContainsFunc(c.Labels, IsPersonal) {
				of := found[f.Entities[i].URN]
				if of == nil {
					of = map[string][]string{}
					found[f.Entities[i].URN] = of
				}
				of[strings.ToLower(c.Name)] = c.Labels
			}
		}
	}
	return found, nil
}

// Readers returns the readers of a column: for certain the ends of the column's edges, and possibly entities that derive from the
// dataset and does not state from which columns, or states others.
func (f *CatalogFile) Readers(_ context.Context, dataset, column, _ string) ([]Affected, error) {
	column = model.PlainPath(column)
	var found []Affected
	states := map[string]bool{}
	done := map[string]bool{dataset: true}
	for _, e := range f.from[dataset] {
		if e.FromColumn == "" {
			continue
		}
		states[e.To] = true
		if !strings.EqualFold(e.FromColumn, column) || done[e.To] {
			continue
		}
		done[e.To] = true
		why := fmt.Sprintf("lineage leads from %s to %s", column, e.ToColumn)
		switch {
		case e.Kind == EdgeAbout:
			why = "it is about " + column
		case e.Kind == EdgeRead || e.ToColumn == "":
			why = "it reads " + column
		}
		found = append(found, f.affected(e.To, Certain, why))
	}
	for _, e := range f.from[dataset] {
		if e.Kind != EdgeEntity || done[e.To] {
			continue
		}
		done[e.To] = true
		why := "nobody states by which columns it derives from the table"
		if states[e.To] {
			why = fmt.Sprintf("it may join or filter on %s: its SQL is not known", column)
		}
		found = append(found, f.affected(e.To, Possible, why))
	}
	return found, nil
}

// Behind returns the entities downstream of an entity.
func (f *CatalogFile) Behind(_ context.Context, urn string, direct bool) ([]Affected, error) {
	var found []Affected
	done := map[string]bool{urn: true}
	for queue := []string{urn}; len(queue) > 0; queue = queue[1:] {
		for _, e := range f.from[queue[0]] {
			if !done[e.To] {
				done[e.To] = true
				found = append(found, f.affected(e.To, Certain, ""))
				if !direct {
					queue = append(queue, e.To)
				}
			}
		}
		if direct {
			break
		}
	}
	return found, nil
}

func (f *CatalogFile) affected(urn, effect, why string) Affected {
	a := Affected{Impact: Impact{URN: urn, Name: urn, Type: model.StoredURN(urn).EntityType(), Owners: []Owner{}, Why: why}, Effect: effect}
	if e := f.byURN[urn]; e != nil {
		a.Name, a.Type, a.Platform, a.Owners = e.Name, e.Type, e.Platform, append(a.Owners, e.Owners...)
	}
	return a
}

// Details returns the owners and domains of entities.
func (f *CatalogFile) Details(_ context.Context, urns []string) (map[string]Details, error) {
	found := map[string]Details{}
	for _, urn := range urns {
		if e := f.byURN[urn]; e != nil {
			found[urn] = Details{e.Owners, e.Domains}
		}
	}
	return found, nil
}
