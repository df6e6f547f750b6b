package form_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/changeevents"
	"github.com/headwater-io/headwater/catalog/streams"
	"github.com/headwater-io/headwater/kafka/form"
)

// TestTextOfChange: the aspect of a change in Avro's JSON can be read as Latin-1 and as UTF-8.
func TestTextOfChange(t *testing.T) {
	text, err := form.Text(&streams.Event{Time: 7, Data: streams.ChangeEvent{
		Time: 7, Actor: "urn:li:corpuser:ada", ChangeType: catalog.ChangeUpsert, EntityURN: "urn:li:tag:x", EntityType: "tag", AspectName: "tagProperties",
		Aspect: json.RawMessage(`{"name":"Größe 𝔛"}`), SystemMetadata: &catalog.SystemMetadata{RunID: "r", LastObserved: 5},
	}})
	if err != nil {
		t.Fatal(err)
	}
	var log struct {
		EntityType string                       `json:"entityType"`
		EntityURN  map[string]string            `json:"entityUrn"`
		ChangeType string                       `json:"changeType"`
		AspectName map[string]string            `json:"aspectName"`
		Aspect     map[string]map[string]string `json:"aspect"`
		System     map[string]map[string]any    `json:"systemMetadata"`
		Previous   any                          `json:"previousAspectValue"`
		Created    map[string]map[string]any    `json:"created"`
	}
	if err := json.Unmarshal([]byte(text), &log); err != nil {
		t.Fatal(text, err)
	}
	aspect := log.Aspect["com.linkedin.pegasus2avro.mxe.GenericAspect"]
	var value struct{ Name string }
	if err := json.Unmarshal([]byte(aspect["value"]), &value); err != nil || value.Name != "Größe 𝔛" || strings.ContainsFunc(aspect["value"], func(r rune) bool { return r > 127 }) {
		t.Errorf("%v %+v in %s", err, value, text)
	}
	if log.EntityType != "tag" || log.EntityURN["string"] != "urn:li:tag:x" || log.ChangeType != "UPSERT" || log.AspectName["string"] != "tagProperties" ||
		aspect["contentType"] != "application/json" || log.Previous != nil || log.Created["com.linkedin.pegasus2avro.common.AuditStamp"]["actor"] != "urn:li:corpuser:ada" {
		t.Error(text)
	}
}

func TestTextOfMeaning(t *testing.T) {
	text, err := form.Text(&streams.Event{Time: 7, Data: changeevents.Event{EntityURN: "urn:li:tag:é", Category: "TAG"}})
	if err != nil {
		t.Fatal(err)
	}
	var event struct {
		Header  struct{ TimestampMillis int64 }
		Name    string
		Payload struct{ Value, ContentType string }
	}
	if err := json.Unmarshal([]byte(text), &event); err != nil || event.Header.TimestampMillis != 7 || event.Name != "entityChangeEvent" || event.Payload.ContentType != "application/json" {
		t.Fatal(text, err)
	}
	var payload struct{ EntityUrn string }
	if err := json.Unmarshal([]byte(event.Payload.Value), &payload); err != nil || payload.EntityUrn != "urn:li:tag:é" {
		t.Error(text, err)
	}
	if _, err := form.Text(&streams.Event{Data: 5}); err == nil {
		t.Error("a number is no event")
	}
}
