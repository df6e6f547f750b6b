package catalogtest

import (
	"fmt"
)

func (s *SearchHarness) Add(n int) string {
	s.T.Helper()
	urn := Dataset("hive", fmt.Sprintf("db.t%d", n), "PROD")
	s.Put("", "UPSERT", urn, "datasetProperties", fmt.Sprintf(`{"description":"number %d"}`, n))
	return urn
}

func (s *SearchHarness) ExpectTotal(when string, want int) {
	s.T.Helper()
	if got := s.Total(); got != want {
		s.T.Errorf("%s the index has %d datasets, want %d", when, got, want)
	}
}
