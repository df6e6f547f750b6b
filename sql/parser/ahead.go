package parser

import (
	"context"
	"slices"
	"sync"

	"github.com/headwater-io/headwater/internal/limits"
)

// maxAhead is how many texts may be parsed before they are asked for.
const maxAhead = 4 * instances

// Ahead begins to parse a text in the background. The next call of Parse with the text and the dialect
// returns the result. Ahead does nothing if maxAhead texts are being parsed; of the parsed texts that
// nobody has asked for, it forgets the oldest.
func (p *Parser) Ahead(text, dialect string) {
	if len(text) > limits.MaxSQLBytes {
		return
	}
	begun := p.ahead.begin(text, dialect)
	if begun == nil {
		return
	}
	if !p.tasks.Go("parsing SQL ahead", func() {
		defer close(begun.done)
		begun.nodes, begun.err = p.parse(p.closing, text, dialect)
	}) {
		begun.err = ErrClosed
		close(begun.done)
	}
}

// aheadTexts are the texts that are parsed before they are asked for.
type aheadTexts struct {
	mu    sync.Mutex
	texts []*aheadText // the oldest first
}

// aheadText is a text that is being parsed. nodes and err are set when done is closed.
type aheadText struct {
	text, dialect string
	done          chan struct{}
	nodes         []Node
	err           error
}

func (a *aheadTexts) find(text, dialect string) int {
	return slices.IndexFunc(a.texts, func(t *aheadText) bool { return t.text == text && t.dialect == dialect })
}

// begin adds a text; it returns nil if the text is there, or if there is no room.
func (a *aheadTexts) begin(text, dialect string) *aheadText {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.find(text, dialect) >= 0 {
		return nil
	}
	if len(a.texts) == maxAhead {
		at := slices.IndexFunc(a.texts, (*aheadText).isDone)
		if at < 0 {
			return nil
		}
		a.texts = slices.Delete(a.texts, at, at+1)
	}
	begun := &aheadText{text: text, dialect: dialect, done: make(chan struct{})}
	a.texts = append(a.texts, begun)
	return begun
}

// take removes a text; it returns nil if the text is not there.
func (a *aheadTexts) take(text, dialect string) *aheadText {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := a.find(text, dialect)
	if at < 0 {
		return nil
	}
	found := a.texts[at]
	a.texts = slices.Delete(a.texts, at, at+1)
	return found
}

func (t *aheadText) isDone() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

func (t *aheadText) wait(ctx context.Context) ([]Node, error) {
	select {
	case <-t.done:
		return t.nodes, t.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
