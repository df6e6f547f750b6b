package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// client sends requests as the Python client does.
type client struct {
	base string
	http *http.Client
}

func newClient(base string) *client {
	return &client{base, &http.Client{Timeout: 2 * time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 16}}}
}

// refusal is an answer with a status other than 2xx.
type refusal struct {
	status int
	body   string
}

func (r *refusal) Error() string { return fmt.Sprintf("%d: %.600s", r.status, r.body) }

// call sends a request and decodes the answer into result, unless result is nil. If the
// server refuses the request because it is busy, call sends it again.
func (c *client) call(ctx context.Context, method, target string, body, result any) error {
	var sent []byte
	if body != nil {
		sent = []byte(text(body))
	}
	for try := 1; ; try++ {
		status, answer, err := c.send(ctx, method, target, sent)
		switch {
		case err != nil:
			return err
		case status == http.StatusServiceUnavailable && try < 20:
			time.Sleep(time.Duration(try) * 100 * time.Millisecond)
			continue
		case status/100 != 2:
			return &refusal{status, string(answer)}
		case result == nil:
			return nil
		}
		decoder := json.NewDecoder(bytes.NewReader(answer))
		decoder.UseNumber()
		return decoder.Decode(result)
	}
}

func (c *client) send(ctx context.Context, method, target string, body []byte) (int, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+target, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("X-RestLi-Protocol-Version", "2.0.0")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

func (c *client) get(ctx context.Context, path string, query url.Values, result any) error {
	return c.call(ctx, http.MethodGet, path+"?"+query.Encode(), nil, result)
}

// action posts to an action on entities, aspects or another resource.
func (c *client) action(ctx context.Context, target string, body, result any) error {
	return c.call(ctx, http.MethodPost, target, body, result)
}

// proposal returns the proposal for one change of an aspect.
func proposal(o op) object {
	p := object{"entityType": typeOf(o.urn), "entityUrn": o.urn, "changeType": "UPSERT", "aspectName": o.aspect}
	if o.kind == deleteAspect {
		p["changeType"] = "DELETE"
		return p
	}
	p["aspect"] = object{"value": text(o.value), "contentType": "application/json"}
	return p
}

// batchSize is how many proposals one request has.
const batchSize = 200

// apply sends changes in their order.
func (c *client) apply(ctx context.Context, ops []op) error {
	var batch []any
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		var answer struct {
			Value struct {
				Failed  int
				Results []struct{ URN, Status, Error string }
			}
		}
		err := c.action(ctx, "/aspects?action=ingestProposalBatch", object{"proposals": batch}, &answer)
		batch = nil
		if err != nil || answer.Value.Failed == 0 {
			return err
		}
		for _, r := range answer.Value.Results {
			if r.Status == "error" {
				return fmt.Errorf("%d of a batch are refused, the first: %+v", answer.Value.Failed, r)
			}
		}
		return fmt.Errorf("%d of a batch are refused", answer.Value.Failed)
	}
	for _, o := range ops {
		if o.kind == deleteEntity {
			if err := flush(); err != nil {
				return err
			}
			if err := c.action(ctx, "/entities?action=delete", object{"urn": o.urn}, nil); err != nil {
				return fmt.Errorf("delete %s: %w", o.urn, err)
			}
			continue
		}
		batch = append(batch, proposal(o))
		if len(batch) == batchSize {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// settle waits until the search index has all changes.
func (c *client) settle(ctx context.Context) error {
	for range 1200 {
		var state struct {
			Lag      int
			Building bool
		}
		if err := c.get(ctx, "/index", nil, &state); err != nil {
			return err
		}
		if state.Lag == 0 && !state.Building {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(250 * time.Millisecond):
		}
	}
	return fmt.Errorf("the search index is not up to date after five minutes")
}

// adopt reads the entities that a new server has from its start into the mirror.
func (c *client) adopt(ctx context.Context, m *mirror) error {
	for name := range m.facts.entities {
		var listed struct {
			Value struct {
				Entities []string
				Total    int
			}
		}
		if err := c.action(ctx, "/entities?action=listUrns", object{"entity": name, "start": 0, "count": 10000}, &listed); err != nil {
			return err
		}
		if listed.Value.Total > 1000 {
			return fmt.Errorf("the store is not empty: it has %d of %s", listed.Value.Total, name)
		}
		for _, urn := range listed.Value.Entities {
			aspects, err := c.aspects(ctx, urn)
			if err != nil {
				return err
			}
			m.latest[urn] = aspects
		}
	}
	return nil
}

// aspects reads the latest values of an entity.
func (c *client) aspects(ctx context.Context, urn string) (map[string]any, error) {
	var answer struct {
		Aspects map[string]struct{ Value any }
	}
	if err := c.get(ctx, "/entitiesV2/"+url.PathEscape(urn), nil, &answer); err != nil {
		return nil, err
	}
	aspects := map[string]any{}
	for name, aspect := range answer.Aspects {
		aspects[name] = canonical(aspect.Value)
	}
	return aspects, nil
}

// snapshot sends an entity in the legacy form. Each aspect is in the record of its kind.
func (c *client) snapshot(ctx context.Context, name string, snapshot object) error {
	err := c.action(ctx, "/entities?action=ingest", object{"entity": object{"value": object{name: snapshot}}}, nil)
	if err != nil {
		return fmt.Errorf("%s: %w", strings.TrimPrefix(name, "com.linkedin.metadata.snapshot."), err)
	}
	return nil
}
