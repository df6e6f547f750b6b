package events

import (
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog/announced"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// announcedHandlers serve announced changes.
type announcedHandlers struct{ catalog *services.Services }

// Announced returns the endpoints of announced changes.
func Announced(rules *services.Services) []call.Endpoint {
	return announcedHandlers{rules}.endpoints()
}

const (
	announcedPath = "/announced-changes"
	announcedTag  = "Announced changes"
	exampleChange = "urn:li:announcedChange:pr-c505a2ce8d0da2901016"
)

func (h announcedHandlers) endpoints() []call.Endpoint {
	text := call.Object{"type": "string", "maxLength": limits.AnnouncedText}
	list := func(most int, of call.Object) call.Object {
		return call.Object{"type": "array", "maxItems": most, "items": of}
	}
	object := func(required []string, properties call.Object) call.Object {
		return call.Object{"type": "object", "required": required, "properties": properties}
	}
	state := call.Parameter{Name: "states", Kind: "list", Help: strings.Join(announced.States(), ", ") + "; all when left out"}
	return []call.Endpoint{
		{
			Method: http.MethodPost, Path: announcedPath, Tag: announcedTag, Needs: []string{announced.Privilege},
			Summary: "Announce the change of a pull request, as headwater check found it. The same pull request and project are the same change: what was promised is replaced, what has arrived stays. Without changes, a stored one is withdrawn.",
			Content: object([]string{"pullRequest", "changes"}, call.Object{
				"pullRequest": call.Object{"type": "string", "maxLength": limits.AnnouncedText, "description": "the address of the pull request"},
				"project":     call.Object{"type": "string", "maxLength": limits.AnnouncedText, "description": "the directory of the project in its repository"},
				"repository":  text, "author": text,
				"days": call.Object{"type": "integer", "minimum": 1, "maximum": limits.AnnouncedDays, "description": "for how many days the change is expected"},
				"changes": list(limits.AnnouncedMembers, object([]string{"kind", "datasets"}, call.Object{
					"kind":     call.Object{"type": "string", "enum": announced.Kinds()},
					"datasets": list(limits.AnnouncedDatasets, call.Object{"type": "string"}),
					"table":    text, "column": text, "path": text, "how": text, "newName": text, "oldType": text, "newType": text,
					"sure": call.Object{"type": "number", "minimum": 0, "maximum": 1},
				})),
				"effects": list(limits.AnnouncedEffects, object([]string{"name", "effect"}, call.Object{
					"urn": call.Object{"type": "string"}, "name": text, "effect": text, "why": text,
				})),
				"certain": call.Object{"type": "integer", "minimum": 0}, "possible": call.Object{"type": "integer", "minimum": 0},
				"refused": call.Object{"type": "boolean"},
				"exceptions": list(limits.AnnouncedEffects, object([]string{"name", "rule", "who", "until", "reason"}, call.Object{
					"urn": call.Object{"type": "string"}, "name": text, "rule": text, "who": text, "until": text, "reason": text,
				})),
			}),
			Example: call.Example{Body: `{"pullRequest":"https://git.invalid/example/pull/1","changes":[{"kind":"columnDropped","datasets":["` + call.ExampleTable + `"],"column":"example"}]}`},
			Handle:  h.announce,
		},
		{
			Method: http.MethodGet, Path: announcedPath, Tag: announcedTag,
			Summary: "The announced changes, and those that nobody announced, the newest first.",
			Parameters: []call.Parameter{
				state,
				{Name: "dataset", Kind: "string", Help: "only changes about this dataset"},
				{Name: "pullRequest", Kind: "string", Help: "only the changes of the pull request with this address"},
				{Name: "start", Kind: "integer", Help: "how many changes are left out, 0 when left out"},
				{Name: "count", Kind: "integer", Help: limits.LeftOutMost(limits.DefaultAnnouncedPage, limits.AnnouncedPage)},
			},
			Example: call.Example{Query: "states=ANNOUNCED&count=5"},
			Handle:  h.list,
		},
		{
			Method: http.MethodGet, Path: announcedPath, Below: "/{urn}", Tag: announcedTag,
			Summary: "An announced change: what was promised, who agreed, and what of it has arrived.",
			Example: call.Example{Tail: exampleChange},
			Handle:  h.get,
		},
		{
			Method: http.MethodPost, Path: announcedPath, Below: "/{urn}/withdraw", Tag: announcedTag, Needs: []string{announced.Privilege},
			Summary: "Say that an announced change will not come.",
			Content: object([]string{}, call.Object{"reason": text}),
			Example: call.Example{Tail: exampleChange + "/withdraw", Body: `{"reason":"closed"}`},
			Handle:  h.withdraw,
		},
	}
}

func (h announcedHandlers) announce(c *call.Call) error {
	var draft announced.Draft
	if err := c.Body(&draft); err != nil {
		return err
	}
	o, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	for i := range draft.Changes {
		urns, err := c.URNList(draft.Changes[i].Datasets)
		if err != nil {
			return err
		}
		for k, u := range urns {
			draft.Changes[i].Datasets[k] = u.String()
		}
	}
	made, err := h.catalog.Announced.Announce(c.Request.Context(), &draft, o)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		Announced *announced.Change `json:"announced"`
	}{made})
}

func (h announcedHandlers) list(c *call.Call) error {
	r := &call.Reader{Call: c}
	request := announced.Request{States: call.Argument(r, c.List, "states"), PullRequest: call.Argument(r, c.Text, "pullRequest")}
	dataset := call.Argument(r, c.Text, "dataset")
	if r.Err != nil {
		return r.Err
	}
	var err error
	if request.Start, request.Count, err = c.Page(limits.DefaultAnnouncedPage); err != nil {
		return err
	}
	if dataset != "" {
		if request.Dataset, err = c.URN(dataset); err != nil {
			return err
		}
	}
	found, err := h.catalog.Announced.List(c.Request.Context(), request)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, found)
}

func (h announcedHandlers) get(c *call.Call) error {
	u, err := c.URN(c.Parts["urn"])
	if err != nil {
		return err
	}
	found, err := h.catalog.Announced.Get(c.Request.Context(), u)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, found)
}

func (h announcedHandlers) withdraw(c *call.Call) error {
	u, err := c.URN(c.Parts["urn"])
	if err != nil {
		return err
	}
	var body struct {
		Reason string `json:"reason"`
	}
	if err := c.Body(&body); err != nil {
		return err
	}
	o, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	withdrawn, err := h.catalog.Announced.Withdraw(c.Request.Context(), u, body.Reason, o)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, withdrawn)
}
