package lineage

import (
	"context"
	"maps"
	"slices"

	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/read"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// pastNodes has the names and states of entities at a moment.
type pastNodes struct {
	registry *model.Registry
	nodes    map[string]history.PastNode
}

// pastOf reads the names and states at a moment of reached entities and of their platforms: of
// the first limits.PastEntities entities.
func (s *Service) pastOf(ctx context.Context, reached []Reached, at int64) (*pastNodes, error) {
	urns := make([]string, 0, min(len(reached), limits.PastEntities))
	seen := map[string]bool{}
	for _, r := range reached {
		if asset := assetOf(r.URN); !seen[asset] && !isRestricted(r.URN) && len(urns) < limits.PastEntities {
			seen[asset], urns = true, append(urns, asset)
		}
	}
	nodes, err := s.history.NodesAt(ctx, urns, at)
	if err != nil {
		return nil, err
	}
	var platforms []string
	for urn, n := range nodes {
		if platform := platformAt(urn, &n); platform != "" && !seen[platform] {
			platforms = append(platforms, platform)
		}
	}
	of, err := s.history.NodesAt(ctx, distinct(platforms), at)
	maps.Copy(nodes, of)
	return &pastNodes{s.registry, nodes}, err
}

func platformAt(urn string, n *history.PastNode) string {
	return read.PlatformOf(urn, &graphstore.Entity{Properties: n.Properties})
}

// The members of entities, of nodes of columns, and of nodes of entities that former versions
// state.
var (
	pastMembers           = []string{history.MemberName, history.MemberPlatform, history.MemberExists, history.MemberRemoved}
	pastMembersOfColumns  = append(slices.Clone(pastMembers), history.MemberDeprecated)
	pastMembersOfEntities = append(slices.Clone(pastMembersOfColumns), history.MemberSubType, history.MemberColumns)
)

// unknown returns which of the members an entity has as of now, because their values at the
// moment are not known.
func (p *pastNodes) unknown(asset string, members []string) []string {
	n, known := p.nodes[asset]
	if !known {
		return members
	}
	var names []string
	for _, member := range members {
		if slices.Contains(n.Unknown, member) {
			names = append(names, member)
		}
	}
	return names
}

// describe gives an entity the name, the platform and the state of the moment.
func (p *pastNodes) describe(e *Entity) {
	if isRestricted(e.URN) {
		return
	}
	p.set(e, p.unknown(assetOf(e.URN), pastMembers))
}

func (p *pastNodes) set(e *Entity, today []string) {
	e.AsOfToday = today
	asset := assetOf(e.URN)
	n, known := p.nodes[asset]
	if !known {
		return
	}
	e.Exists = n.Exists
	if !slices.Contains(today, history.MemberRemoved) {
		e.Removed = n.Removed
	}
	if slices.Contains(today, history.MemberName) {
		return
	}
	e.Platform = platformAt(asset, &n)
	if e.Entity == "" {
		e.Name = read.NameOf(p.registry, asset, &graphstore.Entity{Properties: n.Properties})
	}
}

// describeNode gives a node the details of the moment.
func (p *pastNodes) describeNode(n *Node) {
	if isRestricted(n.URN) {
		return
	}
	asset, members := assetOf(n.URN), pastMembersOfEntities
	if asset != n.URN {
		members = pastMembersOfColumns
	}
	p.set(&n.Entity, p.unknown(asset, members))
	was, known := p.nodes[asset]
	if !known {
		return
	}
	if platform := p.nodes[n.Platform]; platform.Exists {
		n.PlatformName = read.NameOf(p.registry, n.Platform, &graphstore.Entity{Properties: platform.Properties})
	}
	if !slices.Contains(n.AsOfToday, history.MemberDeprecated) {
		n.Deprecated, _ = was.Properties[history.MemberDeprecated].(bool)
	}
	if asset != n.URN {
		return
	}
	if !slices.Contains(n.AsOfToday, history.MemberSubType) {
		n.SubType = was.SubType
	}
	if !slices.Contains(n.AsOfToday, history.MemberColumns) {
		n.Columns = was.Columns
	}
}
