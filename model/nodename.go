package model

// NodeName returns the name of an entity of which only the URN is known. It is
// never empty, and shortened as the properties of graph nodes are.
func (r *Registry) NodeName(u URN) string {
	parts := u.Parts()
	name := parts[len(parts)-1]
	if e, ok := r.Entity(u.EntityType()); ok && len(parts) == len(e.KeyFields) {
		name = parts[e.nameField()]
		if e.Name == EntitySchemaField {
			name = columnName(name)
		}
	}
	if inner := StoredURN(name); !inner.IsZero() {
		return r.NodeName(inner)
	}
	if name == "" {
		name = u.text
	}
	return shorten(name)
}

// nameField is the index of the part of a key that names its entity: the one
// called name, else the last one that is not a property of every node. The last part
// of the key of a data flow is its cluster.
func (e *Entity) nameField() int {
	last := 0
	for i, field := range e.KeyFields {
		switch {
		case field.Name == "name", field.Name == "flowId":
			return i
		case !reservedProperties[field.Name]:
			last = i
		}
	}
	return last
}
