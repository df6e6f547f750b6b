package write_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/headwater-io/headwater/catalog"
	"github.com/headwater-io/headwater/catalog/catalogtest"
	"github.com/headwater-io/headwater/catalog/services"
	"github.com/headwater-io/headwater/catalog/transfer"
	"github.com/headwater-io/headwater/catalog/write"
	"github.com/headwater-io/headwater/graphstore"
	"github.com/headwater-io/headwater/model"
)

const (
	s3      = "urn:li:dataPlatform:s3"
	bucket  = "urn:li:dataset:(urn:li:dataPlatform:s3,My-bucket/folder_a/f,UAT)"
	written = "urn:li:dataset:(urn:li:dataPlatform:s3,My-bucket/folder_b/g,UAT)"
)

// delimiter writes a platform's delimiter.
func delimiter(h *catalogtest.Harness, platform, delimiter string) {
	h.T.Helper()
	h.Say(platform, "dataPlatformInfo", `{"name":"x","type":"OTHERS","datasetNameDelimiter":"`+delimiter+`"}`)
}

// platforms adds the common platforms and expects how many there are to add.
func platforms(h *catalogtest.Harness, want int) {
	h.T.Helper()
	added, err := h.AddPlatforms(context.Background())
	if err != nil || added != want {
		h.T.Errorf("%d platforms added, want %d: %v", added, want, err)
	}
}

// seeds is how many entities besides platforms every catalog has: types of ownership,
// data types and entity types.
var seeds = 4 + 5 + len(model.Default().Entities())

// A fresh catalog knows the common platforms; platforms that were written before stay unchanged.
func TestCommonPlatforms(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	h.Say("urn:li:dataPlatform:hive", "dataPlatformInfo", `{"name":"ours","type":"OTHERS","datasetNameDelimiter":"#"}`)
	if untouched, err := h.Untouched(ctx); untouched || err != nil {
		t.Errorf("a catalog with a write is untouched: %v", err)
	}
	updates := h.Store.Updates.Load()
	platforms(h, 58+seeds)
	if n := h.Store.Updates.Load() - updates; n != 1 {
		t.Errorf("%d transactions", n)
	}
	log := len(h.Logged())
	platforms(h, 0)
	if n := len(h.Logged()); n != log {
		t.Errorf("%d changes more the second time", n-log)
	}
	for urn, want := range map[string]string{
		s3:                         `{"datasetNameDelimiter":"/","displayName":"AWS S3","name":"s3","type":"FILE_SYSTEM"}`,
		"urn:li:dataPlatform:hive": `{"name":"ours","type":"OTHERS","datasetNameDelimiter":"#"}`,
	} {
		if got := h.Value(urn, "dataPlatformInfo", 0); got != want {
			t.Errorf("%s: %s", urn, got)
		}
	}
	stored, err := h.Store.LatestAspects(ctx, []string{s3}, []string{"dataPlatformInfo"})
	if err != nil || stored[s3][0].System.RunID != catalog.PlatformsRun || stored[s3][0].CreatedBy != "urn:li:corpuser:__datahub_system" {
		t.Errorf("%+v %v", stored, err)
	}
	h.Put("", write.Upsert, bucket, "status", `{"removed":false}`)
	if got := h.Value(bucket, "browsePaths", 0); got != `{"paths":["/uat/s3/my-bucket/folder_a"]}` {
		t.Errorf("default path: %s", got)
	}
}

// The entities to which structured properties and owners refer exist from the first start.
func TestSeeds(t *testing.T) {
	h := catalogtest.NewHarness(t)
	platforms(h, 59+seeds)
	for _, want := range []struct{ urn, aspect, value string }{
		{"urn:li:ownershipType:__system__technical_owner", "ownershipTypeInfo", `"name":"Technical Owner"`},
		{"urn:li:dataType:datahub.rich_text", "dataTypeInfo", `{"displayName":"Rich Text","qualifiedName":"datahub.rich_text"}`},
		{"urn:li:entityType:datahub.dataJob", "entityTypeInfo", `{"displayName":"Data Job","qualifiedName":"datahub.dataJob"}`},
	} {
		if got := h.Value(want.urn, want.aspect, 0); !strings.Contains(got, want.value) {
			t.Errorf("%s: %s", want.urn, got)
		}
	}
}

// TestUntouched: a catalog with nothing but the common platforms counts as untouched.
func TestUntouched(t *testing.T) {
	h, ctx := catalogtest.NewHarness(t), context.Background()
	for _, step := range []func(){func() {}, func() { platforms(h, 59+seeds) }} {
		step()
		if untouched, err := h.Untouched(ctx); !untouched || err != nil {
			t.Errorf("touched: %v", err)
		}
	}
	delimiter(h, s3, "/")
	if untouched, _ := h.Untouched(ctx); untouched {
		t.Error("a platform that somebody wrote counts for nothing")
	}
}

// Servers that start together write each platform once.
func TestPlatformsOfSeveralServers(t *testing.T) {
	catalogtest.BothStores(t, func(t *testing.T, store graphstore.Store) {
		defer store.Close() //nolint:errcheck // the test is over
		first, second := services.New(services.Options{Store: store}), services.New(services.Options{Store: store})
		if _, err := first.Removal.Delete(context.Background(), catalogtest.URN(s3), false, catalog.WriteOptions{}); err != nil { // another test may have made it
			t.Fatal(err)
		}
		var both sync.WaitGroup
		for _, c := range []*services.Services{first, second, first, second} {
			both.Go(func() {
				if _, err := c.AddPlatforms(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
		both.Wait()
		versions, err := store.AspectVersions(context.Background(), graphstore.AspectKey{URN: s3, Name: "dataPlatformInfo"}, graphstore.Page{Count: 10})
		if err != nil || len(versions) != 1 {
			t.Errorf("%d versions: %v", len(versions), err)
		}
	})
}

// Default paths follow the delimiter of their platform; a path that a caller wrote stays unchanged.
func TestDefaultPathsFollowTheDelimiter(t *testing.T) {
	s := catalogtest.NewSearchHarness(t)
	other := "urn:li:dataset:(urn:li:dataPlatform:s34,My-bucket/folder_a/f,UAT)"
	example := "urn:example:dataset:(urn:example:dataPlatform:s3,b/c/d,PROD)"
	const mine = `{"paths":["/uat/s3"]}`
	for _, urn := range []string{bucket, written, other, example} {
		s.Put("", write.Upsert, urn, "status", `{"removed":false}`)
	}
	s.Put("", write.Upsert, written, "browsePaths", `{"paths":["/mine"]}`)
	s.Put("", write.Upsert, written, "browsePaths", mine) // the same path as the default, but written by a caller
	check := func(what string, want map[string][2]string) {
		t.Helper()
		s.Await()
		s.AwaitBackground()
		for urn, paths := range want {
			if got := s.Value(urn, "browsePaths", 0); got != paths[0] {
				t.Errorf("%s: %s: %s", what, urn, got)
			}
			if got := s.Value(urn, "browsePathsV2", 0); got != paths[1] {
				t.Errorf("%s: %s: %s", what, urn, got)
			}
		}
	}
	const none = `{"path":[{"id":"Default"}]}`
	apart := func(last string) [2]string {
		return [2]string{`{"paths":["/uat/s3/my-bucket/` + last + `"]}`, `{"path":[{"id":"my-bucket"},{"id":"` + last + `"}]}`}
	}
	whole := [2]string{mine, none}
	check("unknown", map[string][2]string{bucket: whole, written: whole, example: {`{"paths":["/prod/s3"]}`, none}})
	delimiter(s.Harness, s3, "/")
	check("known", map[string][2]string{
		bucket: apart("folder_a"), written: {mine, apart("folder_b")[1]}, other: {`{"paths":["/uat/s34"]}`, none}, example: {`{"paths":["/prod/s3"]}`, none},
	})
	if got, err := s.Store.LatestAspects(context.Background(), []string{bucket}, []string{"browsePaths"}); err != nil ||
		got[bucket][0].CreatedBy != "urn:li:corpuser:"+write.PathsActorName || got[bucket][0].System.RunID != catalog.NoRunID {
		t.Errorf("%+v %v", got, err)
	}
	delimiter(s.Harness, s3, "_")
	check("another", map[string][2]string{bucket: {`{"paths":["/uat/s3/my-bucket/folder"]}`, `{"path":[{"id":"my-bucket/folder"}]}`}, written: {mine, `{"path":[{"id":"my-bucket/folder"}]}`}})
	delimiter(s.Harness, s3, "/")
	check("back", map[string][2]string{bucket: apart("folder_a")})
	delimiter(s.Harness, "urn:example:dataPlatform:s3", "/")
	check("of the other dialect", map[string][2]string{bucket: apart("folder_a"), example: {`{"paths":["/prod/s3/b/c"]}`, `{"path":[{"id":"b"},{"id":"c"}]}`}})
	s.Attempt("", write.Proposal{EntityType: "dataPlatform", EntityURN: s3, ChangeType: write.Delete, AspectName: "dataPlatformInfo"})
	check("unknown again", map[string][2]string{bucket: whole, written: whole})
}

// logged counts the changes.
func logged(h *catalogtest.Harness) int64 {
	h.T.Helper()
	n, err := h.Store.Lag(context.Background(), "")
	if err != nil {
		h.T.Fatal(err)
	}
	return n
}

// A server that starts again completes unfinished work in bounded steps, and writes no path that is right
// already.
func TestDefaultPathsAtStart(t *testing.T) {
	h := catalogtest.NewHarness(t) // this harness has no follower of the change log
	urns := []string{}
	var proposals []write.Proposal
	for i := range write.ScanPage + 20 {
		urn := "urn:li:dataset:(urn:li:dataPlatform:s3,b/" + string(rune('a'+i%26)) + string(rune('a'+i/26)) + "/f,UAT)"
		urns = append(urns, urn)
		proposals = append(proposals, catalogtest.Proposal(write.Upsert, urn, "status", `{"removed":false}`))
	}
	if _, err := h.IngestBatch(context.Background(), proposals, catalog.WriteOptions{Actor: catalogtest.Ada}); err != nil {
		t.Fatal(err)
	}
	platforms(h, 59+seeds)
	for round, want := range []int64{2 * (write.ScanPage + 20), 0} {
		log, updates := logged(h), h.Store.Updates.Load()
		if err := h.FollowDelimiters(); err != nil {
			t.Fatal(err)
		}
		h.AwaitBackground()
		if n := logged(h) - log; n != want {
			t.Errorf("round %d: %d changes, want %d", round, n, want)
		}
		if n := h.Store.Updates.Load() - updates; n < want/write.PathsAtOnce || want == 0 && n != 0 {
			t.Errorf("round %d: %d transactions", round, n)
		}
	}
	wrong := slices.DeleteFunc(urns, func(urn string) bool { return h.Value(urn, "browsePaths", 0) != `{"paths":["/uat/s3"]}` })
	if len(wrong) > 0 {
		t.Errorf("%d paths are as they were, such as that of %s", len(wrong), wrong[0])
	}
}

// TestImportOverPlatforms: a catalog is moved into a server that has written the common platforms at its
// start. Afterwards the platforms equal the platforms of the export; a platform that a caller has
// changed meanwhile stays unchanged.
func TestImportOverPlatforms(t *testing.T) {
	from, to := catalogtest.NewHarness(t), catalogtest.NewHarness(t)
	platforms(from, 59+seeds)
	delimiter(from, s3, "#")
	platforms(to, 59+seeds)
	delimiter(to, "urn:li:dataPlatform:hive", "!")
	ours := to.Value("urn:li:dataPlatform:hive", "dataPlatformInfo", 0)
	result := to.Imported(transfer.ImportOptions{}, from.Exported())
	if len(result.Failures) != 1 || result.Failures[0].URN != "urn:li:dataPlatform:hive" {
		t.Errorf("failures: %+v", result.Failures)
	}
	if got, want := to.Value(s3, "dataPlatformInfo", 0), from.Value(s3, "dataPlatformInfo", 0); got != want {
		t.Errorf("s3 is %s, want %s", got, want)
	}
	if got := to.Value("urn:li:dataPlatform:hive", "dataPlatformInfo", 0); got != ours {
		t.Errorf("hive is %s, want %s", got, ours)
	}
}
