package rest

import (
	"encoding/json"
	"time"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/read"
)

// The types below are answers as callers read them. They are separate from the types with
// which handlers answer.

const (
	// v3Address begins the addresses of entities of any type.
	v3Address = "/openapi/v3/entity"
	// longestWait is how long a caller may wait for events.
	longestWait = 30 * time.Second
	// hiddenValue replaces the value of a secret, and mayView is a property that clients ask
	// for.
	hiddenValue = "***REDACTED***"
	mayView     = "authorization.view.enabled"
)

type gotV3End struct {
	URN        string `json:"urn"`
	EntityType string `json:"entityType"`
}

type gotV3Edge struct {
	Type        string   `json:"relationshipType"`
	Source      gotV3End `json:"source"`
	Destination gotV3End `json:"destination"`
	Upstream    string   `json:"upstream,omitempty"`
	Downstream  string   `json:"downstream,omitempty"`
}

type gotV3EdgePage struct {
	ScrollID *string     `json:"scrollId"`
	Results  []gotV3Edge `json:"results"`
}

type gotEntitySpecification struct {
	Name      string                   `json:"name"`
	KeyAspect string                   `json:"keyAspectName"`
	Aspects   []gotAspectSpecification `json:"aspectSpecs"`
}

type gotAspectSpecification struct {
	Annotation gotAspectAnnotation `json:"aspectAnnotation"`
}

type gotAspectAnnotation struct {
	Name       string `json:"name"`
	TimeSeries bool   `json:"timeseries"`
	// SchemaVersion is 1 if the model states none, because clients expect a number.
	SchemaVersion int `json:"schemaVersion"`
}

type gotComponent struct {
	Name       string            `json:"name"`
	Status     string            `json:"status"`
	Version    string            `json:"version"`
	Properties map[string]string `json:"properties"`
}

type gotComponents struct {
	Server    gotComponent `json:"gms"`
	Changes   gotComponent `json:"maeConsumer"`
	Proposals gotComponent `json:"mceConsumer"`
}

type gotSettingInfo struct {
	Key        string `json:"key"`
	Value      string `json:"value"`
	Source     string `json:"source"`
	SourceType string `json:"sourceType"`
	Resolved   string `json:"resolvedValue"`
}

type gotIndexAnswer struct {
	Lag        int64  `json:"lag"`
	Building   bool   `json:"building"`
	Done       int64  `json:"done"`
	BuildError string `json:"buildError"`
}

type gotPolledEvent struct {
	ContentType string `json:"contentType"`
	Value       string `json:"value"`
}

type gotSeriesRow struct {
	Time      int64                   `json:"timestampMillis"`
	URN       string                  `json:"urn"`
	Event     json.RawMessage         `json:"event"`
	MessageID string                  `json:"messageId,omitempty"`
	System    *catalog.SystemMetadata `json:"systemMetadata,omitempty"`
}

type gotStorageState struct {
	Status     read.WriteState     `json:"writeStatus"`
	Message    string              `json:"writeMessage,omitempty"`
	Exceptions []gotTraceException `json:"writeExceptions,omitempty"`
}

type gotTraceException struct {
	Message string `json:"message"`
}

type gotTracedAspect struct {
	Success bool            `json:"success"`
	Primary gotStorageState `json:"primaryStorage"`
	Search  gotStorageState `json:"searchStorage"`
}
