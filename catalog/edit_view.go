package catalog

import (
	"context"
	"encoding/json"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// These are the types of views: for the user who created it, and for everybody.
const (
	PersonalView = "PERSONAL"
	GlobalView   = "GLOBAL"
)

// ViewDefinition restricts what a saved view shows: entity types (none means
// all) and a filter.
type ViewDefinition struct {
	EntityTypes []string
	Filter      Filter
}

// NewView describes a view to save. Type is PersonalView or GlobalView.
type NewView struct {
	Name, Description, Type string
	Definition              ViewDefinition
}

// CreateView saves a view and returns its URN.
func (c *Catalog) CreateView(ctx context.Context, v NewView, o WriteOptions) (string, error) {
	if err := requireName(&v.Name); err != nil {
		return "", err
	}
	definition, err := c.viewDefinition(&v.Definition)
	if err != nil {
		return "", err
	}
	u, by, err := c.newURN(model.EntityDataHubView, "", o)
	if err != nil {
		return "", err
	}
	info := Tree{"name": v.Name, "type": v.Type, "definition": definition, "created": by.tree(), "lastModified": by.tree()}
	if v.Description != "" {
		info["description"] = v.Description
	}
	return u.String(), c.create(ctx, u, map[string]Tree{model.AspectDataHubViewInfo: info}, o)
}

// UpdateView sets the given parts of a view.
func (c *Catalog) UpdateView(ctx context.Context, urn string, name, description *string, d *ViewDefinition, o WriteOptions) error {
	if err := requireName(name); err != nil {
		return err
	}
	var definition Tree
	if d != nil {
		var err error
		if definition, err = c.viewDefinition(d); err != nil {
			return err
		}
	}
	return c.editKnown(ctx, urn, model.EntityDataHubView, []Edit{editStated(urn, model.AspectDataHubViewInfo, func(value Tree, by AuditStamp) {
		setTexts(value, map[string]*string{"name": name, "description": description})
		if definition != nil {
			value["definition"] = definition
		}
		value["lastModified"] = by.tree()
	})}, o)
}

// viewDefinition checks that searches can use a view, and returns its
// definition in the form that the aspect has.
func (c *Catalog) viewDefinition(d *ViewDefinition) (Tree, error) {
	if err := c.CheckFilter(d.EntityTypes, &d.Filter); err != nil {
		return nil, err
	}
	or := []any{}
	for _, conjunction := range d.Filter.conjunctions() {
		and := []any{}
		for _, criterion := range conjunction.And {
			and = append(and, criterion.tree())
		}
		or = append(or, Tree{"and": and})
	}
	types := []any{}
	for _, name := range d.EntityTypes {
		types = append(types, name)
	}
	return Tree{"entityTypes": types, "filter": Tree{"or": or}}, nil
}

// tree returns the criterion in the form that an aspect has.
func (c *Criterion) tree() Tree {
	values := []any{}
	for _, value := range c.Values {
		values = append(values, value)
	}
	return Tree{"field": c.Field, "value": c.Value, "values": values, "condition": c.Condition, "negated": c.Negated}
}

// settings is the entity that contains the defaults for everybody.
const (
	settingsID       = "0"
	viewSettings     = "views"
	defaultViewField = "defaultView"
)

// DefaultView returns the default view of everybody who uses the actor's
// dialect, "" when none is set or it no longer exists.
func (c *Catalog) DefaultView(ctx context.Context, actor string) (string, error) {
	u, _, err := c.newURN(model.EntityGlobalSettings, settingsID, WriteOptions{Actor: actor})
	if err != nil {
		return "", err
	}
	stored, err := c.store.LatestAspects(ctx, []string{u.String()}, []string{model.AspectGlobalSettingsInfo})
	if err != nil {
		return "", storeFailure(err)
	}
	if len(stored[u.String()]) == 0 {
		return "", nil
	}
	var info struct {
		Views struct {
			Default string `json:"defaultView"`
		} `json:"views"`
	}
	if err := json.Unmarshal(stored[u.String()][0].Value, &info); err != nil {
		return "", Errorf(Internal, "%s of %s: %w", model.AspectGlobalSettingsInfo, u, err)
	}
	if info.Views.Default == "" {
		return "", nil
	}
	exists, err := c.Exists(ctx, info.Views.Default)
	if err != nil || !exists {
		return "", err
	}
	return info.Views.Default, nil
}

// SetDefaultView sets the default view of everybody who uses the actor's
// dialect. It must be a global view; "" removes the setting.
func (c *Catalog) SetDefaultView(ctx context.Context, view string, o WriteOptions) error {
	if view != "" {
		kind, err := c.viewType(ctx, view)
		if err != nil {
			return err
		}
		if kind != GlobalView {
			return Errorf(Invalid, "%s is not for everybody: its type is %s", view, kind)
		}
	}
	u, _, err := c.newURN(model.EntityGlobalSettings, settingsID, o)
	if err != nil {
		return err
	}
	return c.editOrMake(ctx, Edit{URN: u.String(), Aspect: model.AspectGlobalSettingsInfo, Change: chooseView(view)}, o)
}

// SetUserView sets the default view of the actor; "" removes the setting.
func (c *Catalog) SetUserView(ctx context.Context, view string, o WriteOptions) error {
	if view != "" {
		if _, err := c.viewType(ctx, view); err != nil {
			return err
		}
	}
	return c.setUserSettings(ctx, chooseView(view), o)
}

// SetSimplifiedHomepage sets whether the actor sees the simplified home page.
func (c *Catalog) SetSimplifiedHomepage(ctx context.Context, simplified bool, o WriteOptions) error {
	return c.setUserSettings(ctx, func(value Tree, _ AuditStamp) error {
		appearance := jsontree.Member(value, "appearance")
		if appearance == nil {
			appearance = Tree{}
		}
		appearance["showSimplifiedHomepage"] = simplified
		value["appearance"] = appearance
		return nil
	}, o)
}

// setUserSettings edits the actor's settings.
func (c *Catalog) setUserSettings(ctx context.Context, change func(Tree, AuditStamp) error, o WriteOptions) error {
	_, actor := c.dialectOfActor(o.Actor)
	actor, err := c.urnOf(actor, model.EntityCorpuser)
	if err != nil {
		return err
	}
	return c.editOrMake(ctx, Edit{URN: actor, Aspect: model.AspectCorpUserSettings, Change: func(value Tree, by AuditStamp) error {
		if value["appearance"] == nil {
			value["appearance"] = Tree{"showSimplifiedHomepage": false}
		}
		return change(value, by)
	}}, o)
}

// chooseView sets the default view of settings.
func chooseView(view string) func(Tree, AuditStamp) error {
	return func(value Tree, _ AuditStamp) error {
		views := jsontree.Member(value, viewSettings)
		if views == nil {
			views = Tree{}
		}
		if delete(views, defaultViewField); view != "" {
			views[defaultViewField] = view
		}
		value[viewSettings] = views
		return nil
	}
}

// viewType returns the type of a view. It fails when the view does not exist.
func (c *Catalog) viewType(ctx context.Context, urn string) (string, error) {
	urn, err := c.urnOf(urn, model.EntityDataHubView)
	if err != nil {
		return "", err
	}
	if err := c.requireExisting(ctx, urn); err != nil {
		return "", err
	}
	stored, err := c.Aspect(ctx, urn, model.AspectDataHubViewInfo, 0)
	if err != nil {
		return "", err
	}
	var view struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(stored.Value, &view); err != nil {
		return "", Errorf(Internal, "the view %s: %w", urn, err)
	}
	return view.Type, nil
}
