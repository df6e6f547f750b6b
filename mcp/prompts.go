package mcp

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// question is a prompt: a usual question with placeholders for its arguments.
type question struct {
	name, title, about string
	arguments          []sdk.PromptArgument
	// text names the arguments in braces.
	text string
}

var ofEntity = sdk.PromptArgument{Name: "of", Description: "an entity or column; name or URN", Required: true}

var questions = []question{
	{
		"explain", "Explain an entity", "What an entity is, where it comes from, who owns it and who uses it.",
		[]sdk.PromptArgument{ofEntity},
		"Explain {of} to somebody who has not seen it before. Read it with entities and columns, what it is made from with lineage, and who uses it with queries. Say what the catalog does not know.",
	},
	{
		"impact_of_change", "Impact of a change", "What a change of a column breaks, and a message to each owner.",
		[]sdk.PromptArgument{{Name: "column", Description: "as <entity>.<path>", Required: true}, {Name: "change", Description: "drop, rename or retype", Required: true}},
		"I am going to {change} the column {column}. Use impact to find what is affected. List what is certain and what is possible apart, and draft one short message to each owner that names what is theirs.",
	},
	{
		"where_from", "Where a figure comes from", "The way of a column back to its sources.",
		[]sdk.PromptArgument{ofEntity},
		"Where does {of} come from? Use lineage upstream to find its sources and paths to each of them. Show each path with how the data is transformed, and say where the lineage ends.",
	},
	{
		"what_changed", "What changed", "What changed of an entity and of what it is made from, since a moment.",
		[]sdk.PromptArgument{ofEntity, {Name: "since", Description: "2026-10-21 or 2026-10-21T08:00:00Z", Required: true}},
		"What changed of {of} since {since}? Use history for the entity itself and lineage_changes, upstream, for what it is made from. Name the run and the actor of each change.",
	},
	{
		"last_run", "What the last run did", "What the latest ingestion run wrote.", nil,
		"What did the latest ingestion run do? Use runs to find it, the first that is not rolled back, and then what it wrote. Name runs that were rolled back after it. Sum up by entity type, and point out what it created.",
	},
}

func (h *Handler) addPrompts() {
	for _, q := range questions {
		prompt := &sdk.Prompt{Name: q.name, Title: q.title, Description: q.about}
		for i := range q.arguments {
			prompt.Arguments = append(prompt.Arguments, &q.arguments[i])
		}
		h.server.AddPrompt(prompt, func(_ context.Context, r *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			var places []string
			for _, a := range q.arguments {
				value := r.Params.Arguments[a.Name]
				if value == "" {
					// The protocol has an error for a missing argument. The library answers
					// that error with the status 400, and clients then end the session, so the
					// prompt returns another error.
					return nil, fmt.Errorf("the prompt needs the argument %s", a.Name)
				}
				places = append(places, "{"+a.Name+"}", value)
			}
			return &sdk.GetPromptResult{Description: q.about, Messages: []*sdk.PromptMessage{
				{Role: "user", Content: &sdk.TextContent{Text: strings.NewReplacer(places...).Replace(q.text)}},
			}}, nil
		})
	}
}
