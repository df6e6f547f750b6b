package history

import (
	"context"
	"slices"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// These are the kinds of change of a document.
const (
	DocumentCreated          = "CREATED"
	DocumentTitle            = "TITLE_CHANGED"
	DocumentText             = "TEXT_CHANGED"
	DocumentParent           = "PARENT_CHANGED"
	DocumentState            = "STATE_CHANGED"
	DocumentRelatedAssets    = "RELATED_ASSETS_CHANGED"
	DocumentRelatedDocuments = "RELATED_DOCUMENTS_CHANGED"
	DocumentDeleted          = "DELETED"
)

// documentWindow is the default time span of the changes of a document.
const documentWindow = 30 * 24 * time.Hour

// DocumentHistory has the changes of a document, the newest first.
type DocumentHistory struct {
	Events []ChangeEvent
	// TooLarge tells that the versions of the document are larger than limits.MaxHistoriesBytes,
	// so that its changes were not read.
	TooLarge bool
}

// DocumentChanges returns the newest changes of documents, up to a number of changes for each
// document. Start and end are as in [TimelineRequest], but a start of 0 means thirty days
// before the end.
func (s *Service) DocumentChanges(ctx context.Context, urns []model.URN, start, end int64, most int) (map[model.URN]DocumentHistory, error) {
	r := TimelineRequest{Start: start, End: end}
	if r.Start == 0 {
		last := r.End
		if last == 0 {
			last = s.now().UnixMilli()
		}
		r.Start = max(last-documentWindow.Milliseconds(), 1)
	}
	if err := s.settle(&r); err != nil {
		return nil, err
	}
	changes := make(map[model.URN]DocumentHistory, len(urns))
	err := s.eachHistory(ctx, urns, func(u model.URN, h *graphstore.History, rolledBack map[string][]catalog.RolledBackVersion) error {
		if h == nil {
			changes[u] = DocumentHistory{TooLarge: true}
			return nil
		}
		transactions, err := s.transactionsOf(u, h.Versions, rolledBack, documentCategories, &r)
		if err != nil {
			return err
		}
		var events []ChangeEvent
		for _, tx := range slices.Backward(transactions) {
			events = append(events, documentEvents(&tx)...)
		}
		changes[u] = DocumentHistory{Events: events[:min(len(events), most)]}
		return nil
	})
	return changes, err
}

// documentEvents returns the events of a transaction. For the creation of the document,
// documentEvents returns only the event of the creation, because members that a document has
// from its start have not changed.
func documentEvents(tx *ChangeTransaction) []ChangeEvent {
	for i := range tx.ChangeEvents {
		if tx.ChangeEvents[i].Category == DocumentCreated {
			return tx.ChangeEvents[i : i+1]
		}
	}
	return tx.ChangeEvents
}

var documentInfo = []string{model.AspectDocumentInfo}

// documentCategories are the categories in which versions of a document are compared.
var documentCategories = []category{
	{name: DocumentCreated, aspects: documentInfo, adjust: adjustExistence, facts: func(t *timeline, _ *model.Value) facts {
		return one(fact{modifier: t.urn.String(), what: "The document"})
	}},
	{name: DocumentTitle, aspects: documentInfo, adjust: withParameters("oldTitle", "newTitle"), facts: func(_ *timeline, v *model.Value) facts {
		return member("The title", jsontree.Text(v.Tree, "title"))
	}},
	{name: DocumentText, aspects: documentInfo, facts: func(_ *timeline, v *model.Value) facts {
		return member("The text", jsontree.Text(jsontree.Member(v.Tree, "contents"), "text"))
	}},
	{name: DocumentState, aspects: documentInfo, adjust: withParameters("oldState", "newState"), facts: func(_ *timeline, v *model.Value) facts {
		return member("The state", jsontree.Text(jsontree.Member(v.Tree, "status"), "state"))
	}},
	{name: DocumentParent, aspects: documentInfo, adjust: withParameters("oldParent", "newParent"), facts: func(_ *timeline, v *model.Value) facts {
		return member("The parent", jsontree.Text(jsontree.Member(v.Tree, "parentDocument"), "document"))
	}},
	{name: DocumentRelatedAssets, aspects: documentInfo, facts: func(_ *timeline, v *model.Value) facts {
		return relatedFacts(v, "relatedAssets", "asset", "Related asset")
	}},
	{name: DocumentRelatedDocuments, aspects: documentInfo, facts: func(_ *timeline, v *model.Value) facts {
		return relatedFacts(v, "relatedDocuments", "document", "Related document")
	}},
	{name: DocumentDeleted, aspects: []string{model.AspectStatus}, adjust: adjustDeletion, facts: func(t *timeline, v *model.Value) facts {
		if v.Tree["removed"] != true {
			return nil
		}
		return one(fact{modifier: t.urn.String(), what: "The document"})
	}},
}

// one returns a list of one fact.
func one(f fact) facts {
	found := facts{}
	found.add("", "", f)
	return found
}

// member returns the fact that a document has a text, or none if the text is empty.
func member(what, text string) facts {
	if text == "" {
		return nil
	}
	return one(fact{modifier: text, what: what, content: text, text: text, quoted: true})
}

func relatedFacts(v *model.Value, list, item, word string) facts {
	var urns []string
	for _, related := range jsontree.Items(v.Tree, list) {
		urns = append(urns, jsontree.Text(related, item))
	}
	return urnFacts(urns, "entityUrn", word)
}

// withParameters returns a function that sets the old and the new text as parameters of an
// event.
func withParameters(before, after string) func(e *ChangeEvent, was, now *fact) {
	return func(e *ChangeEvent, was, now *fact) {
		e.Parameters = map[string]any{}
		if was != nil {
			e.Parameters[before] = was.text
		}
		if now != nil {
			e.Parameters[after] = now.text
		}
	}
}

// adjustExistence describes the creation or deletion of a document. A document without its info
// aspect is deleted.
func adjustExistence(e *ChangeEvent, _, now *fact) {
	e.Description = "The document was created"
	if now == nil {
		e.Category, e.Description = DocumentDeleted, "The document was deleted"
	}
}

// adjustDeletion describes a soft delete of a document, or its restoration.
func adjustDeletion(e *ChangeEvent, _, now *fact) {
	e.Description = "The document was deleted"
	if now == nil {
		e.Category, e.Description = DocumentState, "The document was restored"
	}
}
