// Package copying copies a whole catalog to a Headwater server from a server with the
// reference's interface: entities of all types, including soft-deleted ones, with the
// latest values of their aspects and with their time series. It reads an entity from both
// servers, writes the values that the target lacks, and reads them back. So a copy that is
// started again continues, and remaining differences are reported.
package copying

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/client/batches"
	"github.com/headwater-io/headwater/model"
)

// Options configure a copy.
type Options struct {
	// Source is the server that is read, Target the server that is written.
	Source, Target *client.Client
	// InFlight is how many parts of the catalog are copied at a time.
	InFlight int
	// DryRun compares both servers and writes nothing.
	DryRun bool
	// Follow, if set, makes the copy follow deletions in the source.
	Follow *Follow
	// Differences, if set, receives every difference as a JSON line.
	Differences io.Writer
	// Progress, if set, is called with the number of compared entities and the number of
	// entities in the source, by one goroutine at a time.
	Progress func(done, total int)
}

// copier is the state of one copy.
type copier struct {
	Options
	source, target peer
	// writer is the client that writes to the target.
	writer *client.Client
	// told: the source has listed its entity types with their aspects.
	told   bool
	report report
	// done is the number of compared entities, total the number of entities in the source.
	done, total int
	// following has the entities that the source has, if deletions are followed.
	following following
	// failing is the number of refused reads since the last successful one.
	failing atomic.Int32
}

// ErrIncomplete: the source has data that the target lacks.
var ErrIncomplete = errors.New("the target is not the same as the source")

// Copy copies a catalog. If it fails, the report covers the part that was copied before the
// error. The error is ErrIncomplete if the report has differences.
func Copy(ctx context.Context, o Options) (*Report, error) {
	c := &copier{Options: o, source: peer{o.Source, "the source"}, target: peer{o.Target, "the server"}}
	c.report.to = o.Differences
	err := c.run(ctx)
	all, unwritten := c.report.finish()
	if err == nil {
		err = unwritten
	}
	if err == nil && all.DifferenceCount > 0 {
		err = ErrIncomplete
	}
	return all, err
}

func (c *copier) run(ctx context.Context) error {
	release, err := c.source.release(ctx)
	if err != nil {
		return err
	}
	c.report.release = release
	c.writer = c.Target.OfRelease(release)
	all, err := c.kinds(ctx)
	if err != nil {
		return err
	}
	kinds, err := c.countKinds(ctx, all)
	if err != nil {
		return err
	}
	for i := range kinds {
		if err := c.copyKind(ctx, &kinds[i]); err != nil {
			return err
		}
	}
	for i := range kinds {
		if err := c.checkCounts(ctx, &kinds[i]); err != nil {
			return err
		}
	}
	if c.Follow == nil {
		return nil
	}
	return c.followDeletions(ctx, all)
}

// countKinds returns the entity types that have entities in the source.
func (c *copier) countKinds(ctx context.Context, kinds []kind) ([]kind, error) {
	var present []kind
	for i := range kinds {
		k := &kinds[i]
		page, err := c.source.list(ctx, k.name, 0, 1)
		if refused := refusal(err); refused != nil && (unknownType(refused) || c.told && !k.inSource) {
			continue // the source's model lacks this entity type
		}
		if err != nil {
			return nil, fmt.Errorf("listing entities of type %s: %w", k.name, err)
		}
		if page.Total == 0 && len(page.Entities) == 0 {
			continue
		}
		if !k.inTarget {
			c.report.differ(Difference{Type: k.name, Message: fmt.Sprintf("the source has %d of them, and the model of the server does not have this entity type", page.Total)})
		}
		c.total += page.Total
		present = append(present, *k)
	}
	return present, nil
}

// copyKind copies the entities of one type.
func (c *copier) copyKind(ctx context.Context, k *kind) error {
	list := &lister{source: c.source, kind: k}
	number := 0
	err := batches.Run(ctx, batches.Bounds{Records: 1, Bytes: math.MaxInt32, InFlight: c.InFlight}, batches.Work[[]string]{
		Next: func() (batches.Record[[]string], error) {
			urns, err := list.next(ctx)
			number++
			return batches.Record[[]string]{Key: strconv.Itoa(number), Value: urns}, err
		},
		Send: func(ctx context.Context, _ int, batch [][]string) error {
			for _, urns := range batch {
				if err := c.copyEntities(ctx, k, urns); err != nil {
					return err
				}
			}
			return nil
		},
		Sent: func(batch [][]string, _ int) error {
			for _, urns := range batch {
				c.done += len(urns)
				if c.Follow != nil {
					c.following.see(k.name, urns)
				}
				c.report.note(k.name, func(t *TypeReport) { t.listed += len(urns) })
			}
			if c.Progress != nil {
				c.Progress(c.done, c.total)
			}
			return nil
		},
	})
	if err != nil {
		return fmt.Errorf("copying entities of type %s: %w", k.name, err)
	}
	return nil
}

// refusedInARow is the number of consecutive refused reads after which a copy ends.
const refusedInARow = 20

// refusedRead handles a failed read of the source. If the source refused only this read, it
// records the difference and returns nil. It returns an error, which ends the copy, if the
// source refuses one read after another or the request itself failed.
func (c *copier) refusedRead(d Difference, err error) error {
	refused := refusal(err)
	if refused == nil && !errors.Is(err, client.ErrTooLong) && !errors.Is(err, errOdd) {
		return err
	}
	if c.failing.Add(1) > refusedInARow {
		return fmt.Errorf("the source refused %d reads one after the other, the last one with: %w", refusedInARow+1, err)
	}
	d.Message = "the source does not answer: " + err.Error()
	c.report.differ(d)
	return nil
}

// firstKinds are the entity types that are copied first, because the server checks other
// entities against them.
var firstKinds = []string{"dataType", "entityType", model.EntityDataPlatform, model.EntityStructuredProperty}

// inOrder sorts entity types into the order of copying.
func inOrder(kinds []kind) {
	rank := func(k kind) int {
		if i := slices.Index(firstKinds, k.name); i >= 0 {
			return i
		}
		return len(firstKinds)
	}
	slices.SortStableFunc(kinds, func(a, b kind) int { return rank(a) - rank(b) })
}
