package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// identityFields form, together with the timestamp, the identity of a time-series
// value within its entity and aspect.
var identityFields = []string{"eventGranularity", "messageId", "partitionSpec"}

// TimeSeriesKey returns a value's timestampMillis and its identity: two values
// of one aspect of one entity with the same identity are the same value.
func TimeSeriesKey(v *Value) (timestamp int64, key string, err error) {
	number, ok := v.Tree["timestampMillis"].(json.Number)
	if !ok {
		return 0, "", &SyntaxError{Reason: "timestampMillis is missing"}
	}
	if timestamp, err = number.Int64(); err != nil {
		return 0, "", &SyntaxError{Reason: "timestampMillis is not an integer"}
	}
	identity := []any{timestamp}
	for _, name := range identityFields {
		identity = append(identity, v.Tree[name])
	}
	text, err := json.Marshal(identity) // maps are written in the order of their keys
	if err != nil {
		return 0, "", err
	}
	sum := sha256.Sum256(text)
	return timestamp, hex.EncodeToString(sum[:12]), nil
}

// StatedRun returns the run that a value says it belongs to, "" for a value of an aspect that
// says nothing of runs. A checkpoint of a stateful recipe does: clients write it without a run
// of its own.
func StatedRun(aspect string, v *Value) string {
	if aspect != AspectDatahubIngestionCheckpoint {
		return ""
	}
	run, _ := v.Tree["runId"].(string)
	return run
}
