// Package registry answers the questions of Kafka's clients to a schema registry. It has the
// interface of Confluent's registry, over the schemas of the events, which are part of the
// program. Clients cannot add schemas: if a client registers a known schema, the answer is the
// number of the schema, and any other schema is refused.
// The reasons are in docs/decisions/0063-kafka.md.
package registry

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/internal/clip"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/nearest"
	"github.com/headwater-io/headwater/kafka/wire"
)

// Path is the path of the registry. A client's schema_registry_url ends with Path.
const Path = "/schema-registry/api/"

const contentType = "application/vnd.schemaregistry.v1+json"

// registry holds the subjects of the topics whose names begin with a prefix.
type registry struct{ prefix string }

// Handler answers requests for the paths below [Path]. prefix is the prefix of the topics'
// names.
func Handler(prefix string) http.Handler {
	r := registry{prefix: prefix}
	mux := http.NewServeMux()
	routes := map[string]func(*http.Request) (any, error){
		"GET /{$}":                                                  func(*http.Request) (any, error) { return struct{}{}, nil },
		"GET /subjects":                                             r.subjects,
		"GET /subjects/{subject}/versions":                          r.versions,
		"POST /subjects/{subject}":                                  r.lookUp,
		"POST /subjects/{subject}/versions":                         r.register,
		"GET /subjects/{subject}/versions/{version}":                r.version,
		"GET /subjects/{subject}/versions/{version}/schema":         r.versionText,
		"GET /schemas/ids/{id}":                                     r.schema,
		"GET /schemas/ids/{id}/schema":                              r.schemaText,
		"GET /schemas/ids/{id}/versions":                            r.schemaVersions,
		"GET /schemas/ids/{id}/subjects":                            r.schemaSubjects,
		"GET /schemas/types":                                        func(*http.Request) (any, error) { return []string{"AVRO"}, nil },
		"GET /config":                                               config,
		"GET /config/{subject}":                                     config,
		"GET /mode":                                                 mode,
		"GET /mode/{subject}":                                       mode,
		"POST /compatibility/subjects/{subject}/versions/{version}": r.compatible,
	}
	for pattern, answer := range routes {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
			req.Body = http.MaxBytesReader(w, req.Body, limits.MaxRegistryBytes)
			v, err := answer(req)
			write(w, v, err)
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, req *http.Request) {
		write(w, nil, &problem{http.StatusNotFound, http.StatusNotFound, fmt.Sprintf("the schema registry does not answer %s %s", req.Method, req.URL.Path)})
	})
	return http.StripPrefix(strings.TrimSuffix(Path, "/"), mux)
}

// problem is an error in the form that Confluent's clients read.
type problem struct {
	status  int
	Code    int    `json:"error_code"`
	Message string `json:"message"`
}

func (p *problem) Error() string { return p.Message }

func write(w http.ResponseWriter, v any, err error) {
	status := http.StatusOK
	if p := (*problem)(nil); errors.As(err, &p) {
		v, status = &problem{Code: p.Code, Message: clip.Text(p.Message, limits.MaxMessageBytes)}, p.status
	} else if err != nil {
		v, status = &problem{Code: 42201, Message: clip.Text(err.Error(), limits.MaxMessageBytes)}, http.StatusUnprocessableEntity
	}
	text, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if raw, ok := v.(json.RawMessage); ok {
		text = raw
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(text) // the client may have disconnected
}

func config(*http.Request) (any, error) {
	return map[string]string{"compatibilityLevel": "BACKWARD"}, nil
}

func mode(*http.Request) (any, error) { return map[string]string{"mode": "READONLY"}, nil }

const valueSuffix = "-value"

func (r registry) names() []string {
	var names []string
	for _, t := range wire.Topics() {
		names = append(names, r.prefix+t+valueSuffix)
	}
	slices.Sort(names)
	return names
}

func (r registry) subjects(*http.Request) (any, error) { return r.names(), nil }

// schemasOf returns the schemas of the subject in a path.
func (r registry) schemasOf(req *http.Request) (subject string, schemas []*wire.Schema, err error) {
	subject = req.PathValue("subject")
	topic, isValue := strings.CutSuffix(subject, valueSuffix)
	topic, ours := strings.CutPrefix(topic, r.prefix)
	if schemas = wire.SchemasOf(topic); !isValue || !ours || len(schemas) == 0 {
		hint := nearest.Question(nearest.Names(subject, slices.Values(r.names())))
		return subject, nil, &problem{http.StatusNotFound, 40401, fmt.Sprintf("subject %q not found%s", subject, hint)}
	}
	return subject, schemas, nil
}

func (r registry) versions(req *http.Request) (any, error) {
	_, schemas, err := r.schemasOf(req)
	numbers := make([]int, len(schemas))
	for i, s := range schemas {
		numbers[i] = s.Version
	}
	return numbers, err
}

// registered is a version of a subject.
type registered struct {
	Subject string `json:"subject"`
	Version int    `json:"version"`
	ID      int    `json:"id"`
	Schema  string `json:"schema"`
}

func (r registry) find(req *http.Request) (*registered, error) {
	subject, schemas, err := r.schemasOf(req)
	if err != nil {
		return nil, err
	}
	text := req.PathValue("version")
	wanted, err := strconv.Atoi(text)
	switch {
	case text == "latest" || text == "-1":
		wanted = len(schemas)
	case err != nil || wanted < 1:
		return nil, &problem{http.StatusUnprocessableEntity, 42202, fmt.Sprintf("the version must be a positive number or \"latest\", not %q", text)}
	}
	for _, s := range schemas {
		if s.Version == wanted {
			return &registered{subject, s.Version, s.ID, s.Text}, nil
		}
	}
	return nil, &problem{http.StatusNotFound, 40402, fmt.Sprintf("subject %q has no version %d", subject, wanted)}
}

func (r registry) version(req *http.Request) (any, error) { return r.find(req) }

func (r registry) versionText(req *http.Request) (any, error) {
	found, err := r.find(req)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(found.Schema), nil
}

// match finds the schema in a request's body among the schemas of its subject. It returns nil
// if the subject does not have the schema.
func (r registry) match(req *http.Request) (*registered, error) {
	subject, schemas, err := r.schemasOf(req)
	if err != nil {
		return nil, err
	}
	var body struct {
		Schema string `json:"schema"`
		Type   string `json:"schemaType"`
	}
	if err := json.NewDecoder(req.Body).Decode(&body); err != nil {
		return nil, fmt.Errorf("the body is not an object with a schema: %w", err)
	}
	if body.Type != "" && body.Type != "AVRO" {
		return nil, fmt.Errorf("schemas are of the type AVRO, not %q", body.Type)
	}
	for _, s := range schemas {
		same, err := s.Is(body.Schema)
		if err != nil {
			return nil, fmt.Errorf("invalid schema: %w", err)
		}
		if same {
			return &registered{subject, s.Version, s.ID, s.Text}, nil
		}
	}
	return nil, nil
}

func (r registry) lookUp(req *http.Request) (any, error) {
	found, err := r.match(req)
	if err == nil && found == nil {
		err = &problem{http.StatusNotFound, 40403, "schema not found"}
	}
	return found, err
}

func (r registry) register(req *http.Request) (any, error) {
	found, err := r.match(req)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, &problem{http.StatusConflict, http.StatusConflict, "the schema is none of this subject's, and no others can be registered"}
	}
	return map[string]int{"id": found.ID}, nil
}

func (r registry) compatible(req *http.Request) (any, error) {
	found, err := r.match(req)
	return map[string]bool{"is_compatible": found != nil}, err
}

func byID(req *http.Request) (*wire.Schema, error) {
	id, err := strconv.Atoi(req.PathValue("id"))
	if s, ok := wire.SchemaByID(id); err == nil && ok {
		return s, nil
	}
	return nil, &problem{http.StatusNotFound, 40403, fmt.Sprintf("schema %q not found", req.PathValue("id"))}
}

func (r registry) schema(req *http.Request) (any, error) {
	s, err := byID(req)
	if err != nil {
		return nil, err
	}
	return map[string]string{"schema": s.Text}, nil
}

func (r registry) schemaText(req *http.Request) (any, error) {
	s, err := byID(req)
	if err != nil {
		return nil, err
	}
	return json.RawMessage(s.Text), nil
}

// use is a version of a subject that has a schema.
type use struct {
	Subject string `json:"subject"`
	Version int    `json:"version"`
}

func (r registry) usesOf(req *http.Request) ([]use, error) {
	s, err := byID(req)
	if err != nil {
		return nil, err
	}
	var uses []use
	for _, topic := range wire.Topics() {
		if slices.Contains(wire.SchemasOf(topic), s) {
			uses = append(uses, use{r.prefix + topic + valueSuffix, s.Version})
		}
	}
	return uses, nil
}

func (r registry) schemaVersions(req *http.Request) (any, error) { return r.usesOf(req) }

func (r registry) schemaSubjects(req *http.Request) (any, error) {
	uses, err := r.usesOf(req)
	names := make([]string, len(uses))
	for i, u := range uses {
		names[i] = u.Subject
	}
	return names, err
}
