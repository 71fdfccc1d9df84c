# The commands people type. Everything here is plain Go or a script in .ci.
.PHONY: try run test lab soak fmt lint generate fuzz ci image release

try: ## talk to heddle on a page of your own
	go run . try

run: ## the bot on Discord
	go run .

test:
	go test ./...
	go -C lab test ./...

lab: ## bin/lab, the program that measures heddle and trains what it ships with
	go -C lab build -o ../bin/lab .

soak: ## 10,000 mentions while processes, sockets, stores and models fail, and an hour in which nothing may grow
	CHAOS_MENTIONS=5000 CHAOS_LASTS=1h go test -timeout 3h -v ./internal/chaos

fmt: bin/golangci-lint
	bin/golangci-lint fmt ./...

lint:
	.ci/run lint

generate:
	go generate ./...

fuzz:
	.ci/run fuzz

image:
	.ci/run image

release: ## static binaries and images for linux, their bills of materials and checksums, in dist
	.ci/release

ci: ## everything that must be true before a change is merged
	.ci/run

bin/golangci-lint: .ci/tools/go.mod
	go -C .ci/tools build -o $(CURDIR)/bin/golangci-lint github.com/golangci/golangci-lint/v2/cmd/golangci-lint
