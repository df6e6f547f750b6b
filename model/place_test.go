package model

import (
	"fmt"
	"testing"
)

func TestPlaces(t *testing.T) {
	for _, c := range []struct{ urn, platform, path, steps string }{
		{
			"urn:li:dataset:(urn:li:dataPlatform:Hive,DB..Schema.T,PROD)", "urn:li:dataPlatform:Hive",
			"/prod/hive/db/schema", "[{db } {schema }]",
		},
		{"urn:li:dataset:(urn:li:dataPlatform:hive,t,PROD)", "urn:li:dataPlatform:hive", "/prod/hive", "[{Default }]"},
		{"urn:li:chart:(Looker,x)", "urn:li:dataPlatform:looker", "/Looker", "[{Default }]"},
		{"urn:li:dashboard:(Looker:A,x)", "urn:li:dataPlatform:looker:a", "/looker:a", "[{Default }]"},
		{"urn:example:dataFlow:(Airflow,f,Main)", "urn:example:dataPlatform:airflow", "/airflow/main", "[{Default }]"},
		{
			"urn:li:dataJob:(urn:li:dataFlow:(Airflow,f,Main),j)", "urn:li:dataPlatform:airflow",
			"/airflow/main", "[{urn:li:dataFlow:(Airflow,f,Main) urn:li:dataFlow:(Airflow,f,Main)}]",
		},
		{"urn:li:dataJob:(urn:li:dataFlow:f,j)", "", "", "[{urn:li:dataFlow:f urn:li:dataFlow:f}]"},
		{"urn:li:dataProcess:(p,Azkaban,PROD)", "urn:li:dataPlatform:azkaban", "", "[{Default }]"},
		{"urn:li:mlModel:(urn:li:dataPlatform:X,m,PROD)", "urn:li:dataPlatform:X", "", "[{Default }]"},
		{"urn:li:tag:t", "", "", "[{Default }]"},
	} {
		u, err := ParseURN(c.urn)
		if err != nil {
			t.Fatal(err)
		}
		if got := PlatformInKey(u); got != c.platform {
			t.Errorf("%s: the platform is %q, not %q", u, got, c.platform)
		}
		if got := DefaultBrowsePath(u, "."); got != c.path {
			t.Errorf("%s: the path is %q, not %q", u, got, c.path)
		}
		if got := fmt.Sprint(DefaultBrowseSteps(u, ".")); got != c.steps {
			t.Errorf("%s: the steps are %s, not %s", u, got, c.steps)
		}
	}
}
