package copying

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/headwater-io/headwater/client"
	"github.com/headwater-io/headwater/model"
)

// peer is the source or the target, a server with the reference's interface.
type peer struct {
	client *client.Client
	// name is the server's name in messages.
	name string
}

// errOdd: an answer does not have the form that the interface promises.
var errOdd = errors.New("its answer is not what the interface says")

// refusal returns the server's error if the server refused this request. It returns nil for
// other errors: if there was no answer, if the server is temporarily unable, or if it
// denies the caller access.
func refusal(err error) *client.Error {
	var refused *client.Error
	if errors.As(err, &refused) && !refused.Temporary() && !refused.Denied() {
		return refused
	}
	return nil
}

// isDenied reports whether the server denies the caller access.
func isDenied(err error) bool {
	var refused *client.Error
	return errors.As(err, &refused) && refused.Denied()
}

// unknownType reports whether the server refused a request because its model lacks the
// entity type.
func unknownType(refused *client.Error) bool {
	return strings.Contains(strings.ToLower(refused.Message), "failed to find entity with name")
}

// action calls an action and decodes the value in its answer.
func (p peer) action(ctx context.Context, path string, request, into any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	var answer struct {
		Value json.RawMessage `json:"value"`
	}
	if err := p.client.PostPatiently(ctx, path, body, &answer); err != nil {
		return err
	}
	if err := json.Unmarshal(answer.Value, into); err != nil {
		return fmt.Errorf("%w (%s): %w", errOdd, path, err)
	}
	return nil
}

func (p peer) get(ctx context.Context, path string, into any) error {
	return client.Patiently(ctx, func() error { return p.client.Get(ctx, path, into) })
}

// release returns the release of the reference that a server states, or "". It returns an
// error if the server is not a metadata service.
func (p peer) release(ctx context.Context) (string, error) {
	var config struct {
		NoCode   any `json:"noCode"`
		Versions map[string]struct {
			Version string `json:"version"`
		} `json:"versions"`
		Frontend any `json:"config"`
	}
	err := p.get(ctx, "/config", &config)
	if refusal(err) != nil || err == nil && (config.NoCode == nil || config.Frontend != nil) {
		return "", fmt.Errorf("%s is not a metadata service: it does not answer /config as one; the web application of DataHub often serves the service below /api/gms", p.client.Shown())
	}
	if err != nil {
		return "", err
	}
	return cmp.Or(config.Versions["acryldata/datahub"].Version, config.Versions["linkedin/datahub"].Version), nil
}

// specification is an entity type of a server's model.
type specification struct {
	Name      string `json:"name"`
	KeyAspect string `json:"keyAspectName"`
	Aspects   []struct {
		Annotation struct {
			Name       string `json:"name"`
			TimeSeries bool   `json:"timeseries"`
		} `json:"aspectAnnotation"`
	} `json:"aspectSpecs"`
}

// specificationCount is the size of a page of entity types.
const specificationCount = 100

// specifications returns the entity types of a server's model.
func (p peer) specifications(ctx context.Context) ([]specification, error) {
	var all []specification
	for {
		var page struct {
			Total    int             `json:"total"`
			Elements []specification `json:"elements"`
		}
		if err := p.get(ctx, fmt.Sprintf("/openapi/v1/registry/models/entity/specifications?start=%d&count=%d", len(all), specificationCount), &page); err != nil {
			return nil, err
		}
		if all = append(all, page.Elements...); len(page.Elements) == 0 || len(all) >= page.Total {
			return all, nil
		}
	}
}

// urnPage is a page of a list of entities of one type.
type urnPage struct {
	Entities []string `json:"entities"`
	Total    int      `json:"total"`
}

// list returns a page of the entities of a type, including soft-deleted ones.
func (p peer) list(ctx context.Context, kind string, start, count int) (*urnPage, error) {
	page := &urnPage{}
	return page, p.action(ctx, "/entities?action=listUrns", map[string]any{"entity": kind, "start": start, "count": count}, page)
}

// count returns the number of entities that have an aspect and a URN matching a SQL LIKE
// pattern.
func (p peer) count(ctx context.Context, aspect, urnLike string) (n int, err error) {
	return n, p.action(ctx, "/aspects?action=getCount", map[string]any{"aspect": aspect, "urnLike": urnLike}, &n)
}

// entity is an entity as a server returns it.
type entity struct {
	aspects map[string]client.Aspect
}

// read returns entities of the source by their URNs, and the reasons why others could not
// be read.
func (p peer) read(ctx context.Context, urns []string) (found map[string]entity, failed map[string]string, err error) {
	var answer struct {
		Results map[string]client.Entity `json:"results"`
		Errors  map[string]struct {
			Message string `json:"message"`
		} `json:"errors"`
	}
	if err := p.get(ctx, "/entitiesV2?ids="+idList(urns), &answer); err != nil {
		return nil, nil, err
	}
	found, failed = map[string]entity{}, map[string]string{}
	for urn, one := range answer.Results {
		found[normal(urn)] = entity{one.Aspects}
	}
	for urn, failure := range answer.Errors {
		failed[normal(urn)] = cmp.Or(failure.Message, "it gives no reason")
	}
	return found, failed, nil
}

// idList encodes URNs as a list for a query.
func idList(urns []string) string {
	encoded := make([]string, len(urns))
	for i, urn := range urns {
		encoded[i] = model.EncodeURN(urn)
	}
	return "List(" + strings.Join(encoded, ",") + ")"
}

// stored returns entities that a Headwater server stores, by their URNs. Entities of which
// it stores nothing are left out.
func (p peer) stored(ctx context.Context, kind string, urns []string) (map[string]entity, error) {
	asked := make([]map[string]string, len(urns))
	for i, urn := range urns {
		asked[i] = map[string]string{"urn": urn}
	}
	body, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	var answer []map[string]json.RawMessage
	if err := p.client.PostPatiently(ctx, "/openapi/v3/entity/"+kind+"/batchGet", body, &answer); err != nil {
		return nil, err
	}
	found := map[string]entity{}
	for _, members := range answer {
		var urn string
		if err := json.Unmarshal(members["urn"], &urn); err != nil {
			return nil, fmt.Errorf("%w: %w", errOdd, err)
		}
		delete(members, "urn")
		one := entity{map[string]client.Aspect{}}
		for name, text := range members {
			var aspect client.Aspect
			if err := json.Unmarshal(text, &aspect); err != nil {
				return nil, fmt.Errorf("%w: %w", errOdd, err)
			}
			one.aspects[name] = aspect
		}
		found[normal(urn)] = one
	}
	return found, nil
}

// normal returns the same text for every spelling of a URN.
func normal(urn string) string {
	u, err := model.ParseURN(urn)
	if err != nil {
		return urn
	}
	return model.Default().Normal(u).String()
}
