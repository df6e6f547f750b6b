package gql

import (
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/vektah/gqlparser/v2/ast"

	"github.com/headwater-io/headwater/internal/durations"
)

// metrics count and time requests by the kind of the operation and by the field at its root.
// Both come from the schema, so their number is bounded. The names that callers give to
// operations are not used.
type metrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newMetrics(r prometheus.Registerer) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "headwater_graphql_requests_total", Help: "GraphQL requests by the kind of operation, the field at its root and the result.",
		}, []string{"type", "field", "result"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "headwater_graphql_request_duration_seconds", Help: "Time to answer a GraphQL request.",
			Buckets: durations.Buckets,
		}, []string{"type", "field"}),
	}
	if r != nil {
		r.MustRegister(m.requests, m.seconds)
	}
	return m
}

// Results of a request.
const (
	resultOK = "ok"
	// resultErrors: the request was answered, with errors in the answer.
	resultErrors = "errors"
	// resultRefused: the answer of the request had nothing but errors.
	resultRefused = "refused"
)

// Values of labels that are not in the schema.
const (
	noField       = "none"
	severalFields = "several"
	introspection = "introspection"
)

// observation is one request that is being answered.
type observation struct {
	metrics                 *metrics
	began                   time.Time
	operation, root, result string
}

func (m *metrics) begin() *observation {
	return &observation{metrics: m, began: time.Now(), operation: noField, root: noField, result: resultRefused}
}

// runs records which operation of a valid document runs.
func (o *observation) runs(operation *ast.OperationDefinition) {
	o.operation, o.root = string(operation.Operation), rootField(operation)
}

func (o *observation) end() {
	o.metrics.requests.WithLabelValues(o.operation, o.root, o.result).Inc()
	o.metrics.seconds.WithLabelValues(o.operation, o.root).Observe(time.Since(o.began).Seconds())
}

// rootField is the name of the field at the root of an operation.
func rootField(operation *ast.OperationDefinition) string {
	found, seen := noField, map[string]bool{}
	var visit func(ast.SelectionSet)
	visit = func(set ast.SelectionSet) {
		for _, selection := range set {
			switch s := selection.(type) {
			case *ast.Field:
				name := s.Name
				if strings.HasPrefix(name, "__") {
					name = introspection
				}
				if found != noField && found != name {
					name = severalFields
				}
				found = name
			case *ast.InlineFragment:
				visit(s.SelectionSet)
			case *ast.FragmentSpread:
				if s.Definition != nil && !seen[s.Name] {
					seen[s.Name] = true
					visit(s.Definition.SelectionSet)
				}
			}
			if found == severalFields {
				return
			}
		}
	}
	visit(operation.SelectionSet)
	return found
}
