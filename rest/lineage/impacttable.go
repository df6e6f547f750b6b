package lineage

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/internal/sheet"
	"github.com/headwater-io/headwater/rest/call"
)

// impactColumns are the columns of the table of affected entities.
var impactColumns = []string{"urn", "type", "name", "platform", "degree", "effect", "columns", "owners", "emails", "exists", "removed", "because", "why"}

// answerImpactTable answers with a table for a spreadsheet. A header tells whether the walk
// was cut, because the table has no place for this.
func answerImpactTable(c *call.Call, impact *lineage.Impact) error {
	emails := map[string]string{}
	for _, o := range impact.Owners {
		emails[o.URN] = o.Email
	}
	rows := [][]string{impactColumns}
	for i := range impact.Entities {
		e := &impact.Entities[i]
		var addresses []string
		for _, owner := range e.Owners {
			if emails[owner] != "" {
				addresses = append(addresses, emails[owner])
			}
		}
		rows = append(rows, []string{
			e.URN, e.Type, e.Name, e.Platform, strconv.Itoa(e.Degree), e.Effect, strings.Join(e.Columns, " "),
			strings.Join(e.Owners, " "), strings.Join(addresses, " "), strconv.FormatBool(e.Exists), strconv.FormatBool(e.Removed), e.Because, e.Why,
		})
	}
	table, err := sheet.CSV(rows)
	if err != nil {
		return err
	}
	c.Header("Content-Disposition", `attachment; filename="impact.csv"`)
	c.Header("X-Headwater-Partial", strconv.FormatBool(impact.Partial))
	c.NoteFreshness()
	c.Data(http.StatusOK, "text/csv; charset=utf-8", table)
	return nil
}
