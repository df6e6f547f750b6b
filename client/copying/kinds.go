package copying

import (
	"context"
	"fmt"
	"slices"

	"github.com/headwater-io/headwater/model"
)

// kind is an entity type.
type kind struct {
	name string
	// inTarget and inSource: the model of that server has the entity type. inSource is only
	// known if the source describes its model.
	inTarget, inSource bool
	// key is the key aspect, versioned are the aspects that are not time series, and series
	// are the time series.
	key               string
	versioned, series []string
}

// newSeries are the time series that release 0.10.5 of the interface lacks. A source that
// does not describe its model may refuse them.
var newSeries = []string{model.AspectDocumentUsageStatistics, model.AspectQueryUsageStatistics}

// kinds returns the entity types of both models, in the order of copying.
func (c *copier) kinds(ctx context.Context) ([]kind, error) {
	ours, err := c.target.specifications(ctx)
	if err != nil {
		return nil, fmt.Errorf("the model of the server: %w", err)
	}
	theirs, err := c.source.specifications(ctx)
	if err != nil && refusal(err) == nil && !isDenied(err) {
		return nil, fmt.Errorf("the model of the source: %w", err)
	}
	c.told = err == nil && len(theirs) > 0
	var kinds []kind
	for i := range ours {
		k := kind{name: ours[i].Name, inTarget: true, key: ours[i].KeyAspect}
		for _, aspect := range ours[i].Aspects {
			if aspect.Annotation.TimeSeries {
				k.series = append(k.series, aspect.Annotation.Name)
			} else {
				k.versioned = append(k.versioned, aspect.Annotation.Name)
			}
		}
		kinds = append(kinds, k)
	}
	for i := range theirs {
		at := slices.IndexFunc(kinds, func(k kind) bool { return k.name == theirs[i].Name })
		if at < 0 {
			kinds = append(kinds, kind{name: theirs[i].Name, inSource: true, key: theirs[i].KeyAspect})
			continue
		}
		kinds[at].inSource = true
		kinds[at].series = slices.DeleteFunc(kinds[at].series, func(name string) bool { return !theirs[i].has(name) })
	}
	inOrder(kinds)
	return kinds, nil
}

func (s *specification) has(aspect string) bool {
	for _, one := range s.Aspects {
		if one.Annotation.Name == aspect {
			return true
		}
	}
	return false
}

// countable returns the aspects whose values the source is asked to count.
func (k *kind) countable(read map[string]int) []string {
	names := slices.Clone(k.versioned)
	for name := range read {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
