package object

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// GlossaryTerm is a term with its definition.
type GlossaryTerm struct{ *Node }

// HierarchicalName is the last part of the URN.
func (t *GlossaryTerm) HierarchicalName() string { return t.part(0) }

// GlossaryTermProperties are the name and the meaning of a term.
type GlossaryTermProperties struct {
	Named      *string `json:"name"`
	Definition string  `json:"definition"`
	TermSource string  `json:"termSource"`
	SourceRef  *string `json:"sourceRef"`
	SourceURL  *string `json:"sourceUrl"`
	RawSchema  *string `json:"rawSchema"`
	Parent     *string `json:"parentNode"`
	Custom
	fallback string
}

func (p *GlossaryTermProperties) complete(n *Node, _ *Batch) {
	p.own(n.URN)
	p.fallback = lastStep(n.part(0))
}

// lastStep returns the part of a hierarchical name after the last dot.
func lastStep(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

// Name is the stated name, or else the last step of the hierarchical name.
func (p *GlossaryTermProperties) Name() string {
	if p.Named != nil {
		return *p.Named
	}
	return p.fallback
}

// Description is the meaning of the term.
func (p *GlossaryTermProperties) Description() *string { return &p.Definition }

// Properties are the name and the meaning of the term.
func (t *GlossaryTerm) Properties(ctx context.Context) (*GlossaryTermProperties, error) {
	return aspect[GlossaryTermProperties](ctx, t.Node, model.AspectGlossaryTermInfo)
}

// GlossaryTermInfo is another name of Properties.
func (t *GlossaryTerm) GlossaryTermInfo(ctx context.Context) (*GlossaryTermProperties, error) {
	return t.Properties(ctx)
}

// Name is the stated name, or else the last step of the hierarchical name.
func (t *GlossaryTerm) Name(ctx context.Context) (string, error) {
	p, err := t.Properties(ctx)
	if p == nil {
		return lastStep(t.part(0)), err
	}
	return p.Name(), err
}

// ParentNodes are the nodes that contain the term, the closest first.
func (t *GlossaryTerm) ParentNodes(ctx context.Context) (*ParentNodesResult, error) {
	return t.parentNodes(ctx, model.AspectGlossaryTermInfo)
}

// GlossaryNode is a group of terms and nodes in the glossary.
type GlossaryNode struct{ *Node }

// storedNode is the stored form of a glossary node.
type storedNode struct {
	Named      *string `json:"name"`
	Definition string  `json:"definition"`
	Custom
}

// GlossaryNodeProperties are the name and the meaning of a node.
type GlossaryNodeProperties struct {
	Name        string
	Description *string
	Custom
}

// Properties are the name and the meaning of the node.
func (g *GlossaryNode) Properties(ctx context.Context) (*GlossaryNodeProperties, error) {
	stored, err := aspect[storedNode](ctx, g.Node, model.AspectGlossaryNodeInfo)
	if stored == nil {
		return nil, err
	}
	p := &GlossaryNodeProperties{Name: lastStep(g.part(0)), Description: &stored.Definition, Custom: stored.Custom}
	if stored.Named != nil {
		p.Name = *stored.Named
	}
	return p, nil
}

// ParentNodes are the nodes that contain the node, the closest first.
func (g *GlossaryNode) ParentNodes(ctx context.Context) (*ParentNodesResult, error) {
	return g.parentNodes(ctx, model.AspectGlossaryNodeInfo)
}

// inNode is the part of an aspect that names a glossary node.
type inNode struct {
	URN  string        `json:"parentNode"`
	Node *GlossaryNode `json:"-"`
}

func (i *inNode) complete(_ *Node, below *Batch) { i.Node = entityAs[*GlossaryNode](below, i.URN) }

func (n *Node) parentNodes(ctx context.Context, name string) (*ParentNodesResult, error) {
	result := &ParentNodesResult{Nodes: []*GlossaryNode{}}
	for at := n; len(result.Nodes) < maxParents; name = model.AspectGlossaryNodeInfo {
		in, err := aspect[inNode](ctx, at, name)
		if err != nil {
			return nil, err
		}
		if in == nil || in.Node == nil {
			break
		}
		result.Nodes = append(result.Nodes, in.Node)
		at = in.Node.Node
	}
	result.Count = len(result.Nodes)
	return result, nil
}
