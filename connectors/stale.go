package connectors

import (
	"bytes"
	"compress/bzip2"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/headwater-io/headwater/internal/jsontree"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// Checkpoints reads the checkpoint that the last good run of a source wrote.
type Checkpoints interface {
	// Last returns the newest value of the time series datahubIngestionCheckpoint of an entity that has this name of a
	// pipeline, nil if there is none.
	Last(ctx context.Context, urn, pipeline string) (json.RawMessage, error)
}

// Stale removes the entities that a source no longer has: if the last good run saw an entity, and a run that reads the
// whole source does not, the run states that the entity is removed. It follows the client's stateful ingestion, and
// reads and writes the same checkpoints, so that a source may change from the client to a connector and back.
//
// Nothing is removed if the reading had a failure, if it proposed nothing, or if more than Threshold percent of the
// entities would be removed. The state of the run then has the entities of the last run, too, so that a later run
// removes them.
type Stale struct {
	// Platform and Pipeline name the state. Platform is the platform of the source's datasets.
	Platform, Pipeline string
	// Threshold is the percentage of the last run's entities that may be removed; 100 allows all.
	Threshold float64
	// IgnoreOld: nothing is removed. IgnoreNew: no state is written.
	IgnoreOld, IgnoreNew bool
	// Checkpoints has the last state.
	Checkpoints Checkpoints

	seen    map[string]bool
	order   []string
	done    bool
	refused bool
}

// job is the URN of the entity that has the checkpoints.
func (s *Stale) job() string {
	names := map[string]string{"snowflake": "common_ingest_from_sql_source"}
	job := names[s.Platform]
	if job == "" {
		job = s.Platform + "_stale_entity_removal"
	}
	return "urn:li:dataJob:(urn:li:dataFlow:(datahub," + s.Pipeline + ",prod)," + job + ")"
}

// Follow returns the proposals, and after them the proposals that remove entities that are gone.
func (s *Stale) Follow(ctx context.Context, proposals iter.Seq2[*model.FileProposal, error], report *Report) iter.Seq2[*model.FileProposal, error] {
	return func(yield func(*model.FileProposal, error) bool) {
		s.seen, s.order = map[string]bool{}, nil
		for p, err := range proposals {
			if err != nil {
				report.Fail("%v", err)
				yield(nil, err)
				return
			}
			s.see(p.EntityURN)
			if !yield(p, nil) {
				return
			}
		}
		gone, err := s.gone(ctx, report)
		if err != nil {
			report.Fail("stale entities are not removed: %v", err)
		}
		for _, urn := range gone {
			if !yield(removal(urn), nil) {
				return
			}
			report.Scan("removed")
		}
		s.done = true
	}
}

// see notes an entity of a type that is ever removed.
func (s *Stale) see(urn string) {
	if !removable(urn) || s.seen[urn] {
		return
	}
	s.seen[urn] = true
	s.order = append(s.order, urn)
}

// removable reports whether an entity of this type is ever removed: queries and runs are not part of a source.
func removable(urn string) bool {
	kind, _, _ := strings.Cut(strings.TrimPrefix(urn, "urn:li:"), ":")
	if kind == model.EntityQuery || kind == model.EntityDataProcessInstance {
		return false
	}
	entity, known := model.Default().Entity(kind)
	return known && slices.Contains(entity.Aspects, model.AspectStatus)
}

func removal(urn string) *model.FileProposal {
	kind, _, _ := strings.Cut(strings.TrimPrefix(urn, "urn:li:"), ":")
	return &model.FileProposal{
		EntityType: kind, EntityURN: urn, ChangeType: "UPSERT", AspectName: model.AspectStatus,
		Aspect: &model.GenericContent{Value: `{"removed":true}`, ContentType: "application/json"},
	}
}

// gone returns the entities to remove. If nothing may be removed because something is wrong, the state keeps the
// entities of the last run.
func (s *Stale) gone(ctx context.Context, report *Report) ([]string, error) {
	if s.IgnoreOld || s.Checkpoints == nil {
		return nil, nil
	}
	value, err := s.Checkpoints.Last(ctx, s.job(), s.Pipeline)
	if err != nil {
		s.IgnoreNew = true // the state that is there remains the newest
		return nil, err
	}
	last, err := entitiesOf(value)
	if err != nil {
		return nil, err
	}
	last = slices.DeleteFunc(last, func(urn string) bool { return !removable(urn) })
	var gone []string
	for _, urn := range last {
		if !s.seen[urn] {
			gone = append(gone, urn)
		}
	}
	switch percent := 100 * float64(len(gone)) / float64(max(1, len(last))); {
	case len(report.Failures) > 0:
		report.Warn("stale entities are not removed, because the source had a failure")
	case len(s.order) == 0:
		report.Fail("stale entities are not removed, because the source has no entities at all")
	case percent > s.Threshold && s.Threshold < 100:
		report.Fail("stale entities are not removed: %d of %d entities are gone, which is more than %.4g %%; stateful_ingestion.fail_safe_threshold in the recipe allows more", len(gone), len(last), s.Threshold)
	default:
		return gone, nil
	}
	s.refused = true
	for _, urn := range gone {
		s.see(urn)
	}
	return nil, nil
}

// State returns the proposals that write the state of the run, to be sent when everything else is written: none if the
// reading did not end, or if the run is not to leave a state.
func (s *Stale) State(run string, now time.Time, report *Report) []*model.FileProposal {
	if !s.done || s.IgnoreNew || len(s.order) == 0 {
		return nil
	}
	if len(report.Failures) > 0 && !s.refused {
		return nil // the state of the last good run remains the newest
	}
	payload, err := jsontree.Encode(map[string]any{"urns": s.order})
	if err != nil || len(payload) > limits.MaxStateBytes {
		report.Fail("the state of the source is larger than %d bytes and is not written: nothing will be found to be gone", limits.MaxStateBytes)
		return nil
	}
	return checkpoint(s.job(), s.Pipeline, run, now, payload, report)
}

// checkpoint returns the proposals that write a checkpoint of a job.
func checkpoint(job, pipeline, run string, now time.Time, payload []byte, report *Report) []*model.FileProposal {
	value, err := jsontree.Encode(map[string]any{
		"timestampMillis": now.UnixMilli(), "pipelineName": pipeline, "platformInstanceId": "", "config": "", "runId": run,
		"state": map[string]any{"formatVersion": "1.0", "serde": "utf-8", "payload": string(payload)},
	})
	if err != nil {
		report.Fail("the state of the source: %v", err)
		return nil
	}
	hidden := removal(job) // the job that has the states is not one that people look for
	return []*model.FileProposal{hidden, {
		EntityType: model.EntityDataJob, EntityURN: job, ChangeType: "UPSERT", AspectName: model.AspectDatahubIngestionCheckpoint,
		Aspect: &model.GenericContent{Value: string(value), ContentType: "application/json"},
	}}
}

// entitiesOf returns the entities of a checkpoint, which the client or a connector wrote.
func entitiesOf(value json.RawMessage) ([]string, error) {
	if value == nil {
		return nil, nil
	}
	payload, err := payloadOf(value)
	if err != nil {
		return nil, err
	}
	var state struct {
		URNs []string `json:"urns"`
	}
	if err := json.Unmarshal(payload, &state); err != nil {
		return nil, fmt.Errorf("the last state: %w", err)
	}
	return state.URNs, nil
}

// payloadOf returns the contents of a checkpoint.
func payloadOf(value json.RawMessage) ([]byte, error) {
	var checkpoint struct {
		State struct {
			Serde   string `json:"serde"`
			Payload string `json:"payload"`
		} `json:"state"`
	}
	if err := json.Unmarshal(value, &checkpoint); err != nil {
		return nil, fmt.Errorf("the last state: %w", err)
	}
	payload := []byte(checkpoint.State.Payload)
	switch checkpoint.State.Serde {
	case "utf-8":
	case "base85-bz2-json":
		packed, err := base85(checkpoint.State.Payload)
		if err != nil {
			return nil, fmt.Errorf("the last state: %w", err)
		}
		if payload, err = io.ReadAll(io.LimitReader(bzip2.NewReader(bytes.NewReader(packed)), limits.MaxUnpackedStateBytes+1)); err != nil {
			return nil, fmt.Errorf("the last state: %w", err)
		}
		if len(payload) > limits.MaxUnpackedStateBytes {
			return nil, fmt.Errorf("the last state is larger than %d bytes", limits.MaxUnpackedStateBytes)
		}
	default:
		return nil, fmt.Errorf("the last state is written as %q, which is not known", checkpoint.State.Serde)
	}
	return payload, nil
}

// base85Digits are the digits of Python's base85, in which five stand for four bytes.
const base85Digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~"

func base85(text string) ([]byte, error) {
	var out []byte
	for group := range slices.Chunk([]byte(text), 5) {
		missing := 5 - len(group)
		var n uint64
		for i := range 5 {
			digit := len(base85Digits) - 1
			if i < len(group) {
				if digit = strings.IndexByte(base85Digits, group[i]); digit < 0 {
					return nil, errors.New("it is not base85")
				}
			}
			n = n*85 + uint64(digit)
		}
		if n > 0xffffffff {
			return nil, errors.New("it is not base85")
		}
		out = append(out, []byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}[:4-missing]...)
	}
	return out, nil
}
