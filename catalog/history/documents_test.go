package history_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/edits"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/testing/testclock"
	"github.com/headwater-io/headwater/model"
)

// TestDocumentChanges: each edit of a document is a change, the newest first. Members that a
// document has from its start are no changes.
func TestDocumentChanges(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		f := &catalogtest.Faulty{Store: store}
		h := &catalogtest.Harness{Services: services.New(services.Options{Store: f, Now: testclock.Now}), T: t, Store: f}
		defer func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		}()
		ctx, by := context.Background(), catalog.WriteOptions{Actor: catalogtest.Ada}
		h.Say(catalogtest.Ada, model.AspectCorpUserInfo, `{"active":true}`)
		h.Say(catalogtest.Table, model.AspectStatus, `{"removed":false}`)
		var documents []model.URN
		for _, id := range []string{"changed-book", "changed-guide"} {
			urn, err := h.Edits.CreateDocument(ctx, &edits.NewDocument{ID: id, Title: new("Old"), Text: "Old text", State: "UNPUBLISHED", Assets: catalogtest.URNs(catalogtest.Table)}, by)
			h.Want("", err)
			documents = append(documents, urn)
		}
		book, guide := documents[0], documents[1]
		var moments []int64
		did := func(err error) {
			t.Helper()
			h.Want("", err)
			moments = append(moments, testclock.Now().UnixMilli())
			testclock.Forward(time.Second)
		}
		update := func(u edits.DocumentUpdate) error { return h.Edits.UpdateDocument(ctx, guide, &u, by) }
		testclock.Forward(time.Second)
		did(update(edits.DocumentUpdate{Title: new("New"), Text: new("New text")}))
		did(update(edits.DocumentUpdate{State: new("PUBLISHED")}))
		did(h.Edits.MoveDocument(ctx, guide, book, by))
		did(h.Edits.MoveDocument(ctx, guide, model.URN{}, by))
		did(update(edits.DocumentUpdate{Assets: []model.URN{}, Documents: []model.URN{book}}))
		did(h.Edits.DeleteDocument(ctx, guide, by))
		did(h.Edits.SetRemoved(ctx, false, []model.URN{guide}, by))

		created := "CREATED ADD The document was created map[]"
		want := []string{
			"STATE_CHANGED REMOVE The document was restored map[]",
			"DELETED ADD The document was deleted map[]",
			"RELATED_ASSETS_CHANGED REMOVE Related asset " + catalogtest.Table + " was removed map[entityUrn:" + catalogtest.Table + "]",
			"RELATED_DOCUMENTS_CHANGED ADD Related document " + book.String() + " was added map[entityUrn:" + book.String() + "]",
			"PARENT_CHANGED REMOVE The parent was removed: '" + book.String() + "' map[oldParent:" + book.String() + "]",
			"PARENT_CHANGED ADD The parent was added: '" + book.String() + "' map[newParent:" + book.String() + "]",
			"STATE_CHANGED MODIFY The state was changed from 'UNPUBLISHED' to 'PUBLISHED' map[newState:PUBLISHED oldState:UNPUBLISHED]",
			"TITLE_CHANGED MODIFY The title was changed from 'Old' to 'New' map[newTitle:New oldTitle:Old]",
			"TEXT_CHANGED MODIFY The text was changed from 'Old text' to 'New text' map[]",
			created,
		}
		expect := func(when string, urn model.URN, start, end int64, most int, want ...string) {
			t.Helper()
			found, err := h.History.DocumentChanges(ctx, documents, start, end, most)
			h.Want("", err)
			var got []string
			events := found[urn].Events
			for i := range events {
				e := &events[i]
				parameters := e.Parameters
				if e.Category == "TEXT_CHANGED" {
					parameters = nil
				}
				got = append(got, fmt.Sprintf("%s %s %s %v", e.Category, e.Operation, e.Description, parameters))
				if e.AuditStamp.Actor != catalogtest.Ada || i > 0 && e.AuditStamp.Time > events[i-1].AuditStamp.Time {
					t.Errorf("%s: stamp of %+v", when, e)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s:\n%q\nwant:\n%q", when, got, want)
			}
		}
		expect("all", guide, 0, 0, 100, want...)
		expect("a document that nobody changed", book, 0, 0, 100, created)
		expect("the newest", guide, 0, 0, 2, want[:2]...)
		expect("a window", guide, moments[1]-400, moments[1]+400, 100, want[6])
		expect("the future", guide, moments[6]+time.Hour.Milliseconds(), moments[6]+2*time.Hour.Milliseconds(), 100)
		_, err := h.History.DocumentChanges(ctx, documents, 2, 1, 1)
		h.Want(catalog.Invalid, err)
		testclock.Forward(31 * 24 * time.Hour)
		expect("thirty days back", guide, 0, 0, 100)
		expect("from the beginning", guide, 1, 0, 100, want...)
	})
}
