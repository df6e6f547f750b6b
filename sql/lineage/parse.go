package lineage

import (
	"errors"
	"regexp"
	"strings"

	"github.com/headwater-io/headwater/sql/parser"
)

// parse parses a part of a script. Syntax around a query that the parser does not know is taken away before the parser
// runs: TABLE t in the place of a query, INSERT without INTO, options of CREATE … AS, and tables with schemas in DELETE
// … USING.
func (r *Reader) parse(run *script, text string) ([]parser.Node, error) {
	trees, err := r.Parser.Parse(run.ctx, text, run.dialect)
	var syntax *parser.SyntaxError
	if !errors.As(err, &syntax) && (err != nil || !isUnread(trees)) {
		return trees, err
	}
	for _, otherwise := range []func(*script, string) ([]parser.Node, error){r.tableCommand, r.insertInto, r.createAs, r.deleteUsing} {
		if better, failed := otherwise(run, text); failed == nil && len(better) == 1 && !isUnread(better) {
			return better, nil
		}
	}
	return trees, err
}

// isUnread reports whether the parser took a text for a statement that it does not know, or for two names.
func isUnread(trees []parser.Node) bool {
	return len(trees) == 1 && (trees[0].Kind == "raw" || trees[0].Kind == "alias")
}

var (
	errOther   = errors.New("it is another kind of statement")
	createHead = regexp.MustCompile(`(?is)^\s*create\s+(?:or\s+(?:replace|alter)\s+)?((?:[a-z]+\s+)*)(table|view)\s+(?:if\s+not\s+exists\s+)?([^\s(]+)`)
	createBody = regexp.MustCompile(`(?is)\bas\b[\s(]+(?:select|with|values|from)\b`)
	columnList = regexp.MustCompile(`^\s*\([\w\s,"` + "`" + `\[\]]+\)\s*$`)
	tableQuery = regexp.MustCompile(`(?i)(^\s*|\bas\s+|\(\s*|\b(?:union|intersect|except)\s+(?:all\s+)?)table(\s+)((?:"[^"]*"|[\w$]+)(?:\.(?:"[^"]*"|[\w$]+))*)`)
	insertHead = regexp.MustCompile(`(?is)^(\s*insert)(\s+)([^\s(]+)`)
	deleteHead = regexp.MustCompile(`(?is)^\s*delete\s+from\s+([^\s(]+(?:\s+(?:as\s+)?\w+)?)\s+using\s`)
)

// tableCommand parses TABLE t as SELECT * FROM t.
func (r *Reader) tableCommand(run *script, text string) ([]parser.Node, error) {
	otherwise := tableQuery.ReplaceAllString(text, "${1}select * from${2}${3}")
	if otherwise == text {
		return nil, errOther
	}
	return r.Parser.Parse(run.ctx, otherwise, run.dialect)
}

// insertInto parses INSERT t … as INSERT INTO t …. In some dialects, such as BigQuery's, INTO may be left out.
func (r *Reader) insertInto(run *script, text string) ([]parser.Node, error) {
	head := insertHead.FindStringSubmatchIndex(text)
	if head == nil || strings.EqualFold(text[head[6]:head[7]], "into") {
		return nil, errOther
	}
	return r.Parser.Parse(run.ctx, text[:head[3]]+" into"+text[head[3]:], run.dialect)
}

// createAs parses the query of CREATE … AS by itself, on the lines that it has in the text.
func (r *Reader) createAs(run *script, text string) ([]parser.Node, error) {
	head := createHead.FindStringSubmatchIndex(text)
	if head == nil {
		return nil, errOther
	}
	body := createBody.FindStringIndex(text[head[1]:])
	if body == nil {
		return nil, errOther
	}
	as := head[1] + body[0]
	query, err := r.Parser.Parse(run.ctx, strings.Repeat("\n", strings.Count(text[:as], "\n"))+text[as+len("as"):], run.dialect)
	if err != nil || len(query) != 1 || !queries[query[0].Kind] {
		return nil, errors.Join(errOther, err)
	}
	words, kind := strings.ToLower(text[head[2]:head[3]]), strings.ToLower(text[head[4]:head[5]])
	stub := "create " + kind + " " + text[head[6]:head[7]]
	if columns := text[head[1]:as]; columnList.MatchString(columns) {
		stub += columns
	}
	trees, err := r.Parser.Parse(run.ctx, stub+" as select 1", run.dialect)
	if err != nil || len(trees) != 1 {
		return nil, errors.Join(errOther, err)
	}
	m := trees[0].Members
	m["temporary"] = strings.Contains(words, "temp")
	m["materialized"] = strings.Contains(words, "materialized")
	member := "as_select"
	if kind == "view" {
		member = "query"
	}
	m[member] = map[string]any{query[0].Kind: query[0].Members}
	return trees, nil
}

// deleteUsing parses DELETE FROM a USING b WHERE … as SELECT 1 FROM a, b WHERE ….
func (r *Reader) deleteUsing(run *script, text string) ([]parser.Node, error) {
	head := deleteHead.FindStringSubmatchIndex(text)
	if head == nil {
		return nil, errOther
	}
	before := strings.Repeat("\n", strings.Count(text[:head[2]], "\n"))
	trees, err := r.Parser.Parse(run.ctx, before+"select 1 from "+text[head[2]:head[3]]+", "+text[head[1]:], run.dialect)
	if err != nil || len(trees) != 1 || trees[0].Kind != "select" {
		return nil, errors.Join(errOther, err)
	}
	from := list(object(trees[0].Members["from"])["expressions"])
	if len(from) == 0 {
		return nil, errOther
	}
	return []parser.Node{{Kind: "delete", Members: map[string]any{
		"table": object(from[0])["table"], "rows": map[string]any{"select": trees[0].Members},
	}}}, nil
}
