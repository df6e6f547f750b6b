package history

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// PastNode has the name and the state that an entity had at a moment, as lists and graphs show
// them.
type PastNode struct {
	// Exists tells that something had been stored of the entity by the moment. Removed is the
	// soft-delete mark.
	Exists, Removed bool
	// Properties are as in [graphstore.Entity].
	Properties map[string]any
	SubType    string
	// Columns counts the columns of the schema.
	Columns int
	// Unknown names the members above that are not known, because the aspect that stated them at the
	// moment is not kept any more: name, platform, removed, deprecated, subType, columns.
	Unknown []string
}

// The members of a [PastNode] that may be unknown.
const (
	MemberName       = "name"
	MemberPlatform   = "platform"
	MemberExists     = "exists"
	MemberRemoved    = "removed"
	MemberDeprecated = "deprecated"
	MemberSubType    = "subType"
	MemberColumns    = "columns"
)

// membersOf returns the members that an aspect states.
func membersOf(aspect string) []string {
	switch aspect {
	case model.AspectStatus:
		return []string{MemberRemoved}
	case model.AspectDeprecation:
		return []string{MemberDeprecated}
	case model.AspectSubTypes:
		return []string{MemberSubType}
	case model.AspectSchemaMetadata:
		return []string{MemberColumns}
	}
	return []string{MemberName, MemberPlatform}
}

// NodesAt returns the names and states that entities had at a moment. Entities whose versions
// are larger than limits.MaxHistoriesBytes are absent.
func (s *Service) NodesAt(ctx context.Context, urns []string, at int64) (map[string]PastNode, error) {
	found := make(map[string]PastNode, len(urns))
	for some := range slices.Chunk(urns, nodesAtOnce) {
		asked := make([]model.URN, 0, len(some))
		for _, urn := range some {
			if u := model.StoredURN(urn); !u.IsZero() {
				asked = append(asked, u)
			}
		}
		err := s.eachHistory(ctx, asked, func(u model.URN, h *graphstore.History, rolledBack map[string][]catalog.RolledBackVersion) (err error) {
			if h != nil {
				found[u.String()], err = s.nodeAt(u, h.Versions, rolledBack, at)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// nodesAtOnce is the number of entities whose sizes are read at once.
const nodesAtOnce = 500

func (s *Service) nodeAt(u model.URN, versions []graphstore.Aspect, rolledBack map[string][]catalog.RolledBackVersion, at int64) (PastNode, error) {
	entity, ok := s.registry.Entity(u.EntityType())
	if !ok {
		return PastNode{}, nil
	}
	past := newPast(at)
	first := past.takeAll(versions, rolledBack, func(name string) bool {
		return name == model.AspectStatus || name == model.AspectSubTypes || name == model.AspectSchemaMetadata || name == entity.KeyAspect || s.registry.GivesNodeProperties(entity.Name, name)
	})
	n := PastNode{Exists: first != 0 && first <= at, Properties: map[string]any{}}
	if !n.Exists {
		return n, nil
	}
	for _, aspect := range past.Lost {
		n.Unknown = append(n.Unknown, membersOf(aspect)...)
	}
	aspects := make([]catalog.EnvelopedAspect, 0, len(past.Aspects))
	for _, a := range past.Aspects {
		aspects = append(aspects, a)
	}
	// Other aspects override the properties of the key, and later aspects those of earlier ones, as
	// when the aspects were written.
	slices.SortFunc(aspects, func(a, b catalog.EnvelopedAspect) int {
		return cmp.Or(compareKeyFirst(entity.KeyAspect, a.Name, b.Name), cmp.Compare(a.Created.Time, b.Created.Time), cmp.Compare(a.Name, b.Name))
	})
	for i := range aspects {
		if err := n.read(s.registry, entity.Name, &aspects[i]); err != nil {
			return PastNode{}, catalog.Errorf(catalog.Internal, "%s of %s: %w", aspects[i].Name, u, err)
		}
	}
	return n, nil
}

func compareKeyFirst(key, a, b string) int {
	switch {
	case a == b:
		return 0
	case a == key:
		return -1
	case b == key:
		return 1
	}
	return 0
}

// read adds the properties of a node that an aspect states.
func (n *PastNode) read(r *model.Registry, entityType string, a *catalog.EnvelopedAspect) error {
	if a.Name == model.AspectSubTypes || a.Name == model.AspectSchemaMetadata {
		subType, columns, err := ShapeOf(a.Value)
		if err != nil {
			return err
		}
		n.SubType = cmp.Or(subType, n.SubType)
		n.Columns += columns
	}
	spec, ok := r.Aspect(a.Name)
	if !ok || a.Name != model.AspectStatus && !spec.IsKey && !r.GivesNodeProperties(entityType, a.Name) {
		return nil
	}
	value, err := r.ParseStored(a.Name, a.Value)
	if err != nil {
		return err
	}
	if a.Name == model.AspectStatus {
		n.Removed = value.Tree["removed"] == true
	}
	for name, property := range r.NodeProperties(entityType, value) {
		n.Properties[name] = property
	}
	return nil
}

// ShapeOf returns the first subtype and the number of columns that subTypes or schemaMetadata states.
func ShapeOf(value json.RawMessage) (subType string, columns int, err error) {
	var stated struct {
		TypeNames []string          `json:"typeNames"`
		Fields    []json.RawMessage `json:"fields"`
	}
	err = json.Unmarshal(value, &stated)
	if len(stated.TypeNames) > 0 {
		subType = stated.TypeNames[0]
	}
	return subType, len(stated.Fields), err
}
