package write

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// SettleTypes removes the type members (__type) from the values of a proposal of the first OpenAPI
// calls. If the proposal does not name its aspect, the type of the value names it. A patch has no
// types.
func (w *Writer) SettleTypes(p *Proposal) error {
	entity, err := w.EntityType(p.EntityType)
	if err != nil {
		return err
	}
	if err := w.settleTypes(entity.KeyAspect, p.EntityKeyAspect); err != nil {
		return err
	}
	if p.Aspect == nil || p.ChangeType == Patch {
		return nil
	}
	if given := model.TypeOf(p.Aspect.Value); given != "" {
		named, near, known := w.Registry().AspectOfType(entity, given)
		switch {
		case !known:
			return catalog.Errorf(catalog.Invalid, "Unknown __type %q for entity %s%s", given, entity.Name, nearest.Question(near))
		case p.AspectName != "" && p.AspectName != named:
			return catalog.Errorf(catalog.Invalid, "the __type %s is that of the aspect %s, and the aspectName is %s", given, named, p.AspectName)
		}
		p.AspectName = named
	}
	if p.AspectName == "" {
		return catalog.Errorf(catalog.Invalid, "the aspect has no __type, and there is no aspectName")
	}
	return w.settleTypes(p.AspectName, p.Aspect)
}

func (w *Writer) settleTypes(aspect string, content *GenericAspect) error {
	if content == nil {
		return nil
	}
	if err := withinLimits(aspect, content.Value, valueLimits); err != nil {
		return err
	}
	value, err := w.Registry().WithoutTypes(aspect, content.Value)
	if err != nil {
		return catalog.ValueError(err)
	}
	content.Value = value
	return nil
}

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

// Proposal converts the proposal.
func (p *ProposalJSON) Proposal() Proposal {
	return Proposal{
		EntityType: p.EntityType, EntityURN: p.EntityURN, EntityKeyAspect: AspectOf(p.EntityKeyAspect),
		ChangeType: p.ChangeType, AspectName: p.AspectName, Aspect: AspectOf(p.Aspect), System: p.System,
		Headers: p.Headers,
	}
}

// AspectOf converts a value; nil stays nil.
func AspectOf(content *model.GenericContent) *GenericAspect {
	if content == nil {
		return nil
	}
	return &GenericAspect{Value: []byte(content.Value), ContentType: content.ContentType}
}
