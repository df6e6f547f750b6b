package catalog

import (
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/model"
)

// SettleTypes brings a proposal whose values have type members, as the first OpenAPI
// calls have, into the usual form. Without the name of an aspect, the value's type
// member names it. A patch has no types.
func (c *Catalog) SettleTypes(p *Proposal) error {
	entity, err := c.EntityType(p.EntityType)
	if err != nil {
		return err
	}
	if err := c.settleTypes(entity.KeyAspect, p.EntityKeyAspect); err != nil {
		return err
	}
	if p.Aspect == nil || p.ChangeType == Patch {
		return nil
	}
	if given := model.TypeOf(p.Aspect.Value); given != "" {
		named, near, known := c.registry.AspectOfType(entity, given)
		switch {
		case !known:
			return Errorf(Invalid, "Unknown __type %q for entity %s%s", given, entity.Name, nearest.Question(near))
		case p.AspectName != "" && p.AspectName != named:
			return Errorf(Invalid, "the __type %s is that of the aspect %s, and the aspectName is %s", given, named, p.AspectName)
		}
		p.AspectName = named
	}
	if p.AspectName == "" {
		return Errorf(Invalid, "the aspect has no __type, and there is no aspectName")
	}
	return c.settleTypes(p.AspectName, p.Aspect)
}

func (c *Catalog) settleTypes(aspect string, content *GenericAspect) error {
	if content == nil {
		return nil
	}
	if err := withinLimits(aspect, content.Value, valueLimits); err != nil {
		return err
	}
	value, err := c.registry.WithoutTypes(aspect, content.Value)
	if err != nil {
		return ValueError(err)
	}
	content.Value = value
	return nil
}
