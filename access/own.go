package access

import (
	"context"
	"crypto/subtle"
	"slices"

	"github.com/headwater-io/headwater/access/permit"
	"github.com/headwater-io/headwater/access/policies"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/internal/requestinfo"
)

// Own are the bearer tokens with which this process, and the processes that it starts, make requests to it. Nobody
// else knows them, and they end with the process.
type Own struct {
	// Executor is the token of the executor, which has the rights of the system client. Run is that of its runs. Each is ""
	// if there is none.
	Executor, Run string
}

// withheld are the privileges that runs lack: a recipe is written by people who need not have them.
var withheld = []string{
	"MANAGE_SECRETS", "MANAGE_INGESTION", "MANAGE_POLICIES", "MANAGE_ACCESS_TOKENS", "GENERATE_PERSONAL_ACCESS_TOKENS", "MANAGE_USER_CREDENTIALS", "MANAGE_SERVICE_ACCOUNTS", "MANAGE_SYSTEM_OPERATIONS",
}

// byOwn returns the caller of a token of this process. It reports false for other tokens.
func (g *Gate) byOwn(ctx context.Context, token string) (caller Known, ours bool, err error) {
	is := func(own string) bool {
		return own != "" && subtle.ConstantTimeCompare([]byte(token), []byte(own)) == 1
	}
	c := requestinfo.Caller{Means: requestinfo.BySystemSecret}
	switch {
	case is(g.Own.Executor):
		c.Credential, c.Admin = "executor", true
		caller, err = g.permitted(ctx, policies.Actor{System: true}, c)
		return caller, true, err
	case is(g.Own.Run):
		c.Credential = "run"
		permissions, err := g.Permit.Of(ctx, policies.Actor{System: true})
		return Known{Caller: c, Permissions: runPermissions{permissions}}, true, err
	}
	return Known{}, false, nil
}

// runPermissions are the permissions of the system client without the privileges that are withheld from runs.
type runPermissions struct{ *permit.Permissions }

// Holds implements [permission.Set].
func (r runPermissions) Holds(ctx context.Context, privileges ...string) bool {
	left := given(privileges)
	return (len(left) > 0 || len(privileges) == 0) && r.Permissions.Holds(ctx, left...)
}

// Allowed implements [permission.Set].
func (r runPermissions) Allowed(ctx context.Context, questions []permission.Question) ([]bool, error) {
	asked := slices.Clone(questions)
	for i := range asked {
		asked[i].Privileges = given(asked[i].Privileges)
	}
	allowed, err := r.Permissions.Allowed(ctx, asked)
	for i := range allowed {
		allowed[i] = allowed[i] && (len(asked[i].Privileges) > 0 || len(questions[i].Privileges) == 0)
	}
	return allowed, err
}

// Same implements [permission.Set].
func (r runPermissions) Same(other permission.Set) bool {
	o, ok := other.(runPermissions)
	return ok && r.Permissions.Same(o.Permissions)
}

// given returns the privileges that are not withheld.
func given(privileges []string) []string {
	return slices.DeleteFunc(slices.Clone(privileges), func(one string) bool { return slices.Contains(withheld, one) })
}
