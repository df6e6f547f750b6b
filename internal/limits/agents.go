package limits

// Limits of the tools for agents. An answer has to fit into the memory of an agent,
// so these are much smaller than the other limits.
const (
	// MaxAgentItems is how many items one page of a tool has at most,
	// DefaultAgentItems how many it has by default.
	MaxAgentItems     = 200
	DefaultAgentItems = 20
	// MaxAgentNames is how many entities one call of a tool may name.
	MaxAgentNames = 20
	// MaxAgentAnswer is how large the items of an answer may be, as JSON.
	MaxAgentAnswer = 48 << 10
	// MaxAgentText is how long one text in an answer may be, such as a description;
	// MaxAgentListedText how long in a list of entities, and MaxAgentSQL how long the
	// text of a query.
	MaxAgentText       = 2000
	MaxAgentListedText = 200
	MaxAgentSQL        = 4000
	// MaxAgentPaths is how many paths between two entities a tool returns at most,
	// DefaultAgentPaths how many by default.
	MaxAgentPaths     = 10
	DefaultAgentPaths = 3
	// MaxAgentCalls is how many messages one request of a client of an old protocol may
	// have; later versions have one.
	MaxAgentCalls = 20
)

// agents lists the limits of the tools for agents.
func agents() []Limit {
	return []Limit{
		{Name: "tool items", Value: MaxAgentItems, Unit: "items", Meaning: "The items of one page of an MCP tool, 20 by default. A tool refuses to be asked for more."},
		{Name: "tool names", Value: MaxAgentNames, Unit: "entities", Meaning: "The entities, and the values of each filter, that one call of an MCP tool may name. More are refused."},
		{Name: "tool answer", Value: MaxAgentAnswer, Unit: "bytes", Meaning: "The size of the items in the answer of an MCP tool, as JSON. What does not fit is left out: the answer is then partial and says where to continue."},
		{Name: "tool text", Value: MaxAgentText, Unit: "bytes", Meaning: "A text in the answer of an MCP tool, such as a description. Of a longer text the beginning is shown, with the number of bytes left out. In lists of entities the beginning is 200 bytes."},
		{Name: "tool SQL", Value: MaxAgentSQL, Unit: "bytes", Meaning: "The text of a query in the answer of an MCP tool. Of a longer text the beginning is shown, with the number of bytes left out."},
		{Name: "tool paths", Value: MaxAgentPaths, Unit: "paths", Meaning: "The paths between two entities that an MCP tool returns. A tool refuses to be asked for more."},
		{Name: "tool calls", Value: MaxAgentCalls, Unit: "messages", Meaning: "The messages of a batch of MCP, which clients of the protocol before 2025-06-18 may send; its calls run one after another. A batch with more, and any batch of a later version, is refused with 400."},
	}
}
