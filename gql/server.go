package gql

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync/atomic"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/99designs/gqlgen/graphql/executor"
	"github.com/99designs/gqlgen/graphql/handler/extension"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/headwater-io/headwater/access"
	"github.com/headwater-io/headwater/access/audit"
	"github.com/headwater-io/headwater/access/manage"
	"github.com/headwater-io/headwater/access/people"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/gql/generated"
	"github.com/headwater-io/headwater/gql/object"
	"github.com/headwater-io/headwater/gql/resolver"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/requestinfo"
	"github.com/headwater-io/headwater/model"
)

// searchesAtOnce is the number of searches of one request that run at a time.
const searchesAtOnce = 4

// Options configure the handler. Catalog is required.
type Options struct {
	Catalog *services.Services
	Logger  *slog.Logger
	// Version is the server's version.
	Version string
	// Credentials make and revoke tokens. Nil means that authentication is off.
	Credentials *access.Credentials
	// People has the passwords of people and the links that let them in. Nil means that authentication
	// is off.
	People *people.Service
	// Policies manages policies. Without it, operations about them fail.
	Policies *manage.Service
	// Audit, if set, is the audit trail.
	Audit *audit.Service
	// Metrics, if set, collects the metrics of requests.
	Metrics prometheus.Registerer
}

// Handler answers POST /api/graphql.
type Handler struct {
	catalog *services.Services
	engine  *executor.Executor
	checker *checker
	logger  *slog.Logger
	metrics *metrics
	audit   *audit.Service
	// hasPassword tells whether a user has a password; it is nil while authentication is off.
	hasPassword func(ctx context.Context, user model.URN) (bool, error)
	// made counts the fields of large answers in progress.
	made atomic.Int64
	// largest is the number of fields that an answer may have. Up to small, the fields of other
	// answers do not matter.
	largest, small int64
}

var _ http.Handler = (*Handler)(nil)

// New makes the handler.
func New(o Options) *Handler {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	schema := generated.NewExecutableSchema(generated.Config{Schema: schemaForClients(), Resolvers: &resolver.Resolver{Version: o.Version, Credentials: o.Credentials, People: o.People, Policies: o.Policies}})
	h := &Handler{
		catalog: o.Catalog, engine: executor.New(schema), checker: newChecker(schema.Schema()), logger: o.Logger, metrics: newMetrics(o.Metrics), audit: o.Audit,
		largest: limits.MaxGraphQLAnswer, small: smallAnswer,
	}
	if o.People != nil {
		h.hasPassword = o.People.HasPassword
	}
	h.engine.Use(extension.Introspection{})
	h.engine.SetQueryCache(checked{})
	h.engine.SetErrorPresenter(h.present)
	h.engine.SetRecoverFunc(func(ctx context.Context, cause any) error {
		h.logger.ErrorContext(ctx, "a GraphQL field panicked", "cause", cause, "stack", string(debug.Stack()))
		return &catalog.Error{Code: catalog.Internal, Message: "An unknown error occurred."}
	})
	return h
}

type documentKey struct{}

// checked gives the engine the document that was checked for the request, so that the engine
// does not check the document itself.
type checked struct{}

func (checked) Get(ctx context.Context, _ string) (*ast.QueryDocument, bool) {
	doc, ok := ctx.Value(documentKey{}).(*ast.QueryDocument)
	return doc, ok
}

func (checked) Add(context.Context, string, *ast.QueryDocument) {}

// answer is the content of the envelope.
type answer struct {
	errors gqlerror.List
	data   json.RawMessage
	// extensions are information about the answer.
	extensions extensions
}

// extensions are information in an answer about the answer itself.
type extensions struct {
	Warnings []string `json:"warnings,omitempty"`
	// SearchIndex is the number of changes that the search index may have lacked, if it lacked
	// changes that were written before the request.
	SearchIndex *indexBehind `json:"searchIndex,omitempty"`
}

// indexBehind counts the changes that an index lacks. The count is nil when it is unknown.
type indexBehind struct {
	ChangesBehind *int64 `json:"changesBehind"`
}

// extensionsOf returns the warnings of a request, and the freshness of its searches.
func extensionsOf(warnings *search.Warnings, searched *search.Freshness) extensions {
	e := extensions{Warnings: warnings.Texts()}
	if changes, late := searched.Behind(); late {
		e.SearchIndex = &indexBehind{}
		if changes >= 0 {
			e.SearchIndex.ChangesBehind = &changes
		}
	}
	return e
}

// ServeHTTP answers one request. The answer to a query has the status 200 and the errors of the
// query; the status 400 is only for a body that is not a query.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := intake.ReadJSON(r.Context(), r.Body, intake.Request)
	if err != nil {
		h.refuseBody(w, err)
		return
	}
	var params graphql.RawParams
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // whole numbers stay whole
	if err := decoder.Decode(&params); err != nil || params.Query == "" {
		h.write(w, http.StatusBadRequest, answer{errors: gqlerror.List{gqlerror.Errorf("the body must be a JSON object with a query")}})
		return
	}
	params.Headers = r.Header
	h.answer(w, r, &params)
}

// answer checks a query, runs it and sends the result.
func (h *Handler) answer(w http.ResponseWriter, r *http.Request, params *graphql.RawParams) {
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	observed := h.metrics.begin()
	defer observed.end()
	allowed := &allowance{most: h.largest, small: h.small, all: &h.made, end: cancel, turns: newTurns()}
	defer allowed.close()
	session := &object.Session{Catalog: h.catalog, HasPassword: h.hasPassword, Audit: h.audit, Actor: requestinfo.ActorOf(r.Context()), Subject: requestinfo.SubjectOf(r.Context()), Take: allowed.take, Turns: make(chan struct{}, searchesAtOnce)}
	ctx, warnings := search.WithWarnings(ctx)
	ctx, searched := search.WithFreshness(ctx)
	ctx = graphql.StartOperationTrace(object.WithSession(ctx, session))
	doc, err := h.checker.document(ctx, params.Query)
	if err != nil {
		h.refuse(ctx, w, err)
		return
	}
	operation, errs := h.engine.CreateOperationContext(context.WithValue(ctx, documentKey{}, doc), params)
	if errs != nil {
		h.refuse(ctx, w, errs)
		return
	}
	observed.runs(operation.Operation)
	if operation.Operation.Operation == ast.Mutation {
		if err := h.catalog.RequireWritable(ctx); err != nil {
			h.noteRefused(ctx, operation.Operation, err)
			h.refuse(ctx, w, err)
			return
		}
	}
	if operation.Operation.Operation == ast.Query {
		ctx = search.AtOneMoment(ctx)
	}
	operation.ResolverMiddleware = h.audited(allowed.field)
	respond, ctx := h.engine.DispatchOperation(ctx, operation)
	response := respond(ctx)
	if err := allowed.failure(); err != nil {
		h.refuse(ctx, w, err)
		return
	}
	if ctx.Err() != nil {
		h.refuse(ctx, w, over(ctx))
		return
	}
	if err := intake.HoldAnswer(ctx, len(response.Data)); err != nil && operation.Operation.Operation == ast.Query {
		h.refuse(ctx, w, err) // a mutation may have written something, and the caller must learn this
		return
	}
	if observed.result = resultOK; len(response.Errors) > 0 {
		observed.result = resultErrors
	}
	h.write(w, http.StatusOK, answer{response.Errors, response.Data, extensionsOf(warnings, searched)})
}

// refuse answers with errors only. The answer to a wrong query has the status 200, like every
// answer to a query; the answer to a request that ran out of time has another status.
func (h *Handler) refuse(ctx context.Context, w http.ResponseWriter, err error) {
	list := gqlerror.List{}
	if !errors.As(err, &list) {
		list = gqlerror.List{gqlerror.Wrap(err)}
	}
	shown := make(gqlerror.List, len(list))
	for i, e := range list {
		shown[i] = h.present(ctx, e)
	}
	status := http.StatusOK
	var known *catalog.Error
	if errors.As(err, &known) {
		switch known.Code {
		case catalog.Busy:
			w.Header().Set("Retry-After", "1")
			status = http.StatusServiceUnavailable
		case catalog.Timeout:
			status = http.StatusGatewayTimeout
		}
	}
	h.write(w, status, answer{errors: shown})
}

// refuseBody answers a body that is refused.
func (h *Handler) refuseBody(w http.ResponseWriter, err error) {
	status, message := http.StatusBadRequest, catalog.MessageOf(err)
	var (
		tooLarge *http.MaxBytesError
		slow     *intake.SlowError
	)
	switch {
	case errors.As(err, &tooLarge):
		status, message = http.StatusRequestEntityTooLarge, fmt.Sprintf("the request body is larger than %d bytes, the limit (--max-body)", tooLarge.Limit)
	case errors.As(err, &slow):
		status, message = http.StatusRequestTimeout, slow.Error()
	case catalog.CodeOf(err) == catalog.TooLarge:
		status = http.StatusRequestEntityTooLarge
	case catalog.CodeOf(err) == catalog.Busy:
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "1")
	}
	h.write(w, status, answer{errors: gqlerror.List{gqlerror.Errorf("%s", message)}})
}

// text is the JSON of the extensions.
func (e *extensions) text() []byte {
	text, err := json.Marshal(e)
	if err != nil { // texts and numbers always encode
		return []byte("{}")
	}
	return text
}

// write sends the envelope, whose data is JSON already. The errors come first, if there are
// any; data and extensions are always present.
func (h *Handler) write(w http.ResponseWriter, status int, a answer) {
	w.Header().Set("Content-Type", "application/json;charset=utf-8")
	w.WriteHeader(status)
	parts := make([][]byte, 0, 5)
	if len(a.errors) > 0 {
		text, err := json.Marshal(a.errors)
		if err != nil {
			h.logger.Error("GraphQL errors could not be encoded", "error", err)
			text = []byte(`[{"message":"An unknown error occurred."}]`)
		}
		parts = append(parts, []byte(`{"errors":`), text, []byte(`,"data":`))
	} else {
		parts = append(parts, []byte(`{"data":`))
	}
	if len(a.data) == 0 {
		a.data = json.RawMessage("null")
	}
	for _, part := range append(parts, a.data, []byte(`,"extensions":`), a.extensions.text(), []byte("}")) {
		if _, err := w.Write(part); err != nil {
			h.logger.Warn("a GraphQL answer could not be written", "error", err)
			return
		}
	}
}

// kindOf maps the codes of the catalog to the codes of the interface.
var kindOf = map[catalog.Code]struct {
	code int
	kind string
}{
	catalog.Invalid:         {http.StatusBadRequest, "BAD_REQUEST"},
	catalog.Validation:      {http.StatusBadRequest, "BAD_REQUEST"},
	catalog.Gone:            {http.StatusBadRequest, "BAD_REQUEST"},
	catalog.Precondition:    {http.StatusBadRequest, "BAD_REQUEST"},
	catalog.Mismatch:        {http.StatusBadRequest, "BAD_REQUEST"},
	catalog.TooLarge:        {http.StatusBadRequest, "BAD_REQUEST"},
	catalog.Unauthenticated: {http.StatusUnauthorized, "UNAUTHORIZED"},
	catalog.Forbidden:       {http.StatusForbidden, "UNAUTHORIZED"},
	catalog.NotFound:        {http.StatusNotFound, "NOT_FOUND"},
	catalog.Conflict:        {http.StatusConflict, "CONFLICT"},
	catalog.Throttled:       {http.StatusTooManyRequests, "UNAVAILABLE"},
	catalog.Unavailable:     {http.StatusServiceUnavailable, "UNAVAILABLE"},
	catalog.Busy:            {http.StatusServiceUnavailable, "UNAVAILABLE"},
	catalog.Timeout:         {http.StatusServiceUnavailable, "UNAVAILABLE"},
	catalog.Internal:        {http.StatusInternalServerError, "SERVER_ERROR"},
}

// classifications are the names of the interface for errors in the query itself.
var classifications = map[any]string{errcode.ParseFailed: "InvalidSyntax", errcode.ValidationFailed: "ValidationError"}

// present converts an error into the form of the interface. The texts of internal errors are
// only logged.
func (h *Handler) present(ctx context.Context, err error) *gqlerror.Error {
	presented := graphql.DefaultErrorPresenter(ctx, err)
	presented.Message, presented.Path = catalog.Shown(presented.Message), shownPath(presented.Path)
	if field := graphql.GetFieldContext(ctx); len(presented.Locations) == 0 && field != nil && field.Field.Field != nil && field.Field.Position != nil {
		presented.Locations = []gqlerror.Location{{Line: field.Field.Position.Line, Column: field.Field.Position.Column}}
	}
	var known *catalog.Error
	if !errors.As(err, &known) {
		kind, code := "BAD_REQUEST", http.StatusBadRequest
		classification, ok := classifications[presented.Extensions["code"]]
		if !ok { // a stored value does not fit the schema
			kind, code, classification = "SERVER_ERROR", http.StatusInternalServerError, "NullValueInNonNullableField"
		}
		presented.Extensions = map[string]any{"code": code, "type": kind, "classification": classification}
		return presented
	}
	kind := kindOf[known.Code]
	if kind.code >= http.StatusInternalServerError {
		level := slog.LevelError
		if errors.Is(context.Cause(ctx), context.Canceled) {
			level = slog.LevelDebug // the caller has ended the request, and reads no answer
		}
		h.logger.Log(ctx, level, "GraphQL request failed", "code", kind.code, "error", err)
	}
	presented.Message = catalog.MessageOf(err)
	presented.Extensions = map[string]any{"code": kind.code, "type": kind.kind, "classification": "DataFetchingException"}
	var named *search.NameError
	if errors.As(err, &named) && len(named.Candidates) > 0 {
		presented.Extensions["nearest"] = nearestOf(named)
	}
	return presented
}

// nearestOf returns the URNs of the entities whose names are nearest to an unknown name.
func nearestOf(e *search.NameError) []string {
	urns := make([]string, len(e.Candidates))
	for i := range e.Candidates {
		urns[i] = e.Candidates[i].URN.String()
	}
	return urns
}

// maxShownPath is the number of steps that are shown of the path to a failure.
const maxShownPath = 100

// shownPath returns the path to a failure in a short form. The path may have names of variables,
// which the caller has chosen and which may be long.
func shownPath(path ast.Path) ast.Path {
	shown := make(ast.Path, 0, min(len(path), maxShownPath))
	for _, step := range path[:min(len(path), maxShownPath)] {
		if name, ok := step.(ast.PathName); ok && len(name) > limits.MaxGraphQLNameBytes {
			step = name[:limits.MaxGraphQLNameBytes]
		}
		shown = append(shown, step)
	}
	if len(shown) == 0 {
		return nil
	}
	return shown
}
