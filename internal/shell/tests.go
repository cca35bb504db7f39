package shell

import (
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/program"
	"github.com/fireharp/overseer/internal/sql"
)

// What a project's tests drop and make again every time is no loss: a database, a cluster
// or a container whose name says that it is there for tests, on this machine.

// bench is what is known of the database that a program works on.
type bench struct {
	near  bool // nothing names another machine
	tests bool // and all that names it says that it is there for tests
	inner bool // a schema is a part of a database and not another one
	env   bool // only the environment says so, which a script may leave
}

// settings are the variables that name a database or the machine that it is on, environs
// those that name the environment a program works for.
var (
	settings = []string{
		"DATABASE_URL", "DATABASE_URI", "TEST_DATABASE_URL", "DB_URL", "DB_URI", "DB_NAME", "DB_DATABASE", "DB_CONNECTION_STRING", "DATABASE", "DATABASE_NAME",
		"PGDATABASE", "PGSERVICE", "POSTGRES_DB", "POSTGRES_URL", "MYSQL_DATABASE", "MYSQL_URL", "MONGO_URL", "MONGO_URI", "MONGODB_URI", "MONGODB_URL", "REDIS_URL",
		"SPRING_DATASOURCE_URL", "SQLALCHEMY_DATABASE_URI", "GOOSE_DBSTRING", "FLYWAY_URL", "DIRECT_URL",
	}
	machines = []string{"PGHOST", "PGHOSTADDR", "DB_HOST", "DATABASE_HOST", "MYSQL_HOST", "POSTGRES_HOST", "MONGO_HOST", "REDIS_HOST", "DOCKER_HOST", "DOCKER_CONTEXT"}
	stages   = []string{
		"RAILS_ENV", "RACK_ENV", "HANAMI_ENV", "APP_ENV", "NODE_ENV", "MIX_ENV", "FLASK_ENV", "GO_ENV", "KNEX_ENV", "DENO_ENV", "ENV", "ENVIRONMENT", "APP_ENVIRONMENT",
		"DJANGO_SETTINGS_MODULE", "ASPNETCORE_ENVIRONMENT", "DOTNET_ENVIRONMENT", "SPRING_PROFILES_ACTIVE",
	}
)

// nearby are the programs through which a command still runs on this machine, with what
// the line says.
var nearby = []string{
	"sudo", "doas", "env", "sh", "bash", "zsh", "dash", "time", "timeout", "nice", "nohup", "xargs", "watch", "command", "exec", "eval", "make", "gmake", "find",
	"docker", "docker-compose", "podman", "podman-compose", "nerdctl", "ddev", "lando", "sail", "symfony",
	"bundle", "npx", "npm", "pnpm", "pnpx", "yarn", "bun", "bunx", "dlx", "poetry", "pipenv", "uv", "uvx", "hatch", "pdm", "rye", "mise", "asdf", "nix", "nix-shell", "direnv",
	"dotenv", "dotenvx", "cross-env", "cross-env-shell", "python", "python3", "php", "ruby", "node", "composer", "dotnet", "mvn", "spring", "rbenv", "pyenv", "sql",
}

// export notes a variable that programs are started with.
func (e *eval) export(name string, v effect.Value) { e.env.put(name, v) }

// benchOf reads what a program's words and variables say about where it works. What they
// say of a program that runs another holds for that one too.
func (e *eval) benchOf(r program.Result, words []effect.Value) bench {
	t := r.Tests
	said, outer := verdict{}, e.around
	for _, v := range t.Names {
		said.add(e.standing(v))
	}
	near := !slices.ContainsFunc(t.Hosts, e.away)
	if slices.ContainsFunc(words, func(w effect.Value) bool {
		return slices.Contains([]string{"--all", "db:drop:all", "db:purge:all"}, w.Text)
	}) {
		said.unsaid = true
	}
	if slices.ContainsFunc(r.Acts, func(a program.Act) bool { return a.Verb == "run" || a.Verb == "shell" }) {
		switch {
		case !near || said.inUse:
			e.around = effect.InUse
		case said.tests && e.around == effect.Unsaid:
			e.around = effect.ForTests
		}
	}
	if !t.Known || !near || outer == effect.InUse || !e.nearby() {
		return bench{}
	}
	env := verdict{}
	for i, w := range words {
		name, value, joined := strings.Cut(w.Text, "=")
		v := effect.Value{Text: value, Open: w.Open, Origin: w.Origin}
		switch {
		case isURL(w.Text):
			said.add(e.standing(w))
		case joined && isURL(value):
			said.add(e.standing(v))
		case joined && (isStage(name) || slices.Contains(stages, name)):
			env.add(e.standing(v))
		case isStage(name) && i+1 < len(words):
			env.add(e.standing(words[i+1]))
		}
	}
	for _, name := range settings {
		if v, ok := e.env.get(name); ok {
			said.add(e.standing(v))
		} else if v, ok := e.vars.get(name); ok && e.standing(v) == effect.InUse {
			return bench{}
		}
	}
	for _, name := range machines {
		if v, ok := e.vars.get(name); ok && e.away(v) {
			return bench{}
		}
		if v, ok := e.env.get(name); ok && e.away(v) {
			return bench{}
		}
	}
	for _, name := range stages {
		if v, ok := e.env.get(name); ok {
			env.add(e.standing(v))
		}
	}
	if said.inUse || env.inUse {
		return bench{}
	}
	b := bench{near: true, inner: !strings.HasPrefix(r.Label, "my") && !strings.HasPrefix(r.Label, "maria")}
	switch {
	case outer == effect.ForTests, said.tests && !said.unsaid:
		b.tests = true
	case !said.tests && !said.unsaid && t.Env:
		b.tests = env.tests && !env.unsaid
		b.env = true
	}
	return b
}

// verdict gathers what several names say.
type verdict struct{ tests, unsaid, inUse bool }

func (v *verdict) add(s effect.Standing) {
	switch s {
	case effect.ForTests:
		v.tests = true
	case effect.InUse:
		v.inUse = true
	default:
		v.unsaid = true
	}
}

// standing is what a name says; one that the line itself has made is its own.
func (e *eval) standing(v effect.Value) effect.Standing {
	v.Text = e.apart(v.Text)
	s := effect.StandingOf(v)
	if s == effect.Unsaid && e.made[v.Text] {
		return effect.ForTests
	}
	return s
}

// away reports whether a host is, or may be, another machine. In a container of this
// machine a name without a dot is a neighbour.
func (e *eval) away(host effect.Value) bool {
	h := host.Text
	if _, rest, ok := strings.Cut(h, "://"); ok {
		h = rest
	}
	if i := strings.LastIndexByte(h, ':'); i >= 0 && strings.Count(h, ":") == 1 {
		h = h[:i]
	}
	if host.Open {
		return true
	}
	if len(e.via) > 0 && !strings.ContainsAny(h, ".:") && strings.HasPrefix(e.via[len(e.via)-1], "docker") {
		return false
	}
	return !effect.ThisMachine(h)
}

// nearby reports whether a command runs on this machine.
func (e *eval) nearby() bool {
	for _, v := range e.via {
		name, _, _ := strings.Cut(v, " ")
		if !slices.Contains(nearby, name) {
			return false
		}
	}
	return true
}

func isURL(s string) bool {
	if strings.ContainsAny(s, " \n'\"<>") || strings.HasPrefix(s, "http") {
		return false
	}
	return strings.Contains(s, "://") || strings.HasPrefix(s, "jdbc:") || strings.HasPrefix(s, "sqlite:") || strings.HasPrefix(s, "file:") || strings.Contains(s, "@tcp(")
}

// isStage reports whether a flag names the environment.
func isStage(s string) bool {
	switch s {
	case "--env", "--environment", "--settings", "--profile", "-Dspring.profiles.active", "--database", "--connection", "-Denv":
		return true
	}
	return false
}

// loss reports whether an effect is one of which nothing is lost with what is there for
// tests.
func loss(k effect.Kind) bool {
	switch k {
	case "database.drop", "database.delete", "database.reset", "container.destroy", "infra.destroy":
		return true
	}
	return false
}

// spared reports whether an effect that a table names is on nothing but what is there for
// tests.
func (e *eval) spared(r program.Result, a program.Act, targets []effect.Value) bool {
	if !loss(effect.Kind(a.Verb)) || !e.bench.near {
		return false
	}
	if !r.Tests.Targets || len(targets) == 0 {
		return e.bench.tests
	}
	for _, t := range targets {
		if e.standing(t) != effect.ForTests {
			return false
		}
	}
	return true
}

// sparedBy does the same for what a text for a database does.
func (e *eval) sparedBy(x sql.Effect) bool {
	if !loss(x.Kind) || !e.bench.near {
		return false
	}
	own := e.standing(effect.Lit(x.Target)) == effect.ForTests
	qualifier, _, qualified := strings.Cut(x.Target, ".")
	switch {
	case x.Of == "database":
		return own
	case x.Of == "schema":
		return own || e.bench.tests && e.bench.inner
	case qualified && !e.bench.inner:
		return e.standing(effect.Lit(qualifier)) == effect.ForTests
	}
	return e.bench.tests
}

// turns takes into account that a text for a database turns to another one.
func (e *eval) turns(names []string) {
	for i, name := range names {
		s := e.standing(effect.Lit(strings.TrimPrefix(name, "host=")))
		if host, ok := strings.CutPrefix(name, "host="); ok && e.away(effect.Lit(host)) || s == effect.InUse {
			e.bench = bench{}
			return
		}
		e.bench.tests = e.bench.near && s == effect.ForTests && (i == 0 || e.bench.tests)
	}
}
