package mysql

import (
	"context"
	"errors"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/headwater-io/headwater/connectors/internal/relational"
	"github.com/headwater-io/headwater/internal/limits"
)

// The numbers of MySQL's errors for a table that the user may not read.
const (
	tableDenied  = 1142
	accessDenied = 1044
)

// Statements implements relational.StatementCounter, by the digests of the performance schema. They do not have users.
func (d *database) Statements(ctx context.Context, u *relational.Usage) ([]relational.Counted, error) {
	var on bool
	if err := d.db.QueryRowContext(ctx, "SELECT @@performance_schema").Scan(&on); err != nil {
		return nil, err
	}
	if !on {
		return nil, &relational.NotCountedError{Why: "performance_schema is off"}
	}
	var list []relational.Counted
	var digest, text, first, last *string
	var calls int64
	err := d.each(ctx, `SELECT DIGEST, DIGEST_TEXT, COUNT_STAR, date_format(FIRST_SEEN, '%Y-%m-%d %H:%i:%s'),
			date_format(LAST_SEEN, '%Y-%m-%d %H:%i:%s')
		FROM performance_schema.events_statements_summary_by_digest
		WHERE SCHEMA_NAME = ? AND DIGEST IS NOT NULL AND COUNT_STAR >= ? ORDER BY COUNT_STAR DESC, DIGEST LIMIT ?`,
		[]any{d.name, u.Least, limits.MaxCountedStatements}, []any{&digest, &text, &calls, &first, &last}, func() {
			if text == nil || int64(len(list)) == u.Most || u.Excluded(*text) {
				return
			}
			statement, whole := undigested(*text)
			if !whole {
				return // the server has cut off the end of the statement
			}
			one := relational.Counted{ID: *digest, Text: statement, Schema: d.name, Calls: calls}
			if at := moment(first); at != nil {
				one.Since = *at
			}
			if at := moment(last); at != nil {
				one.Last = *at
			}
			list = append(list, one)
		})
	var answered *mysql.MySQLError
	if errors.As(err, &answered) && (answered.Number == tableDenied || answered.Number == accessDenied) {
		return nil, &relational.NotCountedError{Why: answered.Message}
	}
	return list, err
}

// undigested returns the text of a digest as SQL: lists whose values the server leaves out have one. It reports whether
// the text is whole.
func undigested(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if strings.HasSuffix(text, "...") {
		return "", false
	}
	return strings.NewReplacer("(...)", "(?)", "/* , ... */", "", ", ...", "").Replace(text), true
}
