package rest

import (
	"net/http"
	"strings"
)

// frontEndPrefix is the beginning of the paths that the reference's web page server passes
// on, frontEndGraphQL its path of GraphQL requests, and frontEndHealth the path of its
// health check.
const (
	frontEndPrefix  = "/api/gms"
	frontEndGraphQL = "/api/v2/graphql"
	frontEndHealth  = "/admin"
)

// behindFrontEnd returns a request with the path that the reference's web page server would
// pass on. So clients that are configured with the address of that server work here too.
func behindFrontEnd(r *http.Request) *http.Request {
	address := *r.URL
	switch sent := address.EscapedPath(); {
	case sent == frontEndGraphQL:
		address.Path, address.RawPath = graphQLPath, ""
	case sent == frontEndHealth:
		address.Path, address.RawPath = "/health", ""
	case sent == frontEndPrefix:
		address.Path, address.RawPath = "/", ""
	case strings.HasPrefix(sent, frontEndPrefix+"/"): // Path has the prefix too, and RawPath has it unless it is empty
		address.Path, address.RawPath = strings.TrimPrefix(address.Path, frontEndPrefix), strings.TrimPrefix(address.RawPath, frontEndPrefix)
	default:
		return r
	}
	passed := *r
	passed.URL = &address
	return &passed
}
