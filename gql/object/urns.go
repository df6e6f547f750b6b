package object

import (
	"github.com/headwater-io/headwater/model"

	"github.com/headwater-io/headwater/internal/optional"
)

// The URNs of a request's arguments are read in this file and nowhere else. Code behind the
// resolvers has URNs as values, not as texts.

// URN reads a URN from an argument.
func (s *Session) URN(text string) (model.URN, error) {
	u, _, err := s.Catalog.ParseURN(text)
	if err == nil {
		s.Subject.Names(u)
	}
	return u, err
}

// URNOrNone reads a URN from an argument that may be missing. It returns the zero URN when the
// argument is nil or "".
func (s *Session) URNOrNone(text *string) (model.URN, error) {
	if optional.Or(text, "") == "" {
		return model.URN{}, nil
	}
	return s.URN(*text)
}

// URNs reads a list of URNs in its order.
func (s *Session) URNs(texts []string) ([]model.URN, error) {
	urns, err := s.Catalog.ParseURNs(texts)
	for _, u := range urns {
		s.Subject.Names(u)
	}
	return urns, err
}
