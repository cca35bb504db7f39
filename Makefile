# make demo   builds, scaffolds a scratch home and judges some real events
# make test   everything that CI runs, the real agents included

GO ?= go
export CGO_ENABLED ?= 0

.PHONY: build demo test tools unit soak race lint e2e test-dolt bench bench-bounds fuzz fuzz-ci clean

build:
	$(GO) build -trimpath -o bin/overseer .

demo: build
	@sh examples/demo.sh bin/overseer

test: tools lint unit soak race e2e test-dolt

# A C compiler and npm, where they are missing and can be installed.
tools:
	@sh .ci/tools

unit:
	$(GO) test -timeout 20m ./...

# 10,000 hooks of 64 agents at once, killed at random; none is lost, none is double.
soak:
	OVERSEER_SOAK_EVENTS=10000 $(GO) test -timeout 20m -count=1 -v -run '^TestNothingLost$$' .

# Each of the thousands of hook processes would sleep for a second at its end.
race:
	GORACE=atexit_sleep_ms=10 CGO_ENABLED=1 $(GO) test -race -timeout 30m $$($(GO) list ./... | grep -v -e /e2e -e /bench)

lint:
	@test -z "$$(gofmt -s -l . | tee /dev/stderr)" || { echo "gofmt: the files above are not formatted"; exit 1; }
	$(GO) vet ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	$(GO) build -tags dolt ./... && $(GO) vet -tags dolt ./...
	$(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2 -tags dolt ./...

# The real Claude Code and Codex, against a scripted model on this machine.
e2e: e2e/node_modules
	OVERSEER_E2E=1 $(GO) test -timeout 20m -count=1 ./e2e/...

e2e/node_modules: e2e/package-lock.json
	npm ci --prefix e2e --no-audit --no-fund
	@touch $@

# A team's ledger on a real Dolt, which is built first, and on MariaDB.
test-dolt: tools
	OVERSEER_TEST_DOLT=$$(sh .ci/dolt) $(GO) test -tags dolt -timeout 30m -count=1 ./internal/ledger/dolt/...
	OVERSEER_TEST_DOLT=$$(sh .ci/dolt) $(GO) test -tags dolt -timeout 30m -count=1 -run '^TestTeam$$' .

# One hook process beside /bin/cat, in one run.
bench:
	$(GO) run ./bench

# What a large or hostile event costs: a wide table, the slowest first (docs/limits.md).
bench-bounds:
	$(GO) run ./bench/bounds
	$(GO) run ./bench/bounds -spawn

# FUZZ is a list of package:target, empty for all of the module.
FUZZTIME ?= 60s
FUZZ ?=
fuzz:
	@GO="$(GO)" sh .ci/fuzz $(FUZZTIME) $(FUZZ)

# What CI fuzzes: the hook as a whole, the walk of the parser, the patches and the rules for a minute each,
# what else reads foreign text for ten seconds.
FUZZ_LONG = cmd:FuzzHook internal/shell:FuzzAnalyze internal/patch:FuzzFiles internal/constitution:FuzzParse
FUZZ_SHORT = agent:FuzzDecode internal/effect:FuzzClasses internal/policy:FuzzParse internal/policy:FuzzPattern \
	internal/program:FuzzTables internal/script:FuzzRead internal/sql:FuzzEffects internal/toolcall:FuzzEffects \
	internal/winshell:FuzzPowerShell internal/winshell:FuzzCmd internal/winshell:FuzzArgs internal/rule:FuzzGlobs
fuzz-ci:
	@$(MAKE) --no-print-directory fuzz FUZZTIME=60s FUZZ="$(FUZZ_LONG)"
	@$(MAKE) --no-print-directory fuzz FUZZTIME=10s FUZZ="$(FUZZ_SHORT)"

clean:
	rm -rf bin e2e/node_modules
