package call

import (
	"net/http"
	"slices"
	"strings"
)

// Endpoint is one row of the route table, the only source of routing,
// documentation and the OpenAPI document.
type Endpoint struct {
	Method string
	// Path is the path of the resource. Tail: a URN follows the path.
	Path string
	Tail bool
	// Subtree: the endpoint answers every path below its own.
	Subtree bool
	// Below is the pattern of the parts after the path, such as "/{entityType}/{urn}".
	Below string
	// Action is the value of the parameter action that selects the endpoint among those of
	// the same method and path.
	Action string
	// IDs: the endpoint answers requests with the parameter ids.
	IDs bool
	Tag string
	// Summary is one sentence. Parameters are the members of an action's body or, without an
	// action, the query parameters. Query are the query parameters of an action.
	Summary           string
	Parameters, Query []Parameter
	// Content is the schema of the body of an endpoint without an action, nil if it has no
	// body. Status is the status of success; 0 means 200.
	Content Object
	Status  int
	// Reads: the endpoint changes nothing, even if its method is not GET.
	Reads bool
	// Refuses: the endpoint refuses every request, and names an alternative.
	Refuses bool
	// Open: callers who are not known may use the endpoint, while authentication is on.
	Open bool
	// Needs are privileges of the platform of which a caller needs one, while authentication is on.
	Needs []string
	// AnyQuery: unknown query parameters are ignored, as for pages.
	AnyQuery bool
	// Known are the permitted query parameters, computed from the other fields.
	Known []string
	// Versioned endpoints require the protocol version header.
	Versioned bool
	// Long endpoints have no time limit while the caller waits. Endpoints with Streams
	// accept a body of any size.
	Long, Streams bool
	Example       Example
	Handle        func(*Call) error
}

// Parameter describes a query parameter or body member.
type Parameter struct {
	Name, Kind, Help string
	Required         bool
}

// Example is a request that succeeds. All examples succeed on an empty store if they are
// sent in the order of the table.
type Example struct {
	// Tail is the encoded rest of the path, Query the raw query.
	Tail, Query, Body string
}

// Target returns the path and the query of the example.
func (e *Endpoint) Target() string {
	target := e.Path
	if e.Tail || e.Below != "" {
		target += "/" + e.Example.Tail
	}
	var query []string
	if e.Action != "" {
		query = append(query, "action="+e.Action)
	}
	if e.Example.Query != "" {
		query = append(query, e.Example.Query)
	}
	if len(query) > 0 {
		target += "?" + strings.Join(query, "&")
	}
	return target
}

// has reports whether the endpoint has a parameter.
func (e *Endpoint) has(name string) bool {
	return slices.ContainsFunc(e.Parameters, func(p Parameter) bool { return p.Name == name })
}

// SameShape reports whether two endpoints of one path answer the same requests.
func (e *Endpoint) SameShape(o *Endpoint) bool {
	return e.Tail == o.Tail && e.Subtree == o.Subtree && e.Below == o.Below && e.Action == o.Action && e.IDs == o.IDs
}

// Described returns the path of an endpoint in the OpenAPI document. The action
// is part of it, because OpenAPI distinguishes bodies only by path and method.
func (e *Endpoint) Described() string {
	path := e.Path + e.Below
	if e.Tail {
		path += "/{urn}"
	}
	if e.Action != "" {
		path += "?action=" + e.Action
	}
	return path
}

// Success returns the HTTP status with which the endpoint answers its example.
func (e *Endpoint) Success() int {
	if e.Refuses {
		return http.StatusBadRequest
	}
	if e.Status == 0 {
		return http.StatusOK
	}
	return e.Status
}

// Changes reports whether the endpoint changes something, unless a request asks for a dry run.
func (e *Endpoint) Changes() bool {
	return !e.Reads && !e.Refuses && e.Method != http.MethodGet && e.Method != http.MethodHead
}

// Row returns the name of the endpoint: its method, its path with the names of variable parts, and
// its action. The name has no text of a request.
func (e *Endpoint) Row() string {
	name := e.Method + " " + e.Path + e.Below
	if e.Action != "" {
		name += "?action=" + e.Action
	}
	return name
}

// Object is a JSON object being written.
type Object = map[string]any
