package client

import (
	"context"
	"net/url"
	"strings"
)

// Named is an entity or a column that a name means or may mean.
type Named struct {
	// URN is the URN of the column, if the name means a column, or else of the entity.
	URN      string `json:"urn"`
	Entity   string `json:"entity"`
	Type     string `json:"type"`
	Platform string `json:"platform,omitempty"`
	Name     string `json:"name"`
	Column   string `json:"column,omitempty"`
	// Handle, only of candidates, is a name that means this candidate alone, or its URN.
	Handle string `json:"handle,omitempty"`
	// Removed: the entity is soft-deleted.
	Removed bool `json:"removed,omitempty"`
}

// NameQuery restricts the things that a name may mean.
type NameQuery struct {
	// Part is entity, column or either; empty means either.
	Part string
	// Types are the entity types; empty means all types that people search for.
	Types []string
	// Removed: soft-deleted entities count too.
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

// Resolve returns the entity or column that a name means. If the name means none or
// several, the error is an [Error] with candidates.
func (c *Client) Resolve(ctx context.Context, name string, q NameQuery) (*Named, error) {
	named := &Named{}
	return named, c.Get(ctx, "/resolve?"+q.encode("name", name), named)
}

// Completion is a possible continuation of a name that is being typed.
type Completion struct {
	Text string `json:"text"`
	// Open: the text is not a complete name yet.
	Open bool `json:"open"`
	// Things is the number of entities or columns that the text means.
	Things int `json:"things"`
	// Type and Platform are set if the text means one entity. Column is the data type of a
	// column in its source.
	Type     string `json:"type"`
	Platform string `json:"platform"`
	Column   string `json:"column"`
}

// Complete returns the possible continuations of a name.
func (c *Client) Complete(ctx context.Context, text string, q NameQuery) ([]Completion, error) {
	var answer struct {
		Completions []Completion `json:"completions"`
	}
	err := c.Get(ctx, "/complete?"+q.encode("text", text), &answer)
	return answer.Completions, err
}
