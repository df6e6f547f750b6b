package edits

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// applicationList is the list of an entity's applications.
const applicationList = "applications"

// NewApplication is an application to create. An application groups the entities that serve one
// purpose of the business.
type NewApplication struct {
	// ID is the last part of the URN; "" generates one.
	ID, Name, Description string
	// Domain contains the application; the zero URN stands for no domain.
	Domain model.URN
	// Owned makes the actor an owner of the application.
	Owned bool
}

// CreateApplication creates an application and returns its URN.
func (s *Service) CreateApplication(ctx context.Context, n NewApplication, o catalog.WriteOptions) (model.URN, error) {
	if err := requireName(&n.Name); err != nil {
		return model.URN{}, err
	}
	u, by, err := s.newURN(model.EntityApplication, n.ID, o)
	if err != nil {
		return model.URN{}, err
	}
	properties := catalog.Tree{"name": n.Name}
	if n.Description != "" {
		properties["description"] = n.Description
	}
	aspects := map[string]catalog.Tree{model.AspectApplicationProperties: properties}
	if !n.Domain.IsZero() {
		if _, err := s.requireLiveOf(ctx, "domains", []model.URN{n.Domain}, model.EntityDomain); err != nil {
			return model.URN{}, err
		}
		aspects[model.AspectDomains] = catalog.Tree{"domains": []any{n.Domain.String()}}
	}
	if n.Owned {
		aspects[model.AspectOwnership] = ownedBy(u, by)
	}
	return u, s.writer.Create(ctx, u, aspects, o)
}

// UpdateApplication sets the given parts of an application.
func (s *Service) UpdateApplication(ctx context.Context, urn model.URN, name, description *string, o catalog.WriteOptions) error {
	if err := requireName(name); err != nil {
		return err
	}
	return s.editLive(ctx, urn, model.EntityApplication, []write.Edit{{URN: urn, Aspect: model.AspectApplicationProperties, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
		setTexts(value, map[string]*string{"name": name, "description": description})
		return nil
	}}}, o)
}

// AddApplication adds an application to entities, all of them or none.
func (s *Service) AddApplication(ctx context.Context, application model.URN, entities []model.URN, o catalog.WriteOptions) error {
	if _, err := s.requireLiveOf(ctx, "applications", []model.URN{application}, model.EntityApplication); err != nil {
		return err
	}
	return s.editApplications(ctx, entities, func(value catalog.Tree) { s.editURNs(value, applicationList, []model.URN{application}, true) }, o)
}

// RemoveApplication removes an application from entities, all of them or none; the
// zero URN removes all applications. The application need not exist.
func (s *Service) RemoveApplication(ctx context.Context, application model.URN, entities []model.URN, o catalog.WriteOptions) error {
	if application.IsZero() {
		return s.editApplications(ctx, entities, func(value catalog.Tree) {
			if len(jsontree.Array(value, applicationList)) > 0 {
				value[applicationList] = []any{}
			}
		}, o)
	}
	if err := catalog.RequireType(application, model.EntityApplication); err != nil {
		return err
	}
	return s.editApplications(ctx, entities, func(value catalog.Tree) { s.editURNs(value, applicationList, []model.URN{application}, false) }, o)
}

func (s *Service) editApplications(ctx context.Context, entities []model.URN, change func(value catalog.Tree), o catalog.WriteOptions) error {
	entities, err := s.requireLiveOf(ctx, "entities", entities)
	if err != nil {
		return err
	}
	edits := make([]write.Edit, len(entities))
	for i, urn := range entities {
		edits[i] = write.Edit{URN: urn, Aspect: model.AspectApplications, Change: func(value catalog.Tree, _ catalog.AuditStamp) error {
			change(value)
			return nil
		}}
	}
	return s.writer.Edit(ctx, edits, o)
}
