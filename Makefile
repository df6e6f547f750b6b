# Everything a person or CI does with this repository. "make help" lists it.
SHELL := bash
GO ?= go
BIN := bin
VERSION ?= dev
COMMIT := $(shell git rev-parse --short HEAD 2>/dev/null)
# Without symbol tables and line tables for debuggers; stack traces need neither.
LDFLAGS := -s -w -X main.version=$(VERSION) -X main.commit=$(COMMIT)
GOLANGCI_LINT := v2.5.0
GOFUMPT := v0.9.1
GOVULNCHECK := v1.1.4
DEADCODE := v0.38.0

# What libraries offer and nothing here uses is left out, in programs and tests alike:
# gin's MessagePack and gRPC's traces (docs/decisions/0059-releases.md).
TAGS := nomsgpack,grpcnotrace
export GOFLAGS := $(strip $(shell $(GO) env GOFLAGS) -tags=$(TAGS))

# Other people's metadata and tables, read where they are there, never copied.
export HEADWATER_REFERENCE_DIR ?= $(dir $(CURDIR))shared

# The race detector watches our code and every library but SQLite's, which is C
# turned into Go with locks of its own: watched, tests of the store take four times as long.
# The driver beside it is watched, because it shares generic code with us (sync.Map).
RACE := -race -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc=-race=false

# The compiler and the linker of tests get memory, the tests do not: they measure theirs.
LAVISH := -toolexec='env GOGC=400'

# How many packages are tested at once besides the tests of the built binary: their tests wait for
# servers about half of the time.
PACKAGES ?= $(shell nproc)

.DEFAULT_GOAL := help
.PHONY: $(shell grep -oE '^[a-z-]+:' $(MAKEFILE_LIST) | tr -d :)

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 18

run: build ## build and serve the sample catalog at http://127.0.0.1:8080
	$(BIN)/headwater serve --sample

# The compiler spends a fifth of its time on collecting garbage if it is not given memory.
build: ## build bin/headwater
	CGO_ENABLED=0 GOGC=300 $(GO) build -ldflags '$(LDFLAGS)' -o $(BIN)/headwater ./cmd/headwater

WEB := web/node.sh npm --loglevel=error

# npm writes this file when it has installed what the lock file says.
web/node_modules/.package-lock.json: web/package-lock.json
	$(WEB) ci

web-build: web/node_modules/.package-lock.json ## check, test and build the web page into web/build
	rm -rf web/build
	$(WEB) --silent run check
	$(WEB) --silent test
	$(WEB) --silent run build

web: web-build ## check, test and build the web page, and pack it into web/dist.zip (installs Node if there is none)
	$(GO) run ./web/pack web/build web/dist.zip

web-check: web-build ## fail if web/dist.zip is not what its source builds
	@mkdir -p $(BIN)
	$(GO) run ./web/pack web/build $(BIN)/web.zip
	@cmp web/dist.zip $(BIN)/web.zip || { echo 'web/dist.zip is not what web/ builds: run "make web" and commit it' >&2; exit 1; }

web-dev: web/node_modules/.package-lock.json ## serve the web page as its source changes (HEADWATER_URL=http://127.0.0.1:8080)
	$(WEB) --silent run dev

PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64
DIST ?= dist
release: ## build the archives of a release into dist/, with checksums and bills of materials (VERSION=0.1.0)
	VERSION='$(VERSION)' COMMIT='$(COMMIT)' TAGS='$(TAGS)' PLATFORMS='$(PLATFORMS)' DIST='$(DIST)' GO='$(GO)' deploy/release.sh

release-check: ## build one archive twice, in two places; compare them, unpack one and run it
	deploy/release-check.sh

deploy-check: ## check the files of deploy/, compose/ and .github/, and the documents that name them
	cd deploy/check && $(GO) vet ./... && $(GO) test -count=1 ./...
	cd deploy/sbom && $(GO) vet ./... && $(GO) test -count=1 ./...

# Two at a time: each takes up to a minute of processor time.
venvs: ## install what the Python tests need into ~/.cache/headwater
	printf '%s\n' clients python docs fuzz openlineage marquez | xargs -n 1 -P 2 e2e/venv.sh

# The race detector makes a test five to ten times as expensive. It finds something only where goroutines meet, so
# "make test" watches the packages that begin goroutines, in their code or in their tests (watched_test.go
# holds the list), and "make soak" watches all of them (docs/decisions/0105-what-each-change-waits-for.md).
WATCHED := access/keys access/oidc access/people access/secrets access/shares app app/obs \
  catalog/announced catalog/changelog catalog/delivery catalog/derived catalog/ending catalog/edits catalog/failed catalog/feed catalog/follower catalog/ingestion \
  catalog/openlineage catalog/replica catalog/search catalog/sqlqueries catalog/transfer catalog/webhooks catalog/write \
  client/batches executor executor/process executor/python graphstore graphstore/embedded graphstore/neo4j graphstore/storewrap \
  indexer/embedded indexer/typesense internal/intake internal/safely internal/tasks internal/turns \
  kafka/connect kafka/produce kafka/proposals mcp oracle sql/parser
# Of these packages, most tests ask one question after another: only those that begin goroutines are watched.
WATCHED_IN := access access/audit access/permit catalog/lineage rest
WATCHED_TESTS := ^Test(ForgetDuring|ManyAsk|Known|ReadBeforeAChange|PolicyChangesDuringWrites|Stream|Waiting|Closing|Starvation|NothingHidden|ImpactPage|RunsOf|Run$$|Shares|SlowStore)

# A test that hangs is to be named by its stack while somebody still waits.
TIMEOUT := -timeout 40m
UNWATCHED = $(GO) test $(LAVISH) -vet=off
# The longest ones are first.
LONGEST := attack catalog/cases access/visible cmd/headwater
# Half of the tests of the binary begin when the longest others have ended: they mostly wait for servers,
# and would otherwise run alone at the end.
LATER := ^Test(AgentQuestions|Lineage|Matrix|DatabaseJudges|SourceStaysInStep|Executor|WebPageSources|GraphQL|Documented)
test: venvs sql-cache ## run everything: both stores, the built binary, the real Python client
	@compose/local/with-neo4j-pool.sh 3 $(MAKE) --no-print-directory test-packages

test-packages: ## what "make test" runs, on the servers of its pool
	@$(UNWATCHED) -timeout 70m -skip '$(LATER)' ./e2e & binary=$$!; \
	  { later=0; $(UNWATCHED) $(TIMEOUT) -p 1 $(LONGEST:%=./%) || later=1; $(UNWATCHED) $(TIMEOUT) -run '$(LATER)' ./e2e || later=1; exit $$later; } & longest=$$!; \
	  trap 'kill $$binary $$longest 2>/dev/null' INT TERM; failed=0; \
	  $(UNWATCHED) $(TIMEOUT) -p $(PACKAGES) $$($(GO) list ./... | grep -v -x -F -f <($(GO) list ./e2e $(addprefix ./,$(LONGEST) $(WATCHED)))) || failed=1; \
	  $(GO) test $(RACE) $(LAVISH) -vet=off -p $(PACKAGES) $(TIMEOUT) $(WATCHED:%=./%) || failed=1; \
	  $(GO) test $(RACE) $(LAVISH) -vet=off -p $(PACKAGES) $(TIMEOUT) -run '$(WATCHED_TESTS)' $(WATCHED_IN:%=./%) || failed=1; \
	  for part in $$binary $$longest; do wait $$part || failed=1; done; exit $$failed

sql-cache: ## compile the SQL parser into the user's cache, so that no test waits for it
	@echo 'select 1' | $(GO) run ./cmd/headwater sql - --dialect duckdb > /dev/null

test-cli: ## run the unmodified clients and the official MCP server on both kinds of server
	e2e/venv.sh python
	e2e/venv.sh clients
	e2e/venv.sh mcp
	e2e/venv.sh kafka17
	e2e/venv.sh executor17
	HEADWATER_TEST_CLIENTS=1 $(GO) test -timeout 60m -run 'TestPythonClient|TestClients|TestMCPServer|TestKafkaOfTodaysClient|TestKafkaActions|TestReferenceExecutor' -v ./e2e

test-openlineage: ## run unmodified producers of OpenLineage against the built server: dbt, Spark, Airflow, Flink, Java (ONLY=dbt UPDATE=-update)
	HEADWATER_TEST_PRODUCERS=1 $(GO) test -count=1 -timeout 60m -run 'TestProducers$(if $(ONLY),/^$(ONLY)$$)' -v ./e2e $(if $(UPDATE),-update)

OPENLINEAGE_FIXTURES ?=
test-openlineage-events: ## take the events of OpenLineage's own repositories in any order, on both stores (OPENLINEAGE_FIXTURES=/path/to/checkouts)
	@[ -d '$(OPENLINEAGE_FIXTURES)' ] || { echo 'name a folder with checkouts of OpenLineage/OpenLineage and OpenLineage/compatibility-tests: make test-openlineage-events OPENLINEAGE_FIXTURES=/path' >&2; exit 1; }
	HEADWATER_OPENLINEAGE_FIXTURES='$(abspath $(OPENLINEAGE_FIXTURES))' $(GO) test -count=1 -timeout 30m -run 'TestEventsOfOthers|TestFacetsOfTheSpecification' -v ./catalog/openlineage

SQL_FIXTURES ?=
test-sql: ## compare the lineage of SQL with other parsers and with databases (SQL_FIXTURES=/path/to/checkouts UPDATE=-update)
	e2e/venv.sh sqljudge
	HEADWATER_TEST_SQL=1 HEADWATER_SQLJUDGE_FIXTURES='$(if $(SQL_FIXTURES),$(abspath $(SQL_FIXTURES)))' $(GO) test -count=1 -timeout 60m -run 'TestSQL$$' -v ./e2e $(if $(UPDATE),-update)

test-dbt: ## build a project with dbt on DuckDB and compare headwater ingest dbt with the unmodified client's dbt source (UPDATE=-update)
	HEADWATER_TEST_DBT=1 $(GO) test -count=1 -timeout 30m -run 'TestDBT$$' -v ./e2e $(if $(UPDATE),-update)

test-connectors: ## compare headwater ingest source with the unmodified client on PostgreSQL, MariaDB and SQLite, and read 10,000 tables (UPDATE=-update)
	HEADWATER_TEST_CONNECTORS=1 $(GO) test -count=1 -timeout 30m -run 'TestConnectors$$' -v ./e2e $(if $(UPDATE),-update)

test-check: ## build the commits of a dbt project with dbt on DuckDB and compare headwater check with what fails (UPDATE=-update)
	HEADWATER_TEST_CHECK=1 $(GO) test -count=1 -timeout 60m -run 'TestCheck$$' -v ./e2e $(if $(UPDATE),-update)

# One environment has the extras of all sources of the forms. It takes about 1.5 GB.
ingestion-forms: ## read the settings of the usual sources from the client (CLIENT=/path/to/python that has it with the extras)
	@[ -x '$(CLIENT)' ] || { echo 'name a Python that has acryl-datahub with the extras of catalog/ingestion/forms/client/types.txt: make ingestion-forms CLIENT=/path/to/python' >&2; exit 1; }
	'$(CLIENT)' catalog/ingestion/forms/client/settings.py catalog/ingestion/forms/client/types.txt > catalog/ingestion/forms/settings.new
	mv catalog/ingestion/forms/settings.new catalog/ingestion/forms/settings.json

REFERENCE_TESTS ?=
ONLY ?=
STORES ?=
UPDATE ?=
test-reference: ## run the reference's own tests, which are elsewhere (REFERENCE_TESTS=/path/to/smoke-test STORES=all ONLY=tests/domains UPDATE=-update)
	@[ -f '$(REFERENCE_TESTS)/conftest.py' ] || { echo 'name the folder of the reference'"'"'s tests, smoke-test of the repository acryldata/datahub: make test-reference REFERENCE_TESTS=/path/to/smoke-test' >&2; exit 1; }
	@[ -d '$(REFERENCE_TESTS)/../metadata-ingestion/examples' ] || { echo 'metadata-ingestion/examples of the same repository must be beside $(REFERENCE_TESTS)' >&2; exit 1; }
	e2e/venv.sh reference
	HEADWATER_REFERENCE_TESTS='$(abspath $(REFERENCE_TESTS))' HEADWATER_REFERENCE_STORES='$(STORES)' HEADWATER_REFERENCE_ONLY='$(ONLY)' $(GO) test -count=1 -timeout 3h -run TestReferenceTests -v ./e2e $(if $(UPDATE),-update)

test-web: ## use the page in Chromium, on both kinds of server, and in Firefox: all flows, every screen in each theme and width
	HEADWATER_TEST_WEB=all $(GO) test -count=1 -timeout 90m -run 'TestWebPage(OnServers|Firefox)?$$|TestWebPictures' -v ./e2e

test-web-large: ## use the page with 100,000 generated datasets, on both kinds of server (takes long)
	NEO4J_HEAP=2g HEADWATER_TEST_WEB_LARGE=1 $(GO) test -count=1 -timeout 3h -run TestWebPageLarge -v ./e2e

screenshots: ## draw every screen in both themes and widths into web/screenshots/
	HEADWATER_TEST_WEB_SCREENSHOTS=1 $(GO) test -count=1 -timeout 20m -run TestWebScreenshots -v ./e2e

pictures: ## make the pictures anew that the page is compared with, in web/e2e/pictures
	HEADWATER_PICTURES_UPDATE=1 $(GO) test -count=1 -timeout 20m -run TestWebPictures -v ./e2e
	$(GO) run ./web/shrink web/e2e/pictures

test-short: ## run what needs no server and no Python
	$(GO) test -short ./...

test-races: venvs ## run the tests of all packages, watched for races (takes an hour)
	$(GO) test $(RACE) -vet=off -timeout 2h $$($(GO) list ./... | grep -v -x -F -f <($(GO) list ./e2e ./attack))

soak: venvs ## run everything with the random suites in their large sizes (takes long)
	HEADWATER_TEST_SIZE=large $(GO) test $(RACE) -timeout 3h ./...

check-dashboards: build ## compare the queries of the dashboard and the alerts with the metrics of a running server
	cd deploy/check/promql && $(GO) vet ./... && $(GO) test -count=1 ./...
	@if command -v promtool >/dev/null; then promtool check rules deploy/prometheus/alerts.yaml && promtool test rules deploy/prometheus/alerts_test.yaml; \
	  else echo "NOT TESTED: when the alerts fire (deploy/prometheus/alerts_test.yaml); promtool is not installed" >&2; fi

lint: $(BIN)/golangci-lint ## check style (architecture_test.go checks imports)
	$(BIN)/golangci-lint run ./...

$(BIN)/golangci-lint:
	GOBIN=$(CURDIR)/$(BIN) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT)

deadcode: ## fail if a function is reached neither by a program nor by a test
	@dead=$$($(GO) run golang.org/x/tools/cmd/deadcode@$(DEADCODE) -test ./...) || exit; \
	  dead=$$(grep -v 'func: [A-Z][a-z]*\.expr$$' <<<"$$dead" || true); \
	  if [ -n "$$dead" ]; then echo "$$dead"; exit 1; fi

vuln: ## look for known vulnerabilities (needs the vulnerability database)
	$(GO) run golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK) ./...

# The SQL parser is not among them: it changes with its package only (sql/parser/make.sh).
GENERATED := ./model/... ./gql/...
generate: ## remake generated files
	$(GO) generate $(GENERATED)

generate-parser: ## remake the module of the SQL parser from its npm package, and fail if it differs (needs npm)
	$(GO) generate ./sql/parser
	git diff --exit-code -- sql/parser

model: ## add the model of an installed client to the tables (PACKAGE=.../site-packages/datahub)
	cd model && $(GO) run ./internal/gentables -package "$(abspath $(PACKAGE))" -tables tables
	$(GO) generate ./model

generate-check: generate ## fail if generated files are not up to date
	git diff --exit-code -- model/names_gen.go gql

# as a server that has run for long
bench bench-%: export NEO4J_JVM =
bench: build ## measure against the bare libraries, as ratios
	compose/local/with-neo4j.sh $(GO) run ./bench -only store

bench-freshness: build ## measure searches while a load runs at full speed
	compose/local/with-neo4j.sh compose/local/with-typesense.sh $(GO) run ./bench -only freshness

SEARCH_DATASETS ?= 100000
bench-search: ## measure search against the bare engines, as ratios (SEARCH_DATASETS=100000)
	compose/local/with-typesense.sh $(GO) run ./bench -only search -search-datasets $(SEARCH_DATASETS)

bench-graphql: build ## measure GraphQL beside the same reads through REST
	compose/local/with-neo4j.sh $(GO) run ./bench -only graphql

bench-agents: build ## measure the tools for agents beside REST
	$(GO) run ./bench -only agents

bench-callers: build ## measure a caller beside another one at full speed, and alone
	$(GO) run ./bench -only callers

bench-tokens: build ## measure the processor time that a token costs at each request
	$(GO) run ./bench -only tokens

VISIBLE_DATASETS ?= 10000,100000
bench-visible: build ## measure what hiding costs, beside a caller who sees everything (VISIBLE_DATASETS=10000,100000,1000000)
	compose/local/with-neo4j.sh compose/local/with-typesense.sh $(GO) run ./bench -only visible -visible-datasets $(VISIBLE_DATASETS)

bench-replicas: build ## measure the reads of three replicas beside their primary, each on its own core (on paper on fewer than 5)
	$(GO) run ./bench -only replicas

bench-kafka: build ## measure what is sent to Kafka beside a bare producer, and what is read beside HTTP
	compose/local/with-kafka.sh $(GO) run ./bench -only kafka

SIZE_DATASETS ?= 10000
SIZE_NEO4J_DATASETS ?= 1000
bench-size: build ## measure disk and memory (SIZE_DATASETS=10000 SIZE_NEO4J_DATASETS=1000)
	bench/size.sh $(SIZE_DATASETS) $(SIZE_NEO4J_DATASETS)

LINEAGE_DATASETS ?= 100000
bench-lineage: ## measure walks beside the best Cypher (LINEAGE_DATASETS=100000,1000000)
	NEO4J_HEAP=3g compose/local/with-neo4j.sh $(GO) run ./bench -only lineage -lineage-datasets $(LINEAGE_DATASETS)

MARQUEZ ?=
bench-openlineage: build ## measure OpenLineage events beside proposals of the same size (MARQUEZ=http://127.0.0.1:5000, a running one, to compare with)
	$(GO) run ./bench -only openlineage -marquez '$(MARQUEZ)'

COLUMNS_DATASETS ?= 1000,10000
bench-columns: ## measure searches for columns beside walks on the bare stores (COLUMNS_DATASETS=1000,10000)
	NEO4J_HEAP=2g compose/local/with-neo4j.sh $(GO) run ./bench -only columns -columns-datasets $(COLUMNS_DATASETS)

web/bench/node_modules/.package-lock.json: web/bench/package-lock.json
	$(WEB) ci --prefix bench

WEB_DATASETS ?= 100000
bench-web: build web/node_modules/.package-lock.json web/bench/node_modules/.package-lock.json ## measure the page in Chromium beside dagre, xyflow and elkjs; needs a quiet machine (WEB_DATASETS=100000 CHROMIUM=/usr/bin/chromium)
	web/node.sh npx vite build --logLevel warn --config bench/vite.config.ts
	WEB_DATASETS=$(WEB_DATASETS) web/node.sh bench/node_modules/.bin/jiti bench/src/run.ts

bench-layouts: web/node_modules/.package-lock.json web/bench/node_modules/.package-lock.json ## compare layouts of graphs with elkjs and d3-dag: crossings, area, height, time
	web/node.sh bench/node_modules/.bin/jiti bench/src/layouts.ts

RUNS_DATASETS ?= 34000
bench-runs: build ## measure rollback, export and import beside writing
	NEO4J_HEAP=2g compose/local/with-neo4j.sh $(GO) run ./bench -only runs -runs-datasets $(RUNS_DATASETS)

FUZZTIME ?= 20s
fuzz: ## run each fuzz target for FUZZTIME
	@set -e; for p in $$($(GO) list ./...); do for f in $$($(GO) test -list '^Fuzz' $$p | grep ^Fuzz || true); do \
	  echo "$$p $$f"; $(GO) test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$p; done; done

ATTACK ?=
KILLS ?= 40
attack: build ## attack the built server and print what held (KILLS=40 ATTACK="-attacks graphql,kills")
	compose/local/with-kafka.sh $(GO) run ./attack -binary $(BIN)/headwater -kills $(KILLS) $(ATTACK)

SOAK ?= 30m
attack-soak: build ## mixed load for SOAK=30m; prints the curve of the server's memory
	$(GO) run ./attack -binary $(BIN)/headwater -attacks soak -duration $(SOAK) $(ATTACK)

ENTITIES ?= 10000
SEED ?= 1
ORACLE ?=
oracle: build ## compare the built server's answers with an independent reckoning, on both backends (ENTITIES=10000 SEED=1)
	$(GO) run ./oracle -binary $(BIN)/headwater -entities $(ENTITIES) -seed $(SEED) $(ORACLE)
	NEO4J_HEAP=2g compose/local/with-neo4j.sh compose/local/with-typesense.sh bash -c '$(GO) run ./oracle -binary $(BIN)/headwater \
	  -graph "$$HEADWATER_TEST_NEO4J" -search "typesense://headwater-test@$${HEADWATER_TEST_TYPESENSE#http://}" \
	  -entities $(ENTITIES) -seed $(SEED) $(ORACLE)'

clean: ## remove what was built
	rm -rf $(BIN) $(DIST)
