package registry_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/kafka/registry"
	"github.com/headwater-io/headwater/kafka/wire"
)

// ask returns the answer to a request below the path of the registry.
func ask(t *testing.T, handler http.Handler, method, path, body string) (status int, answer string) {
	t.Helper()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), method, strings.TrimSuffix(registry.Path, "/")+path, strings.NewReader(body)))
	if got := recorder.Header().Get("Content-Type"); got != "application/vnd.schemaregistry.v1+json" {
		t.Errorf("%s %s has the content type %q", method, path, got)
	}
	return recorder.Code, recorder.Body.String()
}

func decode[T any](t *testing.T, text string) (value T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// TestNumbersAreStable: the schemas have the numbers that are in records already stored in
// Kafka.
func TestNumbersAreStable(t *testing.T) {
	handler := registry.Handler("")
	for subject, numbers := range map[string][]int{
		"MetadataChangeProposal_v1-value": {1, 2}, "MetadataChangeLog_Versioned_v1-value": {3, 4}, "MetadataChangeLog_Timeseries_v1-value": {3, 4},
		"FailedMetadataChangeProposal_v1-value": {5, 6}, "PlatformEvent_v1-value": {7}, "MetadataChangeEvent_v4-value": {8, 9},
	} {
		_, versions := ask(t, handler, "GET", "/subjects/"+subject+"/versions", "")
		for i, number := range numbers {
			var found struct {
				Subject, Schema string
				Version, ID     int
			}
			status, answer := ask(t, handler, "GET", fmt.Sprintf("/subjects/%s/versions/%d", subject, i+1), "")
			found = decode[struct {
				Subject, Schema string
				Version, ID     int
			}](t, answer)
			if status != http.StatusOK || found.Subject != subject || found.Version != i+1 || found.ID != number {
				t.Errorf("version %d of %s: %d %d, version %d; want the number %d", i+1, subject, status, found.ID, found.Version, number)
			}
			_, byNumber := ask(t, handler, "GET", fmt.Sprintf("/schemas/ids/%d", number), "")
			if decode[map[string]string](t, byNumber)["schema"] != found.Schema {
				t.Errorf("schema %d is another by its number", number)
			}
			for _, path := range []string{fmt.Sprintf("/schemas/ids/%d/schema", number), fmt.Sprintf("/subjects/%s/versions/%d/schema", subject, i+1)} {
				if _, text := ask(t, handler, "GET", path, ""); text != found.Schema {
					t.Errorf("%s is another schema", path)
				}
			}
			_, uses := ask(t, handler, "GET", fmt.Sprintf("/schemas/ids/%d/versions", number), "")
			if use := fmt.Sprintf(`{"subject":%q,"version":%d}`, subject, i+1); !strings.Contains(uses, use) {
				t.Errorf("%s is not among the uses of %d: %s", use, number, uses)
			}
			// Registering a known schema and looking it up both find the schema, whatever its white
			// space is.
			body, _ := json.Marshal(map[string]string{"schema": " " + found.Schema + "\n"})
			if _, answer := ask(t, handler, "POST", "/subjects/"+subject+"/versions", string(body)); answer != fmt.Sprintf(`{"id":%d}`, number) {
				t.Errorf("registering schema %d: %s", number, answer)
			}
			if _, answer := ask(t, handler, "POST", "/subjects/"+subject, string(body)); decode[struct{ ID int }](t, answer).ID != number {
				t.Errorf("looking schema %d up: %s", number, answer)
			}
			if _, answer := ask(t, handler, "POST", "/compatibility/subjects/"+subject+"/versions/latest", string(body)); answer != `{"is_compatible":true}` {
				t.Errorf("schema %d: %s", number, answer)
			}
		}
		if got := decode[[]int](t, versions); len(got) != len(numbers) {
			t.Errorf("%s has the versions %v", subject, got)
		}
		_, latest := ask(t, handler, "GET", "/subjects/"+subject+"/versions/latest", "")
		if got := decode[struct{ ID int }](t, latest).ID; got != numbers[len(numbers)-1] {
			t.Errorf("the latest of %s is %d", subject, got)
		}
	}
}

// TestRefused: errors have the codes that Confluent's clients expect.
func TestRefused(t *testing.T) {
	handler := registry.Handler("p.")
	const subject = "/subjects/p.MetadataChangeProposal_v1-value"
	other, _ := json.Marshal(map[string]string{"schema": `{"type":"record","name":"Other","fields":[]}`})
	for name, c := range map[string]struct {
		method, path, body string
		status, code       int
		says               string
	}{
		"unknown subject":         {"GET", "/subjects/p.MetadataChangeProposl_v1-value/versions", "", 404, 40401, "p.MetadataChangeProposal_v1-value"},
		"subject without prefix":  {"GET", "/subjects/MetadataChangeProposal_v1-value/versions/1", "", 404, 40401, "not found"},
		"subject of keys":         {"GET", "/subjects/p.MetadataChangeProposal_v1-key/versions/1", "", 404, 40401, "not found"},
		"unknown version":         {"GET", subject + "/versions/3", "", 404, 40402, "no version 3"},
		"no version":              {"GET", subject + "/versions/first", "", 422, 42202, "first"},
		"version 0":               {"GET", subject + "/versions/0/schema", "", 422, 42202, "0"},
		"unknown number":          {"GET", "/schemas/ids/10", "", 404, 40403, "not found"},
		"number 0":                {"GET", "/schemas/ids/0/schema", "", 404, 40403, "not found"},
		"no number":               {"GET", "/schemas/ids/x/subjects", "", 404, 40403, "not found"},
		"another schema":          {"POST", subject + "/versions", string(other), 409, 409, "no others"},
		"another is not found":    {"POST", subject, string(other), 404, 40403, "not found"},
		"register in no subject":  {"POST", "/subjects/x/versions", string(other), 404, 40401, "not found"},
		"no schema":               {"POST", subject + "/versions", `{"schema":"{"}`, 422, 42201, "invalid schema"},
		"no body":                 {"POST", subject + "/versions", ``, 422, 42201, "body"},
		"JSON schema":             {"POST", subject, `{"schemaType":"JSON","schema":"{}"}`, 422, 42201, "AVRO"},
		"a body beyond the limit": {"POST", subject, `{"schema":"` + strings.Repeat("x", limits.MaxRegistryBytes) + `"}`, 422, 42201, "too large"},
		"unknown path":            {"GET", "/contexts", "", 404, 404, "GET"},
		"a subject is not erased": {"DELETE", subject, "", 404, 404, "DELETE"},
	} {
		status, answer := ask(t, handler, c.method, c.path, c.body)
		problem := decode[struct {
			Code    int    `json:"error_code"`
			Message string `json:"message"`
		}](t, answer)
		if status != c.status || problem.Code != c.code || !strings.Contains(problem.Message, c.says) {
			t.Errorf("%s: %d %s, want %d, %d and %q", name, status, answer, c.status, c.code, c.says)
		}
	}
}

func TestSubjects(t *testing.T) {
	handler := registry.Handler("p.")
	_, answer := ask(t, handler, "GET", "/subjects", "")
	subjects := decode[[]string](t, answer)
	if len(subjects) != len(wire.Topics()) || !slices.IsSorted(subjects) || slices.ContainsFunc(subjects, func(s string) bool { return !strings.HasPrefix(s, "p.") }) {
		t.Error(subjects)
	}
	for path, want := range map[string]string{
		"/": "{}", "/schemas/types": `["AVRO"]`, "/config": `{"compatibilityLevel":"BACKWARD"}`, "/config/" + subjects[0]: `{"compatibilityLevel":"BACKWARD"}`,
		"/mode": `{"mode":"READONLY"}`, "/mode/" + subjects[0]: `{"mode":"READONLY"}`,
		"/schemas/ids/3/subjects": `["p.MetadataChangeLog_Versioned_v1-value","p.MetadataChangeLog_Timeseries_v1-value"]`,
	} {
		if status, answer := ask(t, handler, "GET", path, ""); status != http.StatusOK || answer != want {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
}

// TestLongNames: no error repeats a long name in full.
func TestLongNames(t *testing.T) {
	handler, long := registry.Handler(""), strings.Repeat("s", 20_000)
	for _, path := range []string{"subjects/" + long + "/versions", "schemas/ids/" + long, long, "subjects/x/versions/" + long} {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, registry.Path+path, nil))
		if answer.Code/100 != 4 || answer.Body.Len() > 2*limits.MaxMessageBytes {
			t.Errorf("%.30s: %d with %d bytes", path, answer.Code, answer.Body.Len())
		}
	}
}
