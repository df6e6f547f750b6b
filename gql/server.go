package gql

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/gql/generated"
	"github.com/headwater-io/headwater/gql/resolver"
)

// Bounds of one request.
const (
	maxTokens     = 15_000
	maxComplexity = 20_000
)

// Options configure the handler. Catalog is required.
type Options struct {
	Catalog *catalog.Catalog
	Logger  *slog.Logger
}

// Handler answers POST /api/graphql.
type Handler struct {
	engine *executor.Executor
	logger *slog.Logger
}

var _ http.Handler = (*Handler)(nil)

// New makes the handler.
func New(o Options) *Handler {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	h := &Handler{
		engine: executor.New(generated.NewExecutableSchema(generated.Config{Resolvers: &resolver.Resolver{Catalog: o.Catalog}})),
		logger: o.Logger,
	}
	h.engine.Use(extension.Introspection{})
	h.engine.Use(extension.FixedComplexityLimit(maxComplexity))
	h.engine.SetParserTokenLimit(maxTokens)
	h.engine.SetErrorPresenter(h.present)
	h.engine.SetRecoverFunc(func(ctx context.Context, cause any) error {
		h.logger.ErrorContext(ctx, "a GraphQL field panicked", "cause", cause, "stack", string(debug.Stack()))
		return &catalog.Error{Code: catalog.Internal, Message: "An unknown error occurred."}
	})
	return h
}

// answer is the envelope: data and extensions are always there.
type answer struct {
	Errors     gqlerror.List   `json:"errors,omitempty"`
	Data       json.RawMessage `json:"data"`
	Extensions struct{}        `json:"extensions"`
}

// ServeHTTP answers one request. Whatever a query leads to is a 200 with its
// errors; only what is no query is a 400.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		h.write(w, http.StatusRequestEntityTooLarge, answer{Errors: gqlerror.List{gqlerror.Errorf("the request body is larger than it may be")}})
		return
	}
	var params graphql.RawParams
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber() // whole numbers stay whole
		err = decoder.Decode(&params)
	}
	if err != nil || params.Query == "" {
		h.write(w, http.StatusBadRequest, answer{Errors: gqlerror.List{gqlerror.Errorf("the body must be a JSON object with a query")}})
		return
	}
	params.Headers = r.Header
	ctx := graphql.StartOperationTrace(r.Context())
	operation, errs := h.engine.CreateOperationContext(ctx, &params)
	if errs != nil {
		response := h.engine.DispatchError(graphql.WithOperationContext(ctx, operation), errs)
		h.write(w, http.StatusOK, answer{Errors: response.Errors, Data: response.Data})
		return
	}
	respond, ctx := h.engine.DispatchOperation(ctx, operation)
	response := respond(ctx)
	h.write(w, http.StatusOK, answer{Errors: response.Errors, Data: response.Data})
}

func (h *Handler) write(w http.ResponseWriter, status int, a answer) {
	if len(a.Data) == 0 {
		a.Data = json.RawMessage("null")
	}
	w.Header().Set("Content-Type", "application/json;charset=utf-8")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(a); err != nil {
		h.logger.Warn("a GraphQL answer could not be written", "error", err)
	}
}

// kindOf maps the codes of the catalog to those of the interface.
var kindOf = map[catalog.Code]struct {
	code int
	kind string
}{
	catalog.Invalid:         {http.StatusBadRequest, "BAD_REQUEST"},
	catalog.Validation:      {http.StatusBadRequest, "BAD_REQUEST"},
	catalog.Precondition:    {http.StatusBadRequest, "BAD_REQUEST"},
	catalog.TooLarge:        {http.StatusBadRequest, "BAD_REQUEST"},
	catalog.Unauthenticated: {http.StatusUnauthorized, "UNAUTHORIZED"},
	catalog.Forbidden:       {http.StatusForbidden, "UNAUTHORIZED"},
	catalog.NotFound:        {http.StatusNotFound, "NOT_FOUND"},
	catalog.Conflict:        {http.StatusConflict, "CONFLICT"},
	catalog.Unavailable:     {http.StatusServiceUnavailable, "UNAVAILABLE"},
	catalog.Timeout:         {http.StatusServiceUnavailable, "UNAVAILABLE"},
	catalog.Internal:        {http.StatusInternalServerError, "SERVER_ERROR"},
}

// present turns an error into the interface's; texts of our own defects go to
// the log alone.
func (h *Handler) present(ctx context.Context, err error) *gqlerror.Error {
	presented := graphql.DefaultErrorPresenter(ctx, err)
	var known *catalog.Error
	if !errors.As(err, &known) {
		return presented // of the query itself
	}
	kind := kindOf[known.Code]
	if kind.code >= http.StatusInternalServerError {
		h.logger.ErrorContext(ctx, "GraphQL request failed", "code", kind.code, "error", err)
	}
	presented.Message = known.Message
	presented.Extensions = map[string]any{"code": kind.code, "type": kind.kind, "classification": "DataFetchingException"}
	return presented
}
