package redact_test

import (
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/redact"
)

// The samples are made up and put together here, so that no scanner of this
// repository takes them for real.
var (
	a36    = strings.Repeat("Ab3", 12)
	a20    = strings.Repeat("Qx7z", 5)
	lines  = strings.Repeat("MIIEowIBAAKCAQEA0123456789abcdefghijklmnopqrstuvwxyz+/ABCD/012345\n", 3)
	pem    = "-----BEGIN RSA PRIVATE " + "KEY-----\n" + lines + "c2hvcnQ=\n-----END RSA PRIVATE " + "KEY-----"
	jwt    = "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
	aws    = "AKIA" + "IOSFODNN7EXAMPLE"
	secret = "hunter2-S3cret/x"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want string }{
		// by shape
		{"aws", "aws configure set k " + aws, "aws configure set k [redacted]"},
		{"aws in a url", "curl x?k%3D" + aws, "curl x?k%3D[redacted]"},
		{"github", "git clone gh" + "p_" + a36, "git clone [redacted]"},
		{"github fine-grained", "echo github" + "_pat_" + a36, "echo [redacted]"},
		{"gitlab", "echo gl" + "pat-" + a20, "echo [redacted]"},
		{"slack", "echo xox" + "b-1234567890-" + a20, "echo [redacted]"},
		{"slack hook", "curl https://hooks.slack" + ".com/services/T0000/B0000/" + a20, "curl https://hooks.slack.com/services/[redacted]"},
		{"jwt", "http GET / x:" + jwt, "http GET / x:[redacted]"},
		{"sk-", "python run.py sk" + "-ant-" + a36, "python run.py [redacted]"},
		{"stripe", "curl -d k=sk" + "_live_" + a20, "curl -d k=[redacted]"},
		{"npm", "echo //registry.example/:x npm" + "_" + a36, "echo //registry.example/:x [redacted]"},
		{"private key", "cat > k <<E\n" + pem + "\nE\nrm -rf src", "cat > k <<E\n-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----\nE\nrm -rf src"},
		{"private key on one line", `{"k":"` + strings.ReplaceAll(pem, "\n", `\n`) + `"}`, `{"k":"-----BEGIN RSA PRIVATE KEY-----[redacted]-----END RSA PRIVATE KEY-----"}`},
		{"private key without its end", pem[:150] + "; ls", "-----BEGIN RSA PRIVATE KEY-----[redacted]; ls"},
		{"private key without its beginning", pem[50:], "[redacted]-----END RSA PRIVATE KEY-----"},

		// by name
		{"variable", "export NPM_TOKEN=" + secret + " && npm publish", "export NPM_TOKEN=[redacted] && npm publish"},
		{"variable, double quotes", `DB_PASSWORD="a b \" c" ./run`, `DB_PASSWORD=[redacted] ./run`},
		{"variable, single quotes", `MYSQL_PWD='a b;c' mysql`, `MYSQL_PWD=[redacted] mysql`},
		{"variable, quotes within", `TOKEN=a"b c"'d e'f\ g h`, `TOKEN=[redacted] h`},
		{"variable in single quotes is no reference", `PASSWORD='$ecret'`, `PASSWORD=[redacted]`},
		{"key variable", "ENCRYPTION_KEY=" + secret, "ENCRYPTION_KEY=[redacted]"},
		{"aws secret", "AWS_SECRET_ACCESS_KEY=/Ab/cd+ef aws s3 ls", "AWS_SECRET_ACCESS_KEY=[redacted] aws s3 ls"},
		{"flag", "deploy --password " + secret + " --host x", "deploy --password [redacted] --host x"},
		{"flag with =", "deploy --api-key=" + secret + " x", "deploy --api-key=[redacted] x"},
		{"flag with quotes", `deploy --client-secret "a b" x`, `deploy --client-secret "[redacted]" x`},
		{"flag with dash values", "deploy --password --host x", "deploy --password --host x"},
		{"json", `curl -d '{"password": "hunter2", "user": "bob"}' https://example.com`, `curl -d '{"password": "[redacted]", "user": "bob"}' https://example.com`},
		{"json, escaped", `curl -d "{\"api_key\":\"hunter2\"}" "https://example.com"`, `curl -d "{\"api_key\":\"[redacted]\"}" "https://example.com"`},
		{"yaml", "password: hunter2\nhost: x", "password: [redacted]\nhost: x"},
		{"ini", "secret = hunter2\nhost = x", "secret = [redacted]\nhost = x"},
		{"query", "curl 'https://x/y?access_token=hunter2&page=2'", "curl 'https://x/y?access_token=[redacted]&page=2'"},
		{"sas", "curl 'https://x/y?sv=1&sig=hunter2%3D'", "curl 'https://x/y?sv=1&sig=[redacted]'"},

		// by place
		{"url", "psql postgres://bob:p@ss%21@db.example/app", "psql postgres://bob:[redacted]@db.example/app"},
		{"url without user", "redis-cli -u redis://:hunter2@h:6379", "redis-cli -u redis://:[redacted]@h:6379"},
		{"header", `curl -H "Authorization: Custom a b" -d @f https://x`, `curl -H "Authorization: [redacted]" -d @f https://x`},
		{"header, single quotes", `curl -H 'X-Api-Key: hunter2' https://x`, `curl -H 'X-Api-Key: [redacted]' https://x`},
		{"header, no quotes", `curl -H Authorization:hunter2 https://x; rm -rf src`, `curl -H Authorization:[redacted] https://x; rm -rf src`},
		{"header, raw", "Authorization: Basic Ym9iOmI=\nrm -rf src", "Authorization: Basic [redacted]\nrm -rf src"},
		{"header, json", `{"Authorization": "Bearer abcdefgh"}`, `{"Authorization": "[redacted]"}`},
		{"cookie", `curl -b x -H 'Cookie: a=b; c=d' https://x`, `curl -b x -H 'Cookie: a=[redacted]; c=[redacted]' https://x`},
		{"bearer", "say bearer abcdefgh12", "say bearer [redacted]"},
		{"basic auth", "curl -u bob:hunter2 https://x", "curl -u bob:[redacted] https://x"},
		{"basic auth, long", "curl --user 'bob:hunter2' https://x", "curl --user 'bob:[redacted]' https://x"},
		{"mysql", "mysql -u root -phunter2 app", "mysql -u root -p[redacted] app"},
		{"sshpass", "sshpass -p hunter2 ssh h", "sshpass -p [redacted] ssh h"},
		{"login", "docker login -u bob -p hunter2 r.example", "docker login -u bob -p [redacted] r.example"},
		{"sql", `psql -c "ALTER USER bob WITH PASSWORD 'hunter2'"`, `psql -c "ALTER USER bob WITH PASSWORD '[redacted]'"`},
		{"netrc", "machine h login bob password hunter2", "machine h login bob password [redacted]"},
		{"connection string", "Server=h;Uid=bob;Pwd=hunter2;", "Server=h;Uid=bob;Pwd=[redacted];"},
		{"openssl", "openssl rsa -passin pass:hunter2 -in k", "openssl rsa -passin pass:[redacted] -in k"},

		{"printf with its value", `printf "password=%s\n" hunter >> .env`, `printf "password=%s\n" [redacted] >> .env`},
		{"printf into a program", `printf '%s\n' hunter | docker login -u bob --password-stdin`, `printf '%s\n' [redacted] | docker login -u bob --password-stdin`},
		{"a default", `API_KEY="${API_KEY:-hunter2}" run`, `API_KEY=[redacted] run`},
		{"every literal", "kubectl create secret generic x --from-literal=a=b --from-literal c=d", "kubectl create secret generic x --from-literal=a=[redacted] --from-literal c=[redacted]"},

		// no secrets
		{"plain", "rm -rf ./src && git push --force origin main", "rm -rf ./src && git push --force origin main"},
		{"reference", `curl -H "Authorization: Bearer $TOKEN" -u "bob:${PW}" https://x`, `curl -H "Authorization: Bearer $TOKEN" -u "bob:${PW}" https://x`},
		{"reference in a variable", `TOKEN=$(pass show x) PASSWORD="$PW" API_KEY=${KEY} run`, `TOKEN=$(pass show x) PASSWORD="$PW" API_KEY=${KEY} run`},
		{"a file that holds it", "TOKEN_FILE=/run/x run --password-file /etc/pw --password-stdin y", "TOKEN_FILE=/run/x run --password-file /etc/pw --password-stdin y"},
		{"numbers", "llm --max-tokens 500 --user 1000:1000", "llm --max-tokens 500 --user 1000:1000"},
		{"names", "GIT_AUTHOR_NAME=bob make tokenizer keyboard", "GIT_AUTHOR_NAME=bob make tokenizer keyboard"},
		{"a port", "curl http://localhost:8080/@x", "curl http://localhost:8080/@x"},
		{"a word with sk-", "run task-abcdefghijklmnopqrstuvwxyz", "run task-abcdefghijklmnopqrstuvwxyz"},
		{"hash", "git checkout 0123456789abcdef0123456789abcdef01234567", "git checkout 0123456789abcdef0123456789abcdef01234567"},
		{"empty", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := redact.Text(tt.in)
			if got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
			if again := redact.Text(got); again != got {
				t.Errorf("redacted again: %s", again)
			}
		})
	}
}

// Whoever writes the command must not be able to hide its end.
func TestNothingHides(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"TOKEN=x; rm -rf src",
		"TOKEN=x rm -rf src",
		"TOKEN=\nrm -rf src",
		"curl -H Authorization: x; rm -rf src",
		"Authorization: Bearer x && rm -rf src",
		"echo Cookie: a; rm -rf src",
		": -----BEGIN PRIVATE KEY-----; rm -rf src; : -----END PRIVATE KEY-----",
		"-----BEGIN PRIVATE KEY-----\nrm -rf src\n-----END PRIVATE KEY-----",
		"-----BEGIN PRIVATE KEY-----\nComment: x; rm -rf src",
		"echo a://b:c d@e; rm -rf src",
		"mysql -px; rm -rf src",
		"password 'x'; rm -rf src; 'y'",
		"zip -P x; rm -rf src",
		"echo x; rm -rf src | sudo -S id",
		"curl -b 'a=b'; rm -rf src",
		"--password \\\n x; rm -rf src",
		"set -x TOKEN x; rm -rf src",
		"password is Ab1Cd2Ef3; rm -rf src",
		"kubectl create secret generic x --from-literal=a=b; rm -rf src",
		"${TOKEN:-x}; rm -rf src",
	} {
		if got := redact.Text(in); !strings.Contains(got, "rm -rf src") {
			t.Errorf("%q became %q", in, got)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"TOKEN=a TOKEN=[redacted]b", pem, `"Authorization: x`, "a://b:c@d@e", `{"password":"x\"y"}`, "\xff TOKEN=\xfe", "-uabc:d--token\t0", "echo a|sudo -S<<<b", "zip -P-P a", "${TOKEN:-a}b", "curl -b a=b;c=d", "password is aB1cD2eF"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := redact.Text(s)
		if twice := redact.Text(once); twice != once {
			t.Errorf("%q: redacted %q, again %q", s, once, twice)
		}
		if known := "TOKEN=" + secret + " " + s; strings.Contains(redact.Text(known), secret) && !strings.Contains(s, secret) {
			t.Errorf("%q: the secret is still there: %q", known, redact.Text(known))
		}
	})
}
