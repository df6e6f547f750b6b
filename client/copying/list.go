package copying

import (
	"context"
	"fmt"
	"io"

	"github.com/headwater-io/headwater/model"
)

const (
	// pageURNs is how many entities one request lists.
	pageURNs = 1000
	// readURNs and readBytes bound the URNs in one reading request, in number and in bytes
	// of its address, because servers bound addresses.
	readURNs, readBytes = 50, 6000
)

// lister lists the entities of a type in parts.
type lister struct {
	source peer
	kind   *kind
	// waiting are URNs that were listed and not yet returned. before are the URNs of the
	// previous page: a source that changes may list an entity on two pages.
	waiting []string
	before  map[string]bool
	start   int
	ended   bool
}

// next returns the next part, and io.EOF after the last one.
func (l *lister) next(ctx context.Context) ([]string, error) {
	for len(l.waiting) == 0 {
		if l.ended {
			return nil, io.EOF
		}
		if err := l.page(ctx); err != nil {
			return nil, err
		}
	}
	size := 0
	for n, urn := range l.waiting {
		size += len(model.EncodeURN(urn)) + 1
		if n == readURNs || n > 0 && size > readBytes {
			part := l.waiting[:n]
			l.waiting = l.waiting[n:]
			return part, nil
		}
	}
	part := l.waiting
	l.waiting = nil
	return part, nil
}

// page lists the next page.
func (l *lister) page(ctx context.Context) error {
	page, err := l.source.list(ctx, l.kind.name, l.start, pageURNs)
	if err != nil {
		return err
	}
	own := map[string]bool{}
	for _, urn := range page.Entities {
		if !own[urn] && !l.before[urn] {
			l.waiting = append(l.waiting, urn)
		}
		own[urn] = true
	}
	l.start += len(page.Entities)
	l.before = own
	l.ended = len(page.Entities) == 0 || l.start >= page.Total
	if len(page.Entities) > 0 && len(l.waiting) == 0 && !l.ended {
		return fmt.Errorf("%w: the page of entities at %d is the page before", errOdd, l.start)
	}
	return nil
}
