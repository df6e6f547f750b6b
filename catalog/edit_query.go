package catalog

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/model"
)

// SavedQuery contains the parts of a saved query; nil leaves a part as it is.
type SavedQuery struct {
	Name, Description *string
	// Statement and its Language, as in SQL, come together.
	Statement *string
	Language  string
	// Subjects are the URNs of all datasets that the query is about.
	Subjects []string
}

// CreateQuery saves a query that somebody wrote and returns its URN.
func (c *Catalog) CreateQuery(ctx context.Context, q SavedQuery, o WriteOptions) (string, error) {
	if q.Statement == nil {
		return "", Errorf(Invalid, "a query needs a statement")
	}
	if err := c.checkQuery(ctx, &q); err != nil {
		return "", err
	}
	u, by, err := c.newURN(model.EntityQuery, "", o)
	if err != nil {
		return "", err
	}
	properties := Tree{"source": "MANUAL", "created": by.tree()}
	q.set(properties, by)
	return u.String(), c.create(ctx, u, map[string]Tree{model.AspectQueryProperties: properties, model.AspectQuerySubjects: subjectTree(q.Subjects)}, o)
}

// UpdateQuery sets the given parts of a saved query.
func (c *Catalog) UpdateQuery(ctx context.Context, urn string, q SavedQuery, o WriteOptions) error {
	if err := c.checkQuery(ctx, &q); err != nil {
		return err
	}
	edits := []Edit{editStated(urn, model.AspectQueryProperties, q.set)}
	if q.Subjects != nil {
		edits = append(edits, Replace(urn, model.AspectQuerySubjects, func(AuditStamp) Tree { return subjectTree(q.Subjects) }))
	}
	return c.editKnown(ctx, urn, model.EntityQuery, edits, o)
}

// checkQuery fails when a statement is blank, or a subject is not an existing
// dataset.
func (c *Catalog) checkQuery(ctx context.Context, q *SavedQuery) error {
	if q.Statement != nil && strings.TrimSpace(*q.Statement) == "" {
		return Errorf(Invalid, "the statement must not be blank")
	}
	if len(q.Subjects) > maxEdits {
		return Errorf(Invalid, "%d subjects of a query, at most %d are allowed", len(q.Subjects), maxEdits)
	}
	var err error
	if q.Subjects, err = c.urnsOfType(q.Subjects, model.EntityDataset); err != nil {
		return err
	}
	return c.requireExisting(ctx, q.Subjects...)
}

// set puts the given parts into an aspect.
func (q *SavedQuery) set(value Tree, by AuditStamp) {
	setTexts(value, map[string]*string{"name": q.Name, "description": q.Description})
	if q.Statement != nil {
		value["statement"] = Tree{"value": *q.Statement, "language": q.Language}
	}
	value["lastModified"] = by.tree()
}

func subjectTree(urns []string) Tree {
	subjects := make([]any, len(urns))
	for i, urn := range urns {
		subjects[i] = Tree{"entity": urn}
	}
	return Tree{"subjects": subjects}
}
