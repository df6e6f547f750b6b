package headwater_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A size is how large a folder may be, without tests and generated code: its Go files, their
// lines, and the exported methods of the type in it that has most of them.
type size struct {
	files, lines, methods int
}

// usual is the size of folders without a row in sizes.
var usual = size{files: 12, lines: 1000, methods: 20}

// slack is how much a folder may be below its row, in percent, until the row must be lowered.
const slack = 20

// sizes are the folders that are larger than usual. A folder that grows beyond its row is
// parted, or its row is raised here, where everybody sees it.
var sizes = map[string]size{
	"access/audit":                   {files: 12, lines: 1350, methods: 20},
	"access/manage":                  {files: 12, lines: 1100, methods: 20},
	"access/oidc":                    {files: 12, lines: 1500, methods: 20},
	"access/people":                  {files: 12, lines: 1350, methods: 20},
	"access/permit":                  {files: 12, lines: 1570, methods: 20},
	"access/policies":                {files: 15, lines: 2200, methods: 20},
	"access/visible":                 {files: 17, lines: 3400, methods: 40},
	"app":                            {files: 20, lines: 1980, methods: 20},
	"attack":                         {files: 28, lines: 4850, methods: 20},
	"bench":                          {files: 32, lines: 5690, methods: 20},
	"catalog":                        {files: 17, lines: 1000, methods: 20},
	"catalog/announced":              {files: 12, lines: 1250, methods: 20},
	"catalog/change":                 {files: 21, lines: 3850, methods: 20},
	"catalog/dbt":                    {files: 20, lines: 3700, methods: 20},
	"connectors/internal/settings":   {files: 12, lines: 1000, methods: 25},
	"catalog/derived":                {files: 12, lines: 1800, methods: 20},
	"catalog/delivery":               {files: 12, lines: 1450, methods: 20},
	"catalog/moments":                {files: 12, lines: 1250, methods: 20},
	"catalog/edits":                  {files: 42, lines: 5650, methods: 96},
	"catalog/feed":                   {files: 12, lines: 1750, methods: 20},
	"catalog/overlay":                {files: 12, lines: 1500, methods: 20},
	"catalog/follower":               {files: 15, lines: 1950, methods: 20},
	"catalog/ingestion":              {files: 14, lines: 2450, methods: 20},
	"catalog/history":                {files: 16, lines: 2600, methods: 20},
	"catalog/lineage":                {files: 53, lines: 10000, methods: 25},
	"catalog/querylog":               {files: 12, lines: 1200, methods: 20},
	"catalog/read":                   {files: 18, lines: 2400, methods: 30},
	"catalog/removal":                {files: 14, lines: 2200, methods: 20},
	"catalog/replica":                {files: 12, lines: 1500, methods: 20},
	"catalog/schemafile":             {files: 12, lines: 1200, methods: 20},
	"catalog/search":                 {files: 29, lines: 5250, methods: 20},
	"catalog/sqlqueries":             {files: 12, lines: 1150, methods: 20},
	"catalog/webhooks":               {files: 12, lines: 1400, methods: 20},
	"catalog/write":                  {files: 45, lines: 7200, methods: 54},
	"client":                         {files: 12, lines: 1000, methods: 22},
	"client/copying":                 {files: 12, lines: 1800, methods: 20},
	"client/ingest":                  {files: 12, lines: 1300, methods: 20},
	"cmd/headwater/check":            {files: 12, lines: 1750, methods: 20},
	"cmd/headwater/lineage":          {files: 12, lines: 1550, methods: 20},
	"cmd/headwater/get":              {files: 12, lines: 1500, methods: 20},
	"cmd/headwater/history":          {files: 12, lines: 1250, methods: 20},
	"cmd/headwater/internal/cli":     {files: 12, lines: 1250, methods: 24},
	"cmd/headwater/transfer":         {files: 12, lines: 1750, methods: 20},
	"executor":                       {files: 12, lines: 1350, methods: 20},
	"gql":                            {files: 12, lines: 1500, methods: 20},
	"gql/object":                     {files: 74, lines: 9430, methods: 48},
	"internal/limits":                {files: 21, lines: 1600, methods: 20},
	"sql/lineage":                    {files: 23, lines: 4400, methods: 20},
	"catalog/openlineage":            {files: 26, lines: 5250, methods: 20},
	"catalog/openlineage/naming":     {files: 12, lines: 1150, methods: 20},
	"gql/resolver":                   {files: 77, lines: 4760, methods: 165},
	"graphstore":                     {files: 19, lines: 1900, methods: 20},
	"graphstore/embedded":            {files: 32, lines: 6700, methods: 54},
	"graphstore/neo4j":               {files: 31, lines: 6500, methods: 55},
	"graphstore/storetest":           {files: 25, lines: 4750, methods: 20},
	"graphstore/storewrap":           {files: 12, lines: 1000, methods: 53},
	"rest":                           {files: 12, lines: 1200, methods: 20},
	"rest/operations":                {files: 12, lines: 1100, methods: 20},
	"indexer":                        {files: 12, lines: 1960, methods: 20},
	"indexer/embedded":               {files: 26, lines: 4620, methods: 20},
	"indexer/indextest":              {files: 12, lines: 1800, methods: 20},
	"indexer/typesense":              {files: 15, lines: 2700, methods: 20},
	"kafka/proposals":                {files: 12, lines: 1550, methods: 20},
	"mcp":                            {files: 19, lines: 3300, methods: 20},
	"model":                          {files: 38, lines: 6050, methods: 46},
	"oracle":                         {files: 18, lines: 3400, methods: 20},
	"rest/call":                      {files: 18, lines: 1450, methods: 33},
	"rest/restli":                    {files: 12, lines: 1200, methods: 20},
	"rest/v3":                        {files: 12, lines: 1700, methods: 20},
	"sample":                         {files: 12, lines: 1350, methods: 20},
	"sql":                            {files: 12, lines: 1450, methods: 20},
	"connectors/internal/relational": {files: 14, lines: 1750, methods: 20},
	"connectors/postgres":            {files: 12, lines: 1100, methods: 20},

	// This row stands apart, so that gofmt does not align the others with its long name.
	"catalog/openlineage/marquez": {files: 12, lines: 2000, methods: 20},
}

// TestSizes fails when a folder has outgrown its size, and when its row allows much more than it
// needs.
func TestSizes(t *testing.T) {
	found := measureFolders(t)
	if len(found) < 50 {
		t.Fatalf("only %d folders were measured", len(found))
	}
	for _, folder := range slices.Sorted(maps.Keys(found)) {
		is := found[folder]
		may, listed := sizes[folder]
		if !listed {
			may = usual
		}
		if is.files > may.files || is.lines > may.lines || is.methods > may.methods {
			t.Errorf("%s has %+v, more than %+v: part it, or raise its row in sizes_test.go", folder, is, may)
		}
		if listed && is.files <= usual.files && is.lines <= usual.lines && is.methods <= usual.methods {
			t.Errorf("%s has %+v: it needs no row in sizes_test.go", folder, is)
		}
		if listed && may.lines > usual.lines && is.lines*100 < may.lines*(100-slack) {
			t.Errorf("%s has %d lines: lower its %d in sizes_test.go", folder, is.lines, may.lines)
		}
	}
	for folder := range sizes {
		if _, ok := found[folder]; !ok {
			t.Errorf("%s has a row in sizes_test.go but no Go files", folder)
		}
	}
}

// measureFolders returns the size of every folder with Go files.
func measureFolders(t *testing.T) map[string]size {
	t.Helper()
	paths := map[string][]string{}
	for _, f := range readImports(t) {
		if !f.isTest() {
			paths[f.folder] = append(paths[f.folder], f.path)
		}
	}
	found := map[string]size{}
	for folder, files := range paths {
		of, methods := size{}, map[string]int{}
		for _, path := range files {
			text, err := os.ReadFile(filepath.FromSlash(path))
			if err != nil {
				t.Fatal(err)
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if ast.IsGenerated(file) {
				continue
			}
			of.files++
			of.lines += bytes.Count(text, []byte("\n"))
			countMethods(file, methods)
		}
		if of.files > 0 {
			of.methods = slices.Max(append(slices.Collect(maps.Values(methods)), 0))
			found[folder] = of
		}
	}
	return found
}

// countMethods adds the exported methods of a file to the number of each type's.
func countMethods(file *ast.File, methods map[string]int) {
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Recv == nil || !f.Name.IsExported() {
			continue
		}
		of := f.Recv.List[0].Type
		if pointer, ok := of.(*ast.StarExpr); ok {
			of = pointer.X
		}
		if generic, ok := of.(*ast.IndexExpr); ok {
			of = generic.X
		}
		if name, ok := of.(*ast.Ident); ok {
			methods[name.Name]++
		}
	}
}

// TestRulesAreUsed fails when a rule lets a folder import another folder that none of its files
// imports. A rule may name a group even if not every member of the group is imported.
func TestRulesAreUsed(t *testing.T) {
	used := map[string]bool{}
	for _, f := range readImports(t) {
		if f.isTest() && !strings.HasSuffix(f.folder, "test") && f.folder != "catalog/cases" && f.folder != "e2e" {
			continue
		}
		for _, imported := range f.imports {
			used[f.folder+" "+strings.TrimPrefix(imported, module)] = true
		}
	}
	for _, r := range rules {
		for _, name := range r.may {
			if groups[name] == nil && !used[r.folder+" "+name] {
				t.Errorf("%s may import %s and does not: delete that from its rule", r.folder, name)
			}
		}
	}
}
