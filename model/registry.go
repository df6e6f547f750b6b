package model

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:generate go run ./internal/gennames -from tables -to names_gen.go

//go:embed tables/*.json
var tableFiles embed.FS

// modelName is part of the system metadata of every write, together with the
// release of the model.
const modelName = "headwater"

// Registry holds a metadata model. It is immutable and safe for concurrent use.
type Registry struct {
	dialects      []Dialect
	entities      map[string]*Entity
	lowerEntities map[string]*Entity
	aspects       map[string]*Aspect
	byRecord      map[string]*Aspect
	snapshots     map[string]*Snapshot
	snapshotOf    map[string]*Snapshot
	types         map[string]*Type
	relationships []*Relationship
	lineageKinds  []LineageKind
	names         []string
	release       string
	custom        []string
}

// ownTables is the part of the model that the reference does not have, in the form of a custom model.
const ownTables = "tables/own.json"

// Entity is an entity type.
type Entity struct {
	Name      string `json:"name"`
	KeyAspect string `json:"keyAspect"`
	KeyRecord string `json:"keyRecord"`
	// Category is core, internal or empty.
	Category string `json:"category"`
	// Aspects lists the aspects in registry order, without the key aspect.
	Aspects []string `json:"aspects"`
	// KeyFields are the parts of the URN's key, in order.
	KeyFields []*Field `json:"-"`
	// Label is the name in PascalCase, the label of graph nodes.
	Label string `json:"-"`

	has map[string]bool
	// custom is the aspect with the custom properties, "" for none.
	custom string
}

// Has reports whether the entity can have an aspect, including the key aspect.
func (e *Entity) Has(aspect string) bool { return e.has[aspect] }

// Aspect is an aspect: a named record attached to entities.
type Aspect struct {
	Name string `json:"name"`
	// Record is the neutral record name.
	Record string `json:"record"`
	IsKey  bool   `json:"isKey"`
	Kind   string `json:"kind"`
	// SchemaVersion is the version of the record's layout that the client states. 0 means
	// that it states none, which is version 1.
	SchemaVersion int `json:"schemaVersion"`
	// TimeSeries: the aspect has values by time instead of versions.
	TimeSeries bool `json:"-"`
	// Unknown: the model lacks the aspect.
	Unknown bool `json:"-"`

	typ           *Type
	relationships []*Relationship
	search        []*SearchField
}

// HasLineage reports whether the aspect states lineage edges.
func (a *Aspect) HasLineage() bool {
	return slices.ContainsFunc(a.relationships, func(r *Relationship) bool { return r.IsLineage })
}

// Snapshot is a legacy record with several aspects of one entity.
type Snapshot struct {
	Record  string           `json:"snapshot"`
	Entity  string           `json:"entity"`
	Aspects []SnapshotMember `json:"aspects"`
}

// SnapshotMember names an aspect that the snapshot can contain.
type SnapshotMember struct {
	Aspect string `json:"aspect"`
	Record string `json:"unionMember"`
}

// Relationship is one field that states edges.
type Relationship struct {
	Name           string   `json:"relationship"`
	SourceEntities []string `json:"sourceEntities"`
	Aspect         string   `json:"aspect"`
	// Path is the path to the field. Its steps are separated by slashes; * stands for an
	// item of an array or a value of a map.
	Path             string   `json:"fieldPath"`
	DestinationTypes []string `json:"destinationEntityTypes"`
	IsLineage        bool     `json:"isLineage"`
	// IsUpstream: the destination is upstream of the source.
	IsUpstream bool `json:"isUpstream"`
	// Extra are the paths of edge attributes, beginning at the aspect.
	Extra map[string]string `json:"extra"`

	steps []string
	extra map[string][]string
}

// tables is the JSON form of a model, built in or custom.
type tables struct {
	Entities      []*Entity       `json:"entities"`
	Aspects       []*Aspect       `json:"aspects"`
	Records       []recordRow     `json:"records"`
	Relationships []*Relationship `json:"relationships"`
	Searchable    []*SearchField  `json:"searchable"`
	Snapshots     []*Snapshot     `json:"snapshots"`

	release struct {
		Version string `json:"version"`
	}
	// custom are the names of the entity types that are not built in.
	custom []string
}

// Default returns the built-in model.
var Default = sync.OnceValue(func() *Registry {
	r, err := Load()
	if err != nil {
		panic("the built-in model does not load: " + err.Error()) // the package's tests cover this
	}
	return r
})

// Load returns the built-in model extended by custom model files. A custom
// file is a JSON object with any of the members entities, aspects, records,
// relationships, searchable and snapshots, whose rows have the form of the
// built-in tables. An entity row with the name of a built-in entity adds its
// aspects to that entity; every other name must be new.
func Load(custom ...[]byte) (*Registry, error) {
	var all tables
	for name, into := range map[string]any{
		"entities": &all.Entities, "aspects": &all.Aspects, "records": &all.Records,
		"relationships": &all.Relationships, "searchable": &all.Searchable, "snapshots": &all.Snapshots, "release": &all.release,
	} {
		text, err := tableFiles.ReadFile("tables/" + name + ".json")
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, into); err != nil {
			return nil, fmt.Errorf("table %s: %w", name, err)
		}
	}
	own, err := tableFiles.ReadFile(ownTables)
	if err == nil {
		err = all.merge(own)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ownTables, err)
	}
	all.custom = nil // the types that only Headwater has are built in
	for i, text := range custom {
		if err := all.merge(text); err != nil {
			return nil, fmt.Errorf("custom model %d: %w", i+1, err)
		}
	}
	return compile(&all)
}

func (t *tables) merge(text []byte) error {
	var extra tables
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&extra); err != nil {
		return err
	}
	for _, e := range extra.Entities {
		known := slices.IndexFunc(t.Entities, func(k *Entity) bool { return strings.EqualFold(k.Name, e.Name) })
		switch {
		case known < 0 && (e.Name == "" || !isEntityType(e.Name) || e.KeyAspect == "" || e.KeyRecord == ""):
			return fmt.Errorf("entity %q needs a name, a keyAspect and a keyRecord", e.Name)
		case known < 0:
			t.Entities = append(t.Entities, e)
			t.custom = append(t.custom, e.Name)
		case e.KeyAspect != "" && e.KeyAspect != t.Entities[known].KeyAspect:
			return fmt.Errorf("entity %s is built in and keeps its key aspect", e.Name)
		default:
			t.Entities[known].Aspects = append(t.Entities[known].Aspects, e.Aspects...)
		}
	}
	t.Aspects = append(t.Aspects, extra.Aspects...)
	t.Records = append(t.Records, extra.Records...)
	t.Relationships = append(t.Relationships, extra.Relationships...)
	t.Searchable = append(t.Searchable, extra.Searchable...)
	t.Snapshots = append(t.Snapshots, extra.Snapshots...)
	return nil
}

func compile(t *tables) (*Registry, error) {
	r := &Registry{
		dialects: []Dialect{LI(), Example()},
		entities: map[string]*Entity{}, lowerEntities: map[string]*Entity{},
		aspects: map[string]*Aspect{}, byRecord: map[string]*Aspect{},
		snapshots: map[string]*Snapshot{}, snapshotOf: map[string]*Snapshot{},
		release: t.release.Version, custom: t.custom,
	}
	var err error
	if r.types, err = compileTypes(t.Records); err != nil {
		return nil, err
	}
	for _, step := range []func(*tables) error{r.addAspects, r.addEntities, r.addSnapshots, r.addRelationships, r.addSearch} {
		if err := step(t); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Registry) addAspects(t *tables) error {
	for _, a := range t.Aspects {
		typ, ok := r.types[bareRecord(a.Record)]
		if !ok || typ.kind != kindRecord {
			return fmt.Errorf("aspect %s: there is no record %s", a.Name, a.Record)
		}
		if r.aspects[a.Name] != nil {
			return fmt.Errorf("aspect %s is defined twice", a.Name)
		}
		a.Record, a.typ, a.TimeSeries = neutralPrefix+bareRecord(a.Record), typ, a.Kind == "timeseries"
		r.aspects[a.Name] = a
		r.byRecord[bareRecord(a.Record)] = a
	}
	return nil
}

func (r *Registry) addEntities(t *tables) error {
	for _, e := range t.Entities {
		key := r.aspects[e.KeyAspect]
		if key == nil {
			return fmt.Errorf("entity %s: there is no key aspect %s", e.Name, e.KeyAspect)
		}
		e.KeyFields = key.typ.fields
		e.Label = strings.ToUpper(e.Name[:1]) + e.Name[1:]
		e.has = map[string]bool{e.KeyAspect: true}
		for _, name := range e.Aspects {
			if r.aspects[name] == nil {
				return fmt.Errorf("entity %s: there is no aspect %s", e.Name, name)
			}
			e.has[name] = true
		}
		e.custom = r.customAspect(e)
		if r.entities[e.Name] != nil {
			return fmt.Errorf("entity %s is defined twice", e.Name)
		}
		r.entities[e.Name] = e
		r.lowerEntities[strings.ToLower(e.Name)] = e
	}
	return nil
}

func (r *Registry) addSnapshots(t *tables) error {
	for _, s := range t.Snapshots {
		if r.entities[s.Entity] == nil {
			return fmt.Errorf("snapshot %s: there is no entity %s", s.Record, s.Entity)
		}
		r.snapshots[bareRecord(s.Record)] = s
		r.snapshotOf[s.Entity] = s
	}
	return nil
}

// relationshipName matches names that Cypher statements and style sheets can contain
// without quotes.
var relationshipName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// reservedRelationships are the names of relationships in Neo4j that are not from the
// model.
var reservedRelationships = map[string]bool{
	"COLUMN_OF": true, "ENDED": true, "FED_BY": true, "HAS_ASPECT": true, "HAS_TAG": true, "HAS_TERM": true, "HAS_TIME_SERIES": true,
	"HAS_RECORD": true,
}

func (r *Registry) addRelationships(t *tables) error {
	names := map[string]bool{}
	for _, rel := range t.Relationships {
		aspect := r.aspects[rel.Aspect]
		if aspect == nil || rel.Name == "" {
			return fmt.Errorf("relationship %q: there is no aspect %q", rel.Name, rel.Aspect)
		}
		if !relationshipName.MatchString(rel.Name) {
			return fmt.Errorf("relationship %q: a name is ASCII letters, digits and underscores and begins with a letter", rel.Name)
		}
		if reservedRelationships[rel.Name] {
			return fmt.Errorf("relationship %q: the graph in Neo4j uses this name itself", rel.Name)
		}
		rel.steps = strings.Split(rel.Path, "/")
		rel.extra = map[string][]string{}
		for attribute, path := range rel.Extra {
			rel.extra[attribute] = strings.Split(path, "/")
		}
		aspect.relationships = append(aspect.relationships, rel)
		r.relationships = append(r.relationships, rel)
		r.addLineageKinds(rel)
		names[rel.Name] = true
	}
	names[RelationshipDownstreamOf], names[RelationshipIndirectlyDownstreamOf] = true, true
	r.names = slices.Sorted(maps.Keys(names))
	return nil
}

func (r *Registry) addSearch(t *tables) error {
	for _, f := range t.Searchable {
		aspect := r.aspects[f.Aspect]
		if aspect == nil {
			return fmt.Errorf("search field %q: there is no aspect %q", f.Name, f.Aspect)
		}
		f.QueryByDefault = slices.Contains(searchedByDefault, f.Type)
		if f.StatedByDefault != nil {
			f.QueryByDefault = *f.StatedByDefault
		}
		f.steps = strings.Split(f.Path, "/")
		aspect.search = append(aspect.search, f)
	}
	return nil
}

// Entity returns an entity type by name, in any letter case.
func (r *Registry) Entity(name string) (*Entity, bool) {
	if e, ok := r.entities[name]; ok {
		return e, true
	}
	e, ok := r.lowerEntities[strings.ToLower(name)]
	return e, ok
}

// Entities returns every entity type, sorted by name.
func (r *Registry) Entities() []*Entity {
	return slices.SortedFunc(maps.Values(r.entities), func(a, b *Entity) int { return cmp.Compare(a.Name, b.Name) })
}

// CustomEntities returns the names of the entity types that custom models add.
func (r *Registry) CustomEntities() []string { return r.custom }

// Aspect returns an aspect by name.
func (r *Registry) Aspect(name string) (*Aspect, bool) {
	a, ok := r.aspects[name]
	return a, ok
}

// AspectByRecord returns an aspect by its record's name in any dialect.
func (r *Registry) AspectByRecord(record string) (*Aspect, bool) {
	a, ok := r.byRecord[r.neutralName(record)]
	return a, ok
}

// Snapshot returns a snapshot by its record's name in any dialect.
func (r *Registry) Snapshot(record string) (*Snapshot, bool) {
	s, ok := r.snapshots[r.neutralName(record)]
	return s, ok
}

// SnapshotOf returns the snapshot of an entity type, if it has one.
func (r *Registry) SnapshotOf(entityType string) (*Snapshot, bool) {
	s, ok := r.snapshotOf[entityType]
	return s, ok
}

// Dialects returns the supported dialects.
func (r *Registry) Dialects() []Dialect { return r.dialects }

// DialectOf returns the dialect of a URN's namespace.
func (r *Registry) DialectOf(u URN) (Dialect, bool) {
	for _, d := range r.dialects {
		if d.Namespace == u.Namespace() {
			return d, true
		}
	}
	return Dialect{}, false
}

// Relationships returns every field that states edges. The slice is shared.
func (r *Registry) Relationships() []*Relationship { return r.relationships }

// RelationshipNames returns the distinct names of edges, sorted.
func (r *Registry) RelationshipNames() []string { return r.names }

// Version returns the name and version in system metadata.
func (r *Registry) Version() (name, version string) { return modelName, r.release }

// Release returns the release of the client from which the model is taken, such as
// 1.7.0.17.
func (r *Registry) Release() string { return r.release }

// neutralName removes the prefix of any dialect from a record name and resolves
// its aliases. It returns "" for a name without a known prefix.
func (r *Registry) neutralName(record string) string {
	if bare, ok := strings.CutPrefix(record, neutralPrefix); ok {
		return bare
	}
	for _, d := range r.dialects {
		if bare, ok := strings.CutPrefix(record, d.Prefix+"."); ok {
			return unalias(r.dialects, bare)
		}
	}
	return ""
}

func unalias(dialects []Dialect, bare string) string {
	for _, d := range dialects {
		for neutral, alias := range d.RecordAliases {
			if alias == bare {
				return neutral
			}
		}
	}
	return bare
}

func bareRecord(neutral string) string { return strings.TrimPrefix(neutral, neutralPrefix) }
