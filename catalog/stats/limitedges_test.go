package stats

import (
	"strconv"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/matching"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// TestLimitsOfStatistics: a table may take exactly as much work as each limit says, and no
// more.
func TestLimitsOfStatistics(t *testing.T) {
	refused := func(name string, err error, says string) {
		t.Helper()
		if catalog.CodeOf(err) != catalog.Invalid || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	passed := func(name string, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}

	rows := &statsTable{groups: map[string]*statsGroup{}}
	for i := range limits.MaxStatsRows {
		if _, err := rows.group([]string{strconv.Itoa(i)}); err != nil {
			t.Fatalf("row %d: %v", i+1, err)
		}
	}
	_, err := rows.group([]string{"0"})
	passed("a row that is there", err)
	_, err = rows.group([]string{"one more"})
	refused("one row more", err, "rows")

	steps := &statsTable{groups: map[string]*statsGroup{}, metrics: make([]statsMetric, 1), steps: limits.MaxStatsSteps - 1}
	steps.metrics[0] = statsMetric{path: "totalSqlQueries", kind: countMetric}
	passed("the last step", steps.add(matching.TimeSeriesFields{}, 1))
	refused("one step more", steps.add(matching.TimeSeriesFields{}, 1), "fields would be read")

	multiple := int64(limits.MaxStatsWindow)
	_, err = newTimeWindow(&TimeWindowSize{Unit: "DAY", Multiple: &multiple})
	passed("the longest window", err)
	multiple++
	_, err = newTimeWindow(&TimeWindowSize{Unit: "DAY", Multiple: &multiple})
	refused("a longer window", err, "multiple")

	s := &Service{}
	urns := make([]string, limits.MaxStatsEntities+1)
	for i := range urns {
		urns[i] = "urn:li:tag:" + strconv.Itoa(i)
	}
	_, err = s.statsEntities(t.Context(), "tag", statsScope{urns: urns[1:]})
	passed("as many entities as are aggregated", err)
	_, err = s.statsEntities(t.Context(), "tag", statsScope{urns: urns})
	refused("one entity more", err, "entities of the filter")

	registry := model.Default()
	aspect, _ := registry.Aspect("datasetUsageStatistics")
	value := &graphstore.TimeSeriesValue{Timestamp: 1, Value: []byte(`{"timestampMillis":1}`)}
	for name, begun := range map[string]statsWork{
		"values": {values: limits.MaxStatsValues - 1},
		"bytes":  {bytes: limits.MaxStatsBytes - len(value.Value)},
	} {
		begun.c, begun.aspect, begun.filter = &Service{registry: registry}, aspect, &catalog.Filter{}
		begun.table = &statsTable{groups: map[string]*statsGroup{}}
		passed("the last of the "+name, begun.add(value))
		refused("more "+name, begun.add(value), "would be aggregated")
	}
}
