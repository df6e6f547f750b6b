package lineage

import (
	"net/http"

	"github.com/headwater-io/headwater/catalog/sqlqueries"
	"github.com/headwater-io/headwater/rest/call"
)

// sqlText is the schema of the body of a question about SQL.
var sqlText = call.Object{
	"type": "object", "required": []string{"sql"},
	"properties": call.Object{
		"sql":              call.Object{"type": "string", "description": "one statement or several"},
		"dialect":          call.Object{"type": "string", "description": "the name of a platform or a usual name of a dialect, such as snowflake or tsql; the platform when left out"},
		"database":         call.Object{"type": "string", "description": "the database of tables that are named without one"},
		"schema":           call.Object{"type": "string", "description": "the schema of tables that are named without one"},
		"platform":         call.Object{"type": "string", "description": "the platform of the tables in the catalog, by name or URN; that of the dialect when left out"},
		"platformInstance": call.Object{"type": "string", "description": "the instance of the platform, which the names of the tables begin with in the catalog"},
		"env":              call.Object{"type": "string", "description": "the environment of the tables in the catalog; PROD when left out"},
	},
}

// sqlEndpoint answers with the tables and columns that a text of SQL reads.
func (h lineageHandlers) sqlEndpoint() call.Endpoint {
	return call.Endpoint{
		Method: http.MethodPost, Path: "/sql/lineage", Tag: "Lineage", Reads: true,
		Summary:    "What SQL reads and writes: its tables and columns with their owners, labels and personal data, the columns that it only joins, filters or sorts by, and whether it still runs. SQL that is not understood is no error: the answer says which part and why.",
		Parameters: []call.Parameter{call.MomentParameter}, Content: sqlText,
		Example: call.Example{Body: `{"sql":"select day, sum(amount) as total from orders where state = 'paid' group by day","dialect":"postgres","database":"shop","schema":"public"}`},
		Handle:  h.sql,
	}
}

func (h lineageHandlers) sql(c *call.Call) error {
	var body struct {
		SQL      string `json:"sql"`
		Dialect  string `json:"dialect"`
		Database string `json:"database"`
		Schema   string `json:"schema"`
		Platform string `json:"platform"`
		Instance string `json:"platformInstance"`
		Env      string `json:"env"`
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	asOf, err := c.Moment("asOf")
	if err != nil {
		return err
	}
	answer, err := h.catalog.SQL.Read(c.Request.Context(), sqlqueries.Question{
		SQL: body.SQL, Dialect: body.Dialect, Database: body.Database, Schema: body.Schema,
		Platform: body.Platform, Instance: body.Instance, Env: body.Env, AsOf: asOf,
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, answer)
}
