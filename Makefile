# Everything but capture and test-real needs only Go, make and bash; race also a
# C compiler.
GO ?= go
FIXTURES := fixtures/cc-2.1.280

# -matrix judges for both systems at once.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: build docs demo test lint vuln race faults truth mutate test-real capture bench fuzz fuzz-long soak

build: ## the programs, into bin/
	$(GO) build -o bin/ ./cmd/...

docs: build ## man pages and shell completions, into share/
	sh bin/install.sh --docs bin share

demo: ## judge the captured fleet and print the report
	@$(GO) build -o bin/ ./cmd/fleet-observe-claude ./cmd/fleet-classify ./cmd/fleet-render
	@bin/fleet-observe-claude --fixtures $(FIXTURES) | bin/fleet-classify | bin/fleet-render --format md

# Some packages wait for most of their time, so more of them run than there are cores.
# What vet says, lint asks of everything. Nobody debugs these programs, and without
# DWARF the linker is done in three quarters of the time.
test: export GOFLAGS += -ldflags=-w
test: ## everything that runs without installing anything
	$(GO) test -vet=off -p 3 $$($(GO) list ./... | grep -v /tests/faults)

faults: ## full disks, odd files, clocks, limits of the system
	$(GO) test ./tests/faults/... -count=1 -timeout 20m

lint: ## gofmt, vet and staticcheck, for Linux and macOS
	$(GO) vet ./...
	GOOS=darwin $(GO) vet ./...
	@test -z "$$(gofmt -l cmd internal tests)" || { gofmt -d cmd internal tests; exit 1; }
	printf 'linux: GOOS=linux\ndarwin: GOOS=darwin\n' | $(GO) run $(STATICCHECK) -matrix ./...

vuln: ## known vulnerabilities in what is called
	bash tests/vuln.sh

# Tests that only compute, for minutes under the detector, and share nothing.
COMPUTES := TestModel|TestLess|TestKeys|TestWithoutProgram|TestGrid|TestLosingASource|TestMutat.*|TestHostileTextEverywhere|TestHTML_hostile|TestOrderOfLinesIsIrrelevant|TestLongTextCostsOneScan|TestNothingOfASecretIsSeen

# The packages in which something runs beside something else, and those that they share memory with.
RACES := command driver/... ledger/... machine observe/... act cli notify guard claude macf record

race: ## the race detector over the packages that do several things at once, and over such programs
	$(GO) test -race -skip '^($(COMPUTES))$$' $(addprefix ./internal/,$(RACES))
	FLEET_RACE=1 $(GO) test -race ./tests -count=1 -run 'TestScripts/^(case|observe|step|ledger|hosts|act$$|act-off|tick-lock|tick-owner)|TestRecord|TestHealth'

truth: ## the score over the captured sessions whose situation is known
	FLEET_LONG=1 $(GO) test ./tests -run TestTruth -count=1 -v

mutate: ## break every rule; a mutant that no test kills fails
	$(GO) test ./internal/classify -run Mutat -count=1 -v
	FLEET_MUTATE=1 $(GO) test ./internal/asks ./internal/ledger ./internal/ledger/fold ./internal/machine ./internal/process ./internal/observe/... ./internal/act ./internal/reconcile -run Mutants -count=1 -p 1 -v

test-real: ## the real Claude Code against a stub API on loopback; installs with npm and apt
	bash tests/real/run.sh

capture: ## make the fixtures again from the real Claude Code; needs root
	$(GO) run ./tests/capture

fuzz: ## ten seconds for each fuzz target, four at a time
	bash tests/fuzz.sh 10s 4

fuzz-long: ## three minutes for each fuzz target, two at a time
	bash tests/fuzz.sh 3m 2

soak: ## the long forms: 500 ticks of which half are killed, 64 writers of 1,000 entries, more histories, every kill point
	FLEET_TICKS=500 FLEET_SOAK=1 FLEET_LONG=1 $(GO) test ./tests ./internal/asks ./internal/act ./internal/ledger/... -count=1 -timeout 120m -v

bench: ## ratios of whole-process costs
	$(GO) run ./tests/bench
