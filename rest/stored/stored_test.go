package stored

import (
	"encoding/json"
	mathrand "math/rand"
	"reflect"
	"testing"
	"testing/quick"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/testing/testseed"
)

// TestAnswersAreAsEncoded compares the answers that encode themselves with the output of
// encoding/json, for random values of every member.
func TestAnswersAreAsEncoded(t *testing.T) {
	seed := int64(testseed.Of(t))
	source := mathrand.New(mathrand.NewSource(seed))
	values := []json.RawMessage{nil, json.RawMessage(`{}`), json.RawMessage(`{"description":"<b> & \"\u2028\" 雪","list":[1,2.50,null]}`)}
	for range 500 {
		entities := map[string]catalog.EntityResponse{}
		for range source.Intn(4) {
			e := random[catalog.EntityResponse](t, source)
			for name, a := range e.Aspects {
				a.Value = values[source.Intn(len(values))]
				e.Aspects[name] = a
			}
			entities[e.URN] = e
			compareEncoded(t, Entity(e), e)
		}
		compareEncoded(t, Entities(entities), struct {
			Results  map[string]catalog.EntityResponse `json:"results"`
			Statuses struct{}                          `json:"statuses"`
			Errors   struct{}                          `json:"errors"`
		}{Results: entities})
		version := random[catalog.VersionedAspect](t, source)
		version.Value = values[source.Intn(len(values))]
		compareEncoded(t, Aspect(version), struct {
			Version int64                      `json:"version"`
			Aspect  map[string]json.RawMessage `json:"aspect"`
		}{version.Version, map[string]json.RawMessage{version.Record: version.Value}})
	}
}

func random[T any](t *testing.T, source *mathrand.Rand) T {
	t.Helper()
	value, ok := quick.Value(reflect.TypeFor[T](), source)
	if !ok {
		t.Fatalf("no random values of %s", reflect.TypeFor[T]())
	}
	made, _ := value.Interface().(T)
	return made
}

// compareEncoded compares the JSON of an answer with the output of encoding/json for the
// same data.
func compareEncoded(t *testing.T, answer Appender, twin any) {
	t.Helper()
	want, err := Encode(twin)
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.AppendJSON([]byte("before")); string(got) != "before"+string(want) {
		t.Fatalf("the answer is\n%s\nencoding/json makes\n%s", got, want)
	}
}
