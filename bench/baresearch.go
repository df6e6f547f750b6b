package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// typesenseKey is the API key of the throw-away server.
const typesenseKey = "headwater-test"

// bareTypesense is Typesense as a program of its own would use it for this workload, with
// Typesense's own tokens, facets and filters.
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
	parts := func(name string) map[string]any { // also found by parts of words
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

func (t *bareTypesense) load(ctx context.Context, made []madeDataset) error {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	for _, d := range made {
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
	if words, facets, ok := kind.words(&p, i); ok {
		q["q"] = words
		if facets {
			q["facet_by"], q["max_facet_values"] = strings.Join(fiveFacets, ","), 20
		}
	}
	switch kind.name {
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
