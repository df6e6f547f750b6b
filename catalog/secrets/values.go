package secrets

import (
	"context"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// Value is a secret in clear text.
type Value struct{ Name, Value string }

// Values decrypts secrets by their names, for the programs that run recipes. It leaves out unknown
// secrets, and fails if a known secret cannot be decrypted. The names that were read are noted in the
// record of the request.
func (s *Service) Values(ctx context.Context, names []string, o catalog.WriteOptions) ([]Value, error) {
	if err := s.allow(ctx, "read the values of secrets", Manage); err != nil {
		return nil, err
	}
	return s.values(ctx, names, o)
}

// ForRun is Values for a program that has a run whose recipe names the secrets. The caller has checked
// that. On a server without a key there are no secrets.
func (s *Service) ForRun(ctx context.Context, names []string) ([]Value, error) {
	if s.Sealer == nil {
		return nil, nil
	}
	return s.values(ctx, names, catalog.WriteOptions{})
}

func (s *Service) values(ctx context.Context, names []string, o catalog.WriteOptions) ([]Value, error) {
	if err := s.RequireProgram(ctx, "read the values of secrets"); err != nil {
		return nil, err
	}
	if err := catalog.TooMany("secrets", len(names), limits.MaxSecretsRead); err != nil {
		return nil, err
	}
	var urns []model.URN
	for _, name := range names {
		if strings.TrimSpace(name) == "" {
			continue
		}
		if u, _, err := s.urnOf(model.EntityDataHubSecret, name, o); err == nil { // no secret has another name
			urns = append(urns, u)
		}
	}
	urns = catalog.Distinct(urns)
	stored, err := s.stored(ctx, catalog.Texts(urns), model.AspectDataHubSecretValue)
	if err != nil {
		return nil, err
	}
	values, read := []Value{}, []model.URN{}
	for _, u := range urns {
		value, ok := stored[u.String()]
		if !ok {
			continue
		}
		text, err := s.Sealer.Open(u.String(), jsontree.Text(value, valueMember))
		if err != nil {
			return nil, err
		}
		values, read = append(values, Value{Name: jsontree.Text(value, nameMember), Value: text}), append(read, u)
	}
	for _, u := range read {
		requestinfo.DeedOf(ctx).Changes(u, model.AspectDataHubSecretValue)
	}
	return values, nil
}

// RequireProgram fails with Forbidden unless the caller is a program that runs recipes: the system client,
// or a user who is marked as one (system of corpUserInfo) and shows a token of their own. So no
// administrator reads secrets by accident, and no page can show them. Without authentication, everybody
// counts as one. The text done continues the sentence "Only programs that run recipes may".
func (s *Service) RequireProgram(ctx context.Context, done string) error {
	caller := requestinfo.CallerOf(ctx)
	switch {
	case caller.Means == requestinfo.NoMeans, caller.Means == requestinfo.BySystemSecret:
		return nil
	case caller.Impersonator == "" && (caller.Means == requestinfo.ByToken || caller.Means == requestinfo.ByProvider):
		stored, err := s.Store.LatestAspects(ctx, []string{caller.Actor}, []string{model.AspectCorpUserInfo})
		if err != nil {
			return catalog.StoreFailure(err)
		}
		for _, a := range stored[caller.Actor] {
			info, err := catalog.TreeOf(a.Value)
			if err != nil {
				return err
			}
			if system, _ := info["system"].(bool); system {
				return nil
			}
		}
	}
	return catalog.Errorf(catalog.Forbidden, "%s Only programs that run recipes may %s: the system client, and users whose corpUserInfo has system set, by a token.", permission.Unauthorized, done)
}

// Listed is a secret without its value.
type Listed struct {
	URN, Name string
	// Description is nil if the secret has none.
	Description *string
}

// List finds secrets by the words of a query, "*" for all: a page, the newest first, and the number of
// all that were found.
func (s *Service) List(ctx context.Context, query string, start, count int) ([]Listed, int, error) {
	if err := permission.Require(ctx, "list secrets", Manage); err != nil {
		return nil, 0, err
	}
	found, err := s.Search.Search(ctx, search.Request{
		Types: []string{model.EntityDataHubSecret}, Input: query, Start: start, Count: count, Facets: []string{}, WithoutMatches: true,
		Sort: &search.SortCriterion{Field: "createdTime", Order: "DESCENDING"},
	})
	if err != nil {
		return nil, 0, err
	}
	urns := make([]string, len(found.Hits))
	for i := range found.Hits {
		urns[i] = found.Hits[i].URN
	}
	stored, err := s.stored(ctx, urns, model.AspectDataHubSecretValue)
	if err != nil {
		return nil, 0, err
	}
	listed := []Listed{}
	for _, urn := range urns {
		value, ok := stored[urn]
		if !ok {
			continue
		}
		one := Listed{URN: urn, Name: jsontree.Text(value, nameMember)}
		if description := jsontree.Text(value, descriptionMember); description != "" {
			one.Description = &description
		}
		listed = append(listed, one)
	}
	return listed, found.Total, nil
}
