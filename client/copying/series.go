package copying

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/internal/jsontree"
)

const (
	// pageValues is how many values of a time series are read at a time. mostValues is the
	// limit if all of them have the same time, because the interface returns no more.
	pageValues, mostValues = 200, 10_000
)

// series selects the values of a time series.
type series struct {
	kind, urn, aspect string
	// from and to bound the times in epoch milliseconds, both inclusive; nil means no bound.
	from, to *int64
}

// point is a value of a time series.
type point struct {
	time int64
	// text is the same for every spelling of the value.
	text string
	content
}

// page reads the newest values, at most limit.
func (p peer) page(ctx context.Context, q *series, limit int) ([]point, error) {
	request := map[string]any{"urn": q.urn, "entity": q.kind, "aspect": q.aspect, "limit": limit}
	if q.from != nil {
		request["startTimeMillis"] = *q.from
	}
	if q.to != nil {
		request["endTimeMillis"] = *q.to
	}
	var answer client.TimeSeriesValues
	if err := p.action(ctx, client.TimeSeriesPath, request, &answer); err != nil {
		return nil, err
	}
	points := make([]point, len(answer.Values))
	for i := range answer.Values {
		v := &answer.Values[i]
		tree, err := jsontree.DecodeObject([]byte(v.Aspect.Value))
		if err != nil {
			return nil, fmt.Errorf("%w: a value of %s: %w", errOdd, q.aspect, err)
		}
		text, err := jsontree.Encode(tree)
		if err != nil {
			return nil, err
		}
		points[i] = point{jsontree.Integer(tree["timestampMillis"]), string(text), content{q.urn, q.aspect, json.RawMessage(v.Aspect.Value), v.System}}
	}
	return points, nil
}

// each calls visit with all values, page by page, the newest first.
func (p peer) each(ctx context.Context, q series, visit func([]point) error) error {
	limit, most := pageValues, mostValues
	// read are the values with the oldest time read so far. The next page repeats them.
	read := map[string]bool{}
	for {
		page, err := p.page(ctx, &q, limit)
		if errors.Is(err, client.ErrTooLong) && limit > 1 {
			most = limit - 1
			limit = max(limit/4, 1)
			continue
		}
		if err != nil {
			return err
		}
		fresh, err := q.fresh(page, read)
		if err != nil {
			return err
		}
		if len(fresh) == 0 {
			if len(page) < limit {
				return nil
			}
			if limit >= most {
				return fmt.Errorf("%w: %s has more than %d values of one moment", errOdd, q.aspect, most)
			}
			limit = min(10*limit, most) // all values of the page may have the same time
			continue
		}
		if err := visit(fresh); err != nil {
			return err
		}
		oldest := fresh[len(fresh)-1].time
		if q.to == nil || *q.to != oldest {
			clear(read)
			q.to = &oldest
		}
		for i := range fresh {
			if fresh[i].time == oldest {
				read[fresh[i].text] = true
			}
		}
	}
}

// fresh returns the values of a page that were not read before. It returns an error if the
// page is not in order.
func (q *series) fresh(page []point, read map[string]bool) ([]point, error) {
	for i := range page {
		switch {
		case i > 0 && page[i].time > page[i-1].time:
			return nil, fmt.Errorf("%w: the values of %s are not the newest first", errOdd, q.aspect)
		case q.to != nil && *q.to > 0 && page[i].time > *q.to:
			return nil, fmt.Errorf("%w: the values of %s are newer than endTimeMillis", errOdd, q.aspect)
		}
	}
	return slices.DeleteFunc(slices.Clone(page), func(v point) bool { return read[v.text] || q.to != nil && v.time > *q.to }), nil
}

// copySeries copies a time series of an entity.
func (c *copier) copySeries(ctx context.Context, k *kind, urn, aspect string) error {
	var target error
	err := c.source.each(ctx, series{kind: k.name, urn: urn, aspect: aspect}, func(values []point) error {
		target = c.copyValues(ctx, k, urn, aspect, values)
		return target
	})
	switch {
	case err == nil:
		c.failing.Store(0)
		return nil
	case target != nil:
		return target
	case !c.told && refusal(err) != nil && slices.Contains(newSeries, aspect):
		return nil // the source's release lacks this time series
	}
	return c.refusedRead(Difference{Type: k.name, URN: urn, Aspect: aspect}, err)
}

// copyValues copies some values of a time series, the newest first.
func (c *copier) copyValues(ctx context.Context, k *kind, urn, aspect string, values []point) error {
	here, err := c.valuesHere(ctx, k, urn, aspect, values)
	if err != nil {
		return err
	}
	var missing []content
	for i := range values {
		if !here[values[i].text] {
			missing = append(missing, values[i].content)
		}
	}
	refused := map[string]string{}
	if len(missing) > 0 && !c.DryRun {
		if refused, err = c.write(ctx, k, missing); err != nil {
			return err
		}
		c.report.wrote(0, len(missing)-len(refused))
		if here, err = c.valuesHere(ctx, k, urn, aspect, values); err != nil {
			return err
		}
	}
	counts := Both{Source: len(values)}
	for i := range values {
		if here[values[i].text] {
			counts.Here++
		}
	}
	c.report.note(k.name, func(t *TypeReport) { t.Values.add(counts.Source, counts.Here) })
	if lost := counts.Source - counts.Here; lost > 0 {
		reason := fmt.Sprintf("%d of %d values of the time series are not here", lost, counts.Source)
		for _, why := range refused {
			reason += ": the server refused some: " + why
			break
		}
		c.report.differ(Difference{Type: k.name, URN: urn, Aspect: aspect, Message: reason})
	}
	return nil
}

// valuesHere returns the given values that the target has, the newest first.
func (c *copier) valuesHere(ctx context.Context, k *kind, urn, aspect string, values []point) (map[string]bool, error) {
	wanted := map[string]bool{}
	for i := range values {
		wanted[values[i].text] = true
	}
	here := map[string]bool{}
	err := c.target.each(ctx, series{kind: k.name, urn: urn, aspect: aspect, from: &values[len(values)-1].time, to: &values[0].time}, func(found []point) error {
		for i := range found {
			if wanted[found[i].text] {
				here[found[i].text] = true
			}
		}
		return nil
	})
	if refusal(err) != nil {
		return here, nil //nolint:nilerr // the server does not know the entity
	}
	return here, err
}
