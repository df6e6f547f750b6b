package edits

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// These are the types of views. A personal view is for the user who created the view, a global
// view is for everybody.
const (
	PersonalView = "PERSONAL"
	GlobalView   = "GLOBAL"
)

// ViewDefinition has a filter and the entity types that a view shows. Without entity types, the
// view shows all types.
type ViewDefinition struct {
	EntityTypes []string
	Filter      catalog.Filter
}

// NewView describes a view to save. Type is PersonalView or GlobalView.
type NewView struct {
	Name, Description, Type string
	Definition              ViewDefinition
}

// CreateView saves a view and returns its URN.
func (s *Service) CreateView(ctx context.Context, v NewView, o catalog.WriteOptions) (model.URN, error) {
	if err := requireName(&v.Name); err != nil {
		return model.URN{}, err
	}
	definition, err := s.viewDefinition(&v.Definition)
	if err != nil {
		return model.URN{}, err
	}
	u, by, err := s.newURN(model.EntityDataHubView, "", o)
	if err != nil {
		return model.URN{}, err
	}
	info := catalog.Tree{"name": v.Name, "type": v.Type, "definition": definition, "created": by.Tree(), "lastModified": by.Tree()}
	if v.Description != "" {
		info["description"] = v.Description
	}
	return u, s.writer.Create(ctx, u, map[string]catalog.Tree{model.AspectDataHubViewInfo: info}, o)
}

// UpdateView sets the given parts of a view.
func (s *Service) UpdateView(ctx context.Context, urn model.URN, name, description *string, d *ViewDefinition, o catalog.WriteOptions) error {
	if err := requireName(name); err != nil {
		return err
	}
	var definition catalog.Tree
	if d != nil {
		var err error
		if definition, err = s.viewDefinition(d); err != nil {
			return err
		}
	}
	return s.editKnown(ctx, urn, model.EntityDataHubView, []write.Edit{editStated(urn, model.AspectDataHubViewInfo, func(value catalog.Tree, by catalog.AuditStamp) {
		setTexts(value, map[string]*string{"name": name, "description": description})
		if definition != nil {
			value["definition"] = definition
		}
		value["lastModified"] = by.Tree()
	})}, o)
}

// viewDefinition returns the definition of a view in the form of the aspect. It fails if searches
// cannot use the view.
func (s *Service) viewDefinition(d *ViewDefinition) (catalog.Tree, error) {
	if err := s.search.CheckFilter(d.EntityTypes, &d.Filter); err != nil {
		return nil, err
	}
	types := []any{}
	for _, name := range d.EntityTypes {
		types = append(types, name)
	}
	return catalog.Tree{"entityTypes": types, "filter": filterTree(&d.Filter)}, nil
}

// filterTree returns a filter in the form that aspects have.
func filterTree(f *catalog.Filter) catalog.Tree {
	or := []any{}
	for _, conjunction := range f.Conjunctions() {
		and := []any{}
		for _, criterion := range conjunction.And {
			and = append(and, criterion.Tree())
		}
		or = append(or, catalog.Tree{"and": and})
	}
	return catalog.Tree{"or": or}
}

// defaultViewField is the member of the settings of views that names the default one.
const defaultViewField = "defaultView"

// DefaultView returns the default view of everybody who uses the dialect of the actor. It
// returns "" if no view is set, or if the view no longer exists.
func (s *Service) DefaultView(ctx context.Context, actor string) (string, error) {
	settings, err := s.globalSettings(ctx, actor)
	if err != nil {
		return "", err
	}
	chosen := jsontree.Text(jsontree.Member(settings, viewSettings), defaultViewField)
	if chosen == "" {
		return "", nil
	}
	view, _, err := s.names.ParseURN(chosen) // a value keeps the spelling that its writer has chosen
	if err != nil {
		return "", err
	}
	exists, err := s.writer.Exists(ctx, view)
	if err != nil || !exists {
		return "", err
	}
	return chosen, nil
}

// SetDefaultView sets the default view of everybody who uses the dialect of the actor. The view
// must be global; the zero URN removes the setting.
func (s *Service) SetDefaultView(ctx context.Context, view model.URN, o catalog.WriteOptions) error {
	if !view.IsZero() {
		kind, err := s.viewType(ctx, view)
		if err != nil {
			return err
		}
		if kind != GlobalView {
			return catalog.Errorf(catalog.Invalid, "%s is not for everybody: its type is %s", view, kind)
		}
	}
	return s.setGlobalSettings(ctx, chooseView(view), o, manageViews, manageSettings)
}

// SetUserView sets the default view of the actor; the zero URN removes
// the setting.
func (s *Service) SetUserView(ctx context.Context, view model.URN, o catalog.WriteOptions) error {
	if !view.IsZero() {
		if _, err := s.viewType(ctx, view); err != nil {
			return err
		}
	}
	return s.setUserSettings(ctx, chooseView(view), o)
}

// setUserSettings edits the actor's settings.
func (s *Service) setUserSettings(ctx context.Context, change func(catalog.Tree, catalog.AuditStamp) error, o catalog.WriteOptions) error {
	_, actor := s.dialectOfActor(o.Actor)
	if err := catalog.RequireType(actor, model.EntityCorpuser); err != nil {
		return err
	}
	return s.setSettings(ctx, actor, change, o)
}

// setSettings edits the settings of a user.
func (s *Service) setSettings(ctx context.Context, user model.URN, change func(catalog.Tree, catalog.AuditStamp) error, o catalog.WriteOptions) error {
	return s.editOrMake(ctx, write.Edit{URN: user, Aspect: model.AspectCorpUserSettings, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
		if value["appearance"] == nil {
			value["appearance"] = catalog.Tree{"showSimplifiedHomepage": false}
		}
		return change(value, by)
	}}, o)
}

// chooseView returns the change that sets the default view of settings.
func chooseView(view model.URN) func(catalog.Tree, catalog.AuditStamp) error {
	return func(value catalog.Tree, _ catalog.AuditStamp) error {
		views := jsontree.Member(value, viewSettings)
		if views == nil {
			views = catalog.Tree{}
		}
		if delete(views, defaultViewField); !view.IsZero() {
			views[defaultViewField] = view.String()
		}
		value[viewSettings] = views
		return nil
	}
}

// viewType returns the type of a view. It fails when the view does not exist.
func (s *Service) viewType(ctx context.Context, urn model.URN) (string, error) {
	if err := s.requireExisting(ctx, urn, model.EntityDataHubView); err != nil {
		return "", err
	}
	stored, err := s.reader.Aspect(ctx, urn, model.AspectDataHubViewInfo, 0)
	if err != nil {
		return "", err
	}
	var view struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(stored.Value, &view); err != nil {
		return "", catalog.Errorf(catalog.Internal, "the view %s: %w", urn, err)
	}
	return view.Type, nil
}
