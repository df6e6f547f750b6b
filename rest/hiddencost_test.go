package rest

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// countHeader marks requests whose questions are counted.
const countHeader = "X-Test-Count"

// countsQuestions is a tracer that notes the calls of the store and the index in the request that makes them:
// the cost of a request, without a clock.
type countsQuestions struct{ noop.TracerProvider }

type questionTracer struct{ noop.Tracer }

// Tracer returns the tracer.
func (countsQuestions) Tracer(string, ...trace.TracerOption) trace.Tracer { return questionTracer{} }

type questionsKey struct{}

type questions struct {
	mu    sync.Mutex
	names []string
}

// Start notes a call.
func (t questionTracer) Start(ctx context.Context, name string, o ...trace.SpanStartOption) (context.Context, trace.Span) {
	if q, ok := ctx.Value(questionsKey{}).(*questions); ok {
		q.mu.Lock()
		q.names = append(q.names, name)
		q.mu.Unlock()
	}
	return t.Tracer.Start(ctx, name, o...)
}

// countQuestions returns a context in which calls are noted, and a function that lists them by name.
func countQuestions(ctx context.Context) (context.Context, func() string) {
	q := &questions{}
	return context.WithValue(ctx, questionsKey{}, q), func() string {
		q.mu.Lock()
		defer q.mu.Unlock()
		slices.Sort(q.names)
		return strings.Join(q.names, " ")
	}
}

// changingLength matches answers that tell how long something took.
var changingLength = regexp.MustCompile(`"(took|duration|tookMs)":`)

// sendCounted is send, and also returns the header with the questions of the request.
func (s *hiding) sendCounted(t *testing.T, a hiddenAsk) (status int, body, cost string) {
	t.Helper()
	status, body, header := s.sendWith(t, a, countHeader, "1")
	for _, varies := range []string{"Date", "X-Request-Id", "Traceparent"} {
		header.Del(varies)
	}
	lines := []string{"questions: " + <-s.questions}
	for name, values := range header {
		if name != "Content-Length" || !changingLength.MatchString(body) {
			lines = append(lines, fmt.Sprint(http.CanonicalHeaderKey(name), ": ", values))
		}
	}
	slices.Sort(lines)
	return status, body, strings.ReplaceAll(strings.Join(lines, "\n"), unknownName, hiddenName)
}
