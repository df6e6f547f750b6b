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

// peer is a server that speaks the reference's interface.
type peer struct {
	client *client.Client
	// name is how messages name the server.
	name string
}

// errOdd: an answer is not what the interface says.
var errOdd = errors.New("its answer is not what the interface says")

// refusal returns the error that a server answered a request with, nil if it answered
// otherwise, if it cannot answer now, or if it lets the caller do nothing.
func refusal(err error) *client.Error {
	var refused *client.Error
	if errors.As(err, &refused) && !refused.Temporary() && !refused.Denied() {
		return refused
	}
	return nil
}

// isDenied reports whether a server lets the caller do nothing of the kind.
func isDenied(err error) bool {
	var refused *client.Error
	return errors.As(err, &refused) && refused.Denied()
}

// unknownType reports whether a server refused a request because its model does not have
// the entity type.
func unknownType(refused *client.Error) bool {
	return strings.Contains(strings.ToLower(refused.Message), "failed to find entity with name")
}

// action calls an action and reads the value that it answers.
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

// release returns the release of the reference that a server says it is, "" if it says
// none. It fails if the server is not a metadata service.
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

// urnPage is a page of the entities of a type.
type urnPage struct {
	Entities []string `json:"entities"`
	Total    int      `json:"total"`
}

// list returns a page of the entities of a type, soft-deleted ones included.
func (p peer) list(ctx context.Context, kind string, start, count int) (*urnPage, error) {
	page := &urnPage{}
	return page, p.action(ctx, "/entities?action=listUrns", map[string]any{"entity": kind, "start": start, "count": count}, page)
}

// count returns how many entities have an aspect, of those whose URNs match the pattern.
func (p peer) count(ctx context.Context, aspect, urnLike string) (n int, err error) {
	return n, p.action(ctx, "/aspects?action=getCount", map[string]any{"aspect": aspect, "urnLike": urnLike}, &n)
}

// entity is what a server has of an entity.
type entity struct {
	aspects map[string]client.Aspect
}

// read returns what a source has of some entities of one type, by their URNs, and why it
// did not read others.
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

// idList spells URNs as a list in a query.
func idList(urns []string) string {
	encoded := make([]string, len(urns))
	for i, urn := range urns {
		encoded[i] = model.EncodeURN(urn)
	}
	return "List(" + strings.Join(encoded, ",") + ")"
}

// stored returns what a Headwater server stores of some entities of one type, by their
// URNs. Others are left out.
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

// normal is the same for every spelling of a URN.
func normal(urn string) string {
	u, err := model.ParseURN(urn)
	if err != nil {
		return urn
	}
	return model.Default().Normal(u).String()
}
