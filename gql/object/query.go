package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// QueryEntity is a saved statement with the datasets and columns that it reads.
type QueryEntity struct{ *Node }

// QueryProperties are a statement and its properties.
type QueryProperties struct {
	Statement    *QueryStatement `json:"statement"`
	Source       QuerySource     `json:"source"`
	Name         *string         `json:"name"`
	Description  *string         `json:"description"`
	Created      *AuditStamp     `json:"created"`
	LastModified *AuditStamp     `json:"lastModified"`
	OriginURN    string          `json:"origin"`
	Origin       Entity          `json:"-"`
	Custom
}

func (p *QueryProperties) complete(n *Node, below *Batch) {
	p.own(n.URN)
	p.Origin = below.Entity(p.OriginURN)
}

// Properties are the statement and its properties.
func (q *QueryEntity) Properties(ctx context.Context) (*QueryProperties, error) {
	return aspect[QueryProperties](ctx, q.Node, model.AspectQueryProperties)
}

// querySubjects are the datasets and columns that a query is about.
type querySubjects struct {
	Subjects []struct {
		URN string `json:"entity"`
	} `json:"subjects"`
	known []*QuerySubject
}

func (s *querySubjects) complete(_ *Node, below *Batch) {
	s.known = []*QuerySubject{}
	for _, subject := range s.Subjects {
		switch e := below.Entity(subject.URN).(type) {
		case *Dataset:
			s.known = append(s.known, &QuerySubject{Dataset: e})
		case *SchemaFieldEntity:
			if d := entityAs[*Dataset](below, e.part(0)); d != nil {
				s.known = append(s.known, &QuerySubject{Dataset: d, SchemaField: e})
			}
		}
	}
}

// Platform is the platform in which the query was found, nil if no platform is stated.
func (q *QueryEntity) Platform(ctx context.Context) (*DataPlatform, error) {
	p, err := aspect[platformInstance](ctx, q.Node, model.AspectDataPlatformInstance)
	if p == nil {
		return nil, err
	}
	return p.Platform, nil
}

// Subjects are the datasets and columns that the query is about.
func (q *QueryEntity) Subjects(ctx context.Context) ([]*QuerySubject, error) {
	s, err := aspect[querySubjects](ctx, q.Node, model.AspectQuerySubjects)
	if s == nil {
		return nil, err
	}
	return s.known, err
}
