const example = `# What is known of orders, and who owns it. Press the arrow to run it.
query {
  searchAcrossEntities(input: { query: "orders", count: 3 }) {
    total
    searchResults {
      entity {
        urn
        type
        ... on Dataset {
          name
          properties { description }
          ownership { owners { owner { ... on CorpUser { username } ... on CorpGroup { name } } } }
        }
      }
    }
  }
}
`;

ReactDOM.createRoot(document.getElementById("graphiql")).render(
  React.createElement(GraphiQL, {
    fetcher: GraphiQL.createFetcher({ url: "/api/graphql" }),
    defaultQuery: example,
  }),
);
