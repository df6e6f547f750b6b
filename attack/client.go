package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// client sends requests over connections of its own.
type client struct {
	server *server
	http   *http.Client
}

func newClient(s *server, timeout time.Duration, connections int) *client {
	transport := &http.Transport{
		MaxConnsPerHost: connections, MaxIdleConnsPerHost: connections, DisableCompression: true,
		DialContext: (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
	}
	return &client{server: s, http: &http.Client{Transport: transport, Timeout: timeout}}
}

// answer is what came back: a status, or an error of the connection.
type answer struct {
	status int
	header http.Header
	body   []byte
	err    error
	took   time.Duration
}

// maxAnswer is how much of an answer is kept.
const maxAnswer = 64 << 20

// post sends a body; headers are name, value, name, value.
func (c *client) post(ctx context.Context, target string, body []byte, headers ...string) answer {
	return c.send(ctx, http.MethodPost, target, body, headers...)
}

func (c *client) get(ctx context.Context, target string, headers ...string) answer {
	return c.send(ctx, http.MethodGet, target, nil, headers...)
}

// send sends a request as curl -d or the Python client would.
func (c *client) send(ctx context.Context, method, target string, body []byte, headers ...string) answer {
	began := time.Now()
	req, err := http.NewRequestWithContext(ctx, method, c.server.url()+target, bytes.NewReader(body))
	if err != nil {
		return answer{err: err}
	}
	req.Header.Set("X-RestLi-Protocol-Version", "2.0.0")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
			continue
		}
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return answer{err: err, took: time.Since(began)}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	return answer{resp.StatusCode, resp.Header, text, err, time.Since(began)}
}

func (r answer) ok() bool { return r.err == nil && r.status/100 == 2 }

// busy says that the server refuses for now, as it should when overloaded.
func (r answer) busy() bool {
	return r.err == nil && r.header.Get("Retry-After") != "" && (r.status == http.StatusServiceUnavailable || r.status == http.StatusTooManyRequests)
}

// refused says that the request was found to be bad, or comes too soon.
func (r answer) refused() bool {
	return r.err == nil && (r.status/100 == 4 || r.busy())
}

// civil says that the request was answered or refused and broke nothing.
func (r answer) civil() bool { return r.ok() || r.refused() }

func (r answer) String() string {
	if r.err != nil {
		return fmt.Sprintf("no answer after %v: %v", r.took.Round(10*time.Millisecond), short(r.err.Error(), 120))
	}
	return fmt.Sprintf("%d after %v: %s", r.status, r.took.Round(10*time.Millisecond), short(string(r.body), 160))
}

// at follows members and indices through the JSON of an answer.
func (r answer) at(path ...any) any {
	var value any
	if json.Unmarshal(r.body, &value) != nil {
		return nil
	}
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := value.(map[string]any)
			value = object[step]
		case int:
			list, _ := value.([]any)
			if step >= len(list) {
				return nil
			}
			value = list[step]
		}
	}
	return value
}

func short(text string, most int) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// jsonOf is a value as JSON. The values here can all be encoded.
func jsonOf(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// proposal is the body of ingestProposal. A value that is no string is encoded.
func proposal(change, urn, aspect string, value any) []byte {
	text, isText := value.(string)
	if !isText {
		text = string(jsonOf(value))
	}
	return jsonOf(map[string]any{"proposal": map[string]any{
		"entityType": strings.Split(urn, ":")[2], "entityUrn": urn, "changeType": change, "aspectName": aspect,
		"aspect": map[string]any{"value": text, "contentType": "application/json"},
	}})
}

const ingest = "/aspects?action=ingestProposal"

func (c *client) propose(ctx context.Context, change, urn, aspect string, value any) answer {
	return c.post(ctx, ingest, proposal(change, urn, aspect, value))
}

// aspect reads one version of an aspect; the value is nil when there is none.
func (c *client) aspect(ctx context.Context, urn, name string, version int) (map[string]any, answer) {
	r := c.get(ctx, fmt.Sprintf("/aspects/%s?aspect=%s&version=%d", url.PathEscape(urn), name, version))
	record, _ := r.at("aspect").(map[string]any)
	for _, value := range record {
		object, _ := value.(map[string]any)
		return object, r
	}
	return nil, r
}

func dataset(name string) string {
	return "urn:li:dataset:(urn:li:dataPlatform:hive," + name + ",PROD)"
}

// zipped is prefix, then unit with "," between until size bytes are reached,
// then suffix, compressed as it is made.
func zipped(prefix, unit, between, suffix string, size int) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level exists
	chunk := strings.Repeat(unit+between, max(1, 1<<16/len(unit+between)))
	_, _ = io.WriteString(w, prefix) // a buffer takes everything
	for n := 0; n < size; n += len(chunk) {
		_, _ = io.WriteString(w, chunk)
	}
	_, _ = io.WriteString(w, unit+suffix)
	_ = w.Close()
	return out.Bytes()
}
