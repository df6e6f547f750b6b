package suggest

import (
	"context"
	"fmt"
	"slices"

	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/statements"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Suggestion is a tag that a dataset or a column may lack.
type Suggestion struct {
	// Column is the path of the column, "" for the dataset itself.
	Column string
	Tag    model.URN
	Kind   Kind
	// Reason is a sentence without a full stop.
	Reason string
}

// said are the kinds as they stand in reasons.
var said = map[Kind]string{
	Email: "e-mail addresses", Phone: "phone numbers", PersonName: "names of people", Address: "addresses", PersonalID: "numbers that identify people",
	BirthDate: "dates of birth", Payment: "means of payment", IPAddress: "IP addresses",
}

// Tags returns tags that the names of columns suggest: for each column, and for the dataset, the best tag
// that exists, unless the column or the dataset has one of the tags already, or somebody has refused one of
// them there. Tags returns at most limits.MaxTagSuggestions, the tag for the dataset first; further tags
// appear when people have taken or refused these.
func (s *Service) Tags(ctx context.Context, dataset model.URN, tags []string, columns []statements.Column) ([]Suggestion, error) {
	refused, err := s.Refused(ctx, dataset)
	if err != nil {
		return nil, err
	}
	candidates, err := s.candidates(ctx, dataset.Namespace(), columns)
	if err != nil {
		return nil, err
	}
	answered := func(column string, has []string, of []model.URN) bool {
		return slices.ContainsFunc(of, func(u model.URN) bool {
			return slices.Contains(has, u.String()) || slices.ContainsFunc(refused, func(r Refusal) bool { return r.Column == column && r.Tag == u.String() })
		})
	}
	var suggestions []Suggestion
	var personal []string
	for i := range columns {
		c, p := &columns[i], matchOf(columns[i].Path)
		if p == nil {
			continue
		}
		of := candidates.of[p.kind]
		if slices.ContainsFunc(refused, func(r Refusal) bool { return r.Column == c.Path }) {
			continue
		}
		personal = append(personal, lastPart(c.Path))
		at := slices.IndexFunc(of, func(u model.URN) bool { return candidates.exist[u] })
		if at < 0 || answered(c.Path, c.Tags, of) {
			continue
		}
		suggestions = append(suggestions, Suggestion{Column: c.Path, Tag: of[at], Kind: p.kind, Reason: fmt.Sprintf("The name matches “%s”, as those of %s do", p.words, said[p.kind])})
	}
	of := candidates.of[Personal]
	if at := slices.IndexFunc(of, func(u model.URN) bool { return candidates.exist[u] }); at >= 0 && len(personal) > 0 && !answered("", tags, of) {
		suggestions = slices.Insert(suggestions, 0, Suggestion{Tag: of[at], Kind: Personal, Reason: reasonOf(personal)})
	}
	return suggestions[:min(len(suggestions), limits.MaxTagSuggestions)], nil
}

// reasonOf says which columns a suggestion for their dataset rests on.
func reasonOf(columns []string) string {
	if len(columns) == 1 {
		return fmt.Sprintf("The name of the column “%s” matches personal data", columns[0])
	}
	return fmt.Sprintf("The names of %d columns match personal data, those of “%s” and “%s” among them", len(columns), columns[0], columns[1])
}

// candidates are the tags for each kind, the best first, and the tags among them that exist and that the
// caller may read.
type candidates struct {
	of    map[Kind][]model.URN
	exist map[model.URN]bool
}

func (s *Service) candidates(ctx context.Context, namespace string, columns []statements.Column) (*candidates, error) {
	c := &candidates{of: map[Kind][]model.URN{}, exist: map[model.URN]bool{}}
	var all []model.URN
	add := func(kind Kind) {
		for _, id := range TagsFor(kind) {
			if u, err := model.BuildURN(namespace, model.EntityTag, id); err == nil {
				c.of[kind], all = append(c.of[kind], u), append(all, u)
			}
		}
	}
	for i := range columns {
		if kind := KindOf(columns[i].Path); kind != "" && c.of[kind] == nil {
			add(kind)
		}
	}
	if len(all) == 0 {
		return c, nil
	}
	add(Personal)
	existing, err := s.existing.Existing(ctx, all)
	if err != nil {
		return nil, err
	}
	var urns []string
	for _, u := range all {
		if existing[u] {
			urns = append(urns, u.String())
		}
	}
	readable, err := permission.OnlyReadable(ctx, urns)
	if err != nil {
		return nil, err
	}
	for _, u := range all {
		c.exist[u] = slices.Contains(readable, u.String())
	}
	return c, nil
}
