package edits

import (
	"context"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// DataContract is a set of promises about a dataset, which assertions check.
type DataContract struct {
	Dataset model.URN
	// Schema, Freshness and Quality are the assertions that check the promises.
	Schema, Freshness, Quality []model.URN
	// State is ACTIVE or PENDING.
	State string
}

// PutDataContract creates or replaces the data contract of a dataset and returns its URN. A
// dataset has at most one contract, and a given URN must be the URN of this contract. A new
// contract gets the given URN, or else a URN with the given id, or else one with a generated
// id.
func (s *Service) PutDataContract(ctx context.Context, urn model.URN, id string, c *DataContract, o catalog.WriteOptions) (model.URN, error) {
	if _, err := s.requireLiveOf(ctx, "datasets", []model.URN{c.Dataset}, model.EntityDataset); err != nil {
		return model.URN{}, err
	}
	properties := catalog.Tree{"entity": c.Dataset.String()}
	for list, assertions := range map[string][]model.URN{"schema": c.Schema, "freshness": c.Freshness, "dataQuality": c.Quality} {
		assertions, err := s.requireLiveOf(ctx, "assertions", assertions, model.EntityAssertion)
		if err != nil {
			return model.URN{}, err
		}
		items := make([]any, len(assertions))
		for i, a := range assertions {
			items[i] = catalog.Tree{"assertion": a.String()}
		}
		setOrDrop(properties, list, items)
	}
	urn, err := s.contractOf(ctx, c.Dataset, urn, id, o)
	if err != nil {
		return model.URN{}, err
	}
	promise, err := proposalOf(urn, model.AspectDataContractProperties, properties)
	if err != nil {
		return model.URN{}, err
	}
	state, err := proposalOf(urn, model.AspectDataContractStatus, catalog.Tree{"state": c.State})
	if err != nil {
		return model.URN{}, err
	}
	status, err := proposalOf(urn, model.AspectStatus, catalog.Tree{"removed": false})
	if err != nil {
		return model.URN{}, err
	}
	proposals := []write.Proposal{promise, state, status}
	for i := range proposals {
		proposals[i].System = &catalog.SystemMetadata{Properties: write.UserInterface}
	}
	return urn, s.writer.IngestTogether(ctx, proposals, o)
}

// contractOf returns the URN under which the contract of a dataset is stored.
func (s *Service) contractOf(ctx context.Context, dataset, given model.URN, id string, o catalog.WriteOptions) (model.URN, error) {
	pages, err := s.store.Edges(ctx, graphstore.EdgeQuery{
		URNs: []string{dataset.String()}, Direction: graphstore.Incoming, Types: []string{model.RelationshipContractFor}, Page: graphstore.Page{Count: write.MaxEdits},
	})
	if err != nil {
		return model.URN{}, catalog.StoreFailure(err)
	}
	contracts := pages[dataset.String()].Edges
	if !given.IsZero() {
		if err := catalog.RequireType(given, model.EntityDataContract); err != nil {
			return model.URN{}, err
		}
		for _, e := range contracts {
			if e.Source != given.String() {
				return model.URN{}, catalog.Errorf(catalog.Conflict, "%s has a data contract already: %s", dataset, e.Source)
			}
		}
		return given, s.requireNoOther(ctx, given, dataset)
	}
	if len(contracts) > 0 {
		return model.StoredURN(contracts[0].Source), nil
	}
	u, _, err := s.newURN(model.EntityDataContract, id, o)
	if err != nil {
		return model.URN{}, err
	}
	return u, s.requireNoOther(ctx, u, dataset)
}

// requireNoOther fails if a data contract is stored and is about another dataset.
func (s *Service) requireNoOther(ctx context.Context, contract, dataset model.URN) error {
	properties, err := s.latest(ctx, contract, model.AspectDataContractProperties)
	if err != nil {
		return err
	}
	if about, ok := properties["entity"].(string); ok && !s.names.SameURN(about, dataset) {
		return catalog.Errorf(catalog.Conflict, "%s is the data contract of %s", contract, about)
	}
	return nil
}
