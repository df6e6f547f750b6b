package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// BusinessAttribute is a meaning that columns of several datasets share.
type BusinessAttribute struct{ *Node }

// BusinessAttributeInfo is the name and meaning of a business attribute.
type BusinessAttributeInfo struct {
	Name          string         `json:"name"`
	Description   *string        `json:"description"`
	StoredType    *storedType    `json:"type"`
	Tags          *GlobalTags    `json:"globalTags"`
	GlossaryTerms *GlossaryTerms `json:"glossaryTerms"`
	Created       *AuditStamp    `json:"created"`
	LastModified  *AuditStamp    `json:"lastModified"`
	Custom
}

func (i *BusinessAttributeInfo) complete(n *Node, below *Batch) {
	i.own(n.URN)
	i.Tags.resolve(n, below)
	i.GlossaryTerms.resolve(n, below)
}

// Type is the kind of value that columns with the attribute hold, nil if no kind is stated.
func (i *BusinessAttributeInfo) Type() *SchemaFieldDataType {
	if i.StoredType == nil {
		return nil
	}
	kind := i.StoredType.kind()
	return &kind
}

// Properties are the name and the meaning of the attribute.
func (a *BusinessAttribute) Properties(ctx context.Context) (*BusinessAttributeInfo, error) {
	return aspect[BusinessAttributeInfo](ctx, a.Node, model.AspectBusinessAttributeInfo)
}

// BusinessAttributes names the business attribute of a column.
type BusinessAttributes struct {
	BusinessAttribute *BusinessAttributeAssociation `json:"businessAttribute"`
}

// BusinessAttributeAssociation is the business attribute of a column.
type BusinessAttributeAssociation struct {
	URN               string             `json:"businessAttributeUrn"`
	BusinessAttribute *BusinessAttribute `json:"-"`
	AssociatedURN     string             `json:"-"`
}

func (b *BusinessAttributes) complete(n *Node, below *Batch) {
	a := b.BusinessAttribute
	if a == nil {
		return
	}
	a.AssociatedURN = n.URN
	if a.BusinessAttribute = entityAs[*BusinessAttribute](below, a.URN); a.BusinessAttribute == nil {
		b.BusinessAttribute = nil
	}
}

// BusinessAttributes reads the business attribute of the column.
func (f *SchemaFieldEntity) BusinessAttributes(ctx context.Context) (*BusinessAttributes, error) {
	return aspect[BusinessAttributes](ctx, f.Node, model.AspectBusinessAttributes)
}
