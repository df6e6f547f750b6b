package lineage

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog/lineage"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/internal/sheet"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

// columnsAnswer is a page of found columns.
type columnsAnswer struct {
	Start    int           `json:"start"`
	Count    int           `json:"count"`
	Total    int           `json:"total"`
	Datasets int           `json:"datasets"`
	Columns  []foundColumn `json:"columns"`
	// Personal lists the labels of personal data, if the request asks for them.
	Personal []string `json:"personal,omitempty"`
	Partial  bool     `json:"partial"`
	Reason   string   `json:"reason,omitempty"`
}

type foundColumn struct {
	URN         string   `json:"urn"`
	Dataset     string   `json:"dataset"`
	Table       string   `json:"table"`
	Path        string   `json:"path"`
	Type        string   `json:"type,omitempty"`
	Description string   `json:"description,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Terms       []string `json:"terms,omitempty"`
	Owners      []string `json:"owners,omitempty"`
	Emails      []string `json:"emails,omitempty"`
	Domains     []string `json:"domains,omitempty"`
	Downstreams int      `json:"downstreams"`
}

func (h lineageHandlers) columns(c *call.Call) error {
	r := &call.Reader{Call: c}
	asTable := call.Argument(r, c.Text, "format") == "csv"
	otherwise := limits.DefaultFoundColumns
	if asTable {
		otherwise = limits.MaxFoundColumns
	}
	request := lineage.ColumnsRequest{
		Words: call.Argument(r, c.Text, "query"), Personal: call.Argument(r, c.Boolean, "personal"), Types: call.Argument(r, c.List, "types"),
		Start: r.Number("start", 0), Count: r.Number("count", otherwise),
	}
	for name, list := range map[string]*[]model.URN{
		"labels": &request.Labels, "datasets": &request.Datasets, "platforms": &request.Platforms, "owners": &request.Owners, "domains": &request.Domains,
	} {
		texts := call.Argument(r, c.List, name)
		urns, err := c.URNList(texts)
		if err != nil {
			return err
		}
		*list = urns
	}
	if r.Err != nil {
		return r.Err
	}
	found, err := h.catalog.Lineage.FindColumns(c.Request.Context(), request)
	if err != nil {
		return h.catalog.Search.WithNearest(c.Request.Context(), err)
	}
	answer := columnsAnswer{
		Start: found.Start, Count: request.Count, Total: found.Total, Datasets: found.Datasets, Columns: []foundColumn{},
		Personal: found.Personal, Partial: found.Partial, Reason: found.Reason,
	}
	for i := range found.Columns {
		answer.Columns = append(answer.Columns, columnAnswer(&found.Columns[i]))
	}
	if asTable {
		return answerColumnsTable(c, &answer)
	}
	return c.JSON(http.StatusOK, answer)
}

func columnAnswer(f *lineage.FoundColumn) foundColumn {
	one := foundColumn{
		URN: f.URN, Dataset: f.Dataset, Table: f.DatasetPath, Path: model.PlainPath(f.Column.Path), Type: f.Column.NativeType, Description: f.Column.Description,
		Tags: f.Column.Tags, Terms: f.Column.Terms, Domains: f.Domains, Downstreams: f.Downstreams,
	}
	for i := range f.Owners {
		one.Owners = append(one.Owners, f.Owners[i].URN)
		if email := f.Owners[i].Email; email != "" && !slices.Contains(one.Emails, email) {
			one.Emails = append(one.Emails, email)
		}
	}
	return one
}

// answerColumnsTable answers with a table for a spreadsheet.
func answerColumnsTable(c *call.Call, answer *columnsAnswer) error {
	rows := [][]string{{"column", "path", "type", "table", "dataset", "description", "tags", "terms", "owners", "emails", "domains", "downstreams"}}
	for i := range answer.Columns {
		f := &answer.Columns[i]
		rows = append(rows, []string{
			f.URN, f.Path, f.Type, f.Table, f.Dataset, f.Description, strings.Join(f.Tags, " "), strings.Join(f.Terms, " "),
			strings.Join(f.Owners, " "), strings.Join(f.Emails, " "), strings.Join(f.Domains, " "), strconv.Itoa(f.Downstreams),
		})
	}
	table, err := sheet.CSV(rows)
	if err != nil {
		return err
	}
	c.Header("Content-Disposition", `attachment; filename="columns.csv"`)
	c.Header("X-Headwater-Partial", strconv.FormatBool(answer.Partial || answer.Total > len(answer.Columns)))
	c.NoteFreshness()
	c.Data(http.StatusOK, "text/csv; charset=utf-8", table)
	return nil
}
