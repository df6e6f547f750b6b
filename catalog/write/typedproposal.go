package write

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// SettleTypes brings a proposal whose values have type members, as the first OpenAPI
// calls have, into the usual form. Without the name of an aspect, the value's type
// member names it. A patch has no types.
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
