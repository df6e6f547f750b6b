package transfer

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

// addSeries takes values of a time series. addSeries ignores the values if their entity has
// failed.
func (i *Import) addSeries(ctx context.Context, line *ExportSeries) error {
	if i.failed[catalog.Beginning(line.URN)] {
		return nil
	}
	values, err := i.c.importedValues(line, i.o)
	if err != nil {
		i.fail(line.URN, err)
		return nil
	}
	i.series = append(i.series, values...)
	for k := range values {
		i.bytes += len(values[k].Value)
	}
	return i.flushFull(ctx)
}

// writeSeries writes the values whose entities exist.
func (i *Import) writeSeries(ctx context.Context, series []graphstore.TimeSeriesValue) error {
	series = slices.DeleteFunc(series, func(v graphstore.TimeSeriesValue) bool { return i.failed[v.URN] })
	if i.options.DryRun || len(series) == 0 {
		i.result.Values += int64(len(series))
		return nil
	}
	var urns []model.URN
	for k := range series {
		urns = append(urns, model.StoredURN(series[k].URN))
	}
	urns = catalog.Distinct(urns)
	slices.SortFunc(urns, func(a, b model.URN) int { return strings.Compare(a.String(), b.String()) })
	existing, err := i.c.writer.Existing(ctx, urns)
	if err != nil {
		return err
	}
	for _, urn := range urns {
		if !existing[urn] {
			i.fail(urn.String(), catalog.Errorf(catalog.NotFound, "the entity of the time-series values does not exist"))
		}
	}
	series = slices.DeleteFunc(series, func(v graphstore.TimeSeriesValue) bool { return !existing[model.StoredURN(v.URN)] })
	i.result.Values += int64(len(series))
	return i.c.writer.ImportValues(ctx, catalog.Texts(urns), series)
}

// importedValues checks values against the model, and returns them in the store's form.
func (s *Service) importedValues(line *ExportSeries, o catalog.WriteOptions) ([]graphstore.TimeSeriesValue, error) {
	u, d, err := s.names.EntityURN(line.URN)
	if err != nil {
		return nil, err
	}
	line.URN = u.String()
	entity, _ := s.names.Registry().Entity(u.EntityType()) // EntityURN refuses unknown types
	aspect, ok := s.names.Registry().Aspect(line.Aspect)
	if !ok || !entity.Has(line.Aspect) || !aspect.TimeSeries {
		return nil, catalog.Errorf(catalog.Invalid, "%s is not a time-series aspect of %s; a custom model may need to be loaded", line.Aspect, entity.Name)
	}
	values := make([]graphstore.TimeSeriesValue, len(line.Values))
	for k := range line.Values {
		v := &line.Values[k]
		if err := cmp.Or(checkActors(v.CreatedBy), write.CheckSystem(&v.System)); err != nil {
			return nil, err
		}
		value, err := s.writer.ParseImported(d, line.Aspect, v.Value, o)
		if err != nil {
			return nil, err
		}
		timestamp, key, err := model.TimeSeriesKey(value)
		if err != nil {
			return nil, catalog.ValueError(err)
		}
		values[k] = graphstore.TimeSeriesValue{
			URN: line.URN, Aspect: line.Aspect, Key: key, Timestamp: timestamp, Value: value.JSON,
			System: v.System.Stored(), CreatedOn: v.CreatedOn, CreatedBy: v.CreatedBy,
		}
	}
	return values, nil
}
