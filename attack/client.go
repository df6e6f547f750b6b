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

// client sends requests over its own connections.
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

// answer is the answer to a request, or the error of its connection.
type answer struct {
	status int
	header http.Header
	body   []byte
	err    error
	took   time.Duration
}

// maxAnswer is how many bytes of an answer are read.
const maxAnswer = 64 << 20

// post sends a body. headers are name, value, name, value, and so on.
func (c *client) post(ctx context.Context, target string, body []byte, headers ...string) answer {
	return c.send(ctx, http.MethodPost, target, body, headers...)
}

func (c *client) get(ctx context.Context, target string, headers ...string) answer {
	return c.send(ctx, http.MethodGet, target, nil, headers...)
}

// send sends a request with the usual headers of curl -d or of the Python client.
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

// busy reports whether the server refuses the request for now, as it should under overload.
func (r answer) busy() bool {
	return r.err == nil && r.header.Get("Retry-After") != "" && (r.status == http.StatusServiceUnavailable || r.status == http.StatusTooManyRequests)
}

// refused reports whether the server has refused the request, as bad or for now.
func (r answer) refused() bool {
	return r.err == nil && (r.status/100 == 4 || r.busy())
}

// civil reports whether the server has answered or refused the request without a fault.
func (r answer) civil() bool { return r.ok() || r.refused() }

func (r answer) String() string {
	if r.err != nil {
		return fmt.Sprintf("no answer after %v: %v", r.took.Round(10*time.Millisecond), short(r.err.Error(), 120))
	}
	return fmt.Sprintf("%d after %v: %s", r.status, r.took.Round(10*time.Millisecond), short(string(r.body), 160))
}

// at returns the value at a path of members and indices in the JSON of an answer.
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

// jsonOf returns a value as JSON. It is only for values that can be encoded.
func jsonOf(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// proposal returns the body of ingestProposal. A value that is not a string is encoded.
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

// aspect reads one version of an aspect. The value is nil if the version does not exist.
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

// zipped returns, compressed, prefix, then unit repeated with between until size bytes are
// reached, then suffix. It never has the whole text in memory.
func zipped(prefix, unit, between, suffix string, size int) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the level is valid
	chunk := strings.Repeat(unit+between, max(1, 1<<16/len(unit+between)))
	_, _ = io.WriteString(w, prefix) // writing to a buffer cannot fail
	for n := 0; n < size; n += len(chunk) {
		_, _ = io.WriteString(w, chunk)
	}
	_, _ = io.WriteString(w, unit+suffix)
	_ = w.Close()
	return out.Bytes()
}
