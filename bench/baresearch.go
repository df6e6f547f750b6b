package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"
)

// typesenseKey is the key of the throw-away server.
const typesenseKey = "headwater-test"

// bareSQLite is FTS5 as a program would use it that answers the same questions
// of this workload alone: a table of documents, one of text, one of exact
// values, one of parts of them, one of completions.
type bareSQLite struct {
	db *sql.DB
	w  searchWorkload
}

func (b *bench) bareSQLite(ctx context.Context, w searchWorkload) (engine, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(b.dir, "bare.db")+"?_pragma=page_size(8192)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=cache_size(-32768)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	_, err = db.ExecContext(ctx, `
		CREATE TABLE doc (id INTEGER PRIMARY KEY, urn TEXT UNIQUE, name TEXT, path TEXT, created INTEGER);
		CREATE INDEX doc_path ON doc (path);
		CREATE VIRTUAL TABLE text USING fts5 (name, columns, description, content = '', prefix = '2 3');
		CREATE VIRTUAL TABLE gram USING fts5 (name, urn, description, content = '', tokenize = 'trigram');
		CREATE TABLE completion (text TEXT, doc INTEGER, PRIMARY KEY (text, doc)) WITHOUT ROWID;
		CREATE TABLE value (doc INTEGER, field TEXT, value TEXT, PRIMARY KEY (field, value, doc)) WITHOUT ROWID;
		CREATE INDEX value_doc ON value (doc, field)`)
	return &bareSQLite{db, w}, err
}

func (s *bareSQLite) close() error { return s.db.Close() }

func (s *bareSQLite) load(ctx context.Context, w searchWorkload, from, to int) (err error) {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	statements := make([]*sql.Stmt, 5)
	for i, query := range []string{
		"INSERT INTO doc (id, urn, name, path, created) VALUES (?, ?, ?, ?, ?)",
		"INSERT INTO text (rowid, name, columns, description) VALUES (?, ?, ?, ?)",
		"INSERT INTO gram (rowid, name, urn, description) VALUES (?, ?, ?, ?)",
		"INSERT OR IGNORE INTO value (doc, field, value) VALUES (?, ?, ?)",
		"INSERT OR IGNORE INTO completion (text, doc) VALUES (?, ?)",
	} {
		if statements[i], err = tx.PrepareContext(ctx, query); err != nil {
			return err
		}
	}
	words := strings.NewReplacer("_", " ", ".", " ")
	for i := from; i < to; i++ {
		d := w.dataset(i)
		columns := strings.Join(d.columns, " ")
		if _, err = statements[0].ExecContext(ctx, i+1, d.urn, d.name, d.path, d.created); err != nil {
			return err
		}
		if _, err = statements[1].ExecContext(ctx, i+1, words.Replace(d.name), words.Replace(columns), d.description); err != nil {
			return err
		}
		if _, err = statements[2].ExecContext(ctx, i+1, d.name, d.urn, d.description); err != nil {
			return err
		}
		values := [][2]string{{"platform", d.platform}, {"origin", "PROD"}, {"owners", d.owner}, {"typeNames", d.subType}, {"name", d.name}, {"path", d.path}, {"urn", d.urn}, {"description", d.description}}
		for _, tag := range d.tags {
			values = append(values, [2]string{"tags", tag})
		}
		for _, column := range d.columns {
			values = append(values, [2]string{"fieldPaths", column})
		}
		parts := strings.Fields(words.Replace(d.name))
		for k := range parts[:min(6, len(parts))] {
			if _, err = statements[4].ExecContext(ctx, strings.Join(parts[k:], " "), i+1); err != nil {
				return err
			}
		}
		for _, v := range values {
			if _, err = statements[3].ExecContext(ctx, i+1, v[0], v[1]); err != nil {
				return err
			}
		}
	}
	return tx.Commit()
}

const bareFacets = "SELECT field, value, count(*) AS n FROM value WHERE field IN ('platform', 'origin', 'tags', 'owners', 'typeNames')"

func (s *bareSQLite) ask(ctx context.Context, kind queryKind, i int) error {
	p := s.w.parameters(i)
	words := strings.Join(strings.Fields(p.words), " AND ") + "*"
	page := "SELECT d.urn, d.name FROM text JOIN doc d ON d.id = text.rowid WHERE text MATCH ? ORDER BY bm25(text, 10, 5, 2) LIMIT 10"
	total := "SELECT count(*) FROM text WHERE text MATCH ?"
	switch kind.name {
	case "two words":
		return errors.Join(s.read(ctx, page, words), s.read(ctx, total, words))
	case "two words, five facets":
		return errors.Join(s.read(ctx, page, words), s.read(ctx, total, words),
			s.read(ctx, bareFacets+" AND doc IN (SELECT rowid FROM text WHERE text MATCH ?) GROUP BY field, value ORDER BY n DESC", words))
	case "everything, five facets":
		return errors.Join(s.read(ctx, "SELECT urn, name FROM doc ORDER BY urn LIMIT 10"), s.read(ctx, "SELECT count(*) FROM doc"),
			s.read(ctx, bareFacets+" GROUP BY field, value ORDER BY n DESC"))
	case "four filters":
		where := ` FROM value a WHERE a.field = 'owners' AND a.value = ?
			AND EXISTS (SELECT 1 FROM value x WHERE x.field = 'platform' AND x.value = ? AND x.doc = a.doc)
			AND EXISTS (SELECT 1 FROM value x WHERE x.field = 'origin' AND x.value = 'PROD' AND x.doc = a.doc)
			AND EXISTS (SELECT 1 FROM value x WHERE x.field = 'typeNames' AND x.value = 'Table' AND x.doc = a.doc)`
		return errors.Join(s.read(ctx, "SELECT count(*)"+where, p.owner, p.platform),
			s.read(ctx, "SELECT urn, name FROM doc WHERE id IN (SELECT a.doc"+where+") ORDER BY urn LIMIT 10", p.owner, p.platform))
	case "contains":
		where := " FROM gram JOIN doc d ON d.id = gram.rowid WHERE gram MATCH ? AND instr(d.name, ?)"
		quoted := `name : "` + p.part + `"`
		return errors.Join(s.read(ctx, "SELECT count(*)"+where, quoted, p.part), s.read(ctx, "SELECT d.urn, d.name"+where+" ORDER BY d.urn LIMIT 10", quoted, p.part))
	case "autocomplete":
		typed := strings.ReplaceAll(p.typed, "_", " ")
		return s.read(ctx, "SELECT d.name FROM completion c JOIN doc d ON d.id = c.doc WHERE c.text >= ? AND c.text < ? ORDER BY c.text LIMIT 10", typed, typed+"~")
	case "browse":
		return errors.Join(s.read(ctx, `SELECT substr(path, length(?1) + 2, instr(substr(path, length(?1) + 2) || '/', '/') - 1) AS step, count(*)
			FROM doc WHERE path >= ?1 || '/' AND path < ?1 || '0' GROUP BY step`, p.path),
			s.read(ctx, "SELECT urn, name FROM doc WHERE path = ? ORDER BY urn LIMIT 10", p.path))
	}
	return errors.Join(s.read(ctx, "SELECT urn, name FROM doc ORDER BY urn LIMIT 10 OFFSET ?", s.w.datasets/10*9), s.read(ctx, "SELECT count(*) FROM doc"))
}

// read runs a query and reads every row.
func (s *bareSQLite) read(ctx context.Context, query string, args ...any) error {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	into := make([]any, len(columns))
	for i := range into {
		into[i] = new(any)
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return err
		}
	}
	return rows.Err()
}

// bareTypesense is Typesense as a program would use it for this workload: its
// own tokens, facets and filters.
type bareTypesense struct {
	address, collection string
	header              http.Header
	client              *http.Client
	w                   searchWorkload
}

func (b *bench) bareTypesense(ctx context.Context, w searchWorkload) (engine, error) {
	t := &bareTypesense{
		address: b.typesense, collection: fmt.Sprintf("bare%d", time.Now().UnixNano()), w: w,
		header: http.Header{"X-Typesense-Api-Key": {typesenseKey}}, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}},
	}
	separators := []string{"_", ".", "/"}
	f := func(name, kind string, facet bool) map[string]any {
		return map[string]any{"name": name, "type": kind, "facet": facet}
	}
	parts := func(name string) map[string]any { // found by parts of words too
		return map[string]any{"name": name, "type": "string", "infix": true}
	}
	return t, t.post(ctx, "/collections", map[string]any{
		"name": t.collection, "token_separators": separators, "default_sorting_field": "created",
		"fields": []any{
			parts("urn"), parts("name"), parts("description"), f("columns", "string[]", false),
			f("platform", "string", true), f("origin", "string", true), f("owners", "string[]", true), f("tags", "string[]", true),
			f("typeNames", "string[]", true), f("paths", "string[]", true), f("created", "int64", false),
		},
	}, nil)
}

func (t *bareTypesense) post(ctx context.Context, path string, body, into any) error {
	return post(ctx, t.client, t.address+path, body, t.header, into)
}

func (t *bareTypesense) close() error {
	req, err := http.NewRequest(http.MethodDelete, t.address+"/collections/"+t.collection, nil)
	if err != nil {
		return err
	}
	req.Header = t.header
	resp, err := t.client.Do(req)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return errors.Join(err, resp.Body.Close())
}

func (t *bareTypesense) load(ctx context.Context, w searchWorkload, from, to int) error {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for i := from; i < to; i++ {
		d := w.dataset(i)
		steps := strings.Split(d.path, "/")
		var paths []string
		for k := 2; k <= len(steps); k++ {
			paths = append(paths, strings.Join(steps[:k], "/"))
		}
		tags := d.tags
		if tags == nil {
			tags = []string{}
		}
		if err := encoder.Encode(map[string]any{
			"urn": d.urn, "name": d.name, "description": d.description, "columns": d.columns, "platform": d.platform, "origin": "PROD",
			"owners": []string{d.owner}, "tags": tags, "typeNames": []string{d.subType}, "paths": paths, "created": d.created,
		}); err != nil {
			return err
		}
	}
	return t.post(ctx, "/collections/"+t.collection+"/documents/import?batch_size=1000", lines.Bytes(), nil)
}

func (t *bareTypesense) ask(ctx context.Context, kind queryKind, i int) error {
	p := t.w.parameters(i)
	q := map[string]any{
		"collection": t.collection, "q": "*", "query_by": "name,columns,description", "per_page": 10, "include_fields": "urn,name",
		"num_typos": 0, "drop_tokens_threshold": 0, "typo_tokens_threshold": 0,
	}
	switch kind.name {
	case "two words":
		q["q"] = p.words
	case "two words, five facets":
		q["q"], q["facet_by"], q["max_facet_values"] = p.words, strings.Join(fiveFacets, ","), 20
	case "everything, five facets":
		q["facet_by"], q["max_facet_values"] = strings.Join(fiveFacets, ","), 20
	case "four filters":
		q["filter_by"] = fmt.Sprintf("platform:=`%s` && origin:=PROD && owners:=`%s` && typeNames:=Table", p.platform, p.owner)
	case "contains":
		q["q"], q["query_by"], q["infix"] = strings.Trim(strings.ReplaceAll(p.part, "_", " "), " "), "name", "always"
	case "autocomplete":
		q["q"], q["query_by"] = strings.ReplaceAll(p.typed, "_", " "), "name"
	case "browse":
		q["filter_by"], q["facet_by"], q["max_facet_values"], q["per_page"] = "paths:=`"+p.path+"`", "paths", 250, 0
	case "page at nine tenths":
		q["page"] = t.w.datasets/100*9 + 1
	}
	var answer struct {
		Results []struct {
			Error string `json:"error"`
		} `json:"results"`
	}
	if err := t.post(ctx, "/multi_search", map[string]any{"searches": []any{q}}, &answer); err != nil {
		return err
	}
	if len(answer.Results) != 1 || answer.Results[0].Error != "" {
		return fmt.Errorf("search %s: %+v", kind.name, answer)
	}
	return nil
}
