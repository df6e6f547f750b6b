package edits

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// maxDepth is the largest number of glossary nodes, or of domains, above an entity.
const maxDepth = 100

// placing says how the entities of a type name their parent. The member of the aspect has the
// URN of the parent, and the parent has the type parentType.
type placing struct{ aspect, member, parentType string }

// placingOf returns the placing of a type. It returns false for types that are neither in the
// glossary nor domains.
func placingOf(entityType string) (placing, bool) {
	if entityType == model.EntityDomain {
		return placing{model.AspectDomainProperties, "parentDomain", model.EntityDomain}, true
	}
	glossary, ok := model.GlossaryTypeOf(entityType)
	return placing{glossary.Aspect, "parentNode", model.EntityGlossaryNode}, ok
}

// parent returns the node or domain that contains an entity. If nothing contains the entity, it
// returns the zero URN.
func (s *Service) parent(ctx context.Context, u model.URN) (model.URN, error) {
	in, _ := placingOf(u.EntityType()) // callers pass only types that have a placing
	stored, err := s.store.LatestAspects(ctx, []string{u.String()}, []string{in.aspect})
	if err != nil {
		return model.URN{}, catalog.StoreFailure(err)
	}
	if len(stored[u.String()]) == 0 {
		return model.URN{}, nil
	}
	var value catalog.Tree
	if err := json.Unmarshal(stored[u.String()][0].Value, &value); err != nil {
		return model.URN{}, catalog.Errorf(catalog.Internal, "%s of %s: %w", in.aspect, u, err)
	}
	text := jsontree.Text(value, in.member)
	if text == "" {
		return model.URN{}, nil
	}
	parent, _, err := s.names.ParseURN(text) // a value keeps the spelling that its writer has chosen
	return parent, err
}

// SetParentNode moves a term or node into a node. The zero URN as the parent moves it to the
// top.
func (s *Service) SetParentNode(ctx context.Context, u, parent model.URN, o catalog.WriteOptions) error {
	if _, ok := model.GlossaryTypeOf(u.EntityType()); !ok {
		return catalog.Errorf(catalog.Invalid, "%s is neither a glossaryTerm nor a glossaryNode", u)
	}
	return s.setParent(ctx, u, parent, o)
}

// MoveDomain moves a domain below a parent. The zero URN as the parent moves the domain to the
// top.
func (s *Service) MoveDomain(ctx context.Context, domain, parent model.URN, o catalog.WriteOptions) error {
	if err := catalog.RequireType(domain, model.EntityDomain); err != nil {
		return err
	}
	return s.setParent(ctx, domain, parent, o)
}

func (s *Service) setParent(ctx context.Context, u, parent model.URN, o catalog.WriteOptions) error {
	in, _ := placingOf(u.EntityType()) // callers have checked the type
	if err := s.checkParent(ctx, u, parent); err != nil {
		return err
	}
	return s.writer.Edit(ctx, []write.Edit{{URN: u, Aspect: in.aspect, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		switch {
		case len(value) == 0:
			return catalog.Errorf(catalog.Invalid, "Failed to update %s. It has no %s.", u, in.aspect)
		case parent.IsZero():
			delete(value, in.member)
		default:
			value[in.member] = parent.String()
		}
		return nil
	}}}, o)
}

// checkParent fails unless a node or domain may become the parent of an entity: the parent
// exists and is not below the entity. The zero URN stands for no parent.
func (s *Service) checkParent(ctx context.Context, u, parent model.URN) error {
	if parent.IsZero() {
		return nil
	}
	in, _ := placingOf(u.EntityType()) // callers pass only types that have a placing
	if err := s.requireExisting(ctx, parent, in.parentType); err != nil {
		return err
	}
	at := parent
	for range maxDepth {
		if at == u {
			return catalog.Errorf(catalog.Invalid, "%s cannot be moved into %s, which is below it", u, parent)
		}
		var err error
		if at, err = s.parent(ctx, at); err != nil || at.IsZero() {
			return err
		}
	}
	return catalog.Errorf(catalog.Invalid, "%s is more than %d steps below the top", parent, maxDepth)
}
