package follower

import (
	"context"
	"encoding/json"
	"strings"
)

// position is the position of an index as the index stores it: the cursor, the name under which
// the store knows the index, and the refused documents. The name prevents that the position of
// one index is mistaken for that of another.
type position struct {
	index, cursor string
	refused       Refusals
}

// positionFormat begins the text of a position. Positions of earlier releases did not identify
// their changes; such a position counts as none.
const positionFormat = "2 "

func (p *position) String() string {
	return positionFormat + p.index + " " + p.cursor + p.refused.encode()
}

func parsePosition(text string) position {
	rest, ok := strings.CutPrefix(text, positionFormat)
	if !ok {
		return position{}
	}
	var p position
	p.index, rest, _ = strings.Cut(rest, " ")
	p.cursor, rest, _ = strings.Cut(rest, " ")
	if rest != "" && json.Unmarshal([]byte(rest), &p.refused) != nil {
		return position{}
	}
	return p
}

// stored reads the position from the index.
func (f *Follower) stored(ctx context.Context) (position, error) {
	text, err := f.index.Cursor(ctx)
	if err != nil {
		return position{}, err
	}
	at := parsePosition(text)
	if at.index == "" {
		return at, errNoPosition
	}
	return at, nil
}
