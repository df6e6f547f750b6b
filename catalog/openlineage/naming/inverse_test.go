package naming

import (
	"testing"

	"github.com/headwater-io/headwater/model"
)

// TestDatasetOf compares the names that datasets without an event have. A name that would lead an event to another
// dataset is none.
func TestDatasetOf(t *testing.T) {
	s := &Settings{Namespaces: map[string]Namespace{
		"postgres://a:5432":   {Instance: "a"},
		"postgres://a.b:5432": {Instance: "a.b"},
		"mysql://test:3306":   {Env: "TEST"},
		"mysql://any*":        {Env: "DEV"},
		"oracle://db:1521":    {Instance: "o", KeepDatabase: true},
	}}
	for _, c := range []struct {
		urn  string
		want Dataset
		ok   bool
	}{
		{"urn:li:dataset:(urn:li:dataPlatform:hive,lake.orders,PROD)", Dataset{"hive", "lake.orders"}, true},
		{"urn:li:dataset:(urn:li:dataPlatform:dbt,shop.orders,PROD)", Dataset{"dbt", "shop.orders"}, true},
		{"urn:li:dataset:(urn:li:dataPlatform:s3,lake/sales/orders,PROD)", Dataset{"s3://lake", "sales/orders"}, true},
		{"urn:li:dataset:(urn:li:dataPlatform:gcs,lake/sales,PROD)", Dataset{"gs://lake", "sales"}, true},
		{"urn:li:dataset:(urn:li:dataPlatform:s3,lake,PROD)", Dataset{"s3", "lake"}, true},
		{"urn:li:dataset:(urn:li:dataPlatform:postgres,a.shop.orders,PROD)", Dataset{"postgres://a:5432", "shop.orders"}, true},
		{"urn:li:dataset:(urn:li:dataPlatform:postgres,a.b.shop.orders,PROD)", Dataset{"postgres://a.b:5432", "shop.orders"}, true},
		{"urn:li:dataset:(urn:li:dataPlatform:postgres,shop.orders,PROD)", Dataset{"postgres", "shop.orders"}, true},
		{"urn:li:dataset:(urn:li:dataPlatform:mysql,shop.orders,TEST)", Dataset{"mysql://test:3306", "shop.orders"}, true},
		{"urn:li:dataset:(urn:li:dataPlatform:mysql,shop.orders,DEV)", Dataset{}, false},
		{"urn:li:dataset:(urn:li:dataPlatform:oracle,o.XE.SALES.ORDERS,PROD)", Dataset{"oracle://db:1521", "XE.SALES.ORDERS"}, true},
		{"urn:li:dataset:(urn:li:dataPlatform:snowflake,lake.public.orders,PROD)", Dataset{"snowflake", "lake.public.orders"}, true},
		{"urn:li:dataset:(urn:li:dataPlatform:snowflake,LAKE.PUBLIC.ORDERS,PROD)", Dataset{}, false},
		{"urn:li:dataset:(urn:li:dataPlatform:kafka,a%2Cb,PROD)", Dataset{"kafka", "a,b"}, true},
		{"urn:li:dataset:(urn:li:dataPlatform:kafka,100%,PROD)", Dataset{"kafka", "100%"}, true},
		{"urn:li:tag:hive", Dataset{}, false},
	} {
		u, err := model.ParseURN(c.urn)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := s.DatasetOf(u)
		if got != c.want || ok != c.ok {
			t.Errorf("%s has the name %q, %v; want %q, %v", c.urn, got, ok, c.want, c.ok)
		}
		if back, err := s.DatasetURN(got); ok && (err != nil || back != u) {
			t.Errorf("%s: its name leads to %s, %v", c.urn, back, err)
		}
	}
}

func TestJobOf(t *testing.T) {
	s := &Settings{Namespaces: map[string]Namespace{"team-a": {Cluster: "prod"}, "any*": {Cluster: "dev"}}}
	for _, c := range []struct {
		urn  string
		want JobName
		ok   bool
	}{
		{"urn:li:dataJob:(urn:li:dataFlow:(airflow,sales,nightly),load)", JobName{"nightly", "sales.load"}, true},
		{"urn:li:dataJob:(urn:li:dataFlow:(airflow,sales,prod),load)", JobName{"team-a", "sales.load"}, true},
		{"urn:li:dataJob:(urn:li:dataFlow:(airflow,sales,dev),load)", JobName{"dev", "sales.load"}, true},
		{"urn:li:dataJob:(urn:li:dataFlow:(spark,sales,nightly),sales.load)", JobName{"nightly", "sales.load"}, true},
		{"urn:li:dataJob:(urn:li:dataFlow:(spark,sales,nightly),sales)", JobName{"nightly", "sales"}, true},
		{"urn:li:dataJob:(urn:li:dataFlow:(spark,a%28b%29,nightly),c)", JobName{"nightly", "a(b).c"}, true},
		{"urn:li:dataFlow:(spark,sales,nightly)", JobName{}, false},
	} {
		u, err := model.ParseURN(c.urn)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := s.JobOf(u); got != c.want || ok != c.ok {
			t.Errorf("%s has the name %q, %v; want %q, %v", c.urn, got, ok, c.want, c.ok)
		}
	}
}
