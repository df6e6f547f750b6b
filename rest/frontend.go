package rest

import (
	"net/http"
	"strings"
)

// frontEndPrefix is the beginning of the paths under which the reference's web page
// server passes requests on, frontEndGraphQL its path of GraphQL requests, and
// frontEndHealth where it says that it runs.
const (
	frontEndPrefix  = "/api/gms"
	frontEndGraphQL = "/api/v2/graphql"
	frontEndHealth  = "/admin"
)

// behindFrontEnd returns a request as the reference's web page server would pass it on,
// so that clients which know only the address of that server find what they ask for.
func behindFrontEnd(r *http.Request) *http.Request {
	address := *r.URL
	switch sent := address.EscapedPath(); {
	case sent == frontEndGraphQL:
		address.Path, address.RawPath = graphQLPath, ""
	case sent == frontEndHealth:
		address.Path, address.RawPath = "/health", ""
	case sent == frontEndPrefix:
		address.Path, address.RawPath = "/", ""
	case strings.HasPrefix(sent, frontEndPrefix+"/"): // then both begin so, if there are both
		address.Path, address.RawPath = strings.TrimPrefix(address.Path, frontEndPrefix), strings.TrimPrefix(address.RawPath, frontEndPrefix)
	default:
		return r
	}
	passed := *r
	passed.URL = &address
	return &passed
}
