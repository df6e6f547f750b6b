package object

import (
	"context"

	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// Post is an announcement.
type Post struct{ *Node }

type postInfo struct {
	Type         *PostType    `json:"type"`
	Content      *PostContent `json:"content"`
	LastModified int64        `json:"lastModified"`
}

// PostContent is the content of an announcement.
type PostContent struct {
	ContentType PostContentType `json:"type"`
	Title       string          `json:"title"`
	Description *string         `json:"description"`
	Link        *string         `json:"link"`
	Media       *Media          `json:"media"`
}

func (p *Post) info(ctx context.Context) (*postInfo, error) {
	return stated[postInfo](ctx, p.Node, model.AspectPostInfo)
}

// PostType says where the announcement is shown.
func (p *Post) PostType(ctx context.Context) (PostType, error) {
	info, err := p.info(ctx)
	return optional.Or(info.Type, PostTypeHomePageAnnouncement), err
}

// Content is the content of the announcement.
func (p *Post) Content(ctx context.Context) (*PostContent, error) {
	info, err := p.info(ctx)
	if info.Content == nil {
		return &PostContent{ContentType: PostContentTypeText}, err
	}
	return info.Content, err
}

// LastModified is the time of the last change of the announcement. The actor of the change is
// not stored.
func (p *Post) LastModified(ctx context.Context) (*AuditStamp, error) {
	info, err := p.info(ctx)
	return &AuditStamp{Time: info.LastModified}, err
}
