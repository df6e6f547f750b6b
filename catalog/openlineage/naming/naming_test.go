package naming_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/headwater-io/headwater/catalog/openlineage/naming"
	"github.com/headwater-io/headwater/internal/limits"
	"github.com/headwater-io/headwater/model"
)

// urn returns the text of a dataset's URN, after it was checked.
func urn(t *testing.T, s *naming.Settings, namespace, name string) string {
	t.Helper()
	u, err := s.DatasetURN(naming.Dataset{Namespace: namespace, Name: name})
	if err != nil {
		t.Fatalf("%q %q: %v", namespace, name, err)
	}
	valid(t, u)
	return u.String()
}

// valid checks that the model takes a URN as it is.
func valid(t *testing.T, u model.URN) {
	t.Helper()
	read, err := model.Default().ReadURN(u.String())
	if err != nil || read != u {
		t.Fatalf("%s: %v, %v", u, read, err)
	}
}

// short is the text of a URN of a dataset in PROD: platform,name.
func short(text string) string {
	text = strings.TrimPrefix(text, "urn:li:dataset:(urn:li:dataPlatform:")
	return strings.TrimSuffix(text, ",PROD)")
}

func TestDatasetURN(t *testing.T) {
	for _, c := range [][3]string{
		{"awsathena://athena.eu-west-1.amazonaws.com", "awsdatacatalog.sales.orders", "athena,sales.orders"},
		{"arn:aws:glue:eu-west-1:123456789012", "table/sales/orders", "glue,sales.orders"},
		{"arn:aws-cn:glue:cn-north-1:123456789012", "table/sales/orders", "glue,sales.orders"},
		{"aws:glue:eu-west-1:123456789012", "sales.orders", "glue,sales.orders"},
		{"arn:aws:s3:::bucket", "key", "arn:aws:s3:::bucket,key"},
		{"azurecosmos://acme.documents.azure.com/dbs/sales", "colls/orders", "azurecosmos,sales.orders"},
		{"azurecosmos://acme.documents.azure.com/dbs", "metrics.colls.orders", "azurecosmos,metrics.colls.orders"},
		{"azurekusto://acme.kusto.windows.net", "sales/orders", "kusto,sales.orders"},
		{"sqlserver://db:1433", "pool/sales.orders", "mssql,pool/sales.orders"},
		{"sqlserver://db/instance", "acme.dbo.orders", "mssql,acme.dbo.orders"},
		{"mssql://db:1433", "acme..orders", "mssql,acme.orders"},
		{"bigquery", "acme.sales.orders", "bigquery,acme.sales.orders"},
		{"bigquery", "acme.sales.orders_20240131", "bigquery,acme.sales.orders"},
		{"bigquery", "acme.sales.orders$20240131", "bigquery,acme.sales.orders"},
		{"bigquery", "acme.sales.orders_20249931", "bigquery,acme.sales.orders_20249931"},
		{"bigquery", "acme.sales._20240131", "bigquery,acme.sales._20240131"},
		{"cassandra://db:9042", "sales.orders", "cassandra,sales.orders"},
		{"crate://db:5432", "a.b.c", "crate,a.b.c"},
		{"db2://db:50000", "acme.sales.orders", "db2,ACME.sales.orders"},
		{"db2://db:50000", "sales.orders", "db2,sales.orders"},
		{"fabric-warehouse://acme:1433", "a.b.c", "fabric-onelake,a.b.c"},
		{"hive://hive:10000", "Sales.Orders", "hive,Sales.Orders"},
		{"milvus://db:19530", "a.b", "milvus,a.b"},
		{"mysql://db:3306", "sales.orders", "mysql,sales.orders"},
		{"jdbc:mysql://db:3306", "sales.orders", "mysql,sales.orders"},
		{"mysql+pymysql://db:3306", "sales.orders", "mysql,sales.orders"},
		{"oceanbase://db:2881", "a.b", "oceanbase,a.b"},
		{"oracle://db:1521", "XE.SALES.ORDERS", "oracle,SALES.ORDERS"},
		{"oracle://db:1521", "SALES.ORDERS", "oracle,SALES.ORDERS"},
		{"postgres://db.foo.com:6543", "metrics.sales.orders", "postgres,metrics.sales.orders"},
		{"postgresql://a:1,b:2", "metrics.sales.orders", "postgres,metrics.sales.orders"},
		{"POSTGRES://db:None", "None.sales.orders", "postgres,sales.orders"},
		{"postgres://db:5432", "None", "postgres,None"},
		{"postgres://db:5432", ".", "postgres,."},
		{"redshift://a.eu:5439", "a.b.c", "redshift,a.b.c"},
		{"snowflake://org-acme", "ACME.PUBLIC.Orders", "snowflake,acme.public.orders"},
		{"spanner://p:i", "a.b.c", "spanner,a.b.c"},
		{"teradata://db:1025", "a.b", "teradata,a.b"},
		{"trino://db:443", "a.b.c", "trino,a.b.c"},
		{"unitycatalog://acme", "a.b.c", "databricks,a.b.c"},
		{"unity-catalog", "a.b.c", "databricks,a.b.c"},
		{"databricks://acme", "a.b.c", "databricks,a.b.c"},
		{"abfss://lake@acme.dfs.core.windows.net", "/a/b/", "abs,lake/a/b"},
		{"abfs://lake@acme.dfs.core.windows.net", "a/b", "abs,lake/a/b"},
		{"wasbs://lake@acme.blob.core.windows.net", "a/b", "abs,lake/a/b"},
		{"wasb://lake@acme.blob.core.windows.net", "a/b", "abs,lake/a/b"},
		{"dbfs://acme", "/mnt/a", "dbfs,/mnt/a"},
		{"dbfs", "/mnt/a", "dbfs,/mnt/a"},
		{"gs://lake", "a/b", "gcs,lake/a/b"},
		{"s3://sales-metrics", "orders.csv", "s3,sales-metrics/orders.csv"},
		{"s3a://lake", "/a/b", "s3,lake/a/b"},
		{"s3n://lake", "a/b/", "s3,lake/a/b"},
		{"s3://lake", "/", "s3,lake"},
		{"s3://lake", "", "s3,lake"},
		{"hdfs://namenode:8020", "/a/b", "hdfs,/a/b"},
		{"hdfs://namenode:8020", "salesorders.csv", "hdfs,salesorders.csv"},
		{"kafka://a:9092,b:9092", "orders.v1", "kafka,orders.v1"},
		{"file", "/a/b", "file,/a/b"},
		{"file", "/", "file,/"},
		{"file://host", "a/b", "file,host/a/b"},
		{"file://host", "/a/b", "file,host/a/b"},
		{"file:/tmp/warehouse", "orders", "file,/tmp/warehouse/orders"},
		{"pubsub", "topic:acme:orders", "pubsub,acme.orders"},
		{"pubsub", "subscription:acme:orders", "pubsub,acme.orders"},
		{"pubsub", "orders", "pubsub,orders"},
		{"box://box.com:443/acme", "a/b", "box,acme/a/b"},
		{"filenet://filenet:443/x/acme", "a", "filenet,acme/a"},
		{"mssharepoint://acme:443/sales", "a", "sharepoint,sales/a"},
		{"duckdb:///abs/file.duckdb", "a.b.c", "duckdb,a.b.c"},
		{"clickhouse://db:8123", "a.b", "clickhouse,a.b"},
		{"dremio://db:31010", "a.b", "dremio,a.b"},
		{"spark://spark:10000", "a.b", "spark,a.b"},
		{"gcp_lakehouse", "a.b", "gcp_lakehouse,a.b"},
		{"https://catalog:8181/a", "a.b", "https,a.b"},
		{"iceberg+https://catalog:8181/a", "a.b", "iceberg,a.b"},
		{"Bespoke://x", "A..b None", "bespoke,A..b None"},
		{"", "a", "unknown,a"},
		{"my space, (1)", "a", "my space%2C %281%29,a"},
		{"postgres://db", `a "b".c%d|{e}[f],(g)`, `postgres,a "b".c%d|{e}[f]%2C%28g%29`},
		{"kafka://b", "a%2Cb", "kafka,a%252Cb"},
		{"kafka://b", "a%20b", "kafka,a%20b"},
		{"kafka://b", "a\x00b␟c\xff", "kafka,a%00b%E2%90%9Fc%FF"},
		{"postgres://db", "数据.表", "postgres,数据.表"},
	} {
		if got := short(urn(t, &naming.Settings{}, c[0], c[1])); got != c[2] {
			t.Errorf("%q %q: %s, not %s", c[0], c[1], got, c[2])
		}
	}
}

// A dataset in memory has no entity, and a dataset without a name has no URN.
func TestNoURN(t *testing.T) {
	s := &naming.Settings{}
	memory := naming.Dataset{Namespace: "inmemory://", Name: "x"}
	if u, err := s.DatasetURN(memory); err != nil || !u.IsZero() || !s.Passing(memory) {
		t.Errorf("%v, %v", u, err)
	}
	if _, err := s.DatasetURN(naming.Dataset{Namespace: "postgres://db"}); !errors.Is(err, naming.ErrNoName) {
		t.Error(err)
	}
	if _, err := naming.RunURN(" "); !errors.Is(err, naming.ErrNoName) {
		t.Error(err)
	}
	if _, _, _, _, err := s.JobURNs(naming.Job{Namespace: "n"}); !errors.Is(err, naming.ErrNoName) {
		t.Error(err)
	}
}

func TestSettings(t *testing.T) {
	s := &naming.Settings{
		Env: "dev",
		Namespaces: map[string]naming.Namespace{
			"postgres://db:1":  {Instance: "exact", Env: "QA", Lowercase: true},
			"postgres://db*":   {Instance: "long", StripDatabase: true},
			"postgres://*":     {Instance: "short"},
			"oracle://db:1521": {KeepDatabase: true},
			"hdfs://none":      {Instance: "port"},
		},
		Tables:    []string{"s3://lake/foo/{table}", "s3a://lake/*/v=*/{table}", "abfss://*@acme.dfs.core.windows.net/{table}", "hdfs://n:1/w/{table}"},
		Partition: regexp.MustCompile(`\w+=.*`),
	}
	for _, c := range [][3]string{
		{"postgres://db:1", "A.B.C", "postgres,exact.a.b.c,QA"},
		{"postgres://db:2", "A.B.C", "postgres,long.B.C,DEV"},
		{"postgres://db:2", "C", "postgres,long.C,DEV"},
		{"postgres://x", "A.B.C", "postgres,short.A.B.C,DEV"},
		{"oracle://db:1521", "XE.S.O", "oracle,XE.S.O,DEV"},
		{"hdfs://none:None", "/a", "hdfs,port./a,DEV"},
		{"s3://lake", "foo/orders/part-0.parquet", "s3,lake/foo/orders,DEV"},
		{"s3n://lake", "/foo/orders/day=1/x", "s3,lake/foo/orders,DEV"},
		{"s3://lake", "bar/v=2/orders/day=1", "s3,lake/bar/v=2/orders,DEV"},
		{"s3://lake", "bar/orders/day=1/x", "s3,lake/bar/orders,DEV"},
		{"s3://lake", "foo", "s3,lake/foo,DEV"},
		{"s3://other", "foo/orders/x", "s3,other/foo/orders/x,DEV"},
		{"gs://lake", "foo/orders/x", "gcs,lake/foo/orders/x,DEV"},
		{"abfss://a@acme.dfs.core.windows.net", "orders/x", "abs,a/orders,DEV"},
		{"hdfs://n:1", "/w/orders/x", "hdfs,/w/orders,DEV"},
		{"hdfs://n:1", "/day=1/x", "hdfs,/day=1/x,DEV"},
	} {
		want := "urn:li:dataset:(urn:li:dataPlatform:" + c[2] + ")"
		if got := urn(t, s, c[0], c[1]); got != want {
			t.Errorf("%q %q: %s, not %s", c[0], c[1], got, want)
		}
	}
}

// A URN that is exactly as long as the limit keeps its name; a longer name ends in a hash.
func TestLongNames(t *testing.T) {
	s := &naming.Settings{}
	fixed := len(model.EncodeURN(urn(t, s, "kafka://b", "x"))) - 1
	most := strings.Repeat("x", limits.MaxURNBytes-fixed)
	if got := short(urn(t, s, "kafka://b", most)); got != "kafka,"+most {
		t.Errorf("a name at the limit became %s", got)
	}
	one, other := urn(t, s, "kafka://b", most+"y"), urn(t, s, "kafka://b", most+"z")
	if one == other || len(model.EncodeURN(one)) != limits.MaxURNBytes || !strings.Contains(one, "xxx~") {
		t.Errorf("%s, %s", one, other)
	}
	for _, long := range []string{strings.Repeat("表", 900), strings.Repeat("%2C", 900), strings.Repeat("(,", 900)} {
		urn(t, s, "postgres://db", long)
		urn(t, s, long, long)
		flow, job, _, _, err := s.JobURNs(naming.Job{Namespace: long, Name: long, Engine: long})
		if err != nil {
			t.Fatal(err)
		}
		valid(t, flow)
		valid(t, job)
		run, err := naming.RunURN(long)
		if err != nil {
			t.Fatal(err)
		}
		valid(t, run)
	}
}

func TestPreferred(t *testing.T) {
	path := naming.Dataset{Namespace: "s3://lake", Name: "sales/orders"}
	link := func(namespace, name string) naming.Identifier {
		return naming.Identifier{Dataset: naming.Dataset{Namespace: namespace, Name: name}, Type: "TABLE"}
	}
	location := link("hive://hive", "a.b")
	location.Type = "LOCATION"
	for name, c := range map[string]struct {
		own       naming.Dataset
		links     []naming.Identifier
		framework string
		want      string
	}{
		"none":               {own: path, want: "s3,lake/sales/orders"},
		"location":           {own: path, links: []naming.Identifier{location}, want: "s3,lake/sales/orders"},
		"glue":               {own: path, links: []naming.Identifier{link("arn:aws:glue:eu-west-1:1", "table/a/b")}, want: "glue,a.b"},
		"hive":               {own: path, links: []naming.Identifier{link("hive://hive:9083", "a.b")}, framework: "iceberg", want: "hive,a.b"},
		"unity":              {own: path, links: []naming.Identifier{link("unity-catalog", "c.a.b")}, want: "databricks,c.a.b"},
		"unity is storage":   {own: path, links: []naming.Identifier{link("s3://lake", "__unitystorage/tables/1.2")}, framework: "delta", want: "s3,lake/sales/orders"},
		"web iceberg":        {own: path, links: []naming.Identifier{link("https://catalog:8181", "a.b")}, framework: "iceberg", want: "iceberg,a.b"},
		"web delta":          {own: path, links: []naming.Identifier{link("http://catalog:8181", "a.b")}, framework: "delta", want: "delta-lake,a.b"},
		"web":                {own: path, links: []naming.Identifier{link("http://catalog:8181", "a.b")}, want: "hive,a.b"},
		"warehouse":          {own: path, links: []naming.Identifier{link("file:/tmp/warehouse", "a.b")}, want: "hive,a.b"},
		"warehouse bucket":   {own: path, links: []naming.Identifier{link("s3://lake", "a.b")}, framework: "iceberg", want: "iceberg,a.b"},
		"file in a bucket":   {own: path, links: []naming.Identifier{link("s3://lake", "b.csv")}, want: "s3,lake/sales/orders"},
		"catalog before web": {own: path, links: []naming.Identifier{link("hive://h", "a.b"), link("http://c", "c.d")}, want: "hive,a.b"},
		"own table":          {own: naming.Dataset{Namespace: "postgres://db", Name: "a.b.c"}, links: []naming.Identifier{link("hive://h", "x.y")}, want: "postgres,a.b.c"},
		"own topic":          {own: naming.Dataset{Namespace: "kafka://b", Name: "t"}, links: []naming.Identifier{link("kafka://b", "default.t")}, want: "kafka,t"},
		"own web":            {own: naming.Dataset{Namespace: "http://c", Name: "a.b"}, framework: "iceberg", want: "iceberg,a.b"},
	} {
		s := &naming.Settings{}
		got := s.Preferred(c.own, c.links, c.framework)
		if text := short(urn(t, s, got.Namespace, got.Name)); text != c.want {
			t.Errorf("%s: %s, not %s", name, text, c.want)
		}
		if second := s.Preferred(got, c.links, c.framework); second != got {
			t.Errorf("%s: %v became %v", name, got, second)
		}
	}
}

func TestJobURNs(t *testing.T) {
	const producer = "https://github.com/OpenLineage/OpenLineage/tree/1.54.0/integration/"
	dag := &naming.JobName{Namespace: "ns", Name: "dag"}
	s := &naming.Settings{Namespaces: map[string]naming.Namespace{"mapped": {Cluster: "prod"}}}
	for name, c := range map[string]struct {
		job               naming.Job
		flow, id, display string
		isFlow            bool
	}{
		"dag":                {naming.Job{Namespace: "mapped", Name: "dag", Integration: "AIRFLOW", JobType: "DAG"}, "airflow,dag,prod", "dag", "dag", true},
		"dag of a dag":       {naming.Job{Namespace: "ns", Name: "sub", Integration: "AIRFLOW", JobType: "DAG", Parent: dag, Root: dag}, "airflow,sub,ns", "sub", "sub", true},
		"task":               {naming.Job{Namespace: "ns", Name: "dag.group.task", Integration: "AIRFLOW", JobType: "TASK", Parent: dag}, "airflow,dag,ns", "group.task", "group.task", false},
		"task without a dag": {naming.Job{Namespace: "ns", Name: "dag.task", Engine: "Airflow"}, "airflow,dag,ns", "task", "task", false},
		"spark application":  {naming.Job{Namespace: "ns", Name: "app", Integration: "SPARK", JobType: "APPLICATION"}, "spark,app,ns", "app", "app", true},
		"spark action":       {naming.Job{Namespace: "ns", Name: "app.write.t", Producer: producer + "spark"}, "spark,app,ns", "app.write.t", "write.t", false},
		"spark of a dag":     {naming.Job{Namespace: "ns", Name: "app.write", Engine: "spark", Parent: &naming.JobName{Name: "app"}, Root: dag}, "spark,dag,ns", "app.write", "write", false},
		"dbt":                {naming.Job{Namespace: "ns", Name: "model.p.m", Producer: producer + "dbt/"}, "dbt,model.p.m,ns", "model.p.m", "p.m", true},
		"trino":              {naming.Job{Namespace: "trino://t:443", Name: "q", Producer: "https://github.com/trinodb/trino/plugin"}, "trino,q,trino://t:443", "q", "q", true},
		"own producer":       {naming.Job{Name: "a,(b)", Producer: "https://acme.example"}, "unknown,a%2C%28b%29,default", "a%2C%28b%29", "a,(b)", true},
	} {
		flow, job, display, isFlow, err := s.JobURNs(c.job)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		valid(t, flow)
		valid(t, job)
		wantFlow := "urn:li:dataFlow:(" + c.flow + ")"
		if flow.String() != wantFlow || job.String() != "urn:li:dataJob:("+wantFlow+","+c.id+")" || display != c.display || isFlow != c.isFlow {
			t.Errorf("%s: %s, %s, %q, %t", name, flow, job, display, isFlow)
		}
	}
	s.Orchestrator = "Acme"
	if flow, _, _, _, err := s.JobURNs(naming.Job{Namespace: "n", Name: "j", Integration: "DBT"}); err != nil || flow.String() != "urn:li:dataFlow:(Acme,j,n)" {
		t.Error(flow, err)
	}
}

func TestRunURN(t *testing.T) {
	for id, want := range map[string]string{
		"0197A1B2-0000-7000-8000-00000000ABCD": "0197a1b2-0000-7000-8000-00000000abcd",
		" (my run,1) ":                         "%28my run%2C1%29",
	} {
		u, err := naming.RunURN(id)
		if err != nil || u.String() != "urn:li:dataProcessInstance:"+want {
			t.Errorf("%q: %v, %v", id, u, err)
		}
		valid(t, u)
	}
}

func FuzzDatasetURN(f *testing.F) {
	for _, seed := range [][2]string{
		{"postgres://db:5432", "a.b.c"},
		{"s3a://lake", "/a/b/"},
		{"arn:aws:glue:x:1", "table/a/b"},
		{"file:/x", ""},
		{"", "%2C(,"},
		{"iceberg+http://x", "a.b"},
		{"://", "."},
		{"duckdb:///", "\xff"},
		{"bigquery", "$x"},
		{"inmemory://", "x"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, namespace, name string) {
		d := naming.Dataset{Namespace: namespace, Name: name}
		for _, s := range []*naming.Settings{{}, {Tables: []string{"s3://*/{table}", "file:/[/{table}"}, Partition: regexp.MustCompile(`.=.`)}} {
			u, err := s.DatasetURN(d)
			second, errAgain := s.DatasetURN(d)
			if u != second || (err == nil) != (errAgain == nil) {
				t.Fatalf("%v, then %v", u, second)
			}
			switch {
			case err != nil && !errors.Is(err, naming.ErrNoName):
				t.Fatal(err)
			case err == nil && u.IsZero() != s.Passing(d):
				t.Fatalf("%+v has no URN", d)
			case err == nil && !u.IsZero():
				valid(t, u)
			}
		}
	})
}
