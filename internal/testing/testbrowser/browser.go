// Package testbrowser has the browser of a person for tests of sign-in.
package testbrowser

import (
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"
)

// New returns a client that keeps cookies, as the browser of a person does.
func New(t testing.TB) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Jar: jar, Transport: transport, Timeout: time.Minute}
}

var (
	formAction = regexp.MustCompile(`<form[^>]* action="([^"]+)"`)
	formField  = regexp.MustCompile(`<input type="hidden" name="([^"]+)" value="([^"]*)"`)
)

// Visit opens an address, and fills in the forms of the provider of testservers.OIDC for an account until the browser is at a page
// whose address begins with site. It returns that address.
func Visit(t testing.TB, browser *http.Client, address, site, login string) *url.URL {
	t.Helper()
	send := func(method, address, body string) (*http.Response, error) {
		req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		if body != "" {
			req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		return browser.Do(req)
	}
	resp, err := send(http.MethodGet, address, "")
	for range 5 {
		if err != nil {
			t.Fatal(err)
		}
		page, readErr := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if readErr != nil {
			t.Fatal(readErr)
		}
		if strings.HasPrefix(resp.Request.URL.String(), site) {
			return resp.Request.URL
		}
		action := formAction.FindSubmatch(page)
		if action == nil {
			t.Fatalf("the page %s (%s) has no form:\n%s", resp.Request.URL, resp.Status, page)
		}
		values := url.Values{"login": {login}, "password": {"any"}, "logout": {"yes"}}
		for _, field := range formField.FindAllSubmatch(page, -1) {
			values.Set(string(field[1]), html.UnescapeString(string(field[2])))
		}
		to, parseErr := resp.Request.URL.Parse(html.UnescapeString(string(action[1])))
		if parseErr != nil {
			t.Fatal(parseErr)
		}
		resp, err = send(http.MethodPost, to.String(), values.Encode())
	}
	t.Fatal("the provider asks again and again")
	return nil
}
