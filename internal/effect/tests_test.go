package effect_test

import (
	"testing"

	"github.com/fireharp/overseer/internal/effect"
)

func TestStandingOf(t *testing.T) {
	for want, names := range map[effect.Standing][]string{
		effect.ForTests: {
			"app_test", "test_app", "app-test", "test", "Testing", "app_test_2", "app_test2", "ci", "e2e", ":memory:", "sqlite::memory:", "sqlite://:memory:", "jdbc:h2:mem:app",
			"file:./test.db", "test.db", "db/test.sqlite3", "./test/fixtures.db", "/tmp/scratch.db", "/srv/data/test.db", "sqlite:///test.db",
			"postgres:///app_test", "postgres://postgres:pw@localhost:5432/app_test?sslmode=disable", "postgres://u@127.0.0.1/app_test", "postgres://u@[::1]:5432/app_test",
			"postgres:///app_test?host=/var/run/postgresql", "jdbc:postgresql://localhost:5432/app_test", "jdbc:sqlserver://localhost;databaseName=app_test", "root:pw@tcp(127.0.0.1:3306)/app_test",
			"host=localhost dbname=app_test", "Server=localhost;Database=app_test;User=sa", "mongodb://localhost:27017/app_test", "$TEST_DATABASE_URL", "localhost:9200/products_test", "${TEST_DB}", ".env.test", "proj.settings.test",
		},
		effect.Unsaid: {
			"", "app", "development", "latest", "contest", "attest", "testimonials", "protest_db", "fastest", "postgres://localhost/app", "$DATABASE_URL", "$(cat url)", "app.db",
			"/home/test/app.db", "../test/app.db", "/test/app.db", "drop table test", "delete from users where dbname=test", "redis://localhost:6379/15", "decide", "cicd",
		},
		effect.InUse: {
			"app_prod", "test-prod", "prod_test", "production", "staging", "app_test_backup", "postgres://db.example.com/app_test", "postgres://u:p@10.0.0.4:5432/test", "mysql://root@db/app_test",
			"mongodb://localhost:27017,db2.example.com/app_test", "host=db.example.com dbname=app_test", "u:p@tcp(db.example.com:3306)/app_test", "jdbc:postgresql://db.example.com/app_test",
			"postgres:///app_test?host=db.example.com", "postgres://localhost@db.example.com/app_test", "postgres://localhost.example.com/app_test", "postgres://$DB_HOST/app_test",
			"es.example.com:9200/products_test", "service=main dbname=app_test",
		},
	} {
		for _, s := range names {
			if got := effect.StandingOf(effect.Value{Text: s}); got != want {
				t.Errorf("StandingOf(%q) = %d, want %d", s, got, want)
			}
		}
	}
}
