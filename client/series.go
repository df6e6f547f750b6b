package client

import "encoding/json"

// TimeSeriesPath is the action that answers with TimeSeriesValues.
const TimeSeriesPath = "/aspects?action=getTimeseriesAspectValues"

// TimeSeriesValues are values of one time series of an entity, the newest first.
type TimeSeriesValues struct {
	Values []struct {
		Aspect struct {
			Value string `json:"value"`
		} `json:"aspect"`
		System json.RawMessage `json:"systemMetadata"`
	} `json:"values"`
}
