package ingestion

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/permission"
	"github.com/headwater-io/headwater/catalog/records"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// The causes of runs, as the reference names them in the source of an execution request.
const (
	causeAsked     = "MANUAL_INGESTION_SOURCE"
	causeScheduled = "SCHEDULED_INGESTION_SOURCE"
	causeTest      = "MANUAL_TEST_CONNECTION"
)

// run is a run that waits or goes on. Its request and its result are aspects; run has only the facts that
// the queue needs.
type run struct {
	// URN is the execution request. Source is "" for a test of a connection.
	URN    string `json:"urn"`
	Source string `json:"source,omitempty"`
	Task   string `json:"task"`
	// Executor is the executor ID whose executors may take the run.
	Executor string `json:"executor"`
	// Cause is one of the causes. Actor is who asked for the run, "" for the server itself.
	Cause string `json:"cause"`
	Actor string `json:"actor,omitempty"`
	// Asked is when the run was asked for, NotBefore when its next attempt may begin, epoch milliseconds.
	Asked     int64 `json:"asked"`
	NotBefore int64 `json:"notBefore,omitempty"`
	// Attempt counts the attempts that have begun.
	Attempt int `json:"attempt,omitempty"`
	// Lease is "" while the run waits. Until is the end of the lease, Started the begin of the attempt, Logged
	// when the log was last stored, epoch milliseconds.
	Lease   string `json:"lease,omitempty"`
	Worker  string `json:"worker,omitempty"`
	Until   int64  `json:"until,omitempty"`
	Started int64  `json:"started,omitempty"`
	Logged  int64  `json:"logged,omitempty"`
	// Cancel: somebody has asked to stop the run.
	Cancel bool `json:"cancel,omitempty"`
	// Ending is the status with which the run is about to end, "" before. Whoever finds the record later
	// finishes the end.
	Ending string `json:"ending,omitempty"`
	// Retries is how many further attempts the run may have.
	Retries int `json:"retries,omitempty"`
}

// The names of the records of runs.
func ofSource(source string) string { return "source/" + source }
func ofTest(urn string) string      { return "test/" + urn }

func (r *run) record() string {
	if r.Source == "" {
		return ofTest(r.URN)
	}
	return ofSource(r.Source)
}

// enqueue records a run that waits. If its source has a run already, enqueue returns the URN of that run.
func (s *Service) enqueue(ctx context.Context, r *run) (busy string, err error) {
	for {
		err := s.runs.Create(ctx, r.record(), *r, limits.IngestionRuns)
		if !errors.Is(err, records.ErrChanged) {
			return "", err
		}
		other, exists, err := s.runs.Get(ctx, r.record())
		if err != nil {
			return "", err
		}
		if !exists {
			continue
		}
		gone, err := s.endedElsewhere(ctx, &other)
		if err != nil {
			return "", err
		}
		if !gone {
			return other.Value.URN, nil
		}
	}
}

// endedElsewhere deletes the record of a run that has ended, and reports whether the record may be gone. Such a run waits here
// although an executor that does not ask this server has begun and ended it, or its result is written and
// whoever ended it has not come to delete the record yet.
func (s *Service) endedElsewhere(ctx context.Context, r *records.Record[run]) (bool, error) {
	if r.Value.Ending == "" && (r.Value.Lease != "" || r.Value.Attempt > 0) {
		return false, nil
	}
	stored, err := latest(ctx, s.Store, r.Value.URN, model.AspectDataHubExecutionRequestResult)
	if err != nil || !isEnd(statusOf(stored[model.AspectDataHubExecutionRequestResult])) {
		return false, err
	}
	err = s.forgetEnded(ctx, r, stored[model.AspectDataHubExecutionRequestResult])
	if errors.Is(err, records.ErrChanged) { // whoever ended the run has come to its record meanwhile
		return true, nil
	}
	return err == nil, err
}

// Request asks for a run of a source, and returns the URN of its execution request. If a run of the source
// waits or goes on already, Request returns that one.
func (s *Service) Request(ctx context.Context, source model.URN, o catalog.WriteOptions) (urn string, err error) {
	if err := catalog.RequireType(source, model.EntityDataHubIngestionSource); err != nil {
		return "", err
	}
	if err := s.require(ctx, "ask for runs", source, runSource); err != nil {
		return "", err
	}
	if err := s.Writer.RequireWritable(ctx); err != nil {
		return "", err
	}
	of, err := infoOf(ctx, seen{s}, source.String())
	if err != nil {
		return "", err
	}
	if of == nil {
		return "", catalog.NotStored(source, "there is no ingestion source %s")
	}
	if _, err := readRecipe(of.Config.Recipe); err != nil {
		return "", err
	}
	request, err := newRequest(source.Namespace())
	if err != nil {
		return "", err
	}
	r := &run{URN: request.String(), Source: source.String(), Task: TaskIngest, Executor: executorOr(of.Config.ExecutorID), Cause: causeAsked, Actor: o.Actor, Asked: s.Now().UnixMilli()}
	busy, err := s.enqueue(ctx, r)
	if err != nil || busy != "" {
		return busy, full(err)
	}
	if err := s.stateInput(ctx, r, of); err != nil {
		return "", err
	}
	s.changed.Signal()
	return r.URN, s.Writer.Settle(ctx, o)
}

// full is the error of a queue that has no room.
func full(err error) error {
	if errors.Is(err, records.ErrFull) {
		return catalog.Errorf(catalog.Busy, "%d runs wait or go on, the limit; ask again when some have ended", limits.IngestionRuns)
	}
	return err
}

func newRequest(namespace string) (model.URN, error) {
	u, err := model.BuildURN(namespace, model.EntityDataHubExecutionRequest, uuid.NewString())
	if err != nil {
		return model.URN{}, catalog.Errorf(catalog.Internal, "the URN of a run: %w", err)
	}
	return u, nil
}

// TestConnection asks for a test of the connection that a recipe describes, and returns the URN of its
// execution request. version is the version of the client, "" for any.
func (s *Service) TestConnection(ctx context.Context, recipe, version string, o catalog.WriteOptions) (urn string, err error) {
	if err := s.require(ctx, "test connections", model.URN{}, ""); err != nil {
		return "", err
	}
	if _, err := readRecipe(recipe); err != nil {
		return "", err
	}
	if err := checkText("the version", version); err != nil {
		return "", err
	}
	dialect, known := s.Registry.DialectOf(model.StoredURN(o.Actor))
	if !known {
		dialect = s.Registry.Dialects()[0]
	}
	request, err := newRequest(dialect.Namespace)
	if err != nil {
		return "", err
	}
	r := &run{URN: request.String(), Task: TaskTestConnection, Executor: DefaultExecutor, Cause: causeTest, Actor: o.Actor, Asked: s.Now().UnixMilli()}
	text, err := named(recipe, map[string]string{"pipeline_name": r.URN})
	if err != nil {
		return "", err
	}
	args := catalog.Tree{argRecipe: text}
	if version != "" {
		args[argVersion] = version
	}
	// Only the aspect has the recipe. So the record, which makes an executor take the run, is written with
	// the aspect in one transaction. Nothing else has a record of this name.
	if err := s.room(ctx); err != nil {
		return "", err
	}
	record, err := s.runs.Alongside(r.record(), *r)
	if err != nil {
		return "", err
	}
	together := o.WithoutWait()
	together.Alongside = func([]int) []graphstore.Record { return []graphstore.Record{record} }
	err = s.Writer.Create(permission.Decided(ctx), request, map[string]catalog.Tree{model.AspectDataHubExecutionRequestInput: s.input(r, args)}, together)
	if err != nil {
		return "", err
	}
	s.changed.Signal()
	return r.URN, s.Writer.Settle(ctx, o)
}

// room fails if no further run may wait: as many runs as the limit wait or go on.
func (s *Service) room(ctx context.Context) error {
	n := 0
	for _, err := range s.runs.All(ctx, "", "") {
		if err != nil {
			return err
		}
		if n++; n >= limits.IngestionRuns {
			return full(records.ErrFull)
		}
	}
	return nil
}

// The arguments of execution requests.
const (
	argRecipe  = "recipe"
	argVersion = "version"
	argDebug   = "debug_mode"
)

// named sets members of a recipe that it does not have.
func named(recipe string, members map[string]string) (string, error) {
	decoded, err := readRecipe(recipe)
	if err != nil {
		return "", err
	}
	for name, text := range members {
		var stated string
		if name != "run_id" && json.Unmarshal(decoded[name], &stated) == nil && strings.TrimSpace(stated) != "" {
			continue
		}
		if decoded[name], err = json.Marshal(text); err != nil {
			return "", catalog.Errorf(catalog.Internal, "a recipe: %w", err)
		}
	}
	var b bytes.Buffer
	plain := json.NewEncoder(&b)
	plain.SetEscapeHTML(false)
	if err := plain.Encode(decoded); err != nil {
		return "", catalog.Errorf(catalog.Internal, "a recipe: %w", err)
	}
	return strings.TrimSpace(b.String()), nil
}

// input is the aspect of a request.
func (s *Service) input(r *run, args catalog.Tree) catalog.Tree {
	source := catalog.Tree{"type": r.Cause}
	if r.Source != "" {
		source["ingestionSource"] = r.Source
	}
	actor := r.Actor
	if actor == "" {
		d, known := s.Registry.DialectOf(model.StoredURN(r.URN))
		if !known {
			d = s.Registry.Dialects()[0]
		}
		actor = catalog.SystemActor(d)
	}
	return catalog.Tree{"task": r.Task, "args": args, "executorId": r.Executor, "source": source, "requestedAt": r.Asked, "actorUrn": actor}
}

// argsOf are the arguments of a run of a source.
func argsOf(r *run, of *info) (catalog.Tree, error) {
	text, err := named(of.Config.Recipe, map[string]string{"pipeline_name": r.Source, "run_id": r.URN})
	if err != nil {
		return nil, err
	}
	args := catalog.Tree{}
	for name, value := range of.Config.ExtraArgs {
		args[name] = value
	}
	args[argRecipe], args[argDebug] = text, strconv.FormatBool(of.Config.DebugMode)
	if version := strings.TrimSpace(of.Config.Version); version != "" {
		args[argVersion] = version
	}
	return args, nil
}

// stateInput writes the request of a run, unless it is written. The record of the run exists before: a
// request that this server has written always has a record or a result.
func (s *Service) stateInput(ctx context.Context, r *run, of *info) error {
	args, err := argsOf(r, of)
	if err != nil {
		return err
	}
	u := model.StoredURN(r.URN)
	err = s.Writer.Create(permission.Decided(ctx), u, map[string]catalog.Tree{model.AspectDataHubExecutionRequestInput: s.input(r, args)}, catalog.WriteOptions{Actor: r.Actor})
	if catalog.CodeOf(err) == catalog.Conflict {
		return nil
	}
	return err
}

// requestArgs is the aspect of a request as it is read.
type requestArgs struct {
	Task       string            `json:"task"`
	Args       map[string]string `json:"args"`
	ExecutorID string            `json:"executorId"`
	Source     struct {
		IngestionSource string `json:"ingestionSource"`
	} `json:"source"`
	RequestedAt int64 `json:"requestedAt"`
}

func decodeRequest(a *graphstore.Aspect) (*requestArgs, error) {
	found := &requestArgs{}
	if err := json.Unmarshal(a.Value, found); err != nil {
		return nil, catalog.Errorf(catalog.Internal, "the request %s: %w", a.URN, err)
	}
	return found, nil
}

// signalKill asks an executor to stop a run.
const signalKill = "KILL"

// Cancel asks to stop a run of a source. A run that no executor has taken ends at once. source is zero for a
// run without a source.
func (s *Service) Cancel(ctx context.Context, source, request model.URN, o catalog.WriteOptions) error {
	if err := catalog.RequireType(request, model.EntityDataHubExecutionRequest); err != nil {
		return err
	}
	if err := s.require(ctx, "cancel runs", source, runSource); err != nil {
		return err
	}
	stored, err := latest(ctx, seen{s}, request.String(), model.AspectDataHubExecutionRequestInput, model.AspectDataHubExecutionRequestResult)
	if err != nil {
		return err
	}
	aspect := stored[model.AspectDataHubExecutionRequestInput]
	if aspect == nil {
		return catalog.NotStored(request, "there is no execution request %s")
	}
	asked, err := decodeRequest(aspect)
	if err != nil {
		return err
	}
	if of := asked.Source.IngestionSource; of != source.String() {
		return catalog.Errorf(catalog.Invalid, "%s is a run of the source %q, and not of %q", request, of, source.String())
	}
	if status := statusOf(stored[model.AspectDataHubExecutionRequestResult]); isEnd(status) {
		return catalog.Errorf(catalog.Conflict, "%s has ended: %s", request, status)
	}
	// Executors that do not ask this server learn of the cancellation from the aspect.
	err = s.Writer.Edit(permission.Decided(ctx), []write.Edit{write.Replace(request, model.AspectDataHubExecutionRequestSignal, func(by catalog.AuditStamp) catalog.Tree {
		return catalog.Tree{"signal": signalKill, "executorId": executorOr(asked.ExecutorID), "createdAt": by.Tree()}
	})}, o.WithoutWait())
	if err != nil {
		return err
	}
	name := ofTest(request.String())
	if asked.Source.IngestionSource != "" {
		name = ofSource(asked.Source.IngestionSource)
	}
	if err := s.cancelRecord(permission.Decided(ctx), name, request.String(), o.WithoutWait()); err != nil {
		return err
	}
	return s.Writer.Settle(ctx, o)
}

// cancelRecord cancels the run of a record, if there is one. request, if not "", must be its URN.
func (s *Service) cancelRecord(ctx context.Context, name, request string, o catalog.WriteOptions) error {
	for {
		found, exists, err := s.runs.Get(ctx, name)
		if err != nil || !exists || request != "" && found.Value.URN != request {
			return err
		}
		if found.Value.Lease == "" {
			err = s.end(ctx, &found, StatusCancelled, "The run was cancelled before it began.", o)
		} else {
			found.Value.Cancel = true
			_, err = s.runs.Put(ctx, name, found.Value, found.Revision)
		}
		if !errors.Is(err, records.ErrChanged) {
			s.changed.Signal()
			return err
		}
	}
}
