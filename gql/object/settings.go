package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// DataHubPageTemplate is the layout of a page.
type DataHubPageTemplate struct{ *Node }

// existing returns a layout if it still exists, and otherwise nil.
func (t *DataHubPageTemplate) existing(ctx context.Context) (*DataHubPageTemplate, error) {
	if t == nil {
		return nil, nil
	}
	if exists, err := t.Exists(ctx); err != nil || !*exists {
		return nil, err
	}
	return t, nil
}

// CorpUserHomePageSettings is a user's choices for the home page.
type CorpUserHomePageSettings struct {
	URN       string   `json:"pageTemplate"`
	Dismissed []string `json:"dismissedAnnouncements"`

	template *DataHubPageTemplate
}

// PageTemplate is the layout of the home page, nil if it no longer exists.
func (s *CorpUserHomePageSettings) PageTemplate(ctx context.Context) (*DataHubPageTemplate, error) {
	return s.template.existing(ctx)
}

// DismissedAnnouncementUrns are the announcements that the user has dismissed.
func (s *CorpUserHomePageSettings) DismissedAnnouncementUrns() []*string {
	urns := make([]*string, len(s.Dismissed))
	for i := range s.Dismissed {
		urns[i] = &s.Dismissed[i]
	}
	return urns
}

// GlobalHomePageSettings is the home page of everybody.
type GlobalHomePageSettings struct{ template *DataHubPageTemplate }

// HomePageOf returns the home page of everybody; the zero URN is no layout.
func HomePageOf(s *Session, template model.URN) *GlobalHomePageSettings {
	return &GlobalHomePageSettings{entityAs[*DataHubPageTemplate](s.NewBatch(), template.String())}
}

// DefaultTemplate is the layout of the page, nil if it is not set or no longer exists.
func (s *GlobalHomePageSettings) DefaultTemplate(ctx context.Context) (*DataHubPageTemplate, error) {
	return s.template.existing(ctx)
}
