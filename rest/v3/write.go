package v3

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/traces"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/internal/intake"
	"github.com/headwater-io/headwater/model"
	"github.com/headwater-io/headwater/rest/call"
)

// writeHandlers write entities and aspects of any type.
type writeHandlers struct{ catalog *services.Services }

// traceHeader is the header of the trace: callers may send it, and answers return it.
const traceHeader = "traceparent"

// writeRequest is a write of entities of one or several types, with its options.
type writeRequest struct {
	proposals []write.Proposal
	options   catalog.WriteOptions
	// async: the answer is 202 with a trace. later: the caller has set async=true, so some
	// errors are reported only in the trace. stamps: the answer has stamps and system
	// metadata.
	async, later, stamps bool
}

// readRequest reads the options of a write. asyncOtherwise is the default of async.
func readRequest(c *call.Call, asyncOtherwise bool) (*writeRequest, error) {
	r := &writeRequest{}
	var err error
	if r.async, err = c.BooleanOr("async", asyncOtherwise); err != nil {
		return nil, err
	}
	if r.later, err = c.Boolean("async"); err != nil {
		return nil, err
	}
	if r.stamps, err = c.Boolean("systemMetadata"); err != nil {
		return nil, err
	}
	r.options, err = c.WriteOptions(nil)
	return r, err
}

// add appends a proposal for each aspect of the entities.
func (r *writeRequest) add(entityType, kind string, entities []entityWrite) error {
	for i := range entities {
		e := &entities[i]
		if e.urn == "" {
			return catalog.Errorf(catalog.Invalid, "the %s at %d has no urn", entityType, i)
		}
		if len(e.aspects) == 0 {
			return catalog.Errorf(catalog.Invalid, "%s has no aspects", e.urn)
		}
		for j := range e.aspects {
			if err := r.change(entityType, e.urn, kind, &e.aspects[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

// change appends a proposal for one aspect.
func (r *writeRequest) change(entityType, urn, kind string, change *aspectWrite) error {
	if len(change.Value) == 0 {
		return catalog.Errorf(catalog.Invalid, "the aspect %s of %s has no value", change.name, urn)
	}
	content := call.JSONContent
	if kind == write.Patch {
		content = call.PatchContent
	}
	for name, value := range change.Headers {
		if strings.EqualFold(name, call.SyncHeader) {
			wait, err := strconv.ParseBool(value)
			if err != nil {
				return catalog.Errorf(catalog.Invalid, "header %s of the aspect %s must be true or false", call.SyncHeader, change.name)
			}
			r.options.AwaitIndex = r.options.AwaitIndex || wait
		}
	}
	r.proposals = append(r.proposals, write.Proposal{
		EntityType: entityType, EntityURN: urn, ChangeType: kind, AspectName: change.name, System: change.System, Headers: change.Headers,
		Aspect: &write.GenericAspect{Value: change.Value, ContentType: content},
	})
	return nil
}

// apply writes the proposals, either all of them or none, and returns the written entities.
func (h writeHandlers) apply(c *call.Call, r *writeRequest) (entityList, error) {
	trace, given := traces.OfCaller(c.GetHeader(traceHeader))
	if !given {
		trace = traces.New(h.catalog.Moment())
	}
	if r.async {
		for i := range r.proposals {
			r.proposals[i].System = trace.Marked(r.proposals[i].System)
		}
	}
	if err := c.HoldValues(r.proposals); err != nil {
		return nil, err
	}
	ctx := c.Request.Context()
	items, err := h.catalog.IngestWhole(ctx, r.proposals, r.options)
	if r.later && traces.TellsLater(err) {
		if err = h.catalog.Failed.StoreRefused(ctx, trace, err); err == nil {
			items = make([]write.BatchItem, len(r.proposals))
		}
	}
	if err != nil {
		return nil, err
	}
	if r.async {
		h.catalog.Given(trace)
		c.Header(traceHeader, trace.Parent())
	}
	written := entityList{}
	for i := range items {
		p := &r.proposals[i]
		urn := cmp.Or(items[i].URN, p.EntityURN)
		if n := len(written); n == 0 || written[n-1].URN != urn {
			written = append(written, entityAnswer{URN: urn})
		}
		last := &written[len(written)-1]
		last.Aspects = append(last.Aspects, aspectAnswer{Name: p.AspectName, Value: p.Aspect.Value})
		if r.async && r.stamps {
			last.Aspects[len(last.Aspects)-1].System = trace.Sent(p.System, h.catalog.Moment())
		}
	}
	if r.stamps {
		err = h.addStamps(c, written, trace)
	}
	return written, err
}

// addStamps adds the stored stamps and system metadata to the written aspects. If another write
// stored the current version of an aspect, the aspect keeps the system metadata that was sent
// with the trace.
func (h writeHandlers) addStamps(c *call.Call, written entityList, trace traces.Trace) error {
	var texts []string
	for _, e := range written {
		texts = append(texts, e.URN)
	}
	urns, err := c.URNList(texts)
	if err != nil {
		return err
	}
	stored, err := h.catalog.Stored(c.Request.Context(), catalog.Distinct(urns), catalog.StoredAspects{})
	if err != nil {
		return err
	}
	known := map[[2]string]*catalog.EnvelopedAspect{}
	for i := range stored {
		for j := range stored[i].Aspects {
			known[[2]string{stored[i].URN, stored[i].Aspects[j].Name}] = &stored[i].Aspects[j]
		}
	}
	for _, e := range written {
		for j := range e.Aspects {
			if a := known[[2]string{e.URN, e.Aspects[j].Name}]; a != nil {
				e.Aspects[j].Stamp = &a.Created
				if e.Aspects[j].System == nil || trace.Wrote(a.System) {
					e.Aspects[j].System = a.System
				}
			}
		}
	}
	return nil
}

// answer answers a write: with status 202 if async is set.
func (r *writeRequest) answer(c *call.Call, written any) error {
	if r.async {
		return c.JSON(http.StatusAccepted, written)
	}
	return c.JSON(http.StatusOK, written)
}

// entities returns the handler that writes entities of the type in the path.
func (h writeHandlers) entities(kind string) func(*call.Call) error {
	return func(c *call.Call) error {
		e, err := c.TypePart()
		if err != nil {
			return err
		}
		r, err := readRequest(c, true)
		if err != nil {
			return err
		}
		var body []entityWrite
		if err := c.BodyOf(intake.Batch, &body); err != nil {
			return err
		}
		if err := r.add(e.Name, kind, body); err != nil {
			return err
		}
		written, err := h.apply(c, r)
		if err != nil {
			return err
		}
		return r.answer(c, written)
	}
}

// generic returns the handler that writes entities of several types.
func (h writeHandlers) generic(kind string) func(*call.Call) error {
	return func(c *call.Call) error {
		r, err := readRequest(c, true)
		if err != nil {
			return err
		}
		var body map[string][]entityWrite
		if err := c.BodyOf(intake.Batch, &body); err != nil {
			return err
		}
		spelled := map[string]string{}
		for _, name := range slices.Sorted(maps.Keys(body)) {
			e, err := c.Catalog.EntityType(name)
			if err != nil {
				return err
			}
			if err := r.add(e.Name, kind, body[name]); err != nil {
				return err
			}
			spelled[e.Name] = name
		}
		written, err := h.apply(c, r)
		if err != nil {
			return err
		}
		answer := listsByType{}
		for i, e := range written {
			name := spelled[model.StoredURN(e.URN).EntityType()]
			answer[name] = append(answer[name], written[i])
		}
		return r.answer(c, answer)
	}
}

// writeAspect writes the aspect in the path. The aspect must not exist yet, unless the
// caller permits it.
func (h writeHandlers) writeAspect(c *call.Call) error {
	var change aspectWrite
	kind := write.Upsert
	p := &call.Reader{Call: c}
	unlessEntity := call.Argument(p, c.Boolean, "createIfEntityNotExists")
	unlessAspect := call.Argument(p, func(name string) (bool, error) { return c.BooleanOr(name, true) }, "createIfNotExists")
	switch {
	case p.Err != nil:
		return p.Err
	case unlessEntity:
		kind = write.CreateEntity
	case unlessAspect:
		kind = write.Create
	}
	return h.aspect(c, kind, func() (*aspectWrite, error) { return &change, c.BodyOf(intake.Batch, &change) })
}

// patchAspect patches the aspect in the path. The body of the request is the patch.
func (h writeHandlers) patchAspect(c *call.Call) error {
	return h.aspect(c, write.Patch, func() (*aspectWrite, error) {
		var patch json.RawMessage
		err := c.BodyOf(intake.Batch, &patch)
		return &aspectWrite{Value: patch}, err
	})
}

// aspect writes the aspect in the path and answers with its entity.
func (h writeHandlers) aspect(c *call.Call, kind string, body func() (*aspectWrite, error)) error {
	e, u, name, err := c.AspectParts()
	if err != nil {
		return err
	}
	r, err := readRequest(c, false)
	if err != nil {
		return err
	}
	change, err := body()
	if err != nil {
		return err
	}
	change.name = name
	if err := r.change(e.Name, u.String(), kind, change); err != nil {
		return err
	}
	written, err := h.apply(c, r)
	if err != nil {
		return err
	}
	return r.answer(c, written[0])
}

// deleteEntity deletes the entity in the path, or some of its aspects.
func (h writeHandlers) deleteEntity(c *call.Call) error {
	e, u, err := c.EntityParts()
	if err != nil {
		return err
	}
	p := &call.Reader{Call: c}
	clearing, names := call.Argument(p, c.Boolean, "clear"), call.Argument(p, c.List, "aspects")
	if p.Err != nil {
		return p.Err
	}
	if err := c.Spell(e, names); err != nil {
		return err
	}
	options, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	switch {
	case clearing:
		return h.clear(c, e, u, options)
	case len(names) == 0 || slices.Contains(names, e.KeyAspect):
		if _, err := h.catalog.Removal.Delete(c.Request.Context(), u, false, options); err != nil {
			return err
		}
		return c.Nothing()
	}
	return h.deleteAspects(c, e, u, names, options)
}

// clear deletes all aspects of an entity except its key aspect.
func (h writeHandlers) clear(c *call.Call, e *model.Entity, u model.URN, options catalog.WriteOptions) error {
	stored, err := h.catalog.Stored(c.Request.Context(), []model.URN{u}, catalog.StoredAspects{})
	if err != nil {
		return err
	}
	var names []string
	for i := range stored {
		for _, a := range stored[i].Aspects {
			if a.Name != e.KeyAspect {
				names = append(names, a.Name)
			}
		}
	}
	return h.deleteAspects(c, e, u, names, options)
}

func (h writeHandlers) deleteAspect(c *call.Call) error {
	e, u, name, err := c.AspectParts()
	if err != nil {
		return err
	}
	options, err := c.WriteOptions(nil)
	if err != nil {
		return err
	}
	return h.deleteAspects(c, e, u, []string{name}, options)
}

// deleteAspects deletes aspects of an entity in one transaction.
func (h writeHandlers) deleteAspects(c *call.Call, e *model.Entity, u model.URN, names []string, options catalog.WriteOptions) error {
	var proposals []write.Proposal
	for _, name := range names {
		proposals = append(proposals, write.Proposal{EntityType: e.Name, EntityURN: u.String(), ChangeType: write.Delete, AspectName: name})
	}
	if _, err := h.catalog.IngestWhole(c.Request.Context(), proposals, options); err != nil {
		return err
	}
	return c.Nothing()
}
