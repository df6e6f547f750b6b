package follower

import (
	"context"
	"encoding/json"
	"strings"
)

// position is the cursor as the index stores it, with the name under which the
// store knows the index, so that neither is mistaken for that of another index,
// and with the documents that are set aside.
type position struct {
	index, cursor string
	refused       Refusals
}

// positionFormat begins the text of a position. Positions of earlier releases
// did not identify their changes; they count as no position.
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
