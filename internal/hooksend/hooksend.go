// Package hooksend sends webhooks. Each message is one signed HTTP POST, as the
// specification Standard Webhooks (https://www.standardwebhooks.com) describes it. A sender
// follows no redirects, uses no proxy, and by default connects only to public addresses.
// The package does not decide which messages are sent and when.
package hooksend

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Limits of the cost of one receiver.
const (
	defaultTimeout = 15 * time.Second
	// readAnswer is how many bytes of an answer are read, keptAnswer how many are shown.
	readAnswer = 64 << 10
	keptAnswer = 200
	maxHeaders = 64 << 10
	idlePerURL = 2
	idleAll    = 100
	idleFor    = 90 * time.Second
)

// Options configure a sender. The zero value works.
type Options struct {
	// Private allows addresses outside the public internet.
	Private bool
	// Timeout bounds one request with its answer; 0 means 15 s.
	Timeout time.Duration
	// UserAgent is the value of the header User-Agent; "" means "headwater".
	UserAgent string
}

// Sender sends messages. It is safe for concurrent use.
type Sender struct {
	private   bool
	userAgent string
	http      *http.Client
}

// Message is a message to send.
type Message struct {
	URL, Secret string
	// ID is the same for all attempts to send the message. At is the time of this attempt.
	ID   string
	At   time.Time
	Body []byte
}

// Answer is the receiver's answer.
type Answer struct {
	// Status is the HTTP status.
	Status int
	// RetryAfter is how long the receiver asks to wait before the next attempt, 0 if it does
	// not ask.
	RetryAfter time.Duration
	// Text is the beginning of the body, on one line.
	Text string
}

// Delivered reports whether the receiver has accepted the message.
func (a *Answer) Delivered() bool { return a.Status >= 200 && a.Status <= 299 }

// Gone reports whether the receiver asks for no further messages.
func (a *Answer) Gone() bool { return a.Status == http.StatusGone }

// New makes a sender.
func New(o Options) *Sender {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	if o.UserAgent == "" {
		o.UserAgent = "headwater"
	}
	dialer := &net.Dialer{Timeout: o.Timeout}
	if !o.Private {
		dialer.Control = onlyPublic
	}
	return &Sender{
		private: o.Private, userAgent: o.UserAgent,
		http: &http.Client{
			Timeout:       o.Timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				DialContext: dialer.DialContext, ForceAttemptHTTP2: true, DisableCompression: true,
				TLSHandshakeTimeout: o.Timeout, MaxResponseHeaderBytes: maxHeaders,
				MaxIdleConns: idleAll, MaxIdleConnsPerHost: idlePerURL, IdleConnTimeout: idleFor,
			},
		},
	}
}

// CheckURL returns an error if a text cannot be the URL of a receiver. It does not resolve
// the name; each connection checks the address.
func (s *Sender) CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return errors.New("it must be an http:// or https:// URL with a host")
	case u.User != nil:
		return errors.New("it must not contain a user or password; receivers check the signature instead")
	case u.Fragment != "":
		return errors.New("it must not contain a fragment (#)")
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return fmt.Errorf("%s is not a port", port)
		}
	}
	if s.private {
		return nil
	}
	if a, err := netip.ParseAddr(u.Hostname()); err == nil {
		if kind := NotPublic(a); kind != "" {
			return &AddressError{Address: a.String(), Kind: kind}
		}
	}
	if host := strings.TrimSuffix(strings.ToLower(u.Hostname()), "."); host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return &AddressError{Address: host, Kind: "a loopback name"}
	}
	return nil
}

// Send sends a message once. An answer with any status is not an error. An error means that
// there was no answer; its text has no part of the URL that may be secret.
func (s *Sender) Send(ctx context.Context, m *Message) (Answer, error) {
	signature, err := Sign(m.Secret, m.ID, m.At, m.Body)
	if err != nil {
		return Answer{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.URL, bytes.NewReader(m.Body))
	if err != nil {
		return Answer{}, errors.New("the URL is not valid")
	}
	// Standard Webhooks spells its headers in lower case; receivers ignore the case.
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", s.userAgent)
	req.Header.Set("Webhook-Id", m.ID)
	req.Header.Set("Webhook-Timestamp", strconv.FormatInt(m.At.Unix(), 10))
	req.Header.Set("Webhook-Signature", signature)
	resp, err := s.http.Do(req)
	if err != nil {
		return Answer{}, s.failure(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, readAnswer))
	if err != nil && ctx.Err() != nil {
		return Answer{}, s.failure(err)
	} // there is a status, so an unreadable body does not matter
	return Answer{Status: resp.StatusCode, RetryAfter: retryAfter(resp.Header.Get("Retry-After"), m.At), Text: shown(text)}, nil
}

// Close closes connections that are not in use.
func (s *Sender) Close() { s.http.CloseIdleConnections() }

// Failure is the reason why there was no answer. Its text reveals nothing about the
// server's network, such as resolved addresses or name servers. Its cause does.
type Failure struct {
	why   string
	cause error
}

func (f *Failure) Error() string { return f.why }

// Unwrap returns the cause. The cause has no URL, which may contain a token.
func (f *Failure) Unwrap() error { return f.cause }

// Detail returns an error of Send together with its cause. This text is only for the log.
func Detail(err error) string {
	if f := (*Failure)(nil); errors.As(err, &f) {
		return f.why + ": " + f.cause.Error()
	}
	return err.Error()
}

// failure returns the reason why there was no answer. It is the same for a name that does
// not exist and for a name with a private address, because the difference would reveal
// which internal names exist.
func (s *Sender) failure(err error) error {
	var (
		refused     *AddressError
		host        *net.DNSError
		certificate *tls.CertificateVerificationError
		header      tls.RecordHeaderError
		slow        net.Error
	)
	why := "the connection to the receiver failed"
	switch {
	case errors.As(err, &slow) && slow.Timeout():
		why = "the receiver did not answer in time"
	case (errors.As(err, &host) || errors.As(err, &refused)) && !s.private:
		why = "the receiver's host has no public address (--webhook-private allows others)"
	case errors.As(err, &host):
		why = "the receiver's host has no address"
	case errors.Is(err, syscall.ECONNREFUSED):
		why = "nothing listens at the receiver's address"
	case errors.As(err, &certificate):
		why = "the receiver's certificate is not valid for its name"
	case errors.As(err, &header):
		why = "the receiver does not speak https"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		why = "the receiver ended the connection without an answer"
	}
	if at := (*url.Error)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return &Failure{why, err}
}

// retryAfter parses the header Retry-After, which is a number of seconds or a date.
func retryAfter(text string, now time.Time) time.Duration {
	const most = 24 * time.Hour
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Duration(min(max(n, 0), int64(most/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), most)
	}
	return 0
}

// shown returns the beginning of an answer as one line of printable text.
func shown(text []byte) string {
	line := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\uFFFD' {
			return ' '
		}
		return r
	}, string(bytes.ToValidUTF8(text[:min(len(text), keptAnswer)], nil)))
	return strings.Join(strings.Fields(line), " ")
}
