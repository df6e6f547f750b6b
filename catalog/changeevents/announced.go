package changeevents

import (
	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/model"
)

// These are the parameters of the events of announced changes.
const (
	parameterPullRequest = "pullRequest"
	parameterChangeKind  = "kind"
	parameterDataset     = "dataset"
	parameterFieldURN    = "fieldUrn"
	parameterState       = "state"
	parameterArrived     = "arrivedAt"
	parameterRun         = "runId"
	parameterAuthor      = "author"
	parameterText        = "description"
)

// unannounced is the state of a change that nobody announced.
const unannounced = "UNANNOUNCED"

// arrivals returns an event for each change of a dataset that is now known to have been announced, or not to have been. The
// modifier is the announced change.
func arrivals(c *catalog.Change) []Event {
	if c.ValuesPruned {
		return nil
	}
	before := map[string]bool{}
	if previous, err := jsontree.DecodeObject(c.Previous); err == nil {
		eachArrival(previous, func(_, _ jsontree.Object, identity string) { before[identity] = true })
	}
	info, err := jsontree.DecodeObject(c.Value)
	if err != nil {
		return nil // the announced change was deleted
	}
	pull, state := jsontree.Text(info, parameterPullRequest), jsontree.Text(info, parameterState)
	var events []Event
	eachArrival(info, func(member, arrival jsontree.Object, identity string) {
		if before[identity] {
			return
		}
		dataset := jsontree.Text(arrival, parameterDataset)
		e := Event{
			EntityURN: dataset, Category: CategoryAnnounced, Operation: OperationArrived, Modifier: c.URN, Of: jsontree.Text(arrival, "change"),
			Parameters: map[string]any{
				parameterDataset: dataset, parameterChangeKind: jsontree.Text(member, parameterChangeKind), parameterState: state,
				parameterArrived: jsontree.Integer(arrival["time"]), parameterText: jsontree.Text(arrival, parameterText),
			},
		}
		if state == unannounced {
			e.Operation = OperationUnannounced
		}
		for name, text := range map[string]string{
			parameterPullRequest: pull, parameterAuthor: jsontree.Text(info, parameterAuthor), parameterRun: jsontree.Text(arrival, parameterRun),
		} {
			if text != "" {
				e.Parameters[name] = text
			}
		}
		if field := jsontree.Text(arrival, "field"); field != "" {
			e.Parameters[parameterFieldURN] = field
		}
		e.Describe()
		events = append(events, e)
	})
	return events
}

// eachArrival calls visit for the arrivals of an announced change, with its member and an identity of the arrival.
func eachArrival(info jsontree.Object, visit func(member, arrival jsontree.Object, identity string)) {
	for _, member := range jsontree.Items(info, "changes") {
		for _, arrival := range jsontree.Items(member, "arrivals") {
			visit(member, arrival, jsontree.Text(member, parameterChangeKind)+"\x00"+jsontree.Text(member, "column")+"\x00"+jsontree.Text(arrival, parameterDataset)+"\x00"+jsontree.Text(arrival, "change"))
		}
	}
}

// Arrived returns the dataset of an event about an announced change, and when the dataset changed, epoch milliseconds; "" for other
// events.
func (e *Event) Arrived() (dataset string, at int64) {
	if e.Category != CategoryAnnounced {
		return "", 0
	}
	at, _ = e.Parameters[parameterArrived].(int64)
	return e.Text(parameterDataset), at
}

// Repeats reports whether an event about an announced change tells of another event: of the same column, of the deletion of the
// same dataset, or of the same lost lineage.
func (e *Event) Repeats(other *Event) bool {
	if e.Category != CategoryAnnounced || e.Text(parameterFieldURN) != other.Text(parameterFieldURN) {
		return false
	}
	switch {
	case e.Text(parameterFieldURN) != "":
		return true
	case e.Text(parameterDataset) != other.EntityURN:
		return false
	case e.Text(parameterChangeKind) == "tableRemoved":
		return other.Category == CategoryLifecycle && other.Breaks()
	default:
		return other.LosesUpstream()
	}
}

// Describe describes an event about an announced change in words, from its other members. Stored events have no description.
func (e *Event) Describe() {
	e.Description = model.DatasetName(e.Text(parameterDataset)) + ": " + e.Text(parameterText)
	if e.Operation == OperationUnannounced {
		e.Description += ", which nobody announced"
	} else {
		e.Description += ", as announced in " + e.Text(parameterPullRequest)
	}
}

// KeepsColumn reports whether an event about an announced change is about a column that is still there under its name.
func (e *Event) KeepsColumn() bool {
	kind := e.Text(parameterChangeKind)
	return kind == "columnRetyped" || kind == "nullabilityChanged"
}
