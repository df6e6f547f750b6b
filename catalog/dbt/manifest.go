package dbt

import (
	"encoding/json"
	"fmt"
	"strings"
)

// manifestNode is a node, a source, an exposure or a semantic model in the manifest.
type manifestNode struct {
	Name         string          `json:"name"`
	Alias        *string         `json:"alias"`
	Identifier   string          `json:"identifier"`
	ResourceType string          `json:"resource_type"`
	Package      string          `json:"package_name"`
	Path         string          `json:"original_file_path"`
	Database     string          `json:"database"`
	Schema       string          `json:"schema"`
	Description  string          `json:"description"`
	RawCode      string          `json:"raw_code"`
	CompiledCode string          `json:"compiled_code"`
	Language     string          `json:"language"`
	Tags         []string        `json:"tags"`
	Meta         object          `json:"meta"`
	QueryTag     json.RawMessage `json:"query_tag"`
	Columns      columnsOf       `json:"columns"`
	Config       manifestConfig  `json:"config"`
	DependsOn    manifestDepends `json:"depends_on"`
	Test         *manifestTest   `json:"test_metadata"`

	Type     string           `json:"type"`
	URL      string           `json:"url"`
	Maturity string           `json:"maturity"`
	Owner    manifestOwner    `json:"owner"`
	Entities []manifestMember `json:"entities"`
	Dims     []manifestMember `json:"dimensions"`
	Measures []manifestMember `json:"measures"`
}

type manifestConfig struct {
	Materialized   string          `json:"materialized"`
	Meta           object          `json:"meta"`
	OnSchemaChange string          `json:"on_schema_change"`
	UniqueKey      json.RawMessage `json:"unique_key"`
	UpdatedAt      json.RawMessage `json:"updated_at"`
	CheckColumns   json.RawMessage `json:"check_cols"`
	Contract       struct {
		Enforced bool `json:"enforced"`
	} `json:"contract"`
}

type manifestDepends struct {
	Nodes []string `json:"nodes"`
}

type manifestTest struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	Arguments object `json:"kwargs"`
}

type manifestOwner struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// manifestMember is an entity, a dimension or a measure of a semantic model.
type manifestMember struct {
	Name        string  `json:"name"`
	Type        *string `json:"type"`
	Aggregation *string `json:"agg"`
	Description string  `json:"description"`
}

// column is a column in the manifest or in the catalog.
type column struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Comment     string   `json:"comment"`
	DataType    string   `json:"data_type"`
	Type        string   `json:"type"`
	Tags        []string `json:"tags"`
	Meta        object   `json:"meta"`
	Constraints []struct {
		Type string `json:"type"`
	} `json:"constraints"`
}

// columnsOf are the columns of a node, in the order of the artifact.
type columnsOf struct {
	names  []string
	byName map[string]column
}

// UnmarshalJSON decodes an object of columns.
func (c *columnsOf) UnmarshalJSON(text []byte) error {
	var o object
	if err := o.UnmarshalJSON(text); err != nil {
		return err
	}
	*c = columnsOf{names: o.names, byName: map[string]column{}}
	for _, name := range o.names {
		var one column
		if err := json.Unmarshal(o.values[name], &one); err != nil {
			return at(fmt.Sprintf("columns[%q]", name), err)
		}
		c.byName[name] = one
	}
	return nil
}

// find returns a column by its name, otherwise by its name in any case. The last one of several counts.
func (c columnsOf) find(name string) column {
	if one, ok := c.byName[name]; ok {
		return one
	}
	found := column{}
	for _, other := range c.names {
		if strings.EqualFold(other, name) {
			found = c.byName[other]
		}
	}
	return found
}

// manifest reads a member of the manifest.
func (r *reading) manifest(name, path string, decoder *json.Decoder, _ *metadata) error {
	read := map[string]func(id string, m *manifestNode){"nodes": r.node, "sources": r.node, "exposures": r.exposure, "semantic_models": r.semanticModel}[name]
	if read == nil {
		return discard(decoder)
	}
	return r.each(decoder, path, func(id, _ string) error {
		var m manifestNode
		if err := decoder.Decode(&m); err != nil {
			return err
		}
		read(id, &m)
		return nil
	})
}

// node adds a node or a source.
func (r *reading) node(id string, m *manifestNode) {
	n := &Node{
		ID: id, Type: m.ResourceType, Name: m.Name, Database: m.Database, Schema: m.Schema, Package: m.Package, Path: m.Path, Description: m.Description,
		Materialized: m.Config.Materialized, Language: m.Language, RawCode: m.RawCode, CompiledCode: m.CompiledCode, Tags: m.Tags, Upstreams: m.DependsOn.Nodes,
	}
	n.describe(m)
	_ = n.queryTag.UnmarshalJSON(m.QueryTag) // another value than an object has no properties
	n.configure(&m.Config)
	if r.identifiers && m.Identifier != "" {
		n.Name = m.Identifier
	}
	if r.noDatabases {
		n.Database = ""
	}
	if m.Alias != nil && m.ResourceType != typeTest {
		n.Name = *m.Alias
	}
	if n.Language == "" {
		n.Language = "sql" // sources and seeds have no language, and the client gives them this one
	}
	if n.Type == typeTest {
		n.test = &test{}
		if t := m.Test; t != nil {
			n.test.name, n.test.arguments = t.Name, t.Arguments
			if t.Namespace != "" {
				n.test.name = t.Namespace + "." + t.Name
			}
		}
	}
	r.Nodes[id], r.columns[id] = n, m.Columns
}

// describe sets the properties and the owner. Older manifests have some of them in the configuration only.
func (n *Node) describe(m *manifestNode) {
	n.meta, n.owner = m.Meta, m.Meta.get("owner")
	if n.owner == nil {
		n.owner = m.Config.Meta.get("owner")
	}
	if len(n.meta.names) == 0 {
		n.meta = m.Config.Meta
	}
}

func (r *reading) exposure(id string, m *manifestNode) {
	e := &Exposure{
		ID: id, Name: m.Name, Type: m.Type, Description: m.Description, URL: m.URL, Maturity: m.Maturity, OwnerName: m.Owner.Name, OwnerEmail: m.Owner.Email,
		Package: m.Package, Path: m.Path, Tags: m.Tags, Upstreams: m.DependsOn.Nodes, meta: m.Meta,
	}
	if exposureTypes[e.Type] == "" {
		e.Type = "dashboard"
	}
	if e.Maturity != "high" && e.Maturity != "medium" && e.Maturity != "low" {
		e.Maturity = ""
	}
	r.Exposures[id] = e
}

// semanticModel adds a semantic model. Its columns are its entities, dimensions and measures.
func (r *reading) semanticModel(id string, m *manifestNode) {
	n := &Node{ID: id, Type: typeSemanticModel, Name: m.Name, Package: m.Package, Path: m.Path, Description: m.Description, Language: "yaml", Tags: m.Tags, Upstreams: m.DependsOn.Nodes}
	if n.meta = m.Config.Meta; len(n.meta.names) == 0 {
		n.meta = m.Meta
	}
	n.owner = n.meta.get("owner")
	add := func(members []manifestMember, kind, title, usual string, of func(manifestMember) *string) {
		for _, member := range members {
			if strings.TrimSpace(member.Name) == "" {
				continue
			}
			is := usual
			if given := of(member); given != nil {
				is = *given
			}
			c := Column{Name: member.Name, Type: kind + ":" + is, Description: member.Description}
			if c.Description == "" {
				c.Description = title + " (" + is + ")"
			}
			n.Columns = append(n.Columns, c)
		}
	}
	kindOf := func(member manifestMember) *string { return member.Type }
	add(m.Entities, "entity", "Entity", "unknown", kindOf)
	add(m.Dims, "dimension", "Dimension", "categorical", kindOf)
	add(m.Measures, "measure", "Measure", "unknown", func(member manifestMember) *string { return member.Aggregation })
	r.Nodes[id] = n
}

// describedColumns gives those nodes that the catalog does not have the columns that the manifest describes.
func (r *reading) describedColumns() {
	for id, described := range r.columns {
		n := r.Nodes[id]
		for _, name := range described.names {
			c := described.byName[name]
			n.Described = append(n.Described, c.described())
		}
		if n.catalogType != nil || !n.hasCatalogColumns() {
			continue
		}
		n.Columns = n.Described
	}
	r.columns = nil
}

// hasCatalogColumns reports whether a node is of a kind that has columns in the catalog.
func (n *Node) hasCatalogColumns() bool {
	return n.Materialized != ephemeral && n.Materialized != semanticView && n.Materialized != typeTest
}
