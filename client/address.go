package client

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Address reads the address of a server as people write it: a URL, or host:port for http.
// The address may have a path, if a proxy serves the server below it.
func Address(text string) (string, error) {
	address, err := readAddress(text)
	if err != nil {
		return "", fmt.Errorf("%w (--server or HEADWATER_SERVER)", err)
	}
	return address, nil
}

// SourceAddress is Address for the server that a catalog is copied from.
func SourceAddress(text string) (string, error) { return readAddress(text) }

func readAddress(text string) (string, error) {
	address := strings.TrimSpace(text)
	if !strings.Contains(address, "://") {
		if ip := net.ParseIP(address); ip != nil && ip.To4() == nil {
			address = "[" + address + "]" // in the form in which a port can follow
		}
		if strings.HasPrefix(address, ":") {
			address = "localhost" + address
		}
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", badAddress(text, parseError(address))
	}
	port := u.Port()
	n, err := strconv.ParseUint(port, 10, 16)
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return "", badAddress(text, fmt.Errorf("it begins with %s://, not with http:// or https://", u.Scheme))
	case u.Hostname() == "" || strings.ContainsAny(u.Hostname(), " \t"):
		return "", badAddress(text, errors.New("it has no host"))
	case port != "" && (err != nil || n == 0):
		return "", badAddress(text, fmt.Errorf("%s is not a port", port))
	case strings.HasPrefix(u.Path, "//"):
		return "", badAddress(text, errors.New("it has two slashes after the host"))
	case u.RawQuery != "" || u.Fragment != "":
		return "", badAddress(text, errors.New("it has something after the path"))
	}
	return strings.TrimRight(u.String(), "/"), nil
}

// parseError explains why an address is not a URL. The text contains neither user nor
// password.
func parseError(address string) error {
	before, after := splitUser(address)
	if _, err := url.Parse(before + after); err != nil {
		return errors.Unwrap(err)
	}
	return errors.New("special characters in its user and password must be percent-encoded")
}

// splitUser cuts the user and the password out of an address that may not be a URL. The
// password ends at the last @, because people forget to encode an @ in it.
func splitUser(text string) (before, after string) {
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return "", text
	}
	if scheme, _, ok := strings.Cut(text[:at], "://"); ok && !strings.ContainsAny(scheme, ":/?#") {
		before = scheme + "://"
	}
	return before, text[at+1:]
}

func badAddress(text string, why error) error {
	if before, after := splitUser(text); after != text {
		text = before + "…@" + after
	}
	return fmt.Errorf("%q is not the address of a server: %w; an address is host:port or a URL, such as http://127.0.0.1:8080", text, why)
}
