package oidc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/headwater-io/headwater/internal/limits"
)

// requestTime is how long one request to a provider may take.
const requestTime = 10 * time.Second

// maxRedirects is how many redirects of one host are followed.
const maxRedirects = 3

// newClient makes the client for requests to a provider. Answers are bounded in size and time, and no
// redirect leads to another host: the requests have secrets.
func newClient(base http.RoundTripper) *http.Client {
	return &http.Client{
		Timeout: requestTime, Transport: bounded{base},
		CheckRedirect: func(next *http.Request, before []*http.Request) error {
			first := before[0].URL
			if next.URL.Scheme != first.Scheme || next.URL.Host != first.Host {
				return fmt.Errorf("the provider redirects from %s to another host", first.Host)
			}
			if len(before) > maxRedirects {
				return errors.New("the provider redirects too often")
			}
			return nil
		},
	}
}

// bounded is a transport whose answers have at most limits.MaxProviderAnswer bytes.
type bounded struct{ base http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.base.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, left: limits.MaxProviderAnswer}
	return resp, nil
}

type boundedBody struct {
	io.ReadCloser
	left int64
}

var errTooLarge = fmt.Errorf("the provider's answer has more than %d bytes", limits.MaxProviderAnswer)

func (b *boundedBody) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// seldom is a transport for the keys of a provider. go-oidc asks for the keys for each token that no
// cached key verifies, so that anybody could make it ask for them all the time. seldom lets one
// request pass every limits.ProviderKeysPause, and answers the others with an error.
type seldom struct {
	base http.RoundTripper
	now  func() time.Time

	mu     sync.Mutex
	asked  time.Time
	failed bool
}

// keysError is an error of a request for keys. down tells that the provider, when it was asked last,
// did not give any.
type keysError struct {
	down, tooSoon bool
	err           error
}

func (e *keysError) Error() string { return e.err.Error() }
func (e *keysError) Unwrap() error { return e.err }

func (s *seldom) RoundTrip(r *http.Request) (*http.Response, error) {
	if failed, may := s.turn(); !may {
		return nil, &keysError{down: failed, tooSoon: true, err: errors.New("the keys of the provider have been read just now")}
	}
	resp, err := s.whole(r)
	s.ended(err != nil)
	if err != nil {
		return nil, &keysError{down: true, err: err}
	}
	return resp, nil
}

// whole returns an answer that has been read to its end, so that every failure becomes a keysError.
func (s *seldom) whole(r *http.Request) (*http.Response, error) {
	resp, err := bounded{s.base}.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the provider answers the request for its keys with %s", resp.Status)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if !json.Valid(body) {
		return nil, errors.New("the keys of the provider are no JSON")
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

func (s *seldom) turn() (failed, may bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if !s.asked.IsZero() && now.Sub(s.asked) < limits.ProviderKeysPause {
		return s.failed, false
	}
	s.asked = now
	return false, true
}

func (s *seldom) ended(failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = failed
}
