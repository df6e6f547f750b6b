package client

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// ErrUnreachable: the server did not answer.
var ErrUnreachable = errors.New("the server cannot be reached")

// ErrTooLong: the answer is longer than the client's limit.
var ErrTooLong = errors.New("the answer is too long")

// Error is an error in an answer of the server.
type Error struct {
	Status  int    `json:"status"`
	Message string `json:"message"`
	// Candidates are the things that an ambiguous name may mean or, for an unknown name, the things
	// with the most similar names. CandidateCount is the number of things with the name.
	Candidates     []Named `json:"candidates,omitempty"`
	CandidateCount int     `json:"candidateCount,omitempty"`
	// foreign: the message is not from a Headwater server, so its status is shown too.
	foreign bool
}

func (e *Error) Error() string {
	if e.foreign {
		return fmt.Sprintf("%s (HTTP %d)", e.Message, e.Status)
	}
	return e.Message
}

// Ambiguous reports whether a name means several things.
func (e *Error) Ambiguous() bool { return e.CandidateCount > 0 }

// Temporary reports whether the same request may succeed later.
func (e *Error) Temporary() bool {
	switch e.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// Gone reports whether the object of the request, such as a lease, does not exist any more.
func (e *Error) Gone() bool { return e.Status == http.StatusGone }

// TooLarge reports whether the request was refused for its size.
func (e *Error) TooLarge() bool { return e.Status == http.StatusRequestEntityTooLarge }

// Denied reports whether the server denies the caller access, independently of the
// request's content.
func (e *Error) Denied() bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
}

// words has the texts with which messages name a server and its settings.
type words struct {
	// server is the kind of server, flag the text before its address on the command line.
	server, flag string
	// start says how to start the server. where names the setting with its address, and
	// token the setting with its token.
	start, where, token string
}

var (
	ofServer = words{
		server: "a Headwater server", flag: "--server ", start: " Is `headwater serve` running?",
		where: "--server or HEADWATER_SERVER says where it is", token: "--token or HEADWATER_TOKEN is the access token",
	}
	ofFollowed = words{
		server: "a Headwater server", start: " Is it running?", where: "the argument of headwater follow is its address",
		token: "--source-token or HEADWATER_SOURCE_TOKEN is the access token",
	}
	ofSource = words{
		server: "the metadata service of a catalog", where: "FROM is its address",
		token: "HEADWATER_SOURCE_TOKEN or the file of --source-token-file is the access token",
	}
)

// unanswered returns the error of a request without a complete answer. If the caller has
// cancelled the request, the error is not about the server.
func (c *Client) unanswered(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	return &unreachable{at: c.Shown(), why: c.reason(err), err: err}
}

// unreachable is an ErrUnreachable with the reason and the next step.
type unreachable struct {
	at, why string
	err     error
}

func (e *unreachable) Error() string {
	return fmt.Sprintf("the server at %s cannot be reached: %s", e.at, e.why)
}
func (e *unreachable) Unwrap() []error { return []error{ErrUnreachable, e.err} }

// reason explains why a request got no answer, and names the next step.
func (c *Client) reason(err error) string {
	var (
		host        *net.DNSError
		record      tls.RecordHeaderError
		certificate *tls.CertificateVerificationError
		unknown     x509.UnknownAuthorityError
		at          *url.Error
		timeout     net.Error
	)
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there." + c.words.start + " " + c.words.where
	case errors.As(err, &host):
		return fmt.Sprintf("there is no host %q; %s", host.Name, c.words.where)
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return "it does not speak https; try " + c.words.flag + strings.Replace(c.Shown(), "https://", "http://", 1)
	case errors.As(err, &unknown):
		return "its certificate was issued by an authority that this machine does not know; SSL_CERT_FILE can name a file with the authority"
	case errors.As(err, &certificate):
		return certificate.Err.Error()
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Sprintf("no answer within %s (--timeout)", c.http.Timeout)
	case errors.As(err, &at):
		return at.Err.Error()
	}
	return err.Error()
}

// Shown returns the address of the server without its password.
func (c *Client) Shown() string {
	if u, err := url.Parse(c.base); err == nil {
		return u.Redacted()
	}
	return c.base
}

// shownBytes bounds how many bytes of an unknown answer an error shows.
const shownBytes = 300

// answered returns the error in an answer, also if the answer does not have the interface's
// form.
func (c *Client) answered(resp *http.Response, text []byte) error {
	e := &Error{}
	if json.Unmarshal(text, e) == nil && e.Message != "" {
		e.Status = resp.StatusCode
		if e.Status == http.StatusUnauthorized {
			e.Message += " (" + c.words.token + ")"
		}
		return e
	}
	*e = Error{Status: resp.StatusCode, foreign: true, Message: strings.TrimSpace(string(text[:min(len(text), shownBytes)]))}
	switch {
	case strings.HasPrefix(e.Message, "Client sent an HTTP request to an HTTPS server"):
		e.Message = "the server speaks https; try " + c.words.flag + strings.Replace(c.Shown(), "http://", "https://", 1)
	case e.Denied():
		e.Message = "access is refused, by the server or by a proxy in front of it; " + c.words.token
	case e.Status == http.StatusProxyAuthRequired:
		e.Message = "the proxy of this machine (HTTP_PROXY) wants a user and password"
	case isPage(resp, text):
		e.Message = c.notHeadwater(resp)
	case e.Message == "":
		e.Message = http.StatusText(resp.StatusCode)
	}
	return e
}

// incomprehensible returns the error of a successful answer that is not JSON.
func (c *Client) incomprehensible(resp *http.Response, text []byte, err error) error {
	if isPage(resp, text) {
		return errors.New(c.notHeadwater(resp))
	}
	return fmt.Errorf("the server's answer cannot be understood: %w", err)
}

func isPage(resp *http.Response, text []byte) bool {
	return strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") || strings.HasPrefix(strings.TrimSpace(string(text[:min(len(text), shownBytes)])), "<")
}

// notHeadwater returns the message about a web page in place of an answer. The page may be
// of another program, of a proxy, or for logging in.
func (c *Client) notHeadwater(resp *http.Response) string {
	from := c.Shown()
	if resp.Request != nil && !strings.HasPrefix(resp.Request.URL.String(), c.base) {
		from = resp.Request.URL.Scheme + "://" + resp.Request.URL.Host + ", to which " + from + " redirects,"
	}
	return fmt.Sprintf("%s answers with a web page: it is not %s, or there is a proxy in front of it; %s", from, c.words.server, c.words.where)
}
