package object

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// storedPaths are the browse paths of an entity in the older form.
type storedPaths struct {
	Paths []string `json:"paths"`
}

// BrowsePathOf splits a browse path such as /a/b at its slashes.
func BrowsePathOf(path string) *BrowsePath {
	steps := []string{}
	for step := range strings.SplitSeq(strings.Trim(path, "/"), "/") {
		if step != "" {
			steps = append(steps, step)
		}
	}
	return &BrowsePath{Path: steps}
}

// BrowsePaths reads the entity's browse paths.
func (n *Node) BrowsePaths(ctx context.Context) ([]*BrowsePath, error) {
	stored, err := aspect[storedPaths](ctx, n, model.AspectBrowsePaths)
	if stored == nil {
		return nil, err
	}
	paths := make([]*BrowsePath, len(stored.Paths))
	for i, path := range stored.Paths {
		paths[i] = BrowsePathOf(path)
	}
	return paths, nil
}

// BrowsePathV2 is a path whose steps may be entities.
type BrowsePathV2 struct {
	Path []*BrowsePathEntry `json:"path"`
}

// BrowsePathEntry is a step of a BrowsePathV2.
type BrowsePathEntry struct {
	ID     string `json:"id"`
	URN    string `json:"urn"`
	Entity Entity `json:"-"`
}

// Name is the name of the step.
func (e *BrowsePathEntry) Name() string { return e.ID }

func (p *BrowsePathV2) complete(_ *Node, below *Batch) {
	for _, step := range p.Path {
		if step.URN != "" {
			step.Entity = below.Entity(step.URN)
		}
	}
}

// BrowsePathV2 reads the entity's browse path in the newer form.
func (n *Node) BrowsePathV2(ctx context.Context) (*BrowsePathV2, error) {
	return aspect[BrowsePathV2](ctx, n, model.AspectBrowsePathsV2)
}

// inContainer is the part of an aspect that names the container of an entity.
type inContainer struct {
	URN       string     `json:"container"`
	Container *Container `json:"-"`
}

func (c *inContainer) complete(_ *Node, below *Batch) {
	c.Container = entityAs[*Container](below, c.URN)
}

// Container reads the container that contains the entity.
func (n *Node) Container(ctx context.Context) (*Container, error) {
	in, err := aspect[inContainer](ctx, n, model.AspectContainer)
	if in == nil {
		return nil, err
	}
	return in.Container, err
}

// maxParents is the largest number of parents that are read. It bounds the read if containers
// or glossary nodes contain each other.
const maxParents = 50

// ParentContainers are the containers that contain the entity, the closest first.
func (n *Node) ParentContainers(ctx context.Context) (*ParentContainersResult, error) {
	result := &ParentContainersResult{Containers: []*Container{}}
	for at := n; len(result.Containers) < maxParents; {
		parent, err := at.Container(ctx)
		if err != nil {
			return nil, err
		}
		if parent == nil {
			break
		}
		result.Containers = append(result.Containers, parent)
		at = parent.Node
	}
	result.Count = len(result.Containers)
	return result, nil
}
