package resolver

import "github.com/headwater-io/headwater/catalog"

// Each of these errors is the answer to operations for a feature that this server does not
// have. The schema names the errors at the operations.
var (
	errNoTokens      = catalog.Errorf(catalog.Invalid, "this server does not issue access tokens, because it runs without authentication (--auth off)")
	errNoInvitations = catalog.Errorf(catalog.Invalid, "this server has no passwords and invites nobody, because it runs without authentication (--auth off)")
	errNoEvaluation  = catalog.Errorf(catalog.Invalid, "this server does not evaluate assertions; another tool does, and reports results with reportAssertionResult")
	errNoMeaning     = catalog.Errorf(catalog.Invalid, "this server does not search by meaning; use searchAcrossEntities")
)
