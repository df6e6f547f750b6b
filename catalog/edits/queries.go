package edits

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// SavedQuery contains the parts of a saved query. An edit does not change a part that is nil.
type SavedQuery struct {
	Name, Description *string
	// Statement and Language, such as SQL, are given together.
	Statement *string
	Language  string
	// Subjects are all datasets that the query is about.
	Subjects []model.URN
}

// CreateQuery saves a query and returns its URN.
func (s *Service) CreateQuery(ctx context.Context, q SavedQuery, o catalog.WriteOptions) (model.URN, error) {
	if q.Statement == nil {
		return model.URN{}, catalog.Errorf(catalog.Invalid, "a query needs a statement")
	}
	if err := s.checkQuery(ctx, &q); err != nil {
		return model.URN{}, err
	}
	u, by, err := s.newURN(model.EntityQuery, "", o)
	if err != nil {
		return model.URN{}, err
	}
	properties := catalog.Tree{"source": "MANUAL", "created": by.Tree()}
	q.set(properties, by)
	return u, s.writer.Create(ctx, u, map[string]catalog.Tree{model.AspectQueryProperties: properties, model.AspectQuerySubjects: subjectTree(q.Subjects)}, o)
}

// UpdateQuery sets the given parts of a saved query.
func (s *Service) UpdateQuery(ctx context.Context, urn model.URN, q SavedQuery, o catalog.WriteOptions) error {
	if err := s.checkQuery(ctx, &q); err != nil {
		return err
	}
	edits := []write.Edit{editStated(urn, model.AspectQueryProperties, q.set)}
	if q.Subjects != nil {
		edits = append(edits, write.Replace(urn, model.AspectQuerySubjects, func(catalog.AuditStamp) catalog.Tree { return subjectTree(q.Subjects) }))
	}
	if err := permission.RequireFor(ctx, "change the queries", questionsAbout(q.Subjects, editQueries, editEntity)...); err != nil {
		return err
	}
	return s.editKnown(ctx, urn, model.EntityQuery, edits, o)
}

// checkQuery fails when a statement is blank, or when a subject is not an existing dataset.
func (s *Service) checkQuery(ctx context.Context, q *SavedQuery) error {
	if q.Statement != nil && strings.TrimSpace(*q.Statement) == "" {
		return catalog.Errorf(catalog.Invalid, "the statement must not be blank")
	}
	if len(q.Subjects) > write.MaxEdits {
		return catalog.Errorf(catalog.Invalid, "%d subjects of a query, at most %d are allowed", len(q.Subjects), write.MaxEdits)
	}
	if q.Subjects == nil {
		return nil
	}
	var err error
	if q.Subjects, err = catalog.AllOfType(q.Subjects, model.EntityDataset); err != nil {
		return err
	}
	return s.writer.RequireExisting(ctx, q.Subjects...)
}

// set puts the given parts into an aspect.
func (q *SavedQuery) set(value catalog.Tree, by catalog.AuditStamp) {
	setTexts(value, map[string]*string{"name": q.Name, "description": q.Description})
	if q.Statement != nil {
		value["statement"] = catalog.Tree{"value": *q.Statement, "language": q.Language}
	}
	value["lastModified"] = by.Tree()
}

func subjectTree(urns []model.URN) catalog.Tree {
	subjects := make([]any, len(urns))
	for i, urn := range urns {
		subjects[i] = catalog.Tree{"entity": urn.String()}
	}
	return catalog.Tree{"subjects": subjects}
}
