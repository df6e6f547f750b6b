// Package client talks to a Headwater server over its REST interface.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Client is a connection to one server. It is safe for concurrent use.
type Client struct {
	base, token string
	// actor is the URN in whose name requests are made, or "".
	actor string
	http  *http.Client
	words words
	// longest bounds the size of an answer in bytes, after decompression.
	longest int64
	// release is the client's release that requests state, or "".
	release string
	// system is the id and the secret of the server's system client, or "".
	system string
}

// New makes a client of the server at base. token is the bearer token, "" for none. timeout
// bounds one request.
func New(base, token string, timeout time.Duration) *Client {
	return &Client{
		base: strings.TrimRight(base, "/"), token: token, words: ofServer, longest: limits.MaxAnswerBytes,
		http: &http.Client{Timeout: timeout, CheckRedirect: SameServer, Transport: &http.Transport{MaxIdleConnsPerHost: 32, Proxy: http.ProxyFromEnvironment}},
	}
}

// As returns a copy of the client that makes its requests in the name of an actor, a URN.
func (c *Client) As(actor string) *Client {
	other := *c
	other.actor = actor
	return &other
}

// ActorHeader names the actor of a request.
const ActorHeader = "X-DataHub-Actor"

// NewSource makes a client of another program's server with the same interface, from which
// a catalog is copied. An answer larger than longest bytes fails with ErrTooLong.
func NewSource(base, token string, timeout time.Duration, longest int64) *Client {
	c := New(base, token, timeout)
	c.words, c.longest = ofSource, longest
	return c
}

// NewFollowed makes a client of the server that a replica follows.
func NewFollowed(base, token string, timeout time.Duration) *Client {
	c := New(base, token, timeout)
	c.words = ofFollowed
	return c
}

// OfRelease returns a copy of the client that states a client's release in its requests. If
// the release is newer than the server's model, the server keeps fields that its model
// lacks.
func (c *Client) OfRelease(release string) *Client {
	other := *c
	other.release = release
	return &other
}

// AsSystem returns a copy of the client that shows the id and the secret of the server's system client
// in place of a token.
func (c *Client) AsSystem(id, secret string) *Client {
	other := *c
	other.token, other.system = "", id+":"+secret
	return &other
}

// Post sends a JSON body and decodes the answer into into, unless into is nil.
func (c *Client) Post(ctx context.Context, path string, body []byte, into any) error {
	return c.do(ctx, http.MethodPost, path, body, into)
}

// The bounds of Patiently. An unreachable server is tried a few times. A server that
// answers that it is busy is tried for longer, because it exists and has changed nothing.
const (
	unreachableTries = 5
	busyFor          = 2 * time.Minute
	firstPause       = 500 * time.Millisecond
	longestPause     = 5 * time.Second
)

// Patiently calls try until it succeeds or fails for good. It repeats try after transient
// failures, with growing pauses, so repeating try must be harmless.
func Patiently(ctx context.Context, try func() error) error {
	began, pause := time.Now(), firstPause
	for tries := 1; ; tries++ {
		err := try()
		if err == nil || ctx.Err() != nil || !tryAgain(err, tries, time.Since(began)) {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
		pause = min(2*pause, longestPause)
	}
}

func tryAgain(err error, tries int, taken time.Duration) bool {
	var answer *Error
	if errors.As(err, &answer) {
		return answer.Temporary() && taken < busyFor
	}
	return errors.Is(err, ErrUnreachable) && tries < unreachableTries
}

// PostPatiently is Post with repetitions after transient failures. The request must be safe
// to repeat.
func (c *Client) PostPatiently(ctx context.Context, path string, body []byte, into any) error {
	return Patiently(ctx, func() error { return c.Post(ctx, path, body, into) })
}

// Get sends a GET request and decodes the answer.
func (c *Client) Get(ctx context.Context, path string, into any) error {
	return c.do(ctx, http.MethodGet, path, nil, into)
}

// Patch sends a PATCH request with a JSON body and decodes the answer.
func (c *Client) Patch(ctx context.Context, path string, body []byte, into any) error {
	return c.do(ctx, http.MethodPatch, path, body, into)
}

// Delete sends a DELETE request and decodes the answer.
func (c *Client) Delete(ctx context.Context, path string, into any) error {
	return c.do(ctx, http.MethodDelete, path, nil, into)
}

// Download returns the body of an answer unchanged. It returns an error for a web page,
// which comes from another program than a Headwater server.
func (c *Client) Download(ctx context.Context, path string) ([]byte, error) {
	text, _, err := c.DownloadTable(ctx, path)
	return text, err
}

// DownloadTable is Download, and also reports whether a header of the answer says that the
// table is incomplete.
func (c *Client) DownloadTable(ctx context.Context, path string) (text []byte, partial bool, err error) {
	a, err := c.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, false, err
	}
	if isPage(a.resp, a.text) {
		return nil, false, errors.New(c.notHeadwater(a.resp))
	}
	return a.text, a.resp.Header.Get("X-Headwater-Partial") == "true", nil
}

// DownloadPage returns the HTML of a web page unchanged.
func (c *Client) DownloadPage(ctx context.Context, path string) ([]byte, error) {
	a, err := c.send(ctx, http.MethodGet, path, nil)
	return a.text, err
}

// Stream requests an answer that may be large and take long: the client's time-out does not
// apply, only the context. The caller closes the answer.
func (c *Client) Stream(ctx context.Context, path string) (io.ReadCloser, error) {
	return c.stream(ctx, path, nil)
}

// stream is Stream with more headers.
func (c *Client) stream(ctx context.Context, path string, headers map[string]string) (io.ReadCloser, error) {
	patient := http.Client{Transport: c.http.Transport, CheckRedirect: SameServer}
	resp, err := c.request(ctx, &patient, http.MethodGet, path, nil, headers)
	if err != nil {
		return nil, err
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, longestError))
	if err != nil {
		return nil, c.unanswered(ctx, err)
	}
	return nil, c.answered(resp, text)
}

func (c *Client) do(ctx context.Context, method, path string, body []byte, into any) error {
	a, err := c.send(ctx, method, path, body)
	if err != nil || into == nil || method == http.MethodPost && len(a.text) == 0 { // some actions have an empty answer
		return err
	}
	if err := json.Unmarshal(a.text, into); err != nil {
		return c.incomprehensible(a.resp, a.text, err)
	}
	return nil
}

// longestError bounds the bytes that are read of an answer with an error.
const longestError = 1 << 20

// maxRedirects bounds the redirects of one request.
const maxRedirects = 5

// SameServer is the CheckRedirect of clients that send a token. It follows redirects only
// within one server, and from http to https on the same host.
func SameServer(to *http.Request, via []*http.Request) error {
	from := via[0].URL
	same := to.URL.Scheme == from.Scheme && to.URL.Host == from.Host
	if !same && (from.Scheme != "http" || to.URL.Scheme != "https" || to.URL.Hostname() != from.Hostname()) {
		return &redirected{from.Scheme + "://" + from.Host, to.URL.Scheme + "://" + to.URL.Host}
	}
	if len(via) > maxRedirects {
		return fmt.Errorf("%s redirects more than %d times", from.Host, maxRedirects)
	}
	return nil
}

// redirected is the error for a redirect to another server. to is that server.
type redirected struct{ from, to string }

func (r *redirected) Error() string {
	return fmt.Sprintf("%s redirects to %s, which is another server or a page to log in on; nothing was sent there. If it is the server, use its address", r.from, r.to)
}

// reply is a successful answer with its complete body.
type reply struct {
	resp *http.Response
	text []byte
}

// send sends a request and reads the whole answer.
func (c *Client) send(ctx context.Context, method, path string, body []byte) (reply, error) {
	resp, err := c.request(ctx, c.http, method, path, body, nil)
	if err != nil {
		return reply{}, err
	}
	defer resp.Body.Close()
	refused := resp.StatusCode < 200 || resp.StatusCode > 299
	longest := c.longest
	if refused {
		longest = longestError
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, longest+1))
	if err != nil {
		return reply{}, c.unanswered(ctx, err)
	}
	if !refused && int64(len(text)) > c.longest {
		return reply{}, fmt.Errorf("%w: %s answers with more than %d bytes", ErrTooLong, c.Shown(), c.longest)
	}
	if refused {
		return reply{}, c.answered(resp, text)
	}
	return reply{resp, text}, nil
}

// request sends a request. The caller closes the answer's body.
func (c *Client) request(ctx context.Context, by *http.Client, method, path string, body []byte, headers map[string]string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("server address: %w", err)
	}
	req.Header.Set("X-RestLi-Protocol-Version", "2.0.0")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "headwater")
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	if c.release != "" {
		req.Header.Set("X-DataHub-Py-Cli-Version", c.release)
	}
	switch {
	case c.token != "":
		req.Header.Set("Authorization", "Bearer "+c.token)
	case c.system != "":
		req.Header.Set("Authorization", "Basic "+c.system) // plain text, as the reference has it
	}
	if c.actor != "" {
		req.Header.Set(ActorHeader, c.actor)
	}
	resp, err := by.Do(req)
	if elsewhere := (*redirected)(nil); errors.As(err, &elsewhere) {
		return nil, elsewhere // a retry would be redirected too
	}
	if err != nil {
		return nil, c.unanswered(ctx, err)
	}
	return resp, nil
}

// Entity is an entity with its latest aspects.
type Entity struct {
	URN        string            `json:"urn"`
	EntityName string            `json:"entityName"`
	Aspects    map[string]Aspect `json:"aspects"`
}

// Aspect is an aspect in its envelope.
type Aspect struct {
	Name    string          `json:"name"`
	Type    string          `json:"type"`
	Version int64           `json:"version"`
	Value   json.RawMessage `json:"value"`
	Created struct {
		Time  int64  `json:"time"`
		Actor string `json:"actor"`
	} `json:"created"`
	System json.RawMessage `json:"systemMetadata,omitempty"`
}

// Exists reports whether the server stores anything of an entity. Soft-deleted entities
// exist.
func (c *Client) Exists(ctx context.Context, urn string) (bool, error) {
	body, err := json.Marshal(map[string]string{"urn": urn})
	if err != nil {
		return false, err
	}
	var exists struct {
		Value bool `json:"value"`
	}
	err = c.Post(ctx, "/entities?action=exists", body, &exists)
	return exists.Value, err
}

// Entity reads an entity. The error has status 404 if the server stores nothing of it.
func (c *Client) Entity(ctx context.Context, urn string, aspects []string) (*Entity, error) {
	exists, err := c.Exists(ctx, urn)
	if err != nil {
		return nil, err
	}
	if !exists {
		return nil, &Error{Status: http.StatusNotFound, Message: "nothing is stored of " + urn}
	}
	path := "/entitiesV2/" + model.EncodeURN(urn)
	if len(aspects) > 0 {
		encoded := make([]string, len(aspects))
		for i, name := range aspects {
			encoded[i] = url.QueryEscape(name)
		}
		path += "?aspects=List(" + strings.Join(encoded, ",") + ")"
	}
	entity := &Entity{}
	return entity, c.Get(ctx, path, entity)
}

// Entities reads some aspects of several entities, by URN. An entity of which the server
// stores nothing has only the aspects that follow from its URN, or is missing.
func (c *Client) Entities(ctx context.Context, urns, aspects []string) (map[string]Entity, error) {
	list := func(texts []string) string {
		encoded := make([]string, len(texts))
		for i, text := range texts {
			encoded[i] = model.EncodeURN(text)
		}
		return "List(" + strings.Join(encoded, ",") + ")"
	}
	var answer struct {
		Results map[string]Entity `json:"results"`
	}
	err := c.Get(ctx, "/entitiesV2?ids="+list(urns)+"&aspects="+list(aspects), &answer)
	return answer.Results, err
}

// Aspect reads one version of an aspect in the legacy form.
func (c *Client) Aspect(ctx context.Context, urn, aspect string, version int64) (json.RawMessage, error) {
	var answer json.RawMessage
	err := c.Get(ctx, fmt.Sprintf("/aspects/%s?aspect=%s&version=%d", model.EncodeURN(urn), url.QueryEscape(aspect), version), &answer)
	return answer, err
}

// Config is the server's description of itself.
type Config struct {
	Versions map[string]struct {
		Version string `json:"version"`
		Commit  string `json:"commit"`
	} `json:"versions"`
	// Neo4j is the place of the graph. Address is empty if the server uses its embedded
	// store.
	Neo4j struct {
		Address  string `json:"address"`
		Database string `json:"database"`
		Browser  string `json:"browser"`
	} `json:"neo4j"`
}

// Config reads the server's description of itself.
func (c *Client) Config(ctx context.Context) (*Config, error) {
	config := &Config{}
	return config, c.Get(ctx, "/config", config)
}
