package model

// NodeName returns the name of an entity of which only the URN is known. The name is never
// empty, and is shortened like the properties of graph nodes.
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

// nameField returns the index of the key part that is the name of an entity: the part
// called name, otherwise the last part that is not a property of every node. It is not
// always the last part: the last part of a data flow's key is its cluster.
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

// DatasetName returns the name that a dataset has on its platform, the second part of its URN. It returns other texts
// unchanged.
func DatasetName(urn string) string {
	if parts := StoredURN(urn).Parts(); len(parts) == 3 {
		return parts[1]
	}
	return urn
}
