// Package wire has the form of the events on Kafka: the topics, the types of the events, and
// their encodings. An event is encoded as JSON or in Avro, in Confluent's framing: a zero byte,
// the number of the schema in four bytes, and the value.
package wire

// The names of the topics that clients expect.
const (
	ProposalTopic       = "MetadataChangeProposal_v1"
	FailedProposalTopic = "FailedMetadataChangeProposal_v1"
	VersionedLogTopic   = "MetadataChangeLog_Versioned_v1"
	TimeseriesLogTopic  = "MetadataChangeLog_Timeseries_v1"
	PlatformEventTopic  = "PlatformEvent_v1"
	ChangeEventTopic    = "MetadataChangeEvent_v4"
)

// Topics lists every topic.
func Topics() []string {
	return []string{ProposalTopic, FailedProposalTopic, VersionedLogTopic, TimeseriesLogTopic, PlatformEventTopic, ChangeEventTopic}
}

// EntityChangeEvent is the name of the platform events that describe the meaning of a change.
const EntityChangeEvent = "entityChangeEvent"

// JSONContent is the content type of aspects and payloads.
const JSONContent = "application/json"

// Content is bytes with their content type, such as the value of an aspect or the payload of a
// platform event.
type Content struct {
	Value       Text   `avro:"value" json:"value"`
	ContentType string `avro:"contentType" json:"contentType"`
}

// Stamp is the actor and the time of an action, in epoch milliseconds.
type Stamp struct {
	Time         int64   `avro:"time" json:"time"`
	Actor        string  `avro:"actor" json:"actor"`
	Impersonator *string `avro:"impersonator" json:"impersonator,omitempty"`
	Message      *string `avro:"message" json:"message,omitempty"`
}

// SystemMetadata is recorded with a write. A member is nil if the writer did not give it.
type SystemMetadata struct {
	LastObserved    *int64             `avro:"lastObserved" json:"lastObserved,omitempty"`
	RunID           *string            `avro:"runId" json:"runId,omitempty"`
	LastRunID       *string            `avro:"lastRunId" json:"lastRunId,omitempty"`
	PipelineName    *string            `avro:"pipelineName" json:"pipelineName,omitempty"`
	RegistryName    *string            `avro:"registryName" json:"registryName,omitempty"`
	RegistryVersion *string            `avro:"registryVersion" json:"registryVersion,omitempty"`
	Properties      *map[string]string `avro:"properties" json:"properties,omitempty"`
	Version         *string            `avro:"version" json:"version,omitempty"`
	SchemaVersion   *int64             `avro:"schemaVersion" json:"schemaVersion,omitempty"`
	AspectCreated   *Stamp             `avro:"aspectCreated" json:"aspectCreated,omitempty"`
	AspectModified  *Stamp             `avro:"aspectModified" json:"aspectModified,omitempty"`
}

// AuditHeader has statements of some producers about themselves. Headwater reads these
// statements and does not use them.
type AuditHeader struct {
	Time                    int64    `avro:"time" json:"time"`
	Server                  string   `avro:"server" json:"server"`
	Instance                *string  `avro:"instance" json:"instance,omitempty"`
	AppName                 string   `avro:"appName" json:"appName"`
	MessageID               [16]byte `avro:"messageId" json:"messageId"`
	AuditVersion            *int32   `avro:"auditVersion" json:"auditVersion,omitempty"`
	FabricURN               *string  `avro:"fabricUrn" json:"fabricUrn,omitempty"`
	ClusterConnectionString *string  `avro:"clusterConnectionString" json:"clusterConnectionString,omitempty"`
}

// MetadataChangeProposal is a request for a write.
type MetadataChangeProposal struct {
	AuditHeader     *AuditHeader       `avro:"auditHeader" json:"auditHeader,omitempty"`
	EntityType      string             `avro:"entityType" json:"entityType"`
	EntityURN       *string            `avro:"entityUrn" json:"entityUrn,omitempty"`
	EntityKeyAspect *Content           `avro:"entityKeyAspect" json:"entityKeyAspect,omitempty"`
	ChangeType      string             `avro:"changeType" json:"changeType"`
	AspectName      *string            `avro:"aspectName" json:"aspectName,omitempty"`
	Aspect          *Content           `avro:"aspect" json:"aspect,omitempty"`
	SystemMetadata  *SystemMetadata    `avro:"systemMetadata" json:"systemMetadata,omitempty"`
	Headers         *map[string]string `avro:"headers" json:"headers,omitempty"`
}

// FailedMetadataChangeProposal is a proposal that was refused, with the reason.
type FailedMetadataChangeProposal struct {
	AuditHeader *AuditHeader            `avro:"auditHeader" json:"auditHeader,omitempty"`
	Proposal    *MetadataChangeProposal `avro:"metadataChangeProposal" json:"metadataChangeProposal"`
	Error       string                  `avro:"error" json:"error"`
}

// MetadataChangeLog is a write that has happened.
type MetadataChangeLog struct {
	AuditHeader            *AuditHeader       `avro:"auditHeader" json:"auditHeader,omitempty"`
	EntityType             string             `avro:"entityType" json:"entityType"`
	EntityURN              *string            `avro:"entityUrn" json:"entityUrn,omitempty"`
	EntityKeyAspect        *Content           `avro:"entityKeyAspect" json:"entityKeyAspect,omitempty"`
	ChangeType             string             `avro:"changeType" json:"changeType"`
	AspectName             *string            `avro:"aspectName" json:"aspectName,omitempty"`
	Aspect                 *Content           `avro:"aspect" json:"aspect,omitempty"`
	SystemMetadata         *SystemMetadata    `avro:"systemMetadata" json:"systemMetadata,omitempty"`
	Headers                *map[string]string `avro:"headers" json:"headers,omitempty"`
	PreviousAspectValue    *Content           `avro:"previousAspectValue" json:"previousAspectValue,omitempty"`
	PreviousSystemMetadata *SystemMetadata    `avro:"previousSystemMetadata" json:"previousSystemMetadata,omitempty"`
	Created                *Stamp             `avro:"created" json:"created,omitempty"`
}

// PlatformEvent is an event with a name and a payload of its own form.
type PlatformEvent struct {
	Header  PlatformEventHeader `avro:"header" json:"header"`
	Name    string              `avro:"name" json:"name"`
	Payload Content             `avro:"payload" json:"payload"`
}

// PlatformEventHeader has the time of the event, in epoch milliseconds.
type PlatformEventHeader struct {
	TimestampMillis int64 `avro:"timestampMillis" json:"timestampMillis"`
}

// EntityChange returns the platform event for an entity change event. The payload is JSON.
func EntityChange(milliseconds int64, payload []byte) *PlatformEvent {
	return &PlatformEvent{
		Header: PlatformEventHeader{TimestampMillis: milliseconds}, Name: EntityChangeEvent,
		Payload: Content{Value: payload, ContentType: JSONContent},
	}
}

// Text is bytes that JSON shows as a string. The interface writes the values of aspects in this
// form.
type Text []byte

// MarshalText returns the text.
func (t Text) MarshalText() ([]byte, error) { return t, nil }

// UnmarshalText sets the text.
func (t *Text) UnmarshalText(text []byte) error {
	*t = append(Text(nil), text...)
	return nil
}
