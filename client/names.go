package client

import (
	"context"
	"net/url"
	"strings"
)

// Named is what a name stands for, or may stand for.
type Named struct {
	// URN is that of the column, if there is one, else that of the entity.
	URN      string `json:"urn"`
	Entity   string `json:"entity"`
	Type     string `json:"type"`
	Platform string `json:"platform,omitempty"`
	Name     string `json:"name"`
	Column   string `json:"column,omitempty"`
	// Handle, of candidates, is a name that stands for this one alone, or the URN.
	Handle string `json:"handle,omitempty"`
	// Removed: it is soft-deleted.
	Removed bool `json:"removed,omitempty"`
}

// NameQuery says what a name may stand for.
type NameQuery struct {
	// Part is entity, column, or either when empty.
	Part string
	// Types are the entity types; empty means all that people search for.
	Types []string
	// Removed: it may be soft-deleted too.
	Removed bool
}

func (q NameQuery) encode(name, text string) string {
	encoded := name + "=" + url.QueryEscape(text)
	if q.Part != "" {
		encoded += "&part=" + q.Part
	}
	if len(q.Types) > 0 {
		encoded += "&types=List(" + strings.Join(q.Types, ",") + ")"
	}
	if q.Removed {
		encoded += "&includeRemoved=true"
	}
	return encoded
}

// Resolve returns what a name stands for. If it stands for nothing or for several
// things, the error is an [Error] with candidates.
func (c *Client) Resolve(ctx context.Context, name string, q NameQuery) (*Named, error) {
	named := &Named{}
	return named, c.Get(ctx, "/resolve?"+q.encode("name", name), named)
}

// Completion is a way to continue a name that is being typed.
type Completion struct {
	Text string `json:"text"`
	// Open: more has to follow.
	Open bool `json:"open"`
	// Things is how many entities or columns the text stands for.
	Things int `json:"things"`
	// Type and Platform are those of the entity, if there is only one; Column is the
	// type of a column in its source.
	Type     string `json:"type"`
	Platform string `json:"platform"`
	Column   string `json:"column"`
}

// Complete returns the ways to continue a name.
func (c *Client) Complete(ctx context.Context, text string, q NameQuery) ([]Completion, error) {
	var answer struct {
		Completions []Completion `json:"completions"`
	}
	err := c.Get(ctx, "/complete?"+q.encode("text", text), &answer)
	return answer.Completions, err
}
