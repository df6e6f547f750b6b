package copying

import (
	"context"
	"fmt"
)

// checkCounts compares the counts that the source states with the numbers of values read.
// If the source counts more values, checkCounts first searches the source for the missing
// entities.
func (c *copier) checkCounts(ctx context.Context, k *kind) error {
	page, err := c.source.list(ctx, k.name, 0, 1)
	if err != nil {
		return fmt.Errorf("counting entities of type %s: %w", k.name, err)
	}
	if listed := c.report.ofType(k.name).listed; page.Total != listed {
		c.report.differ(Difference{Type: k.name, Message: fmt.Sprintf("the source counts %d of them, and listed %d; if it changed meanwhile, the same command copies the rest", page.Total, listed)})
	}
	if !k.inTarget {
		return nil
	}
	counted, err := c.countAspects(ctx, k)
	if err != nil {
		return err
	}
	for aspect, n := range counted {
		if n > c.read(k, aspect) {
			if err := c.copySearched(ctx, k); err != nil {
				return fmt.Errorf("searching entities of type %s: %w", k.name, err)
			}
			break
		}
	}
	for _, aspect := range k.countable(counted) {
		n, ok := counted[aspect]
		if read := c.read(k, aspect); ok && n != read {
			c.report.differ(Difference{Type: k.name, Aspect: aspect, Message: fmt.Sprintf("the source counts %d values, and %d were read", n, read)})
		}
	}
	return nil
}

// read returns the number of stored values of an aspect that were read. The key aspect of
// an entity that only a search finds does not count, because the source computes it.
func (c *copier) read(k *kind, aspect string) int {
	of := c.report.ofType(k.name)
	if aspect == k.key {
		return of.aspects[aspect] - of.searched
	}
	return of.aspects[aspect]
}

// countAspects asks the source for the number of entities with each aspect. Aspects that
// the source refuses to count are left out.
func (c *copier) countAspects(ctx context.Context, k *kind) (map[string]int, error) {
	counted := map[string]int{}
	for _, aspect := range k.countable(c.report.ofType(k.name).aspects) {
		n, err := c.source.count(ctx, aspect, "urn:li:"+k.name+":%")
		switch {
		case refusal(err) != nil || isDenied(err):
			if c.read(k, aspect) > 0 && c.report.uncounted == "" {
				c.report.uncounted = err.Error()
			}
		case err != nil:
			return nil, fmt.Errorf("counting the aspect %s of entities of type %s: %w", aspect, k.name, err)
		default:
			counted[aspect] = n
		}
	}
	return counted, nil
}
