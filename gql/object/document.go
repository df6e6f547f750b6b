package object

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/optional"
	"github.com/headwater-io/headwater/model"
)

// Document is a text about the data.
type Document struct{ *Node }

// DocumentInfo is the title, text and relations of a document.
type DocumentInfo struct {
	Title        *string             `json:"title"`
	Status       *DocumentStatus     `json:"status"`
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

// DocumentSettings say where pages show a document.
type DocumentSettings struct {
	Global *bool `json:"showInGlobalContext"`
}

// ShowInGlobalContext says whether the document is about the catalog as a whole.
func (s *DocumentSettings) ShowInGlobalContext() bool { return optional.Or(s.Global, true) }

// Info is the title, text and relations of the document.
func (d *Document) Info(ctx context.Context) (*DocumentInfo, error) {
	return aspect[DocumentInfo](ctx, d.Node, model.AspectDocumentInfo)
}

// ownPlatform is the platform of documents that were written in the catalog.
const ownPlatform = "datahub"

// Platform is the platform from which the document comes: the catalog, unless another platform
// is stated.
func (d *Document) Platform(ctx context.Context) (*DataPlatform, error) {
	return d.platformOr(ctx, ownPlatform)
}

// SubType is the more precise kind of the document.
func (d *Document) SubType(ctx context.Context) (*string, error) {
	types, err := d.SubTypes(ctx)
	if types == nil || len(types.TypeNames) == 0 {
		return nil, err
	}
	return &types.TypeNames[0], nil
}

// Settings say where pages show the document.
func (d *Document) Settings(ctx context.Context) (*DocumentSettings, error) {
	return aspect[DocumentSettings](ctx, d.Node, model.AspectDocumentSettings)
}

// ParentDocuments are the documents that contain the document, the closest first.
func (d *Document) ParentDocuments(ctx context.Context) (*ParentDocumentsResult, error) {
	result := &ParentDocumentsResult{Documents: []*Document{}}
	seen := map[string]bool{d.URN: true}
	for at := d; len(result.Documents) < maxParents; {
		info, err := at.Info(ctx)
		if err != nil {
			return nil, err
		}
		if info == nil || info.ParentDocument == nil || seen[info.ParentDocument.Document.URN] {
			break
		}
		at = info.ParentDocument.Document
		seen[at.URN] = true
		result.Documents = append(result.Documents, at)
	}
	result.Count = len(result.Documents)
	return result, nil
}

type documentChanges struct {
	start, end int64
	most       int
}

// ChangeHistory are the changes of the document, read for all documents of a page together.
func (d *Document) ChangeHistory(ctx context.Context, startTimeMillis, endTimeMillis *int64, limit *int) ([]*DocumentChange, error) {
	page, err := catalog.PageOf(0, optional.Or(limit, limits.DefaultDocumentChanges))
	if err != nil {
		return nil, err
	}
	asked := documentChanges{optional.Or(startTimeMillis, 0), optional.Or(endTimeMillis, 0), page.Count}
	read, err := batched(d.Node, asked, func(nodes []*Node) (map[*Node]changesOrNot, error) {
		nodes = alike(nodes, d.Node)
		urns := make([]model.URN, len(nodes))
		for i, node := range nodes {
			urns[i] = node.key
		}
		session := d.batch.session
		changes, actors := make(map[*Node]changesOrNot, len(nodes)), session.NewBatch()
		err := session.turn(ctx, func() (items int, err error) {
			found, err := session.Catalog.History.DocumentChanges(ctx, urns, asked.start, asked.end, asked.most)
			for _, node := range nodes {
				one := newChanges(node.URN, found[node.key], actors)
				changes[node] = one
				items += len(one.changes)
			}
			return items, err
		})
		return changes, err
	})
	if err != nil {
		return nil, err
	}
	return read.changes, read.err
}

// changesOrNot are the changes of a document, or the reason why they were not read.
type changesOrNot struct {
	changes []*DocumentChange
	err     error
}

func newChanges(urn string, h history.DocumentHistory, actors *Batch) changesOrNot {
	if h.TooLarge {
		return changesOrNot{err: catalog.Errorf(catalog.TooLarge, "the versions of %s are larger than %d bytes", urn, limits.MaxHistoriesBytes)}
	}
	changes := make([]*DocumentChange, len(h.Events))
	for i := range h.Events {
		changes[i] = documentChange(&h.Events[i], actors)
	}
	return changesOrNot{changes: changes}
}

func documentChange(e *history.ChangeEvent, actors *Batch) *DocumentChange {
	change := &DocumentChange{
		ChangeType: DocumentChangeType(e.Category), Description: e.Description, Timestamp: e.AuditStamp.Time,
		Actor: entityAs[*CorpUser](actors, e.AuditStamp.Actor), Details: parametersOf(e.Parameters),
	}
	if _, related := e.Parameters["entityUrn"]; related {
		change.Details = append(change.Details, &StringMapEntry{Key: "operation", Value: &e.Operation})
	}
	return change
}

// RelatedDocuments searches the documents that name the entity among their related
// assets.
func (n *Node) RelatedDocuments(ctx context.Context, input RelatedDocumentsInput) (*RelatedDocumentsResult, error) {
	asked := SearchAcrossEntitiesInput{
		Types: []EntityType{EntityTypeDocument}, Query: "*", Start: input.Start, Count: pageSize(input.Count, limits.DefaultDocuments),
		SortInput: &SearchSortInput{SortCriterion: &SortCriterion{Field: "lastModifiedAt", SortOrder: SortOrderDescending}},
	}
	meant, err := n.batch.session.meantDocuments(ctx)
	if err != nil {
		return nil, err
	}
	for _, alternative := range meant {
		readable := &FacetFilterInput{Field: alternative.Field, Values: alternative.Values}
		asked.OrFilters = append(asked.OrFilters, &AndFilterInput{And: append(input.criteria(), readable)})
	}
	found, err := n.searched(ctx, "relatedDocuments", asked, func(node *Node) (*catalog.Criterion, error) {
		return oneOf("relatedAssets", node.URN), nil
	})
	if err != nil {
		return nil, err
	}
	result := &RelatedDocumentsResult{Start: found.Start, Count: found.Count, Total: found.Total, Documents: entitiesIn[*Document](found.SearchResults), Facets: found.Facets}
	return result, nil
}

// criteria returns the arguments of the caller as criteria of a filter.
func (i *RelatedDocumentsInput) criteria() []*FacetFilterInput {
	var criteria []*FacetFilterInput
	in := func(field string, values ...string) {
		if len(values) > 0 {
			criteria = append(criteria, &FacetFilterInput{Field: field, Values: values})
		}
	}
	in("parentDocument", i.ParentDocuments...)
	in("typeNames", i.Types...)
	in("domains", i.Domains...)
	if i.SourceType != nil {
		in("sourceType", string(*i.SourceType))
	}
	if len(i.ParentDocuments) == 0 && optional.Or(i.RootOnly, false) {
		exists, not := FilterOperatorExists, true
		criteria = append(criteria, &FacetFilterInput{Field: "parentDocument", Condition: &exists, Negated: &not})
	}
	return criteria
}

// meantDocuments are the alternatives of a filter for the documents that are meant for the actor.
func (s *Session) meantDocuments(ctx context.Context) ([]catalog.Criterion, error) {
	s.documents.Do(func() { s.meant, s.failed = s.Catalog.Search.DocumentsFor(ctx, s.Actor) })
	return s.meant, s.failed
}

// SearchDocuments finds documents that the actor may read, the newest first.
func (s *Session) SearchDocuments(ctx context.Context, input *SearchDocumentsInput) (*SearchDocumentsResult, error) {
	chosen := RelatedDocumentsInput{
		ParentDocuments: input.ParentDocuments, RootOnly: input.RootOnly, Types: input.Types, Domains: input.Domains, SourceType: input.SourceType,
	}
	asked := SearchAcrossEntitiesInput{
		Types: []EntityType{EntityTypeDocument}, Query: optional.Or(input.Query, "*"), Start: input.Start, Count: pageSize(input.Count, limits.DefaultFoundDocuments),
		ViewUrn: input.ViewUrn, SortInput: &SearchSortInput{SortCriterion: &SortCriterion{Field: "createdAt", SortOrder: SortOrderDescending}},
	}
	meant, err := s.meantDocuments(ctx)
	if err != nil {
		return nil, err
	}
	for _, alternative := range meant {
		and := append(chosen.criteria(), &FacetFilterInput{Field: alternative.Field, Values: alternative.Values})
		if len(input.RelatedAssets) > 0 {
			and = append(and, &FacetFilterInput{Field: "relatedAssets", Values: input.RelatedAssets})
		}
		asked.OrFilters = append(asked.OrFilters, &AndFilterInput{And: and})
	}
	found, err := s.Search(ctx, asked)
	if err != nil {
		return nil, err
	}
	result := &SearchDocumentsResult{Start: found.Start, Count: found.Count, Total: found.Total, Documents: entitiesIn[*Document](found.SearchResults), Facets: found.Facets}
	return result, nil
}
