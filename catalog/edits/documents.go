package edits

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// documentDepth is the largest number of documents above a document.
const documentDepth = 100

// The members of a document's info that people edit.
const (
	parentDocument   = "parentDocument"
	relatedAssets    = "relatedAssets"
	relatedDocuments = "relatedDocuments"
	documentMember   = "document"
)

// NewDocument is a text to write in the catalog.
type NewDocument struct {
	// ID is the last part of the URN. For "", an id is generated.
	ID    string
	Title *string
	Text  string
	// SubType is the kind of document, "" for none.
	SubType string
	// State is PUBLISHED or UNPUBLISHED.
	State string
	// Parent contains the document; the zero URN stands for no parent.
	Parent model.URN
	// Assets and Documents are the entities that the document is about.
	Assets, Documents []model.URN
	// Owners own the document. Without owners, the actor owns the document.
	Owners []NewOwner
	// Global: the document is about the catalog as a whole.
	Global bool
}

// CreateDocument writes a document and returns its URN.
func (s *Service) CreateDocument(ctx context.Context, n *NewDocument, o catalog.WriteOptions) (model.URN, error) {
	u, by, err := s.newURN(model.EntityDocument, n.ID, o)
	if err != nil {
		return model.URN{}, err
	}
	if err := s.checkParentDocument(ctx, u, n.Parent); err != nil {
		return model.URN{}, err
	}
	assets, documents, err := s.relatedToDocument(ctx, n.Assets, n.Documents)
	if err != nil {
		return model.URN{}, err
	}
	if err := s.checkOwners(ctx, n.Owners); err != nil {
		return model.URN{}, err
	}
	info := catalog.Tree{
		"contents": catalog.Tree{"text": n.Text}, "source": catalog.Tree{"sourceType": "NATIVE"},
		"status": catalog.Tree{"state": n.State}, "created": by.Tree(), "lastModified": by.Tree(),
	}
	setTexts(info, map[string]*string{"title": n.Title})
	setParentDocument(info, n.Parent)
	setOrDrop(info, relatedAssets, membersOf("asset", assets))
	setOrDrop(info, relatedDocuments, membersOf(documentMember, documents))
	aspects := map[string]catalog.Tree{
		model.AspectDocumentInfo:     info,
		model.AspectDocumentSettings: {"showInGlobalContext": n.Global, "lastModified": by.Tree()},
		model.AspectOwnership:        ownedByAll(u, by, n.Owners),
	}
	if n.SubType != "" {
		aspects[model.AspectSubTypes] = catalog.Tree{"typeNames": []any{n.SubType}}
	}
	return u, s.writer.Create(ctx, u, aspects, o)
}

// DocumentUpdate contains the parts of a document to change. An update does not change a part
// that is nil.
type DocumentUpdate struct {
	Title, Text, State *string
	// SubType of "" removes the kind.
	SubType *string
	// Global: the document is about the catalog as a whole.
	Global *bool
	// Assets and Documents replace the entities that the document is about.
	Assets, Documents []model.URN
}

// UpdateDocument changes the given parts of a document.
func (s *Service) UpdateDocument(ctx context.Context, urn model.URN, d *DocumentUpdate, o catalog.WriteOptions) error {
	assets, documents, err := s.relatedToDocument(ctx, d.Assets, d.Documents)
	if err != nil {
		return err
	}
	edits := []write.Edit{editStated(urn, model.AspectDocumentInfo, func(info catalog.Tree, by catalog.AuditStamp) {
		setTexts(info, map[string]*string{"title": d.Title})
		if d.Text != nil {
			info["contents"] = catalog.Tree{"text": *d.Text}
		}
		if d.State != nil {
			info["status"] = catalog.Tree{"state": *d.State}
		}
		if d.Assets != nil {
			setOrDrop(info, relatedAssets, membersOf("asset", assets))
		}
		if d.Documents != nil {
			setOrDrop(info, relatedDocuments, membersOf(documentMember, documents))
		}
		info["lastModified"] = by.Tree()
	})}
	if d.SubType != nil {
		edits = append(edits, write.Replace(urn, model.AspectSubTypes, func(catalog.AuditStamp) catalog.Tree {
			names := []any{}
			if *d.SubType != "" {
				names = append(names, *d.SubType)
			}
			return catalog.Tree{"typeNames": names}
		}))
	}
	if d.Global != nil {
		edits = append(edits, write.Replace(urn, model.AspectDocumentSettings, func(by catalog.AuditStamp) catalog.Tree {
			return catalog.Tree{"showInGlobalContext": *d.Global, "lastModified": by.Tree()}
		}))
	}
	return s.editLive(ctx, urn, model.EntityDocument, edits, o)
}

// MoveDocument moves a document below a parent. The zero URN as the parent moves the document
// to the top.
func (s *Service) MoveDocument(ctx context.Context, urn, parent model.URN, o catalog.WriteOptions) error {
	if err := s.requireFound(ctx, urn, model.EntityDocument); err != nil {
		return err
	}
	if err := s.checkParentDocument(ctx, urn, parent); err != nil {
		return err
	}
	return s.editLive(ctx, urn, model.EntityDocument, []write.Edit{editStated(urn, model.AspectDocumentInfo, func(info catalog.Tree, by catalog.AuditStamp) {
		setParentDocument(info, parent)
		info["lastModified"] = by.Tree()
	})}, o)
}

// DeleteDocument soft-deletes a document.
func (s *Service) DeleteDocument(ctx context.Context, urn model.URN, o catalog.WriteOptions) error {
	return s.editLive(ctx, urn, model.EntityDocument, []write.Edit{editRemoved(urn, true)}, o)
}

// checkParentDocument fails unless a document may become the parent of another document: the
// parent exists and is not below the other document. The zero URN stands for no parent.
func (s *Service) checkParentDocument(ctx context.Context, urn, parent model.URN) error {
	if parent.IsZero() {
		return nil
	}
	if _, err := s.requireLiveOf(ctx, "documents", []model.URN{parent}, model.EntityDocument); err != nil {
		return err
	}
	at := parent
	for range documentDepth {
		if at == urn {
			return catalog.Errorf(catalog.Invalid, "%s cannot be moved into %s, which is below it", urn, parent)
		}
		info, err := s.latest(ctx, at, model.AspectDocumentInfo)
		if err != nil {
			return err
		}
		above := jsontree.Text(jsontree.Member(info, parentDocument), documentMember)
		if above == "" {
			return nil
		}
		if at, _, err = s.names.ParseURN(above); err != nil { // a value keeps the spelling that its writer has chosen
			return err
		}
	}
	return catalog.Errorf(catalog.Invalid, "%s is more than %d documents below the top", parent, documentDepth)
}

// relatedToDocument checks the entities that a document is about, and returns each entity once.
func (s *Service) relatedToDocument(ctx context.Context, assets, documents []model.URN) (checkedAssets, checkedDocuments []model.URN, err error) {
	if checkedAssets, err = s.requireLiveOf(ctx, "related assets", assets); err != nil {
		return nil, nil, err
	}
	checkedDocuments, err = s.requireLiveOf(ctx, "related documents", documents, model.EntityDocument)
	return checkedAssets, checkedDocuments, err
}

func setParentDocument(info catalog.Tree, parent model.URN) {
	if parent.IsZero() {
		delete(info, parentDocument)
		return
	}
	info[parentDocument] = catalog.Tree{documentMember: parent.String()}
}

// membersOf returns records with one member, a URN.
func membersOf(member string, urns []model.URN) []any {
	items := make([]any, len(urns))
	for i, urn := range urns {
		items[i] = catalog.Tree{member: urn.String()}
	}
	return items
}
