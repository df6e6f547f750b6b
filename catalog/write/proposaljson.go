package write

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/model"
)

// ProposalJSON is a proposal in the form in which clients send it.
type ProposalJSON struct {
	EntityType      string                  `json:"entityType"`
	EntityURN       string                  `json:"entityUrn"`
	EntityKeyAspect *model.GenericContent   `json:"entityKeyAspect"`
	ChangeType      string                  `json:"changeType"`
	AspectName      string                  `json:"aspectName"`
	Aspect          *model.GenericContent   `json:"aspect"`
	System          *catalog.SystemMetadata `json:"systemMetadata"`
	Headers         map[string]string       `json:"headers"`
}

// Proposal is the proposal.
func (p *ProposalJSON) Proposal() Proposal {
	return Proposal{
		EntityType: p.EntityType, EntityURN: p.EntityURN, EntityKeyAspect: AspectOf(p.EntityKeyAspect),
		ChangeType: p.ChangeType, AspectName: p.AspectName, Aspect: AspectOf(p.Aspect), System: p.System,
		Headers: p.Headers,
	}
}

// AspectOf is a value as bytes; nil stays nil.
func AspectOf(content *model.GenericContent) *GenericAspect {
	if content == nil {
		return nil
	}
	return &GenericAspect{Value: []byte(content.Value), ContentType: content.ContentType}
}
