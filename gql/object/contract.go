package object

import (
	"context"

	"github.com/headwater-io/headwater/model"
)

// DataContract is a set of promises about a dataset that assertions check.
type DataContract struct{ *Node }

// DataContractProperties are the promises.
type DataContractProperties struct {
	EntityUrn       string                 `json:"entity"`
	StoredSchema    []promise              `json:"schema"`
	StoredFreshness []promise              `json:"freshness"`
	StoredQuality   []promise              `json:"dataQuality"`
	Schema          []*SchemaContract      `json:"-"`
	Freshness       []*FreshnessContract   `json:"-"`
	DataQuality     []*DataQualityContract `json:"-"`
}

// promise names the assertion that checks a promise.
type promise struct {
	URN string `json:"assertion"`
}

func (p *DataContractProperties) complete(_ *Node, below *Batch) {
	for _, a := range assertionsIn(below, p.StoredSchema) {
		p.Schema = append(p.Schema, &SchemaContract{Assertion: a})
	}
	for _, a := range assertionsIn(below, p.StoredFreshness) {
		p.Freshness = append(p.Freshness, &FreshnessContract{Assertion: a})
	}
	for _, a := range assertionsIn(below, p.StoredQuality) {
		p.DataQuality = append(p.DataQuality, &DataQualityContract{Assertion: a})
	}
}

func assertionsIn(below *Batch, promises []promise) []*Assertion {
	urns := make([]string, len(promises))
	for i, p := range promises {
		urns[i] = p.URN
	}
	return entitiesAs[*Assertion](below, urns)
}

// Properties are the promises.
func (c *DataContract) Properties(ctx context.Context) (*DataContractProperties, error) {
	return aspect[DataContractProperties](ctx, c.Node, model.AspectDataContractProperties)
}

// Status says whether the contract is agreed on.
func (c *DataContract) Status(ctx context.Context) (*DataContractStatus, error) {
	return aspect[DataContractStatus](ctx, c.Node, model.AspectDataContractStatus)
}

// Contract is the contract of the dataset, nil if there is no contract.
func (d *Dataset) Contract(ctx context.Context) (*DataContract, error) {
	few := 10
	found, err := d.Relationships(ctx, RelationshipsInput{Types: []string{model.RelationshipContractFor}, Direction: RelationshipDirectionIncoming, Count: &few})
	if err != nil {
		return nil, err
	}
	for _, r := range found.Relationships {
		contract, ok := r.Entity.(*DataContract)
		if !ok {
			continue
		}
		if status, err := contract.Node.Status(ctx); err != nil {
			return nil, err
		} else if status == nil || !status.Removed {
			return contract, nil
		}
	}
	return nil, nil
}
