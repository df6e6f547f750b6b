// Package requestinfo keeps in the context of a request who makes it and which entity it is about.
package requestinfo

import (
	"context"
	"fmt"
	"sync"
)

type actorKey struct{}

// WithActor sets the actor on whose behalf a request is made: an actor's URN,
// or "" for the system actor.
func WithActor(ctx context.Context, actor string) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// ActorOf returns the actor of a request.
func ActorOf(ctx context.Context) string {
	actor, _ := ctx.Value(actorKey{}).(string)
	return actor
}

// Subject is the entity that a request is about, for the request's line in the log: the first entity that it
// changes or, if it changes none, names. The methods may be called on nil.
type Subject struct {
	mu             sync.Mutex
	changed, named string
	others         bool
}

type subjectKey struct{}

// WithSubject lets the entity be noted that a request is about.
func WithSubject(ctx context.Context) (context.Context, *Subject) {
	s := &Subject{}
	return context.WithValue(ctx, subjectKey{}, s), s
}

// SubjectOf returns the subject of a request, nil if none is noted.
func SubjectOf(ctx context.Context) *Subject {
	s, _ := ctx.Value(subjectKey{}).(*Subject)
	return s
}

// Names notes an entity that the request names.
func (s *Subject) Names(urn fmt.Stringer) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.others = set(&s.named, urn.String()) || s.others
}

// Changes notes an entity that the request changes. It reports whether the request is about
// several entities; then there is nothing more to note.
func (s *Subject) Changes(urn fmt.Stringer) (others bool) {
	if s == nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.others = set(&s.changed, urn.String()) || s.others
	return s.others
}

// set sets an empty text. It returns true if the text has another value already.
func set(to *string, urn string) bool {
	if *to == "" {
		*to = urn
	}
	return *to != urn
}

// Entity is the URN of the entity, "" if the request is about none. Others reports whether
// the request changes or names other entities too.
func (s *Subject) Entity() (urn string, others bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.changed == "" {
		return s.named, s.others
	}
	return s.changed, s.others || s.named != "" && s.named != s.changed
}
