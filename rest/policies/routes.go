// Package policies has the calls about policies that the reference does not have: lists, files, tests
// of files, and explanations.
package policies

import (
	"net/http"

	"github.com/headwater-io/headwater/access/manage"
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/rest/call"
)

// Endpoints returns the endpoints of policies. service is nil if the server manages none; every request
// is then answered with 404.
func Endpoints(service *manage.Service) []call.Endpoint {
	endpoints := handlers{service}.endpoints()
	for i := range endpoints {
		if service == nil {
			endpoints[i].Handle = func(*call.Call) error {
				return catalog.Errorf(catalog.NotFound, "this server does not manage policies")
			}
		}
	}
	return endpoints
}

// fileBody is the schema of a body with a file of policies.
var fileBody = call.Object{"type": "object", "required": []string{"text"}, "properties": call.Object{
	"name": call.Object{"type": "string", "description": "for errors"},
	"text": call.Object{"type": "string", "description": "a file of policies, YAML or JSON"},
}}

// example is a file of policies.
const example = `{"name":"policies.yaml","text":"policies:\n  - id: stewards\n    name: Stewards\n    allow: [EDIT_ENTITY_TAGS]\n    who: {groups: [stewards]}\n"}`

func (h handlers) endpoints() []call.Endpoint {
	const tag = "Policies"
	return []call.Endpoint{
		{
			Method: http.MethodGet, Path: "/access/explain", Tag: tag,
			Summary: "Whether somebody may do something, which policy decides, why, and which policies would allow it. For the actor and for those with MANAGE_POLICIES.",
			Parameters: []call.Parameter{
				{Name: "actor", Kind: "string", Required: true, Help: "the URN of a user"},
				{Name: "privilege", Kind: "string", Required: true, Help: "a privilege such as EDIT_ENTITY_TAGS, or an operation such as READ or UPDATE"},
				{Name: "urn", Kind: "string", Help: "the entity; the server when left out"},
			},
			Example: call.Example{Query: "actor=urn:li:corpuser:ada&privilege=EDIT_ENTITY_TAGS&urn=urn:li:tag:Pii"},
			Handle:  h.explain,
		},
		{
			Method: http.MethodGet, Path: "/access/policies", Tag: tag,
			Summary:    "The stored policies, each also as a file. For those with MANAGE_POLICIES.",
			Parameters: []call.Parameter{{Name: "id", Kind: "string", Help: "only the policy with this id"}},
			Example:    call.Example{},
			Handle:     h.list,
		},
		{
			Method: http.MethodPost, Path: "/access/policies/apply", Tag: tag,
			Summary: "Make the stored policies those of a file: write what differs, all or nothing. Policies that are not in the file stay. For those with MANAGE_POLICIES.",
			Parameters: []call.Parameter{
				{Name: "dryRun", Kind: "boolean", Help: "tell what would change, and change nothing"},
				{Name: "prune", Kind: "boolean", Help: "delete the policies that are not in the file, but for those that are not editable"},
			},
			Content: fileBody,
			Example: call.Example{Query: "dryRun=true", Body: example},
			Handle:  h.apply,
		},
		{
			Method: http.MethodPost, Path: "/access/policies/test", Tag: tag, Reads: true,
			Summary: "Which expectations of a file of policies hold, as if the file were applied. Nothing is written. For those with MANAGE_POLICIES.",
			Content: fileBody,
			Example: call.Example{Body: example},
			Handle:  h.test,
		},
	}
}
