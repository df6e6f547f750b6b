package wire

import (
	"encoding/json"
)

// Proposal is a MetadataChangeProposal.
type Proposal struct {
	EntityType      string            `avro:"entityType"`
	EntityURN       *string           `avro:"entityUrn"`
	EntityKeyAspect *GenericAspect    `avro:"entityKeyAspect"`
	ChangeType      string            `avro:"changeType"`
	AspectName      *string           `avro:"aspectName"`
	Aspect          *GenericAspect    `avro:"aspect"`
	System          *SystemMetadata   `avro:"systemMetadata"`
	Headers         map[string]string `avro:"headers"`
}

// GenericAspect is a value as bytes with its content type.
type GenericAspect struct {
	Value       []byte `avro:"value"`
	ContentType string `avro:"contentType"`
}

// SystemMetadata is what a proposal says about the ingestion that it is of.
type SystemMetadata struct {
	LastObserved    *int64            `avro:"lastObserved"`
	RunID           *string           `avro:"runId"`
	PipelineName    *string           `avro:"pipelineName"`
	RegistryName    *string           `avro:"registryName"`
	RegistryVersion *string           `avro:"registryVersion"`
	Properties      map[string]string `avro:"properties"`
	SchemaVersion   *int64            `avro:"schemaVersion"`
}

// DecodeProposal decodes a value of the topic [Proposals]. One of the two results is
// set: text if the value is JSON.
func DecodeProposal(value []byte) (p *Proposal, text json.RawMessage, err error) {
	if isJSON(value) {
		return nil, value, nil
	}
	err = decodeAny(Proposals, value, func(s *Schema, body []byte) ([]byte, error) {
		p = &Proposal{}
		return s.proposal.Decode(body, p)
	})
	if err != nil {
		return nil, nil, err
	}
	return p, nil, nil
}

// DecodeSnapshot decodes a value of the topic [Snapshots] to JSON, in the form of the
// client's files.
func DecodeSnapshot(value []byte) (text json.RawMessage, err error) {
	if isJSON(value) {
		return value, nil
	}
	err = decodeAny(Snapshots, value, func(s *Schema, body []byte) (rest []byte, err error) {
		text, rest, err = toJSON(s.tree(), body)
		return rest, err
	})
	return text, err
}

// EncodeFailed encodes a proposal that could not be written, with the reason, for the
// topic [FailedProposals].
func EncodeFailed(p *Proposal, reason string) ([]byte, error) {
	s := ofTopic(FailedProposals, 0)[0]
	return s.parsed.AppendEncode(frame(s.ID), map[string]any{
		"auditHeader": nil, "metadataChangeProposal": p.record(), "error": reason,
	})
}

// record is a proposal in the form that is encoded.
func (p *Proposal) record() map[string]any {
	change := p.ChangeType
	if change == "" {
		change = "UPSERT"
	}
	t := map[string]any{
		"auditHeader": nil, "entityType": p.EntityType, "entityUrn": p.EntityURN, "entityKeyAspect": p.EntityKeyAspect, "changeType": change,
		"aspectName": p.AspectName, "aspect": p.Aspect, "systemMetadata": nil, "headers": nil,
	}
	if p.Headers != nil {
		t["headers"] = p.Headers
	}
	if s := p.System; s != nil {
		system := map[string]any{
			"lastObserved": s.LastObserved, "runId": s.RunID, "lastRunId": nil, "pipelineName": s.PipelineName, "registryName": s.RegistryName,
			"registryVersion": s.RegistryVersion, "properties": nil, "version": nil, "schemaVersion": s.SchemaVersion, "aspectCreated": nil, "aspectModified": nil,
		}
		if s.Properties != nil {
			system["properties"] = s.Properties
		}
		t["systemMetadata"] = system
	}
	return t
}
