package proposals

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/model"
)

// registryOf is a catalog that has nothing but a registry.
type registryOf struct{ Writer }

func (registryOf) Registry() *model.Registry { return model.Default() }

// TestUsual: decodeUsual reads a proposal exactly as the decoder for all forms does.
func TestUsual(t *testing.T) {
	c := &Consumer{Options: Options{Writer: registryOf{}}}
	for name, text := range map[string]string{
		"full": `{"entityType":"dataset","entityUrn":"urn:li:dataset:1","entityKeyAspect":{"value":"{}","contentType":"application/json"},"changeType":"CREATE","aspectName":"status",
			"aspect":{"value":"{\"removed\":true}","contentType":"application/json-patch+json"},"systemMetadata":{"lastObserved":5,"runId":"r","properties":{"a":"b"}},"headers":{"If-Version-Match":"1"}}`,
		"least":           `{"entityType":"dataset"}`,
		"nulls":           `{"entityType":"dataset","entityUrn":null,"aspect":null,"systemMetadata":null,"headers":null,"changeType":null}`,
		"no content type": ` {"entityType":"dataset","aspect":{"value":"{}"}} `,
		"invalid UTF-8":   `{"entityType":"dataset","entityUrn":"` + "\xff" + `"}`,
	} {
		usual := decodeUsual([]byte(text))
		if usual == nil {
			t.Errorf("%s is not usual", name)
			continue
		}
		it := &item{}
		if err := c.decodeAnyJSON(it, []byte(text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(it.proposal, usual); diff != "" {
			t.Errorf("%s (-any +usual):\n%s", name, diff)
		}
	}
	for name, text := range map[string]string{
		"inline JSON": `{"entityType":"dataset","aspect":{"json":{}}}`, "wrapped": `{"proposal":{"entityType":"dataset"}}`, "a snapshot": `{"proposedSnapshot":{}}`,
		"audited": `{"auditHeader":null,"entityType":"dataset"}`, "two values": `{"entityType":"dataset"}{}`, "no type": `{"entityUrn":"x"}`, "a wrong type": `{"entityType":5}`, "cut": `{"entityType":"dataset"`,
	} {
		if decodeUsual([]byte(text)) != nil {
			t.Errorf("%s is read as usual", name)
		}
	}
}
