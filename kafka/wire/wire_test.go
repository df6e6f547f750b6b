package wire_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/kafka/wire"
)

// examples returns an event for each topic to which Headwater writes.
func examples() map[string]any {
	content := &wire.Content{Value: wire.Text(`{"removed":true}`), ContentType: wire.JSONContent}
	stamp := &wire.Stamp{Time: 7, Actor: "urn:li:corpuser:ann"}
	system := &wire.SystemMetadata{
		LastObserved: new(int64(5)), RunID: new("run"), Properties: &map[string]string{"appSource": "ui"},
		Version: new("3"), SchemaVersion: new(int64(2)), AspectCreated: stamp, AspectModified: stamp,
	}
	proposal := &wire.MetadataChangeProposal{
		EntityType: "dataset", EntityURN: new("urn:li:dataset:é"), ChangeType: "UPSERT", AspectName: new("status"),
		Aspect: content, SystemMetadata: system, Headers: &map[string]string{"k": "v"},
	}
	return map[string]any{
		wire.ProposalTopic:       proposal,
		wire.FailedProposalTopic: &wire.FailedMetadataChangeProposal{Proposal: proposal, Error: "no such aspect"},
		wire.VersionedLogTopic: &wire.MetadataChangeLog{
			EntityType: "dataset", EntityURN: new("urn:li:dataset:é"), ChangeType: "DELETE", AspectName: new("status"),
			PreviousAspectValue: content, PreviousSystemMetadata: system, Created: stamp,
		},
		wire.PlatformEventTopic: wire.EntityChange(9, []byte(`{"category":"TAG"}`)),
	}
}

func TestRoundTrip(t *testing.T) {
	for topic, event := range examples() {
		for _, format := range []wire.Format{wire.Avro, wire.JSON} {
			value, err := format.Append(nil, event)
			if err != nil {
				t.Fatalf("%s in %s: %v", topic, format, err)
			}
			read, err := wire.Decode(topic, value)
			if err != nil {
				t.Fatalf("%s in %s: %v", topic, format, err)
			}
			if diff := cmp.Diff(event, read); diff != "" {
				t.Errorf("%s in %s comes back changed (-sent +read):\n%s", topic, format, diff)
			}
		}
	}
}

func TestJSONSpelling(t *testing.T) {
	value, err := wire.JSON.Append(nil, &wire.MetadataChangeLog{
		EntityType: "dataset", ChangeType: "UPSERT", Aspect: &wire.Content{Value: wire.Text(`{"a":"b"}`), ContentType: wire.JSONContent},
	})
	want := `{"entityType":"dataset","changeType":"UPSERT","aspect":{"value":"{\"a\":\"b\"}","contentType":"application/json"}}`
	if err != nil || string(value) != want {
		t.Errorf("got %s, %v\nwant %s", value, err, want)
	}
}

func TestDecodeRefuses(t *testing.T) {
	good, err := wire.Avro.Append(nil, wire.EntityChange(1, []byte("{}")))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		topic string
		value []byte
	}{
		"empty":               {wire.PlatformEventTopic, nil},
		"text":                {wire.PlatformEventTopic, []byte("hello")},
		"blank":               {wire.PlatformEventTopic, []byte("  ")},
		"wrong JSON":          {wire.PlatformEventTopic, []byte(`{"name":5}`)},
		"half a number":       {wire.PlatformEventTopic, good[:3]},
		"cut":                 {wire.PlatformEventTopic, good[:len(good)-1]},
		"more":                {wire.PlatformEventTopic, append(good[:len(good):len(good)], 1)},
		"unknown schema":      {wire.PlatformEventTopic, []byte{0, 0, 0, 9, 9, 1}},
		"another's topic":     {wire.ProposalTopic, good},
		"unknown topic":       {"Other", []byte("{}")},
		"impossible length":   {wire.ChangeEventTopic, []byte{0, 0, 0, 0, 8, 0, 0, 0xff, 0xff, 0xff, 0x0f}},
		"impossible snapshot": {wire.ChangeEventTopic, []byte{0, 0, 0, 0, 8, 0, 0xfe, 1}},
	} {
		if event, err := wire.Decode(c.topic, c.value); err == nil {
			t.Errorf("%s: decoded as %v", name, event)
		}
	}
}

// FuzzDecode: a decoded event can be written as JSON. An event that is written again in either
// format is decoded to the same event.
func FuzzDecode(f *testing.F) {
	for topic, event := range examples() {
		for _, format := range []wire.Format{wire.Avro, wire.JSON} {
			value, err := format.Append(nil, event)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(slices.Index(wire.Topics(), topic), value)
		}
	}
	f.Add(0, []byte(`{"entityType":"dataset"}`))
	f.Add(5, []byte{0, 0, 0, 0, 8, 0, 0, 2, 'a', 0, 0, 1})
	f.Fuzz(func(t *testing.T, number int, value []byte) {
		topics := wire.Topics()
		topic := topics[uint(number)%uint(len(topics))]
		event, err := wire.Decode(topic, value)
		if err != nil {
			return
		}
		text, err := json.Marshal(event)
		if err != nil {
			t.Fatalf("decoded to what is not JSON: %v", err)
		}
		if topic == wire.ChangeEventTopic {
			return // Headwater only reads this event
		}
		second, err := wire.Avro.Append(nil, event)
		if err != nil {
			return // the enum of Avro does not have this symbol
		}
		read, err := wire.Decode(topic, second)
		if err != nil {
			t.Fatalf("written again, it cannot be read: %v", err)
		}
		if twice, err := json.Marshal(read); err != nil || !bytes.Equal(twice, text) {
			t.Errorf("it comes back changed, %v:\n%s\n%s", err, text, twice)
		}
	})
}
