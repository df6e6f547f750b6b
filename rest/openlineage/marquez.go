package openlineage

import (
	"net/http"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/openlineage/marquez"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/rest/call"
)

// The parameters of lists and graphs.
var (
	listParameters = []call.Parameter{
		{Name: "limit", Kind: "integer", Help: "the number of items; 100 if it is missing"},
		{Name: "offset", Kind: "integer", Help: "the number of items before the first one; 0 if it is missing"},
	}
	depthParameter = call.Parameter{Name: "depth", Kind: "integer", Help: "the number of steps from the node; 20 if it is missing"}
)

// marquezTag groups the endpoints in the shape of Marquez.
const marquezTag = "Marquez"

// marquezEndpoints returns the endpoints that read the catalog in the shape of Marquez. The examples are about the
// run of the example of an event.
func marquezEndpoints(h handlers) []call.Endpoint {
	const namespaces, jobs = "/api/v1/namespaces", "/api/v1/jobs"
	one := func(path, below, tail, summary string, handle func(*call.Call) error) call.Endpoint {
		return call.Endpoint{Method: http.MethodGet, Path: path, Below: below, Tag: marquezTag, Summary: summary, Example: call.Example{Tail: tail}, Handle: handle}
	}
	list := func(path, below, tail, summary string, handle func(*call.Call) error) call.Endpoint {
		e := one(path, below, tail, summary, handle)
		e.Parameters = listParameters
		return e
	}
	types := one(jobs, "/runs/{id}/facets", "runs/01938b3e-52a0-7bb0-9c0e-2f3f0c6b8f11/facets", "The facets of a run, or of its job.", h.runFacets)
	types.Parameters = []call.Parameter{{Name: "type", Kind: "string", Help: "run or job; run if it is missing"}}
	return []call.Endpoint{
		list(namespaces, "", "", "The namespaces of datasets and jobs, by name.", h.namespaces),
		one(namespaces, "/{namespace}", "nightly", "A namespace.", h.namespace),
		list(namespaces, "/{namespace}/datasets", "snowflake%3A%2F%2Forg-account/datasets", "The datasets of a namespace, by name.", h.datasets),
		one(namespaces, "/{namespace}/datasets/{dataset}", "snowflake%3A%2F%2Forg-account/datasets/LAKE.PUBLIC.ORDERS", "A dataset with its columns and facets.", h.dataset),
		list(namespaces, "/{namespace}/jobs", "nightly/jobs", "The jobs of a namespace, by name.", h.jobs),
		one(namespaces, "/{namespace}/jobs/{job}", "nightly/jobs/copy_orders", "A job with its inputs, outputs, facets and latest runs.", h.job),
		list(namespaces, "/{namespace}/jobs/{job}/runs", "nightly/jobs/copy_orders/runs", "The runs of a job. The runs that the catalog learned of last come first.", h.runs),
		list(jobs, "", "", "The jobs of all namespaces, by namespace and name.", h.allJobs),
		one(jobs, "/runs/{id}", "runs/01938b3e-52a0-7bb0-9c0e-2f3f0c6b8f11", "A run.", h.run),
		types,
		{
			Method: http.MethodGet, Path: "/api/v1/lineage", Tag: marquezTag,
			Summary:    "The jobs around a dataset or a job, and the datasets that they read and write.",
			Parameters: []call.Parameter{{Name: "nodeId", Kind: "string", Help: "dataset:NAMESPACE:NAME or job:NAMESPACE:NAME", Required: true}, depthParameter},
			Example:    call.Example{Query: "nodeId=job:nightly:copy_orders&depth=2"}, Handle: h.lineage,
		},
		{
			Method: http.MethodGet, Path: "/api/v1/column-lineage", Tag: marquezTag,
			Summary: "The columns from which the columns of a dataset, or one column, follow.",
			Parameters: []call.Parameter{
				{Name: "nodeId", Kind: "string", Help: "dataset:NAMESPACE:NAME or datasetField:NAMESPACE:DATASET:COLUMN", Required: true},
				depthParameter,
				{Name: "withDownstream", Kind: "boolean", Help: "also the columns that follow from them; false if it is missing"},
			},
			Example: call.Example{Query: "nodeId=dataset:snowflake://org-account:LAKE.PUBLIC.ORDERS&withDownstream=true"}, Handle: h.columnLineage,
		},
		{
			Method: http.MethodGet, Path: "/api/v1/search", Tag: marquezTag,
			Summary: "The datasets and jobs that have the words of a text.",
			Parameters: []call.Parameter{
				{Name: "q", Kind: "string", Help: "the words", Required: true},
				{Name: "filter", Kind: "string", Help: "DATASET or JOB; both if it is missing"},
				{Name: "sort", Kind: "string", Help: "name or update_at; name if it is missing"},
				{Name: "limit", Kind: "integer", Help: "the number of results; 10 if it is missing"},
				{Name: "namespace", Kind: "string", Help: "the namespace of the results; all if it is missing"},
			},
			Example: call.Example{Query: "q=orders&sort=NAME"}, Handle: h.search,
		},
		list("/api/v1/tags", "", "", "The tags.", h.tags),
	}
}

// defaultDepth is the depth of graphs whose callers name none.
const defaultDepth = 20

// listPage reads the parameters of a list.
func listPage(c *call.Call, otherwise int) (marquez.Page, error) {
	r := call.Reader{Call: c}
	p := marquez.Page{Limit: r.Number("limit", otherwise), Offset: r.Number("offset", 0)}
	return p, r.Err
}

// listed answers with a list.
func listed[T any](c *call.Call, read func(marquez.Page) (T, error)) error {
	p, err := listPage(c, limits.DefaultMarquezPage)
	if err != nil {
		return err
	}
	return told(c, func() (T, error) { return read(p) })
}

// told answers with the value that a function reads.
func told[T any](c *call.Call, read func() (T, error)) error {
	answer, err := read()
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, answer)
}

func (h handlers) namespaces(c *call.Call) error {
	return listed(c, func(p marquez.Page) (*marquez.Namespaces, error) {
		return h.catalog.Marquez.Namespaces(c.Request.Context(), p)
	})
}

func (h handlers) namespace(c *call.Call) error {
	return told(c, func() (*marquez.Namespace, error) {
		return h.catalog.Marquez.Namespace(c.Request.Context(), c.Parts["namespace"])
	})
}

func (h handlers) datasets(c *call.Call) error {
	return listed(c, func(p marquez.Page) (*marquez.Datasets, error) {
		return h.catalog.Marquez.Datasets(c.Request.Context(), c.Parts["namespace"], p)
	})
}

func (h handlers) dataset(c *call.Call) error {
	return told(c, func() (*marquez.Dataset, error) {
		return h.catalog.Marquez.Dataset(c.Request.Context(), marquez.ID{Namespace: c.Parts["namespace"], Name: c.Parts["dataset"]})
	})
}

func (h handlers) jobs(c *call.Call) error {
	return listed(c, func(p marquez.Page) (*marquez.Jobs, error) {
		return h.catalog.Marquez.Jobs(c.Request.Context(), c.Parts["namespace"], p)
	})
}

func (h handlers) allJobs(c *call.Call) error {
	return listed(c, func(p marquez.Page) (*marquez.Jobs, error) {
		return h.catalog.Marquez.AllJobs(c.Request.Context(), p)
	})
}

func jobPart(c *call.Call) marquez.ID {
	return marquez.ID{Namespace: c.Parts["namespace"], Name: c.Parts["job"]}
}

func (h handlers) job(c *call.Call) error {
	return told(c, func() (*marquez.Job, error) { return h.catalog.Marquez.Job(c.Request.Context(), jobPart(c)) })
}

func (h handlers) runs(c *call.Call) error {
	return listed(c, func(p marquez.Page) (*marquez.Runs, error) {
		return h.catalog.Marquez.Runs(c.Request.Context(), jobPart(c), p)
	})
}

func (h handlers) run(c *call.Call) error {
	return told(c, func() (*marquez.Run, error) { return h.catalog.Marquez.Run(c.Request.Context(), c.Parts["id"]) })
}

func (h handlers) runFacets(c *call.Call) error {
	kind, err := c.Text("type")
	if err != nil {
		return err
	}
	if kind != "" && !strings.EqualFold(kind, "run") && !strings.EqualFold(kind, "job") {
		return catalog.Errorf(catalog.Invalid, "parameter type must be run or job, not %q", kind)
	}
	return told(c, func() (*marquez.RunFacets, error) {
		return h.catalog.Marquez.RunFacets(c.Request.Context(), c.Parts["id"], strings.EqualFold(kind, "job"))
	})
}

func (h handlers) lineage(c *call.Call) error {
	node, err := c.Required("nodeId")
	if err != nil {
		return err
	}
	r := call.Reader{Call: c}
	depth := r.Number("depth", defaultDepth)
	if r.Err != nil {
		return r.Err
	}
	return told(c, func() (*marquez.Graph, error) { return h.catalog.Marquez.Lineage(c.Request.Context(), node, depth) })
}

func (h handlers) columnLineage(c *call.Call) error {
	node, err := c.Required("nodeId")
	if err != nil {
		return err
	}
	r := call.Reader{Call: c}
	depth, downstream := r.Number("depth", defaultDepth), call.Argument(&r, c.Boolean, "withDownstream")
	if r.Err != nil {
		return r.Err
	}
	return told(c, func() (*marquez.FieldGraph, error) {
		return h.catalog.Marquez.ColumnLineage(c.Request.Context(), node, depth, downstream)
	})
}

func (h handlers) search(c *call.Call) error {
	r := call.Reader{Call: c}
	asked := marquez.SearchRequest{
		Text: call.Argument(&r, c.Required, "q"), Filter: call.Argument(&r, c.Text, "filter"), Sort: call.Argument(&r, c.Text, "sort"),
		Limit: r.Number("limit", limits.DefaultMarquezResults), Namespace: call.Argument(&r, c.Text, "namespace"),
	}
	if r.Err != nil {
		return r.Err
	}
	return told(c, func() (*marquez.SearchResults, error) { return h.catalog.Marquez.Search(c.Request.Context(), asked) })
}

func (h handlers) tags(c *call.Call) error {
	return listed(c, func(p marquez.Page) (*marquez.Tags, error) { return h.catalog.Marquez.Tags(c.Request.Context(), p) })
}
