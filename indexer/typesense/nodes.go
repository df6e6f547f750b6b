package typesense

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// nodes is an HTTP client for the nodes of one cluster. It uses one node as long as that
// node answers, and then the next.
type nodes struct {
	urls    []*url.URL
	key     atomic.Pointer[string]
	client  *http.Client
	current atomic.Uint32
}

// The limits of retries: how often every node is tried, and the pause before each further
// round. A cluster needs some seconds to elect a new leader.
const (
	rounds = 4
	pause  = 300 * time.Millisecond
)

// errNoNode: no node answered.
var errNoNode = errors.New("no node of the search server answers")

func newNodes(urls []*url.URL, key string, client *http.Client) *nodes {
	n := &nodes{urls: urls, client: client}
	n.key.Store(&key)
	return n
}

// Do sends a request to the first node that answers. Requests are idempotent, so a request
// that failed midway may be sent again.
func (n *nodes) Do(req *http.Request) (*http.Response, error) {
	var last error
	for attempt := range rounds * len(n.urls) {
		if attempt > 0 && attempt%len(n.urls) == 0 {
			select {
			case <-time.After(pause << (attempt/len(n.urls) - 1)):
			case <-req.Context().Done():
				return nil, req.Context().Err()
			}
		}
		at := n.current.Load()
		resp, err := n.send(req, n.urls[int(at)%len(n.urls)])
		if err == nil {
			return resp, nil
		}
		if ctx := req.Context(); ctx.Err() != nil {
			return nil, ctx.Err()
		}
		last = err
		// Another goroutine may already have switched to the next node.
		n.current.CompareAndSwap(at, at+1)
	}
	return nil, fmt.Errorf("%w: %w", errNoNode, last)
}

// send sends a request to one node. It returns an error also if the node answers that it
// cannot serve the request now.
func (n *nodes) send(req *http.Request, node *url.URL) (*http.Response, error) {
	copied := req.Clone(req.Context())
	copied.URL.Scheme, copied.URL.Host, copied.Host = node.Scheme, node.Host, ""
	copied.Header.Set("X-TYPESENSE-API-KEY", *n.key.Load())
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		copied.Body = body
	}
	resp, err := n.client.Do(copied)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode < http.StatusInternalServerError {
		return resp, nil
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 512))
	return nil, errors.Join(fmt.Errorf("status %d: %s", resp.StatusCode, bytes.TrimSpace(text)), err)
}
