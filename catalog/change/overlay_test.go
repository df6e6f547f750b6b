package change_test

import (
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog/change"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// TestPacked: a packed change unpacks to an equal change. A change that just fits into a link is packed; it is not if
// the link may have one byte less.
func TestPacked(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	o := &change.Overlay{}
	for len(pack(t, o, 1<<30)) < limits.CheckLinkBytes {
		o.Overlay = append(o.Overlay, model.FileProposal{EntityType: "dataset", EntityURN: fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:hive,größe.%x,PROD)", random.Uint64()), ChangeType: "DELETE", AspectName: "status"})
	}
	text := pack(t, o, 1<<30)
	if len(text) > limits.CheckLinkBytes && pack(t, o, limits.CheckLinkBytes) != "" {
		t.Errorf("%d bytes are packed into %d", len(text), limits.CheckLinkBytes)
	}
	if pack(t, o, len(text)) != text || pack(t, o, len(text)-1) != "" {
		t.Error("a change is packed into less than it needs, or not into as much")
	}
	var back change.Overlay
	if err := json.NewDecoder(flate.NewReader(base64.NewDecoder(base64.RawURLEncoding, strings.NewReader(text)))).Decode(&back); err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(o.Overlay, back.Overlay); diff != "" {
		t.Error(diff)
	}
}

func pack(t *testing.T, o *change.Overlay, most int) string {
	t.Helper()
	text, err := o.Packed(most)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
