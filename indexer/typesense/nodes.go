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

// nodes is an HTTP client for the nodes of one cluster. It uses the same node as long
// as it answers, and the next one when it does not.
type nodes struct {
	urls    []*url.URL
	key     atomic.Pointer[string]
	client  *http.Client
	current atomic.Uint32
}

// Bounds of trying again: how often every node is tried, and the pause before
// each further round. Electing a new leader takes a cluster some seconds.
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

// Do sends a request to a node that answers it. Requests are idempotent, so
// one that failed midway may be sent again.
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

// send asks one node. An answer that says the node cannot do it now is an
// error.
func (n *nodes) send(req *http.Request, node *url.URL) (*http.Response, error) {
	again := req.Clone(req.Context())
	again.URL.Scheme, again.URL.Host, again.Host = node.Scheme, node.Host, ""
	again.Header.Set("X-TYPESENSE-API-KEY", *n.key.Load())
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		again.Body = body
	}
	resp, err := n.client.Do(again)
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
