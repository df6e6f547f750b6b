package operations

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// modelHandlers describe the model.
type modelHandlers struct{ catalog *services.Services }

// entitySpecification is an entity type with its aspects.
type entitySpecification struct {
	Name      string                `json:"name"`
	KeyAspect string                `json:"keyAspectName"`
	Aspects   []aspectSpecification `json:"aspectSpecs"`
}

type aspectSpecification struct {
	Annotation aspectAnnotation `json:"aspectAnnotation"`
}

type aspectAnnotation struct {
	Name       string `json:"name"`
	TimeSeries bool   `json:"timeseries"`
	// SchemaVersion is 1 if the model states none, because clients expect a number.
	SchemaVersion int `json:"schemaVersion"`
}

func (h modelHandlers) entityTypes(c *call.Call) error {
	start, count, err := c.Page(limits.DefaultEntityTypes)
	if err != nil {
		return err
	}
	page, err := catalog.PageOf(start, count)
	if err != nil {
		return err
	}
	all := h.catalog.Registry().Entities()
	first := min(page.Start, len(all))
	elements := []entitySpecification{}
	for _, e := range all[first:min(first+page.Count, len(all))] {
		one := entitySpecification{Name: e.Name, KeyAspect: e.KeyAspect}
		for _, name := range append([]string{e.KeyAspect}, e.Aspects...) {
			if spec, ok := h.catalog.Registry().Aspect(name); ok {
				one.Aspects = append(one.Aspects, aspectSpecification{aspectAnnotation{Name: name, TimeSeries: spec.TimeSeries, SchemaVersion: max(spec.SchemaVersion, 1)}})
			}
		}
		elements = append(elements, one)
	}
	return c.JSON(http.StatusOK, struct {
		Start    int                   `json:"start"`
		Count    int                   `json:"count"`
		Total    int                   `json:"total"`
		Elements []entitySpecification `json:"elements"`
	}{start, len(elements), len(all), elements})
}
