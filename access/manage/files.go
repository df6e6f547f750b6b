package manage

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/access/policies/policyfile"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/model"
)

// File is the text of a file of policies. Name is for errors.
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Listed is a stored policy.
type Listed struct {
	URN    string `json:"urn"`
	ID     string `json:"id"`
	Name   string `json:"name"`
	Type   string `json:"type"`
	State  string `json:"state"`
	Effect string `json:"effect"`
	// EndsAt is the moment from which the policy has no effect, epoch milliseconds; absent without one.
	EndsAt   int64 `json:"endsAt,omitempty"`
	Editable bool  `json:"editable"`
	// Text is the policy as a file, absent for a policy that a file cannot express.
	Text string `json:"text,omitempty"`
}

// List returns all stored policies or, if an id is given, the policy with this id.
func (s *Service) List(ctx context.Context, id string) ([]Listed, error) {
	all, err := s.all(ctx)
	if err != nil {
		return nil, err
	}
	listed := []Listed{}
	for i := range all {
		p := &all[i]
		if id != "" && p.ID != id {
			continue
		}
		one := Listed{
			URN: p.URN, ID: p.ID, Name: p.Name, Type: string(p.Type), State: string(p.State), Effect: string(cmp.Or(p.Effect, policies.Allow)), Editable: p.Editable,
		}
		if !p.EndsAt.IsZero() {
			one.EndsAt = p.EndsAt.UnixMilli()
		}
		if text, err := policyfile.Format(all[i : i+1]); err == nil {
			one.Text = string(text)
		}
		listed = append(listed, one)
	}
	if id != "" && len(listed) == 0 {
		return nil, catalog.Errorf(catalog.NotFound, "there is no policy with the id %s", id)
	}
	return listed, nil
}

// all returns the stored policies to those who manage policies.
func (s *Service) all(ctx context.Context) ([]policies.Policy, error) {
	if err := require(ctx); err != nil {
		return nil, err
	}
	return s.Permit.Policies(ctx)
}

// ApplyOptions configure Apply.
type ApplyOptions struct {
	// DryRun reports the changes without writing them.
	DryRun bool
	// Prune deletes the policies that the file does not have, except those of the server.
	Prune bool
}

// Applied lists the changes that a file of policies makes.
type Applied struct {
	Changes []Change `json:"changes"`
	DryRun  bool     `json:"dryRun"`
}

// Change is a policy that a file changes.
type Change struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Kind is add, change or remove.
	Kind string `json:"kind"`
	// Members are the members of the file that differ.
	Members []MemberChange `json:"members,omitempty"`
}

// MemberChange is a member of a policy that differs, "" on the side that has none.
type MemberChange struct {
	Name   string `json:"name"`
	Stored string `json:"stored"`
	Wanted string `json:"wanted"`
}

// Apply makes the stored policies those of a file. It writes only the differing policies, all or nothing.
// Policies that the file does not have stay, unless the options say otherwise.
func (s *Service) Apply(ctx context.Context, f File, a ApplyOptions, o catalog.WriteOptions) (*Applied, error) {
	s.Permit.Forget() // so that policies that another server has just written are not written again
	stored, err := s.all(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.Catalog.RequireWritableUnless(ctx, a.DryRun); err != nil {
		return nil, err
	}
	file, err := s.parse(f)
	if err != nil {
		return nil, err
	}
	applied := &Applied{Changes: []Change{}, DryRun: a.DryRun}
	var proposals []write.Proposal
	var gone []model.URN
	for _, c := range policyfile.Diff(stored, file.Policies) {
		if c.Kind == policyfile.Removed && !a.Prune {
			continue
		}
		change := Change{ID: c.ID, Name: c.Name, Kind: string(c.Kind)}
		for _, m := range c.Members {
			change.Members = append(change.Members, MemberChange(m))
		}
		applied.Changes = append(applied.Changes, change)
		u, more, err := s.changed(ctx, &c, stored, file.Policies)
		if err != nil {
			return nil, err
		}
		proposals = append(proposals, more...)
		if c.Kind == policyfile.Removed {
			gone = append(gone, u)
		}
	}
	if a.DryRun || len(applied.Changes) == 0 {
		return applied, nil
	}
	defer s.Changed()
	if len(proposals) > 0 {
		if err := s.Catalog.IngestTogether(ctx, proposals, o); err != nil {
			return nil, err
		}
	}
	for _, u := range gone {
		if err := s.Options.Delete(ctx, u, []string{model.EntityDataHubPolicy}, o); err != nil && catalog.CodeOf(err) != catalog.NotFound {
			return nil, err
		}
	}
	return applied, nil
}

// changed returns the policy of a change, and the proposals that write it.
func (s *Service) changed(ctx context.Context, c *policyfile.Change, stored, wanted []policies.Policy) (model.URN, []write.Proposal, error) {
	named := func(p policies.Policy) bool { return p.ID == c.ID }
	have := slices.IndexFunc(stored, named)
	if c.Kind == policyfile.Removed {
		return model.StoredURN(stored[have].URN), nil, nil
	}
	want := wanted[slices.IndexFunc(wanted, named)]
	switch {
	case have >= 0 && !stored[have].Editable:
		return model.URN{}, nil, catalog.Errorf(catalog.Invalid, "%s It is %s, which belongs to the server; leave it out of the file.", notEditable, c.ID)
	case !want.Editable:
		return model.URN{}, nil, catalog.Errorf(catalog.Invalid, "the policy %s has editable: false, which only policies of the server have", c.ID)
	}
	ruled := false
	if have >= 0 {
		var err error
		want.URN = stored[have].URN
		if _, ruled, err = s.stored(ctx, model.StoredURN(want.URN)); err != nil && catalog.CodeOf(err) != catalog.NotFound {
			return model.URN{}, nil, err
		}
	}
	return s.proposals(&want, ruled)
}

// parse reads a file. Its errors have lines.
func (s *Service) parse(f File) (*policyfile.File, error) {
	file, err := policyfile.Parse(cmp.Or(f.Name, "the file"), []byte(f.Text), s.entityTypes())
	if err != nil {
		return nil, catalog.Errorf(catalog.Invalid, "%s", err.Error())
	}
	return file, nil
}

func (s *Service) entityTypes() []string {
	var names []string
	for _, e := range s.Catalog.Registry().Entities() {
		names = append(names, e.Name)
	}
	return names
}

// Tested tells which expectations of a file hold.
type Tested struct {
	Expectations []Expected `json:"expectations"`
	Failed       int        `json:"failed"`
}

// Expected is an expectation with the actual decision.
type Expected struct {
	Line      int    `json:"line"`
	Actor     string `json:"actor"`
	Privilege string `json:"privilege"`
	Resource  string `json:"urn,omitempty"`
	// May is the decision that the file expects.
	May bool `json:"may"`
	// Holds: the expectation is fulfilled.
	Holds bool `json:"holds"`
	// Sentence states the actual decision and its reason.
	Sentence string `json:"sentence"`
}

// Test judges the expectations of a file as if it had been applied, with the stored users and entities. It
// writes nothing.
func (s *Service) Test(ctx context.Context, f File) (*Tested, error) {
	stored, err := s.all(ctx)
	if err != nil {
		return nil, err
	}
	file, err := s.parse(f)
	if err != nil {
		return nil, err
	}
	if err := catalog.TooMany("expectations", len(file.Expect), write.MaxEdits); err != nil {
		return nil, err
	}
	all := overlaid(stored, file.Policies)
	set := s.Permit.Compile(all)
	tested := &Tested{Expectations: []Expected{}}
	for i := range file.Expect {
		e := &file.Expect[i]
		one, err := s.expected(ctx, all, set, e)
		if err != nil {
			return nil, catalog.Errorf(catalog.CodeOf(err), "%s:%d: %s", cmp.Or(f.Name, "the file"), e.Line, catalog.MessageOf(err))
		}
		if !one.Holds {
			tested.Failed++
		}
		tested.Expectations = append(tested.Expectations, *one)
	}
	return tested, nil
}

// overlaid returns the stored policies; policies of a file replace stored ones with the same ids.
func overlaid(stored, wanted []policies.Policy) []policies.Policy {
	all := slices.Clone(wanted)
	for i := range stored {
		if !slices.ContainsFunc(wanted, func(p policies.Policy) bool { return p.ID == stored[i].ID }) {
			all = append(all, stored[i])
		}
	}
	return all
}

func (s *Service) expected(ctx context.Context, all []policies.Policy, set *policies.Set, e *policyfile.Expectation) (*Expected, error) {
	actor, err := s.Catalog.Registry().ReadURN(e.Actor)
	if err != nil {
		return nil, catalog.Errorf(catalog.Invalid, "%v", err)
	}
	var resource model.URN
	if e.Resource != "" {
		if resource, err = s.Catalog.Registry().ReadURN(e.Resource); err != nil {
			return nil, catalog.Errorf(catalog.Invalid, "%v", err)
		}
	}
	question, who, err := s.ask(ctx, actor, e.Privilege, resource, all, set)
	if err != nil {
		return nil, err
	}
	question.tell, question.supposed = true, true
	said := s.explain(question)
	one := &Expected{Line: e.Line, Actor: said.Actor, Privilege: e.Privilege, Resource: said.Resource, May: e.May, Holds: said.Allowed == e.May, Sentence: said.Sentence}
	if !who.Exists {
		one.Holds, one.Sentence = false, fmt.Sprintf("There is no user %s.", actor)
	}
	return one, nil
}
