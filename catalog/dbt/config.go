package dbt

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/internal/python"
	"github.com/headwater-io/headwater/model"
)

// Key is a column that the configuration of a node names.
type Key struct {
	// Setting is the name of the setting, such as unique_key.
	Setting, Column string
}

// configure keeps those settings that a build of the node depends on.
func (n *Node) configure(c *manifestConfig) {
	n.OnSchemaChange, n.Contract = c.OnSchemaChange, c.Contract.Enforced
	for _, setting := range []struct {
		name  string
		value json.RawMessage
	}{{"unique_key", c.UniqueKey}, {"updated_at", c.UpdatedAt}, {"check_cols", c.CheckColumns}} {
		for _, column := range texts(setting.value) {
			if isName(column) && !(setting.name == "check_cols" && column == "all") {
				n.Keys = append(n.Keys, Key{setting.name, column})
			}
		}
	}
}

// texts returns a text, or the texts of a list.
func texts(value json.RawMessage) []string {
	var one string
	if json.Unmarshal(value, &one) == nil && one != "" {
		return []string{one}
	}
	var several []string
	_ = json.Unmarshal(value, &several) // another value names no columns
	return several
}

// isName reports whether a text is the name of a column, and not an expression.
func isName(text string) bool {
	return text != "" && strings.Trim(strings.ToLower(text), "abcdefghijklmnopqrstuvwxyz0123456789_$") == ""
}

// described returns a column as the project describes it.
func (c *column) described() Column {
	notNull := false
	for _, constraint := range c.Constraints {
		notNull = notNull || constraint.Type == "not_null" || constraint.Type == "primary_key"
	}
	return Column{Name: c.Name, Type: c.DataType, Description: c.Description, Tags: c.Tags, NotNull: notNull, meta: c.Meta}
}

// Table returns the name of the node's table with database and schema, "" if the platform has no table for the node.
func (n *Node) Table() string {
	if !n.isInTarget() {
		return ""
	}
	return n.table()
}

// IsEphemeral reports whether dbt puts the code of the node into the code of those that depend on it.
func (n *Node) IsEphemeral() bool { return n.Materialized == ephemeral }

// InCatalog reports whether the columns are those that the database had when the catalog was made.
func (n *Node) InCatalog() bool { return n.catalogType != nil }

// HasSQL reports whether the node is one whose code names the tables that it reads: a model, a snapshot or a test in SQL.
func (n *Node) HasSQL() bool {
	return n.Language == "sql" && (n.Type == typeModel || n.Type == typeSnapshot || n.Type == typeTest) && n.Materialized != semanticView
}

// Owners returns the URNs of those who own the node by the property owner.
func (n *Node) Owners() []string { return n.owners() }

// TestedColumn returns the column that a generic test is about, "" if it is about none.
func (n *Node) TestedColumn() string {
	if n.test == nil {
		return ""
	}
	return n.test.arguments.text("column_name")
}

// Owner returns the URN of the owner of the exposure, "" for none.
func (e *Exposure) Owner() string {
	if owner := e.owner(); owner != "" {
		return user(owner)
	}
	return ""
}

// ExpressionNames returns the names that common table expressions have in compiled code, with the ids of the ephemeral
// models that they stand for.
func (p *Project) ExpressionNames(n *Node) map[string]string {
	names, seen := map[string]string{}, map[string]bool{}
	var add func(ids []string)
	add = func(ids []string) {
		for _, id := range ids {
			from := p.Nodes[id]
			if from == nil || seen[id] || !from.IsEphemeral() {
				continue
			}
			seen[id] = true
			for _, name := range cteNames(from.Name, p.Adapter) {
				names[strings.ToLower(name)] = id
			}
			add(from.Upstreams) // dbt puts their code there as well
		}
	}
	add(n.Upstreams)
	return names
}

// URNs returns the URNs under which the catalog has a node; the table's URN is the first. A test has a URN for each
// node on which the test depends.
func (p *Project) URNs(n *Node, s Settings) []string {
	t := &translation{Project: p, Settings: s}
	switch {
	case n.Type == typeTest:
		var urns []string
		tested := slices.DeleteFunc(slices.Clone(n.Upstreams), func(id string) bool { return p.Nodes[id] == nil })
		for _, id := range tested {
			urns = append(urns, t.assertionURN(n, id, tested))
		}
		return urns
	case n.isInTarget():
		return []string{t.inTarget(n), t.inDBT(n)}
	}
	return []string{t.inDBT(n)}
}

// ExposureURN returns the URN of the dashboard that an exposure is in the catalog.
func (p *Project) ExposureURN(e *Exposure, s Settings) string {
	return (&translation{Project: p, Settings: s}).exposureURN(e)
}

// assertionURN returns the URN of a test of one of the tested nodes.
func (t *translation) assertionURN(n *Node, id string, tested []string) string {
	key := map[string]string{"platform": "dbt", "name": n.ID, "instance": t.Instance}
	if len(tested) > 1 {
		key["on_dbt_upstream"] = id
	}
	return t.assertion(key)
}

// assertion returns the URN of an assertion by its key.
func (t *translation) assertion(key map[string]string) string {
	if t.EnvInAssertions && t.Env != "PROD" {
		key["env"] = t.Env
	}
	return "urn:li:" + model.EntityAssertion + ":" + python.GUID(key)
}

func (t *translation) exposureURN(e *Exposure) string {
	name := e.ID
	if t.Instance != "" {
		name = t.Instance + "." + name
	}
	return "urn:li:dashboard:(dbt," + reserved.Replace(name) + ")"
}
