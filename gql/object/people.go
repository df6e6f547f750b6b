package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// CorpUser is a person or a technical account.
type CorpUser struct{ *Node }

// IsOwnerType marks actors who can own things.
func (u *CorpUser) IsOwnerType() {}

// IsResolvedActor marks actors who can make links.
func (u *CorpUser) IsResolvedActor() {}

// Username is the last part of the user's URN.
func (u *CorpUser) Username() string { return u.part(0) }

// CorpUserProperties are the properties that a directory states for a user.
type CorpUserProperties struct {
	Active         bool      `json:"active"`
	DisplayName    *string   `json:"displayName"`
	Email          *string   `json:"email"`
	Title          *string   `json:"title"`
	ManagerURN     string    `json:"managerUrn"`
	Manager        *CorpUser `json:"-"`
	DepartmentID   *int64    `json:"departmentId"`
	DepartmentName *string   `json:"departmentName"`
	FirstName      *string   `json:"firstName"`
	LastName       *string   `json:"lastName"`
	FullName       *string   `json:"fullName"`
	CountryCode    *string   `json:"countryCode"`
	Custom
}

func (p *CorpUserProperties) complete(n *Node, below *Batch) {
	p.own(n.URN)
	p.Manager = entityAs[*CorpUser](below, p.ManagerURN)
}

// Properties are the properties that a directory states for the user.
func (u *CorpUser) Properties(ctx context.Context) (*CorpUserProperties, error) {
	return aspect[CorpUserProperties](ctx, u.Node, model.AspectCorpUserInfo)
}

// Info is the deprecated form of the properties.
func (u *CorpUser) Info(ctx context.Context) (*CorpUserProperties, error) { return u.Properties(ctx) }

// EditableProperties are the properties of the user that people wrote in the catalog.
func (u *CorpUser) EditableProperties(ctx context.Context) (*CorpUserEditableProperties, error) {
	return aspect[CorpUserEditableProperties](ctx, u.Node, model.AspectCorpUserEditableInfo)
}

// EditableInfo is the deprecated form of EditableProperties.
func (u *CorpUser) EditableInfo(ctx context.Context) (*CorpUserEditableInfo, error) {
	return aspect[CorpUserEditableInfo](ctx, u.Node, model.AspectCorpUserEditableInfo)
}

// Status is the status that an aspect states, or nil.
func (u *CorpUser) Status(ctx context.Context) (*CorpUserStatus, error) {
	stored, err := aspect[struct {
		Text string `json:"status"`
	}](ctx, u.Node, model.AspectCorpUserStatus)
	if stored == nil || !CorpUserStatus(stored.Text).IsValid() {
		return nil, err
	}
	status := CorpUserStatus(stored.Text)
	return &status, nil
}

// CorpUserSettings are the settings that a user has chosen.
type CorpUserSettings struct {
	Appearance *CorpUserAppearanceSettings `json:"appearance"`
	Views      *CorpUserViewsSettings      `json:"views"`
	HomePage   *CorpUserHomePageSettings   `json:"homePage"`
	Locale     *CorpUserLocaleSettings     `json:"locale"`
}

// CorpUserViewsSettings are the views that a user has chosen.
type CorpUserViewsSettings struct {
	URN  string       `json:"defaultView"`
	View *DataHubView `json:"-"`
}

func (s *CorpUserSettings) complete(_ *Node, below *Batch) {
	if s.Views != nil {
		s.Views.View = entityAs[*DataHubView](below, s.Views.URN)
	}
	if s.HomePage != nil {
		s.HomePage.template = entityAs[*DataHubPageTemplate](below, s.HomePage.URN)
	}
}

// DefaultView is the default view of the user, nil if it no longer exists.
func (s *CorpUserViewsSettings) DefaultView(ctx context.Context) (*DataHubView, error) {
	if s.View == nil {
		return nil, nil
	}
	if exists, err := s.View.Exists(ctx); err != nil || !*exists {
		return nil, err
	}
	return s.View, nil
}

// Settings are the settings that the user has chosen.
func (u *CorpUser) Settings(ctx context.Context) (*CorpUserSettings, error) {
	return aspect[CorpUserSettings](ctx, u.Node, model.AspectCorpUserSettings)
}

// IsNativeUser says whether the user has a password in the catalog. Without authentication, it is the value
// of an aspect that another catalog states.
func (u *CorpUser) IsNativeUser(ctx context.Context) (*bool, error) {
	if has := u.batch.session.HasPassword; has != nil {
		native, err := has(ctx, u.key)
		return &native, err
	}
	stored, err := aspect[struct{}](ctx, u.Node, model.AspectCorpUserCredentials)
	if err != nil {
		return nil, err
	}
	native := stored != nil
	return &native, nil
}

// CorpGroup is a group of users.
type CorpGroup struct{ *Node }

// IsOwnerType marks actors who can own things.
func (g *CorpGroup) IsOwnerType() {}

// IsResolvedActor marks actors who can make links.
func (g *CorpGroup) IsResolvedActor() {}

// Name is the last part of the URN.
func (g *CorpGroup) Name() string { return g.part(0) }

// Properties are the properties that a directory states for the group.
func (g *CorpGroup) Properties(ctx context.Context) (*CorpGroupProperties, error) {
	return aspect[CorpGroupProperties](ctx, g.Node, model.AspectCorpGroupInfo)
}

// EditableProperties are the properties of the group that people wrote in the catalog.
func (g *CorpGroup) EditableProperties(ctx context.Context) (*CorpGroupEditableProperties, error) {
	return aspect[CorpGroupEditableProperties](ctx, g.Node, model.AspectCorpGroupEditableInfo)
}

// Origin says where the group was created.
func (g *CorpGroup) Origin(ctx context.Context) (*Origin, error) {
	return aspect[Origin](ctx, g.Node, model.AspectOrigin)
}

// CorpGroupInfo is the deprecated form of a group's properties.
type CorpGroupInfo struct {
	DisplayName *string     `json:"displayName"`
	Description *string     `json:"description"`
	Email       *string     `json:"email"`
	AdminURNs   []string    `json:"admins"`
	MemberURNs  []string    `json:"members"`
	Groups      []string    `json:"groups"`
	Admins      []*CorpUser `json:"-"`
	Members     []*CorpUser `json:"-"`
}

func (i *CorpGroupInfo) complete(_ *Node, below *Batch) {
	i.Admins = entitiesAs[*CorpUser](below, i.AdminURNs)
	i.Members = entitiesAs[*CorpUser](below, i.MemberURNs)
}

// Info is the deprecated form of the properties.
func (g *CorpGroup) Info(ctx context.Context) (*CorpGroupInfo, error) {
	return aspect[CorpGroupInfo](ctx, g.Node, model.AspectCorpGroupInfo)
}

// OwnershipTypeEntity is a kind of ownership.
type OwnershipTypeEntity struct{ *Node }

// Info is the name and the meaning of the kind.
func (t *OwnershipTypeEntity) Info(ctx context.Context) (*OwnershipTypeInfo, error) {
	return aspect[OwnershipTypeInfo](ctx, t.Node, model.AspectOwnershipTypeInfo)
}
