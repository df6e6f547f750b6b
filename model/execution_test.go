package model

import "testing"

func TestExecutionEnded(t *testing.T) {
	for status, want := range map[string][2]bool{
		"SUCCESS": {true, true}, "SUCCEEDED_WITH_WARNINGS": {true, true}, "CANCELLED": {false, true}, "UNKNOWN": {false, true},
		"RUNNING": {}, "UP_FOR_RETRY": {}, "ROLLED_BACK": {}, "DUPLICATE": {}, "": {},
	} {
		if good, ended := ExecutionEnded(status); good != want[0] || ended != want[1] {
			t.Errorf("%q: good %t, ended %t", status, good, ended)
		}
	}
}
