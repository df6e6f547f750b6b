package edits

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// The types of announcements: for the home page, and for the page of an entity.
const (
	homePagePost = "HOME_PAGE_ANNOUNCEMENT"
	entityPost   = "ENTITY_ANNOUNCEMENT"
)

// Post is an announcement. Type says where pages show the announcement. ContentType is TEXT or LINK. An empty
// link, description or picture is left out.
type Post struct {
	Type, ContentType, Title string
	Description, Link        string
	// MediaType and Media describe the picture and its location.
	MediaType, Media string
}

func (p *Post) check() error {
	if err := requireName(&p.Title); err != nil {
		return err
	}
	if p.ContentType == "LINK" && p.Link == "" {
		return catalog.Errorf(catalog.Invalid, "an announcement of the type LINK needs a link")
	}
	for _, part := range []struct {
		name, text string
		most       int
	}{
		{"title", p.Title, limits.MaxPostTitle},
		{"description", p.Description, limits.MaxPostText},
		{"link", p.Link, limits.MaxPostLink},
		{"location of the picture", p.Media, limits.MaxPostLink},
	} {
		if len(part.text) > part.most {
			return catalog.Errorf(catalog.Invalid, "the %s of an announcement may have %d bytes, and this one has %d", part.name, part.most, len(part.text))
		}
	}
	return nil
}

// content returns the content in the form of the aspect.
func (p *Post) content() catalog.Tree {
	content := catalog.Tree{"title": p.Title, "type": p.ContentType}
	for name, text := range map[string]string{"description": p.Description, "link": p.Link} {
		if text != "" {
			content[name] = text
		}
	}
	if p.Media != "" {
		content["media"] = catalog.Tree{"type": p.MediaType, "location": p.Media}
	}
	return content
}

// CreatePost creates an announcement and returns its URN. An announcement for the page of an entity is about
// a resource, which must exist; one for the home page is about none.
func (s *Service) CreatePost(ctx context.Context, p Post, about Resource, o catalog.WriteOptions) (model.URN, error) {
	if err := p.check(); err != nil {
		return model.URN{}, err
	}
	target, err := s.targetOf(ctx, &p, about)
	if err != nil {
		return model.URN{}, err
	}
	u, by, err := s.newURN(model.EntityPost, "", o)
	if err != nil {
		return model.URN{}, err
	}
	info := catalog.Tree{"type": p.Type, "content": p.content(), "created": by.Time, "lastModified": by.Time}
	if !target.IsZero() {
		info["target"] = target.String()
	}
	return u, s.writer.Create(ctx, u, map[string]catalog.Tree{model.AspectPostInfo: info}, o)
}

// targetOf returns the target of an announcement: an entity, a column, or the zero URN.
func (s *Service) targetOf(ctx context.Context, p *Post, about Resource) (model.URN, error) {
	switch {
	case p.Type == homePagePost && !about.URN.IsZero():
		return model.URN{}, catalog.Errorf(catalog.Invalid, "an announcement for the home page is about no entity; the type of one about an entity is %s", entityPost)
	case p.Type == entityPost && about.URN.IsZero():
		return model.URN{}, catalog.Errorf(catalog.Invalid, "an announcement of the type %s needs an entity", entityPost)
	case about.URN.IsZero():
		return model.URN{}, nil
	}
	if err := s.writer.RequireExisting(ctx, about.URN); err != nil {
		return model.URN{}, err
	}
	if about.Field == "" {
		return about.URN, nil
	}
	if err := s.requireFields(ctx, []Resource{about}); err != nil {
		return model.URN{}, err
	}
	u, err := model.ColumnURN(about.URN, about.Field)
	if err != nil {
		return model.URN{}, &catalog.Error{Code: catalog.Invalid, Message: err.Error()}
	}
	return u, nil
}

// UpdatePost replaces the type and the content of an announcement. The entity that it is about stays the
// same.
func (s *Service) UpdatePost(ctx context.Context, u model.URN, p Post, o catalog.WriteOptions) error {
	if err := p.check(); err != nil {
		return err
	}
	return s.editKnown(ctx, u, model.EntityPost, []write.Edit{{URN: u, Aspect: model.AspectPostInfo, Change: func(value catalog.Tree, by catalog.AuditStamp) error {
		if about := value["target"] != nil; about != (p.Type == entityPost) {
			return catalog.Errorf(catalog.Invalid, "the type of %s cannot become %s: announcements of the type %s are about an entity, and others are not", u, p.Type, entityPost)
		}
		value["type"], value["content"], value["lastModified"] = p.Type, p.content(), by.Time
		return nil
	}}}, o)
}
