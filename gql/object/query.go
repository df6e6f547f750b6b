package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// QueryEntity is a saved statement, and what it reads.
type QueryEntity struct{ *Node }

// QueryProperties are a statement and its properties.
type QueryProperties struct {
	Statement    *QueryStatement `json:"statement"`
	Source       QuerySource     `json:"source"`
	Name         *string         `json:"name"`
	Description  *string         `json:"description"`
	Created      *AuditStamp     `json:"created"`
	LastModified *AuditStamp     `json:"lastModified"`
}

// Properties are the statement and its properties.
func (q *QueryEntity) Properties(ctx context.Context) (*QueryProperties, error) {
	return aspect[QueryProperties](ctx, q.Node, model.AspectQueryProperties)
}

// querySubjects are what a query is about: datasets, and columns that the
// schema does not show.
type querySubjects struct {
	Subjects []struct {
		URN string `json:"entity"`
	} `json:"subjects"`
	datasets []*QuerySubject
}

func (s *querySubjects) complete(_ *Node, below *Batch) {
	s.datasets = []*QuerySubject{}
	for _, subject := range s.Subjects {
		if d := entityAs[*Dataset](below, subject.URN); d != nil {
			s.datasets = append(s.datasets, &QuerySubject{Dataset: d})
		}
	}
}

// Subjects are the datasets that the query is about.
func (q *QueryEntity) Subjects(ctx context.Context) ([]*QuerySubject, error) {
	s, err := aspect[querySubjects](ctx, q.Node, model.AspectQuerySubjects)
	if s == nil {
		return nil, err
	}
	return s.datasets, err
}
