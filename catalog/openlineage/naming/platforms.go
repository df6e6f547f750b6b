package naming

import "strings"

// kind is the kind of thing that the names of a platform stand for.
type kind int

const (
	tables kind = iota
	storage
	others
)

// A store is one way in which producers name a kind of store.
type store struct {
	// title is the name of the store for people.
	title string
	// schemes are the beginnings of the namespaces. The first is the one of the specification.
	schemes []string
	// platform is the id of the data platform.
	platform string
	kind     kind
	// name makes the name of the entity.
	name func(at address, name string, special Namespace) string
	// rule says in words how name differs from the name in the event.
	rule string
	// namespace and example are a dataset of the store.
	namespace, example string
}

// stores are the stores that the package knows.
var stores = []store{
	{"Amazon Athena", []string{"awsathena"}, "athena", tables, lastTwo, "the catalog is left out, unless a setting keeps it", "awsathena://athena.eu-west-1.amazonaws.com", "awsdatacatalog.sales.orders"},
	{"AWS Glue", []string{glueScheme}, "glue", tables, glueName, "`table/db/t` is `db.t`", "arn:aws:glue:eu-west-1:123456789012", "table/sales/orders"},
	{"Azure Cosmos DB", []string{"azurecosmos"}, "azurecosmos", tables, cosmosName, "the database of the namespace, then the collection", "azurecosmos://acme.documents.azure.com/dbs/sales", "colls/orders"},
	{"Azure Data Explorer", []string{"azurekusto"}, "kusto", tables, kustoName, "slashes are dots", "azurekusto://acme.kusto.windows.net", "sales/orders"},
	{"BigQuery", []string{"bigquery"}, "bigquery", tables, bigQueryName, "without the date of a sharded table and without a partition", "bigquery", "acme.sales.orders"},
	{"Cassandra", []string{"cassandra"}, "cassandra", tables, tableName, "", "cassandra://db:9042", "sales.orders"},
	{"ClickHouse", []string{"clickhouse"}, "clickhouse", tables, tableName, "", "clickhouse://db:8123", "sales.orders"},
	{"CrateDB", []string{"crate"}, "crate", tables, tableName, "", "crate://db:5432", "crate.sales.orders"},
	{"DB2", []string{"db2"}, "db2", tables, db2Name, "the database is upper-case", "db2://db:50000", "acme.sales.orders"},
	{"Databricks, Unity Catalog", []string{"unitycatalog", "unity-catalog", "databricks"}, "databricks", tables, tableName, "", "unitycatalog://acme.cloud.databricks.com", "main.sales.orders"},
	{"Dremio", []string{"dremio"}, "dremio", tables, tableName, "", "dremio://dremio:31010", "space.sales.orders"},
	{"DuckDB", []string{"duckdb"}, "duckdb", tables, tableName, "", "duckdb:///data/acme.duckdb", "acme.sales.orders"},
	{"Fabric Warehouse", []string{"fabric-warehouse"}, "fabric-onelake", tables, tableName, "", "fabric-warehouse://acme.datawarehouse.fabric.microsoft.com", "acme.sales.orders"},
	{"Hive", []string{"hive"}, hive, tables, tableName, "", "hive://hive:10000", "sales.orders"},
	{"Iceberg in a catalog that Preferred found", []string{"iceberg"}, "iceberg", tables, tableName, "", "iceberg+https://catalog:8181", "sales.orders"},
	{"Google lakehouse", []string{"gcp_lakehouse"}, "gcp_lakehouse", tables, tableName, "", "gcp_lakehouse", "sales.orders"},
	{"Milvus", []string{"milvus"}, "milvus", tables, tableName, "", "milvus://db:19530", "sales.orders"},
	{"MySQL", []string{"mysql"}, "mysql", tables, tableName, "", "mysql://db:3306", "sales.orders"},
	{"OceanBase", []string{"oceanbase"}, "oceanbase", tables, tableName, "", "oceanbase://db:2881", "sales.orders"},
	{"Oracle", []string{"oracle"}, "oracle", tables, lastTwo, "the service or SID is left out, unless a setting keeps it", "oracle://db:1521", "XE.SALES.ORDERS"},
	{"PostgreSQL", []string{"postgres", "postgresql"}, "postgres", tables, tableName, "", "postgres://db:5432", "acme.public.orders"},
	{"Redshift", []string{"redshift"}, "redshift", tables, tableName, "", "redshift://acme.eu-west-1:5439", "acme.public.orders"},
	{"Snowflake", []string{"snowflake"}, "snowflake", tables, lowerName, "lower-case", "snowflake://acme-main", "ACME.PUBLIC.ORDERS"},
	{"Spanner", []string{"spanner"}, "spanner", tables, tableName, "", "spanner://acme:main", "sales.public.orders"},
	{"Spark", []string{"spark"}, "spark", tables, tableName, "", "spark://spark:10000", "sales.orders"},
	{"SQL Server, Azure Synapse", []string{"mssql", "sqlserver"}, "mssql", tables, tableName, "", "sqlserver://db:1433", "acme.dbo.orders"},
	{"Teradata", []string{"teradata"}, "teradata", tables, tableName, "", "teradata://db:1025", "sales.orders"},
	{"Trino", []string{"trino"}, "trino", tables, tableName, "", "trino://trino:443", "hive.sales.orders"},
	{"Azure Blob Storage and Data Lake", []string{"abfss", "abfs", "wasbs", "wasb"}, "abs", storage, containerName, "the container, then the path", "abfss://lake@acme.dfs.core.windows.net", "sales/orders"},
	{"Databricks File System", []string{"dbfs"}, "dbfs", storage, pathName, "the path", "dbfs://acme", "/sales/orders"},
	{"Google Cloud Storage", []string{"gs", "gcs"}, "gcs", storage, bucketName, "the bucket, then the key", "gs://lake", "sales/orders"},
	{"HDFS", []string{"hdfs"}, "hdfs", storage, pathName, "the path", "hdfs://namenode:8020", "/sales/orders"},
	{"Amazon S3", []string{"s3", "s3a", "s3n"}, "s3", storage, bucketName, "the bucket, then the key", "s3://lake", "sales/orders"},
	{"Files", []string{"file"}, "file", storage, fileName, "the host if there is one, then the path", "file", "/sales/orders"},
	{"Kafka", []string{"kafka"}, "kafka", others, asSent, "", "kafka://broker:9092", "orders"},
	{"Pub/Sub", []string{"pubsub"}, "pubsub", others, pubSubName, "the project, then the topic or subscription", "pubsub", "topic:acme:orders"},
	{"Box", []string{"box"}, "box", others, folderName, "the last part of the namespace, then the key", "box://box.com:443/acme", "orders"},
	{"FileNet", []string{"filenet"}, "filenet", others, folderName, "the last part of the namespace, then the key", "filenet://filenet:443/acme", "orders"},
	{"SharePoint", []string{"mssharepoint"}, "sharepoint", others, folderName, "the last part of the namespace, then the key", "mssharepoint://acme.sharepoint.com:443/sales", "orders"},
	{"Data in memory", []string{inMemory}, inMemory, others, asSent, "no entity; the lineage goes through", "inmemory://", "orders"},
}

const inMemory = "inmemory"

// storeOf finds the store of a scheme, nil if the package does not know it.
var storeOf = func() map[string]*store {
	found := map[string]*store{}
	for i := range stores {
		for _, scheme := range stores[i].schemes {
			found[scheme] = &stores[i]
		}
	}
	return found
}()

func isKnown(scheme string) bool { return storeOf[strings.ToLower(scheme)] != nil }

// Platform is the id of the data platform of a namespace. A scheme that the package does not know is a
// platform of its own.
func (s *Settings) Platform(namespace string) string {
	if platform, _ := frameworkOf(namespace); platform != "" {
		return platform
	}
	scheme := parse(namespace).scheme
	if known := storeOf[scheme]; known != nil {
		return known.platform
	}
	return scheme
}

// Passing reports whether a dataset is only in memory. Such a dataset gets no entity of its own: the
// lineage of its producer goes on to its consumers.
func (s *Settings) Passing(d Dataset) bool {
	return strings.EqualFold(parse(d.Namespace).scheme, inMemory)
}
