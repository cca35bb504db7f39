package shell

import (
	"path"
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
)

// production notes a command that changes what runs in production: a program that brings
// things to where they run, a word by which it does, and one that says production.
func (e *eval) production(name string, words []effect.Value) {
	verbs, known := deployer(name)
	script := slices.Contains(runners, name)
	if known || script {
		words = words[1:]
	} else if script = strings.HasSuffix(name, ".sh") || deploys(name); !script { // it is the task itself
		return
	}
	if !e.spend(len(words)) {
		return
	}
	live, acts, nouns := false, false, 0
	for i, w := range words {
		text := w.Text
		switch {
		case slices.Contains(looks, text), script && text == "-n":
			return
		case known && nouns == 0 && (text == "build" || text == "dev" || text == "pull" || text == "login"):
			return
		case i > 0 && words[i-1].Text == "--name" && slices.Contains(verbs, "migrate"):
			continue // a migration has the name
		case known && (text == "--prod" || text == "--prod-if-unlocked"):
			live, acts = true, true
			continue
		case script && (text == "-c" || strings.ContainsAny(text, " \n")):
			return // what it runs is seen by itself
		case strings.HasPrefix(text, "-"):
			live = live || saysProduction(text)
			continue
		case script && nouns == 0:
			acts = deploys(path.Base(text)) // npm run deploy:prod, bash deploy.sh
		case known && nouns < 3:
			acts = acts || slices.Contains(verbs, text) && (i == 0 || words[i-1].Text != "get")
		}
		if text != "run" && text != "run-script" {
			nouns++
		}
		live = live || saysProduction(text)
	}
	if (acts || known && len(verbs) == 0) && (live || e.inProduction()) {
		e.add(effect.Effect{Kind: "infra.apply", Program: name, Unsure: true})
	}
}

// inProduction reports whether a variable by which programs are told where they work
// says production.
func (e *eval) inProduction() bool {
	says := func(name string) bool {
		v, ok := e.vars.get(name)
		return ok && saysProduction(v.Text)
	}
	return slices.ContainsFunc(stages, says) || slices.ContainsFunc([]string{"STAGE", "DATABASE_URL", "KUBECONFIG", "AWS_PROFILE"}, says)
}

// deployer gives the words by which a program changes what runs somewhere, none where
// all that it is told does.
func deployer(name string) (verbs []string, ok bool) {
	switch name {
	case "kubectl", "oc", "kubecolor", "k":
		return []string{"apply", "create", "set", "patch", "scale", "rollout", "edit", "replace", "autoscale", "expose"}, true
	case "helm", "helmfile", "werf", "kapp", "argocd", "flux", "skaffold", "nomad", "waypoint":
		return []string{"install", "upgrade", "rollback", "sync", "apply", "deploy", "run", "converge", "set"}, true
	case "cap", "mina", "ansible-playbook":
		return nil, true
	case "kamal", "fly", "flyctl", "vercel", "vc", "netlify", "firebase", "wrangler", "serverless", "sls", "sam", "cdk", "eb", "copilot", "amplify", "railway", "render", "dokku", "cf", "heroku",
		"gcloud", "az", "aws", "doctl", "pulumi", "clever", "scalingo", "up", "zappa", "chalice", "dep", "shuttle", "supabase", "convex", "modal", "deployctl", "expo", "eas", "fastlane", "ibmcloud", "platform", "gigalixir", "koyeb", "northflank", "porter", "appctl":
		return []string{"deploy", "redeploy", "rollback", "promote", "release", "publish", "up", "update", "swap", "update-service", "create-deployment", "update-function-code", "set-traffic", "update-traffic", "alias", "scale", "secrets", "ship", "submit", "env", "config:set"}, true
	case "prisma", "knex", "sequelize", "sequelize-cli", "typeorm", "alembic", "flyway", "liquibase", "dbmate", "goose", "migrate", "atlas", "rails", "artisan", "drizzle-kit", "sqlx", "diesel", "node-pg-migrate":
		return []string{"migrate", "deploy", "push", "up", "upgrade", "update", "db:migrate", "db:seed", "migrate:latest", "migration:run", "migrate:up", "run", "seed:run", "db:seed:all"}, true
	}
	return nil, false
}

// runners start what a project has given a name, or a script of it.
var runners = []string{"npm", "pnpm", "yarn", "bun", "make", "just", "task", "rake", "mise", "nx", "invoke", "inv", "fab", "sh", "bash", "zsh"}

// looks are words with which a program changes nothing.
var looks = []string{"--help", "-h", "help", "--dry-run", "--dry-run=client", "--dry-run=server", "--dryrun", "--check", "-C", "--diff", "--list-tasks", "--list-hosts", "--list-tags", "--syntax-check", "--noop", "--no-execute-changeset", "--preview", "--what-if", "status", "history", "diff", "plan", "template", "list", "ls", "describe", "logs", "validate", "lint", "get", "wait", "view"}

// deploys reports whether a task is one that puts something where it runs.
func deploys(task string) bool {
	return slices.ContainsFunc(tokens(task), func(t string) bool {
		return t == "deploy" || t == "redeploy" || t == "rollback" || t == "promote" || t == "ship"
	})
}

// saysProduction reports whether a word has production among its parts: acme-api-prod,
// --env=production, deploy:prod.
func saysProduction(word string) bool {
	if !strings.Contains(word, "rd") && !strings.Contains(word, "rod") && !strings.Contains(word, "RD") && !strings.Contains(word, "ROD") {
		return false
	}
	parts := tokens(word)
	for i, t := range parts {
		before := ""
		if i > 0 {
			before = parts[i-1]
		}
		if (t == "prod" || t == "production" || t == "prd") && before != "non" && before != "not" && before != "pre" && before != "like" {
			return true
		}
	}
	return false
}

// tokens are the parts of a name in lower case.
func tokens(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9') })
}
