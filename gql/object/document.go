package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// Document is a text about the data.
type Document struct{ *Node }

// DocumentInfo is a document's title, text and relations.
type DocumentInfo struct {
	Title        *string             `json:"title"`
	Contents     *DocumentContent    `json:"contents"`
	Source       *DocumentSource     `json:"source"`
	Created      *ResolvedAuditStamp `json:"created"`
	LastModified *ResolvedAuditStamp `json:"lastModified"`
	StoredAssets []struct {
		URN string `json:"asset"`
	} `json:"relatedAssets"`
	StoredDocuments []struct {
		URN string `json:"document"`
	} `json:"relatedDocuments"`
	StoredParent struct {
		URN string `json:"document"`
	} `json:"parentDocument"`
	RelatedAssets    []*DocumentRelatedAsset    `json:"-"`
	RelatedDocuments []*DocumentRelatedDocument `json:"-"`
	ParentDocument   *DocumentParentDocument    `json:"-"`
	Custom
}

func (i *DocumentInfo) complete(n *Node, below *Batch) {
	i.own(n.URN)
	i.Created.complete(below)
	i.LastModified.complete(below)
	for _, a := range i.StoredAssets {
		if asset := below.Entity(a.URN); asset != nil {
			i.RelatedAssets = append(i.RelatedAssets, &DocumentRelatedAsset{Asset: asset})
		}
	}
	for _, d := range i.StoredDocuments {
		if document := entityAs[*Document](below, d.URN); document != nil {
			i.RelatedDocuments = append(i.RelatedDocuments, &DocumentRelatedDocument{Document: document})
		}
	}
	if parent := entityAs[*Document](below, i.StoredParent.URN); parent != nil {
		i.ParentDocument = &DocumentParentDocument{Document: parent}
	}
}

// DocumentSettings are where a document is shown.
type DocumentSettings struct {
	Global *bool `json:"showInGlobalContext"`
}

// ShowInGlobalContext is whether the document is about the catalog as a whole.
func (s *DocumentSettings) ShowInGlobalContext() bool { return Or(s.Global, true) }

// Info is the document's title, text and relations.
func (d *Document) Info(ctx context.Context) (*DocumentInfo, error) {
	return aspect[DocumentInfo](ctx, d.Node, model.AspectDocumentInfo)
}

// Platform is where the document comes from.
func (d *Document) Platform(ctx context.Context) (*DataPlatform, error) {
	return d.statedPlatform(ctx)
}

// SubType is the document's more precise kind.
func (d *Document) SubType(ctx context.Context) (*string, error) {
	types, err := d.SubTypes(ctx)
	if types == nil || len(types.TypeNames) == 0 {
		return nil, err
	}
	return &types.TypeNames[0], nil
}

// Settings are where the document is shown.
func (d *Document) Settings(ctx context.Context) (*DocumentSettings, error) {
	return aspect[DocumentSettings](ctx, d.Node, model.AspectDocumentSettings)
}
