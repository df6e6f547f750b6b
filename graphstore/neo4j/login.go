package neo4j

import (
	"context"
	"reflect"
	"slices"
	"sync/atomic"

	driver "github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/auth"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/db"
)

// login has the user and the password for connections to the database. The password may change.
type login struct {
	user  string
	token atomic.Pointer[driver.AuthToken]
}

var _ auth.TokenManager = (*login)(nil)

func newLogin(user, password string) *login {
	l := &login{user: user}
	l.set(password)
	return l
}

func (l *login) set(password string) {
	token := driver.NoAuth()
	if l.user != "" {
		token = driver.BasicAuth(l.user, password, "")
	}
	l.token.Store(&token)
}

// GetAuthToken returns the token for a new connection.
func (l *login) GetAuthToken(context.Context) (driver.AuthToken, error) { return *l.token.Load(), nil }

// HandleSecurityException reports whether the driver may try another token.
func (l *login) HandleSecurityException(_ context.Context, refused driver.AuthToken, _ *db.Neo4jError) (bool, error) {
	return !reflect.DeepEqual(refused.Tokens, l.token.Load().Tokens), nil
}

// SetPassword sets the password for all later logins.
func (s *Store) SetPassword(password string) { s.login.set(password) }

// refusesLogin reports whether the code of an error means that no login is possible: the
// password is wrong or has changed, or was wrong too often.
func refusesLogin(code string) bool {
	return slices.Contains([]string{
		"Neo.ClientError.Security.Unauthorized", "Neo.ClientError.Security.AuthenticationRateLimit", "Neo.ClientError.Security.CredentialsExpired",
	}, code)
}
