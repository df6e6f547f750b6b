package notify

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/feed"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/cmd/headwater/internal/cli"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/testing/testcatalog"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest"
)

// TestFeedFollow: following a feed shows the present items, and then each new item once.
func TestFeedFollow(t *testing.T) {
	c := testcatalog.New(t)
	server := httptest.NewServer(rest.New(rest.Options{Catalog: c, Version: "1.2.3"}))
	t.Cleanup(server.Close)
	const ada, tag = "urn:li:corpuser:ada", "urn:li:tag:PII"
	from := ""
	tell := func(name string) {
		t.Helper()
		p := write.Proposal{EntityURN: tag, EntityType: "tag", AspectName: "tagProperties", Aspect: &write.GenericAspect{Value: []byte(`{"name":"PII","description":"` + name + `"}`), ContentType: "application/json"}}
		if _, err := c.Ingest(t.Context(), p, catalog.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		changes, next, err := c.Changes(t.Context(), from, 100)
		if err == nil {
			from, err = next, c.Feed.Deliver(t.Context(), changes)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	tell("no one")
	if _, err := c.Feed.Subscribe(t.Context(), model.StoredURN(ada), model.StoredURN(tag), nil, false); err != nil {
		t.Fatal(err)
	}
	tell("one")
	tell("two")
	out, in := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	e := &cli.Environment{Server: server.URL, Timeout: time.Minute, Output: "json", Stdout: in}
	go func() {
		ended <- followFeed(ctx, e, url.Values{"actor": {ada}}, 1, time.Millisecond)
	}()
	lines := bufio.NewScanner(out)
	for i, name := range []string{"two", "three", "four"} {
		if i > 0 {
			tell(name)
		}
		var item feed.Item
		if !lines.Scan() {
			t.Fatal("the feed ended")
		}
		if err := json.Unmarshal(lines.Bytes(), &item); err != nil || len(item.Events) != 1 || item.Events[0].Text("description") != name {
			t.Errorf("%v: %s, not %s", err, lines.Text(), name)
		}
	}
	many := 2*limits.MaxFeedPage + 10
	for i := range many { // more items than a page between two looks: the test does not read the output
		tell(fmt.Sprint(i))
	}
	shown := map[string]int{} // items of one millisecond have no order
	for range many {
		var item feed.Item
		if !lines.Scan() {
			t.Fatal("the feed ended")
		}
		if err := json.Unmarshal(lines.Bytes(), &item); err != nil {
			t.Fatal(err)
		}
		shown[item.Events[0].Text("description")]++
	}
	for i := range many {
		if shown[fmt.Sprint(i)] != 1 {
			t.Errorf("%d was shown %d times", i, shown[fmt.Sprint(i)])
		}
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
