package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/history"
	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/internal/safely"
)

// arguments adds to the schema of each argument, by its name, more than type and description.
// An argument has the same meaning in all tools.
var arguments = map[string]func(*jsonschema.Schema){
	"limit": func(s *jsonschema.Schema) {
		s.Minimum, s.Maximum, s.Default = number(1), number(limits.MaxAgentItems), text(limits.DefaultAgentItems)
	},
	"start": func(s *jsonschema.Schema) { s.Minimum, s.Maximum = number(0), number(limits.MaxPageStart) },
	"hops":  func(s *jsonschema.Schema) { s.Minimum, s.Maximum = number(0), number(limits.MaxHops) },
	"max_paths": func(s *jsonschema.Schema) {
		s.Minimum, s.Maximum, s.Default = number(1), number(limits.MaxAgentPaths), text(limits.DefaultAgentPaths)
	},
	"direction": func(s *jsonschema.Schema) { s.Enum, s.Default = []any{upstream, downstream}, text(upstream) },
	"change": func(s *jsonschema.Schema) {
		s.Enum = []any{lineage.ChangeDrop, lineage.ChangeRename, lineage.ChangeRetype}
	},
	"categories": func(s *jsonschema.Schema) {
		s.Description = "of " + strings.Join(history.TimelineCategories(), ", ") + "; all if left out"
	},
	"of":       name,
	"from":     name,
	"to":       name,
	"dataset":  name,
	"column":   name,
	"names":    names,
	"datasets": list,
	"days": func(s *jsonschema.Schema) {
		s.Minimum, s.Maximum, s.Default = number(1), number(limits.MaxUnusedDays), text(limits.DefaultUnusedDays)
	},
	"types":     list,
	"platforms": list,
	"owners":    list,
	"tags":      list,
	"terms":     list,
	"domains":   list,
	"add":       list,
	"remove":    list,
	"sql":       func(s *jsonschema.Schema) { s.MinLength, s.MaxLength = whole(1), whole(limits.MaxSQLScriptBytes) },
	"dialect":   name,
	"query":     func(s *jsonschema.Schema) { s.MaxLength = whole(limits.MaxQueryBytes) },
	"filter":    func(s *jsonschema.Schema) { s.MaxLength = whole(limits.MaxQueryBytes) },
}

func number(n float64) *float64  { return &n }
func whole(n int) *int           { return &n }
func name(s *jsonschema.Schema)  { s.MinLength, s.MaxLength = whole(1), whole(limits.MaxQueryBytes) }
func list(s *jsonschema.Schema)  { s.MaxItems = whole(limits.MaxAgentNames) }
func names(s *jsonschema.Schema) { s.MinItems = whole(1); list(s) }
func text(value any) json.RawMessage {
	written, err := json.Marshal(value)
	if err != nil {
		panic(err) // the values are constants, so the error is a mistake in this file
	}
	return written
}

// schemaOf returns the schema of the arguments of a tool. Lists may not be null.
func schemaOf[In any]() *jsonschema.Schema {
	schema, err := jsonschema.For[In](nil)
	if err != nil {
		panic(fmt.Sprintf("the arguments of a tool: %v", err)) // the arguments are types of this package, so the error is a mistake in this package
	}
	for _, property := range slices.Sorted(maps.Keys(schema.Properties)) {
		s := schema.Properties[property]
		if slices.Contains(s.Types, "array") {
			s.Type, s.Types = "array", nil
		}
		if complete := arguments[property]; complete != nil {
			complete(s)
		}
	}
	return schema
}

// add adds a tool. The answer of the tool is sent once, as JSON in a text, because every client
// passes texts on to its model. Structured content in addition would repeat the answer, and
// some clients pass both on. Structured content alone would be lost in clients that pass on
// texts only.
func add[In, Out any](h *Handler, tool *sdk.Tool, ask func(ctx context.Context, in *In) (*Out, error)) {
	tool.InputSchema = schemaOf[In]()
	sdk.AddTool(h.server, tool, func(ctx context.Context, _ *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
		var out *Out
		began := time.Now()
		ctx, leave, err := enter(ctx)
		if err == nil {
			defer leave()
			err = safely.Do(func() (err error) {
				out, err = ask(ctx, &in)
				return err
			})
		}
		h.metrics.observe(tool.Name, began, err)
		if err != nil {
			return nil, nil, h.refusal(ctx, tool.Name, err)
		}
		text, err := asJSON(out)
		if err != nil {
			return nil, nil, h.refusal(ctx, tool.Name, err)
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}}, nil, nil
	})
}

// readTool adds a tool that changes nothing.
func readTool[In, Out any](h *Handler, name, title, about string, ask func(ctx context.Context, in *In) (*Out, error)) {
	no := false
	add(h, &sdk.Tool{Name: name, Description: about, Annotations: &sdk.ToolAnnotations{Title: title, ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &no}}, ask)
}

// writeTool adds a tool that changes the catalog. A second equal call changes nothing more.
func writeTool[In any](h *Handler, name, title, about string, change func(ctx context.Context, in *In) (*Written, error)) {
	yes, no := true, false
	add(h, &sdk.Tool{Name: name, Description: about, Annotations: &sdk.ToolAnnotations{Title: title, IdempotentHint: true, DestructiveHint: &yes, OpenWorldHint: &no}}, func(ctx context.Context, in *In) (*Written, error) {
		ctx, deed := requestinfo.WithDeed(ctx)
		out, err := (*Written)(nil), h.catalog.RequireWritable(ctx)
		if err == nil {
			out, err = change(ctx, in)
		}
		h.note(ctx, name, deed, err)
		return out, err
	})
}

// note notes a call of a tool that writes in the audit trail, if it has changed something or was
// refused.
func (h *Handler) note(ctx context.Context, tool string, deed *requestinfo.Deed, err error) {
	entry := audit.Entry{Kind: audit.Write, Door: "mcp " + tool, Allowed: true}
	if code := catalog.CodeOf(err); err != nil && (code == catalog.Unauthenticated || code == catalog.Forbidden) {
		entry.Kind, entry.Allowed, entry.Reason = audit.Refused, false, catalog.MessageOf(err)
	} else if _, changed, _ := deed.Done(); err != nil && changed == 0 {
		return
	}
	h.audit.Note(ctx, entry)
}

// refusal returns an error in the form that an agent reads. The texts of internal errors are
// only logged.
func (h *Handler) refusal(ctx context.Context, tool string, err error) error {
	if catalog.CodeOf(err) == catalog.Internal {
		h.logger.ErrorContext(ctx, "a tool failed", "tool", tool, "error", err)
	}
	return errors.New(catalog.MessageOf(err))
}
