package catalogtest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/search"
	"github.com/headwater-io/headwater/catalog/write"
)

// Total counts the datasets in the index.
func (s *SearchHarness) Total() int {
	s.T.Helper()
	found, err := s.Search.Search(context.Background(), search.Request{Types: []string{"dataset"}})
	if err != nil {
		s.T.Fatal(err)
	}
	return found.Total
}

// Shop is a small catalog to search in.
type Shop struct{ *SearchHarness }

func Dataset(platform, name, origin string) string {
	return fmt.Sprintf("urn:li:dataset:(urn:li:dataPlatform:%s,%s,%s)", platform, name, origin)
}

var (
	Created = Dataset("hive", "prod_db.fct_users_created", "PROD")
	Deleted = Dataset("hive", "prod_db.fct_users_deleted", "PROD")
	Address = Dataset("kafka", "dimCustomerAddress", "DEV")
	Gone    = Dataset("hive", "prod_db.fct_gone", "PROD")
)

func NewShop(t testing.TB) Shop {
	s := Shop{NewSearchHarness(t)}
	put := func(urn, aspect, value string) {
		t.Helper()
		u := strings.Split(urn, ":")[2]
		s.Attempt("", write.Proposal{EntityType: u, EntityURN: urn, AspectName: aspect, Aspect: &write.GenericAspect{Value: []byte(value), ContentType: "application/json"}})
	}
	put(Created, "datasetProperties", `{"description":"One row a new user, café style","customProperties":{"tier":"gold","SLA":"1 h"},"created":{"time":1600000000000}}`)
	put(Created, "globalTags", `{"tags":[{"tag":"urn:li:tag:Engineering"}]}`)
	put(Created, "ownership", `{"owners":[{"owner":"urn:li:corpuser:ada","type":"DATAOWNER"}],"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}`)
	put(Created, "schemaMetadata", schemaOf("user_id", "signupTime"))
	put(Deleted, "datasetProperties", `{"description":"One row a user who left","created":{"time":1700000000000}}`)
	put(Deleted, "editableSchemaMetadata", `{"editableSchemaFieldInfo":[{"fieldPath":"user_id","globalTags":{"tags":[{"tag":"urn:li:tag:Engineering"}]}}],"created":{"time":0,"actor":"urn:li:corpuser:ada"},"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}`)
	put(Address, "datasetProperties", `{"description":"Where customers live"}`)
	put(Gone, "status", `{"removed":true}`)
	put("urn:li:corpuser:ada", "corpUserInfo", `{"active":true,"displayName":"Ada Wren","email":"ada@example.com"}`)
	put("urn:li:tag:Engineering", "tagProperties", `{"name":"Engineering","description":"By engineers"}`)
	put("urn:li:domain:eng-1", "domainProperties", `{"name":"Engineering"}`)
	put("urn:li:chart:(looker,signups)", "chartInfo", `{"title":"Sign-ups a day","description":"From fct_users_created","lastModified":{"created":{"time":0,"actor":"urn:li:corpuser:ada"},"lastModified":{"time":0,"actor":"urn:li:corpuser:ada"}}}`)
	return s
}

func schemaOf(paths ...string) string {
	var fields []string
	for _, path := range paths {
		fields = append(fields, fmt.Sprintf(`{"fieldPath":%q,"nativeDataType":"text","type":{"type":{"com.linkedin.schema.StringType":{}}}}`, path))
	}
	return `{"schemaName":"s","platform":"urn:li:dataPlatform:hive","version":0,"hash":"","platformSchema":{"com.linkedin.schema.OtherSchema":{"rawSchema":""}},"fields":[` + strings.Join(fields, ",") + `]}`
}

func HitURNs(found *search.Result) []string {
	urns := []string{}
	for _, hit := range found.Hits {
		urns = append(urns, hit.URN)
	}
	slices.Sort(urns)
	return urns
}

var ByAda = catalog.WriteOptions{Actor: Ada, AwaitIndex: true}

func (s Shop) Find(r search.Request) *search.Result {
	s.T.Helper()
	if r.Count == 0 {
		r.Count = 50
	}
	found, err := s.Search.Search(context.Background(), r)
	if err != nil {
		s.T.Fatalf("%+v: %v", r, err)
	}
	return found
}

func (s Shop) Expect(r search.Request, want ...string) {
	s.T.Helper()
	if want == nil {
		want = []string{}
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, HitURNs(s.Find(r))); diff != "" {
		s.T.Errorf("%+v (-want +got):\n%s", r, diff)
	}
}
