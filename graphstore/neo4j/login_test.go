package neo4j

import (
	"context"
	"errors"
	"testing"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"github.com/headwater-io/headwater/graphstore"
)

// TestRefusedLogin: a database that accepts no login is unavailable. A database that forbids an
// operation is available.
func TestRefusedLogin(t *testing.T) {
	s := &Store{}
	for code, unavailable := range map[string]bool{
		"Neo.ClientError.Security.Unauthorized":            true,
		"Neo.ClientError.Security.AuthenticationRateLimit": true,
		"Neo.ClientError.Security.CredentialsExpired":      true,
		"Neo.ClientError.Security.Forbidden":               false,
		"Neo.ClientError.Statement.SyntaxError":            false,
	} {
		if got := s.failure(context.Background(), &driver.Neo4jError{Code: code}); errors.Is(got, graphstore.ErrUnavailable) != unavailable {
			t.Errorf("%s: %v", code, got)
		}
	}
}

// TestLogin: a connection uses the password that was set last. A refused password is tried
// again only if another password was set meanwhile.
func TestLogin(t *testing.T) {
	ctx := context.Background()
	l := newLogin("ada", "first")
	password := func() any {
		token, err := l.GetAuthToken(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return token.Tokens["credentials"]
	}
	first, _ := l.GetAuthToken(ctx)
	if retry, err := l.HandleSecurityException(ctx, first, nil); retry || err != nil || password() != "first" {
		t.Errorf("%v %v %v", retry, err, password())
	}
	l.set("second")
	if retry, err := l.HandleSecurityException(ctx, first, nil); !retry || err != nil || password() != "second" {
		t.Errorf("%v %v %v", retry, err, password())
	}
	if nobody := newLogin("", ""); nobody.token.Load().Tokens["scheme"] != "none" {
		t.Errorf("%v", nobody.token.Load())
	}
}
