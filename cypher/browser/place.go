package browser

// A Place is where analysts find the graph. It has no user and no password.
type Place struct {
	// Address is that of the database, such as "neo4j://graph.example:7687"; it is
	// empty when the server keeps the graph in the embedded store.
	Address string
	// Database is its name, or empty for the server's default.
	Database string
	// Browser is the address of Neo4j Browser.
	Browser string
}
