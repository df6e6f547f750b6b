package dbt

// Names says which names are wanted.
type Names interface {
	Allows(name string) bool
}

// Patterns say which nodes become entities. A node that they leave out is still known, because other nodes derive from
// it. nil allows every name.
type Patterns struct {
	// Nodes is about unique ids, such as model.shop.orders.
	Nodes Names
	// Databases, Schemas and Tables are about the place of a node: shop, shop.public and shop.public.orders. A node without
	// a database has no place.
	Databases, Schemas, Tables Names
}

func allows(by Names, name string) bool { return by == nil || by.Allows(name) }

// allow reports whether the patterns want a node.
func (p *Patterns) allow(n *Node) bool {
	switch {
	case !allows(p.Nodes, n.ID):
		return false
	case n.Type == typeSemanticModel || n.Database == "":
		return true
	case !allows(p.Databases, n.Database):
		return false
	case n.Schema == "":
		return true
	}
	return allows(p.Schemas, n.Database+"."+n.Schema) && (n.Name == "" || allows(p.Tables, n.table()))
}
