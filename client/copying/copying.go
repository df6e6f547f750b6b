// Package copying copies a whole catalog from a server that speaks the reference's
// interface into another: entities of all types, soft-deleted ones included, with the
// latest values of their aspects and with their time series. It reads an entity from both
// servers, writes the values that the target does not have, and reads them back. A copy
// that is started again therefore continues, and a difference that is left is reported.
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

// Options set what is copied, and how.
type Options struct {
	// Source is the server that the catalog is read from, Target the one that it is written
	// to.
	Source, Target *client.Client
	// InFlight is how many parts of the catalog are copied at a time.
	InFlight int
	// DryRun compares both servers and writes nothing.
	DryRun bool
	// Differences, if set, receives every difference as a JSON line.
	Differences io.Writer
	// Progress is called with the entities that were compared so far, and with the number of
	// entities in the source. It is never called by two goroutines at the same time.
	Progress func(done, total int)
}

// copier is one copy.
type copier struct {
	Options
	source, target peer
	// writer writes to the target.
	writer *client.Client
	// told: the source says which aspects its entity types have.
	told   bool
	report report
	// done is how many entities were compared, total how many the source has.
	done, total int
	// failing is how many reads from the source were refused since one succeeded.
	failing atomic.Int32
}

// ErrIncomplete: the source has what the target does not have.
var ErrIncomplete = errors.New("the target is not the same as the source")

// Copy copies a catalog. If it fails, the report covers the part that was copied before
// the error. ErrIncomplete says that the report has differences.
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
	kinds, err := c.kinds(ctx)
	if err != nil {
		return err
	}
	kinds, err = c.countKinds(ctx, kinds)
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
	return nil
}

// countKinds returns those entity types of which the source has entities.
func (c *copier) countKinds(ctx context.Context, kinds []kind) ([]kind, error) {
	var present []kind
	for i := range kinds {
		k := &kinds[i]
		page, err := c.source.list(ctx, k.name, 0, 1)
		if refused := refusal(err); refused != nil && (unknownType(refused) || c.told && !k.inSource) {
			continue // the source does not have this entity type
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

// refusedInARow is after how many reads that the source refused, and none that succeeded,
// a copy ends.
const refusedInARow = 20

// refusedRead takes note of a read that the source refused. The error ends the copy: if
// the source refuses everything, or if the read could not be made at all.
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

// firstKinds are the entity types that others are checked against when they are written.
var firstKinds = []string{"dataType", "entityType", model.EntityDataPlatform, model.EntityStructuredProperty}

// inOrder sorts entity types into the order in which they are copied.
func inOrder(kinds []kind) {
	rank := func(k kind) int {
		if i := slices.Index(firstKinds, k.name); i >= 0 {
			return i
		}
		return len(firstKinds)
	}
	slices.SortStableFunc(kinds, func(a, b kind) int { return rank(a) - rank(b) })
}
