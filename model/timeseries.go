package model

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// identityFields are the fields that, with the timestamp, identify a time-series value of
// an entity and aspect.
var identityFields = []string{"eventGranularity", "messageId", "partitionSpec"}

// TimeSeriesKey returns a value's timestampMillis in epoch milliseconds, and its identity.
// Two values of one aspect of one entity with the same identity are the same value.
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
	text, err := json.Marshal(identity) // Marshal writes maps in the order of their keys
	if err != nil {
		return 0, "", err
	}
	sum := sha256.Sum256(text)
	return timestamp, hex.EncodeToString(sum[:12]), nil
}

// StatedRun returns the run that a value itself names, "" if it names none. Only the
// checkpoints of stateful recipes do: clients write them without a run in the system
// metadata.
func StatedRun(aspect string, v *Value) string {
	if aspect != AspectDatahubIngestionCheckpoint {
		return ""
	}
	run, _ := v.Tree["runId"].(string)
	return run
}
