package sqlqueries

import (
	"cmp"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	inlineage "github.com/headwater-io/headwater/catalog/sqllineage"
	"github.com/headwater-io/headwater/internal/wording"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/sql/parser"
)

// Question is a text of SQL, and where its tables are.
type Question struct {
	// SQL has one statement or several.
	SQL string
	// Dialect is the name of a platform or a usual name of a dialect. If it is empty, it is Platform.
	Dialect string
	// Database and Schema are the defaults for tables that are named without them; "" for none.
	Database, Schema string
	// Platform is the platform of the tables in the catalog, by name or by URN, whose namespace is that of the
	// tables; if it is empty, that of the dialect.
	// Instance is the instance of the platform, "" for none, and Env the environment; if it is empty, PROD.
	Platform, Instance, Env string
	// AsOf is the moment, epoch milliseconds, whose tables, columns and labels are meant; 0 means now.
	AsOf int64

	place inlineage.Place
}

// check checks a question, and sets its place.
func (q *Question) check(r *model.Registry) error {
	if strings.TrimSpace(q.SQL) == "" {
		return catalog.Errorf(catalog.Invalid, "sql is required: the text of one statement or several")
	}
	if q.AsOf < 0 {
		return catalog.Errorf(catalog.Invalid, "the moment is wrong; it must be %s", wording.MomentForms)
	}
	platform, namespace := q.Platform, ""
	if strings.HasPrefix(platform, "urn:") {
		u, err := r.ReadURN(platform)
		if err != nil || u.EntityType() != model.EntityDataPlatform {
			return catalog.Errorf(catalog.Invalid, "%q is not the URN of a data platform", platform)
		}
		platform, namespace = u.Parts()[0], u.Namespace()
	}
	q.Dialect = cmp.Or(q.Dialect, platform)
	if _, known := parser.DialectOf(q.Dialect); !known {
		return unknownDialect(q.Dialect)
	}
	q.place = inlineage.Place{Platform: cmp.Or(platform, inlineage.PlatformOf(q.Dialect)), Instance: q.Instance, Env: cmp.Or(q.Env, "PROD"), Namespace: namespace}
	if _, err := r.ReadURN(q.place.URN("t")); err != nil {
		return catalog.Errorf(catalog.Invalid, "no dataset can be at this platform, instance and environment: %w", err)
	}
	return nil
}
