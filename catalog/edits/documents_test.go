package edits_test

import (
	"context"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/model"
)

func TestDocuments(t *testing.T) {
	h, ctx, by := newAssets(t), context.Background(), catalogtest.ByAda
	of := catalogtest.URNs
	create := func(n edits.NewDocument) (model.URN, error) {
		n.State = "PUBLISHED"
		return h.Edits.CreateDocument(ctx, &n, by)
	}
	must := func(urn model.URN, err error) model.URN {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return urn
	}
	book := must(create(edits.NewDocument{ID: "book", Title: new("Book"), Text: "All of it", Global: true}))
	guide := must(create(edits.NewDocument{
		ID: "guide", Text: "Read me", SubType: "Runbook", Parent: book, Assets: of(catalogtest.Table), Documents: []model.URN{book},
		Owners: []edits.NewOwner{{URN: catalogtest.URN(team), Type: "DATA_STEWARD"}},
	}))
	wantMembers(h, guide, model.AspectDocumentInfo, map[string]string{
		"title": "<nil>", "contents.text": "Read me", "status.state": "PUBLISHED", "source.sourceType": "NATIVE", "parentDocument.document": book.String(),
		"relatedAssets.0.asset": catalogtest.Table, "relatedDocuments.0.document": book.String(), "created.actor": catalogtest.Ada,
	})
	wantMembers(h, guide, model.AspectOwnership, map[string]string{"owners.0.owner": team, "owners.0.type": "DATA_STEWARD", "owners.1": "<nil>"})
	wantMembers(h, guide, model.AspectSubTypes, map[string]string{"typeNames": "[Runbook]"})
	wantMembers(h, guide, model.AspectDocumentSettings, map[string]string{"showInGlobalContext": "false"})
	wantMembers(h, book, model.AspectOwnership, map[string]string{"owners.0.owner": catalogtest.Ada})

	update := func(u edits.DocumentUpdate) error { return h.Edits.UpdateDocument(ctx, guide, &u, by) }
	for _, u := range []edits.DocumentUpdate{
		{Title: new("Guide"), Text: new("Read me first")},
		{State: new("UNPUBLISHED"), SubType: new(""), Global: new(true)},
		{Assets: of(), Documents: nil},
	} {
		if err := update(u); err != nil {
			t.Fatal(err)
		}
	}
	wantMembers(h, guide, model.AspectDocumentInfo, map[string]string{
		"title": "Guide", "contents.text": "Read me first", "status.state": "UNPUBLISHED", "relatedAssets": "<nil>", "relatedDocuments.0.document": book.String(),
	})
	wantMembers(h, guide, model.AspectSubTypes, map[string]string{"typeNames": "[]"})
	wantMembers(h, guide, model.AspectDocumentSettings, map[string]string{"showInGlobalContext": "true"})

	_, err := create(edits.NewDocument{ID: "book", Text: "t"})
	wantRefused(t, "an id that is used", err, catalog.Conflict, "exists already")
	_, err = create(edits.NewDocument{Text: "t", Parent: catalogtest.URN("urn:li:document:none")})
	wantRefused(t, "an absent parent", err, catalog.Invalid, "does not exist")
	_, err = create(edits.NewDocument{Text: "t", Assets: of(goneTable)})
	wantRefused(t, "about what is soft-deleted", err, catalog.Invalid, "is soft-deleted")
	_, err = create(edits.NewDocument{Text: "t", Documents: of(catalogtest.Table)})
	wantRefused(t, "related to a document that is not one", err, catalog.Invalid, "is not a document")
	_, err = create(edits.NewDocument{Text: "t", Owners: []edits.NewOwner{{URN: catalogtest.URN("urn:li:corpuser:nobody")}}})
	wantRefused(t, "owned by nobody", err, catalog.Invalid, "does not exist")
	wantRefused(t, "about too much", update(edits.DocumentUpdate{Assets: many(catalogtest.Table)}), catalog.Invalid, "at most")
	absent := catalogtest.URN("urn:li:document:none")
	wantRefused(t, "an update of an absent one", h.Edits.UpdateDocument(ctx, absent, &edits.DocumentUpdate{}, by), catalog.NotFound, "does not exist")
	wantRefused(t, "the deletion of an absent one", h.Edits.DeleteDocument(ctx, absent, by), catalog.NotFound, "does not exist")
}

// TestMoveDocuments: a document is below at most one other document, and never below itself.
func TestMoveDocuments(t *testing.T) {
	h, ctx, by := newAssets(t), context.Background(), catalogtest.ByAda
	above := model.URN{}
	var documents []model.URN
	for _, id := range []string{"a", "b", "c"} { // each document is below the one before
		urn, err := h.Edits.CreateDocument(ctx, &edits.NewDocument{ID: id, Text: id, State: "PUBLISHED", Parent: above}, by)
		if err != nil {
			t.Fatal(err)
		}
		above, documents = urn, append(documents, urn)
	}
	move := func(urn, parent model.URN) error { return h.Edits.MoveDocument(ctx, urn, parent, by) }
	a, b, c := documents[0], documents[1], documents[2]
	wantRefused(t, "a move below itself", move(a, c), catalog.Invalid, "below it")
	wantRefused(t, "a move into itself", move(a, a), catalog.Invalid, "below it")
	if err := move(c, model.URN{}); err != nil {
		t.Fatal(err)
	}
	wantMembers(h, c, model.AspectDocumentInfo, map[string]string{"parentDocument": "<nil>"})
	if err := move(a, c); err != nil {
		t.Fatal(err)
	}
	wantMembers(h, a, model.AspectDocumentInfo, map[string]string{"parentDocument.document": c.String()})
	wantRefused(t, "a move of an absent one", move(catalogtest.URN("urn:li:document:none"), a), catalog.NotFound, "does not exist")
	if err := h.Edits.DeleteDocument(ctx, b, by); err != nil {
		t.Fatal(err)
	}
	wantMembers(h, b, model.AspectStatus, map[string]string{"removed": "true"})
	wantRefused(t, "a move into a soft-deleted one", move(c, b), catalog.Invalid, "is soft-deleted")
	wantRefused(t, "a move of a soft-deleted one", move(b, model.URN{}), catalog.Invalid, "is soft-deleted")
	wantRefused(t, "a second deletion", h.Edits.DeleteDocument(ctx, b, by), catalog.Invalid, "is soft-deleted")
}
