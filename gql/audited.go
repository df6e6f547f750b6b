package gql

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/requestinfo"
)

// audited wraps a middleware of fields. It notes each mutation in the audit trail when the mutation ends, before the
// answer is sent. Of other operations, it notes the refused ones, and the ones that read secrets; the value of a
// connection is a field of its own, wherever the connection was found.
func (h *Handler) audited(field graphql.FieldMiddleware) graphql.FieldMiddleware {
	if h.audit == nil {
		return field
	}
	return func(ctx context.Context, next graphql.Resolver) (any, error) {
		at := graphql.GetFieldContext(ctx)
		if at == nil || strings.HasPrefix(at.Field.Name, "__") {
			return field(ctx, next)
		}
		name := at.Field.Name
		if at.Object != "Mutation" && at.Object != "Query" {
			if name = at.Object + "." + name; name != audit.ConnectionValue {
				return field(ctx, next)
			}
		}
		ctx, deed := requestinfo.WithDeed(ctx)
		result, err := field(ctx, next)
		h.note(ctx, at, name, deed, err)
		return result, err
	}
}

// note notes an operation, or a field with its type, that has ended.
func (h *Handler) note(ctx context.Context, at *graphql.FieldContext, name string, deed *requestinfo.Deed, err error) {
	entry := audit.Entry{Door: "graphql " + name, Status: http.StatusOK, Allowed: true}
	_, changed, _ := deed.Done()
	switch status, refused := refusedWith(err); {
	case refused:
		entry.Kind, entry.Allowed, entry.Status, entry.Reason = audit.Refused, false, status, catalog.MessageOf(err)
	case err != nil && changed == 0:
		return
	case at.Object != "Mutation":
		kind, noted := audit.KindOfQuery(name)
		if !noted {
			return
		}
		entry.Kind = kind
	default:
		if entry.Kind = audit.KindOfMutation(name); entry.Kind == audit.UserSuspended && fmt.Sprint(at.Args["status"]) == active {
			entry.Kind = audit.UserChanged
		}
	}
	h.audit.Note(ctx, entry)
}

// active is the status of a user who may sign in.
const active = "ACTIVE"

// noteRefused notes a request none of whose mutations ran.
func (h *Handler) noteRefused(ctx context.Context, o *ast.OperationDefinition, err error) {
	status, refused := refusedWith(err)
	if h.audit == nil || !refused {
		return
	}
	door := "graphql"
	for _, selected := range o.SelectionSet {
		if f, ok := selected.(*ast.Field); ok {
			door += " " + f.Name
			break
		}
	}
	h.audit.Note(ctx, audit.Entry{Kind: audit.Refused, Door: door, Status: status, Reason: catalog.MessageOf(err)})
}

// refusedWith returns the status that stands for a refusal, and false for other errors.
func refusedWith(err error) (status int, refused bool) {
	if err == nil {
		return 0, false
	}
	switch catalog.CodeOf(err) {
	case catalog.Unauthenticated:
		return http.StatusUnauthorized, true
	case catalog.Forbidden:
		return http.StatusForbidden, true
	}
	return 0, false
}
