package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// GraphQL sends a query or a mutation and decodes its data. The first error of the answer is an
// [Error] whose status is the code of the error.
func (c *Client) GraphQL(ctx context.Context, query string, variables map[string]any, into any) error {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	var answer struct {
		Data   json.RawMessage `json:"data"`
		Errors []struct {
			Message    string `json:"message"`
			Extensions struct {
				Code int `json:"code"`
			} `json:"extensions"`
		} `json:"errors"`
	}
	if err := c.Post(ctx, "/api/graphql", body, &answer); err != nil {
		return err
	}
	if len(answer.Errors) > 0 {
		first := answer.Errors[0]
		if first.Extensions.Code == 0 {
			first.Extensions.Code = http.StatusBadRequest
		}
		return &Error{Status: first.Extensions.Code, Message: first.Message}
	}
	if err := json.Unmarshal(answer.Data, into); err != nil {
		return fmt.Errorf("the server's answer cannot be understood: %w", err)
	}
	return nil
}
