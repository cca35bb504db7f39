package redact_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/fireharp/overseer/internal/redact"
)

var (
	hex32  = strings.Repeat("0f3a", 8)
	hex64  = strings.Repeat("0f3a", 16)
	b64    = base64.StdEncoding.EncodeToString([]byte("\x8f\x13\xb9\x02\xfe\x71\x0c\xa5\x3d\x99\xe6\x40\x27\xdb\x5c\x81\xf2\x0e\xbb\x64\xd7\x39\xa8\x15\xcf\x7a\x42\x90\x6d\xe3\x1b\x58\x8f\x13\xb9\x02\xfe\x71\x0c\xa5\x3d\x99\xe6\x40"))
	uuid   = "4f1c2a9e-7b3d-4e5f-8a6b-0c1d2e3f4a5b"
	strong = "Tr0ub4dor&3"
)

// TestHidden has each secret in the places where it is met. %s is the secret.
func TestHidden(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, secret, in string }{
		// tokens by their shape, whatever stands around them
		{"gcp key", "AIza" + a36[:35], "curl 'https://maps.example/x?k=%s&q=1'"},
		{"gcp oauth", "ya29." + a36, "echo %s"},
		{"gcp client secret", "GOCSPX-" + a36[:28], "echo %s"},
		{"github app", "gh" + "s_" + a36, "x-access-token %s end"},
		{"github oauth", "gh" + "o_" + a36, "log: %s."},
		{"gitlab", "gl" + "pat-" + a20, "[%s]"},
		{"slack bot", "xox" + "b-12345678901-1234567890123-" + a36[:24], "post %s x"},
		{"slack app", "xapp-1-A0123-" + a36, "post %s x"},
		{"slack hook", "T00000000/B00000000/" + a36[:24], "curl https://hooks.slack" + ".com/services/%s -d x"},
		{"discord hook", "123456789012345678/" + a36 + a36[:30], "curl https://discord.com/api/webhooks/%s"},
		{"discord bot", "M" + a36[:23] + ".Gx1_2-." + a36[:27], "run %s x"},
		{"telegram", "123456789:AA" + a36[:33], "curl https://api.telegram.org/bot%s/getMe"},
		{"telegram alone", "1234567890:AA" + a36[:33], "run %s x"},
		{"stripe", "sk" + "_live_" + a36[:24], "k=%s"},
		{"stripe restricted", "rk" + "_test_" + a36[:24], "k=%s"},
		{"openai", "sk-proj-" + a36 + "_" + a36, "use(%s)"},
		{"anthropic", "sk-ant-api03-" + a36 + "-" + a36 + "AA", "use '%s'"},
		{"npm", "npm_" + a36, "//r.example/:x=%s"},
		{"pypi", "pypi-AgEIcHlwaS5vcmc" + a36, "twine %s"},
		{"hugging face", "hf_" + a36[:34], "run %s"},
		{"sendgrid", "SG." + a36[:22] + "." + a36 + a36[:7], "run %s"},
		{"twilio", "SK" + hex32, "run %s"},
		{"digital ocean", "dop_v1_" + hex64, "run %s"},
		{"heroku", "HRKU-" + uuid, "run %s"},
		{"jwt", jwt, "run %s"},
		{"age", "AGE-SECRET-KEY-1" + strings.ToUpper(a36+a20), "%s"},
		{"vault", "hvs." + a36, "run %s"},
		{"docker", "dckr_pat_" + a36[:27], "run %s"},
		{"long base64", b64, "run --blob %s now"},
		{"long base64 in text", b64, "x %s\ny"},

		// connection strings and addresses
		{"amqp", strong, "amqps://bob:%s@mq.example/vhost"},
		{"mongodb", strong, "mongosh 'mongodb+srv://bob:%s@c.example/db?retryWrites=true'"},
		{"redis", strong, "redis://default:%s@h:6379/0"},
		{"password with @", "p@ss@w0rd", "postgres://bob:%s@h/db"},
		{"azure storage", b64[:58] + "==", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=%s;EndpointSuffix=core.windows.net"},
		{"azure sas", "aB3%2Fxyz%3D", "https://x.blob.core.windows.net/c/b?sv=2022&sr=b&sig=%s"},
		{"service bus", b64[:42] + "=", "Endpoint=sb://x;SharedAccessKeyName=Root;SharedAccessKey=%s"},
		{"ado", strong, "Server=h;Database=d;User Id=sa;Password=%s;Encrypt=true"},
		{"ado, short", strong, "Server=h;Uid=sa;Pwd=%s;"},
		{"jdbc", "hunter2", "jdbc:postgresql://h/db?user=bob&password=%s&ssl=true"},
		{"dsn", "hunter2", "host=h user=bob password=%s dbname=x"},
		{"aws presigned", hex64, "https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature=%s"},

		// commands
		{"mysql -p", "hunter2", "mysql -u root -p%s -e 'select 1'"},
		{"mysql -p quoted", "hunter 2", "mysql -uroot -p'%s' app"},
		{"mysqldump", "hunter2", "mysqldump --password=%s db"},
		{"PGPASSWORD", "hunter", "PGPASSWORD=%s psql -h h"},
		{"sshpass", "hunter2", "sshpass -p '%s' ssh h"},
		{"curl -u", "hunter2", "curl -u bob:%s https://x"},
		{"curl -u, attached", "hunter2", "curl -ubob:%s https://x"},
		{"curl --user=", "hunter2", "curl --user=bob:%s https://x"},
		{"curl --proxy-user", "hunter2", "curl --proxy-user bob:%s https://x"},
		{"curl -u with an operator in quotes", "a;b|c", `curl -u "bob:%s" https://x`},
		{"docker login", "hunter2", "docker login -u bob -p %s r.example"},
		{"--password", "hunter", "deploy --password %s --yes"},
		{"-password", "hunter2", "app -password %s -v"},
		{"--db-password=", "hunter2", "deploy --db-password='%s'"},
		{"--token", "abcdefgh", "deploy --auth-token %s"},
		{"--from-literal", "hunter2", "kubectl create secret generic db --from-literal=password=%s"},
		{"--set", "hunter2", "helm upgrade x y --set auth.rootPassword=%s"},
		{"--build-arg", "hunter2", "docker build --build-arg NPM_TOKEN=%s ."},
		{"-e", "hunter2", "docker run -e DB_PASS=%s img"},
		{"export", "abc", "export GITHUB_TOKEN=%s"},
		{"export, quotes", "a b c", `export API_SECRET="%s"`},
		{"set", "abc123", `set MY_TOKEN=%s`},
		{"setx", "abc123!", `$env:MY_TOKEN = "%s"`},
		{"header", "abc123", "curl -H 'Private-Token: %s' https://x"},
		{"header, double quotes", "abc", `curl -H "X-Api-Key: %s" https://x`},
		{"header, basic", "Basic Ym9iOmh1bnRlcjI=", "curl -H 'Authorization: %s' https://x"},
		{"header, token", "token abcdef0123", "curl -H 'Authorization: %s' https://x"},
		{"httpie", "Bearer abcdef0123", "http x Authorization:'%s'"},
		{"cookie", "s3ssion0123", "curl -H 'Cookie: sid=%s; Path=/' https://x"},
		{"curl -b", "abc0123", "curl -b 'session_token=%s' https://x"},
		{"openssl", "hunter2", "openssl enc -aes-256-cbc -pass pass:%s -in f"},
		{"heredoc", "hunter2", "cat > .env <<E\nDB_HOST=h\nDB_PASSWORD=%s\nE\n"},
		{"echo into a file", "hunter2", `echo "DB_PASSWORD=%s" >> .env`},
		{"printf", "hunter2", `printf 'TOKEN=%s\n' > .env`},

		{"continued line", "hunter2", "deploy --password \\\n  %s --yes"},
		{"curl -b, any name", "hunter2", `curl -b "session=%s" https://x`},
		{"curl --cookie", "hunter2", "curl -s --cookie 'a=%s' https://x"},
		{"fish", "hunter2", "set -gx API_TOKEN %s"},
		{"fish, letters only", "sommer", "set -x DB_PASSWORD %s; run"},
		{"csh", "sommer", "setenv API_TOKEN %s"},
		{"docker login from a pipe", "sommer", `echo "%s" | docker login -u bob --password-stdin r.example`},
		{"docker login from a string", "sommer", "docker login -u bob --password-stdin <<< %s"},
		{"gh auth login", "sommer", "echo -n %s | gh auth login --with-token"},
		{"sudo -S", "sommer", "echo %s | sudo -S apt update"},
		{"sudo -kS", "sommer", "echo '%s' | sudo -k -S id"},
		{"chpasswd", "sommer", `echo "root:%s" | chpasswd`},
		{"sudo chpasswd", "sommer", "echo bob:%s | sudo chpasswd"},
		{"openssl -k", "sommer", "openssl enc -aes-256-cbc -k %s -in f"},
		{"openssl -k first", "sommer", "openssl aes-256-cbc -k %s -in f"},
		{"zip", "sommer", "zip -P %s a.zip a"},
		{"zip, later", "sommer", "zip -r -P %s a.zip a"},
		{"unzip", "sommer", "unzip -P %s a.zip"},
		{"gh secret", "sommer", "gh secret set FOO --body %s"},
		{"gh secret -b", "sommer", `gh secret set FOO -b"%s"`},
		{"literals", "sommer", "kubectl create secret generic x --from-literal=foo=%s -n b"},
		{"second literal", "sommer", "kubectl create secret generic x --from-literal=foo=$A --from-literal 'bar=%s'"},
		{"a default that is used", "sommer", "curl x?${API_KEY:-%s}"},
		{"mysql -port and -p", "hunter2", "mysql -port 3306 -p%s"},

		// files
		{".env", "hunter2", "A=1\nSECRET_KEY_BASE=%s\nB=2"},
		{".env, quotes", "hunter2 x", "A=1\nSMTP_PASS=\"%s\"\nB=2"},
		{"yaml", "hunter2", "db:\n  user: bob\n  password: %s\n"},
		{"yaml, letters only", "sommer", "db:\n  user: bob\n  password: %s\n  host: h"},
		{"yaml, quotes", "hunter2 x", "db:\n  password: '%s'\n"},
		{"yaml, a list", "hunter2", "env:\n- DB_PASSWORD: %s\n"},
		{"yaml, flow", "hunter2", "db: {user: bob, password: %s}\n"},
		{"yaml, comment", "sommer", "password: %s # the old one\n"},
		{"toml", "hunter2", "[db]\npassword = \"%s\"\n"},
		{"ini", "hunter2", "[client]\nuser = bob\npassword = %s\n"},
		{"properties", "hunter", "spring.datasource.password=%s\n"},
		{"json", "hunter2", "{\n  \"user\": \"bob\",\n  \"dbPassword\": \"%s\"\n}"},
		{"json, escaped", "hunter2", `{\"api_key\": \"%s\", \"n\": 1}`},
		{"json, twice escaped", "hunter2", `{\\\"clientSecret\\\": \\\"%s\\\", \\\"n\\\": 1}`},
		{"python", "hunter2", "conn = connect(user='bob', password='%s')"},
		{"python, typed", "hunter2", "api_key: str = \"%s\""},
		{"javascript", "hunter2", "const client = new Client({ apiKey: \"%s\", x: 1 });"},
		{"go", "hunter2", "cfg.Password = \"%s\"\n"},
		{"go, short", "hunter2", "token := \"%s\"\n"},
		{"php", "hunter2", "'password' => '%s',"},
		{"ruby", "hunter2", "password: \"%s\","},
		{"xml", "hunter2", "<server><password>%s</password></server>"},
		{"netrc", "hunter2", "machine h login bob password %s\n"},
		{"aws credentials", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "[default]\naws_access_key_id = x\naws_secret_access_key = %s\n"},
		{"kubeconfig token", "abcdef.0123456789abcdef", "  user:\n    token: %s\n"},
		{"kubeconfig key", "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt", "  user:\n    client-key-data: %s\n"},
		{"docker config", "Ym9iOmh1bnRlcjI=", `{"auths":{"r.example":{"auth":"%s"}}}`},
		{".npmrc", uuid, "//registry.example/:_authToken=%s\n"},
		{".npmrc, basic", "Ym9iOmh1bnRlcjI=", "_auth=%s\n"},
		{".pypirc", "hunter2", "[pypi]\nusername = bob\npassword = %s\n"},
		{"terraform", "hunter2", "variable \"x\" {}\ndb_password = \"%s\"\n"},
		{"sql", "hunter2", "CREATE USER bob IDENTIFIED BY '%s';"},
		{"sql, role", "hunter2", "ALTER ROLE bob WITH LOGIN PASSWORD '%s';"},
		{"http dump", "abcdef0123", "GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\n\r\n"},
		{"python, environ", "sommer", "os.environ['API_KEY']='%s'"},
		{"python, environ in a command", "sommer", `python -c "import os; os.environ['API_KEY']='%s'"`},
		{"an index", "hunter2", "cfg[\"password\"] = \"%s\"\n"},
		{"go, typed", "hunter2", "const apiToken string = \"%s\"\n"},
		{"xml, a pair", "hunter2", `<add key="ApiKey" value="%s"/>`},
		{"prose, is", "hunter2", "my password is: %s"},
		{"prose, is without a colon", "hunter2", "the password is %s."},
		{"prose, bare", "q7Rt2LmX9pWz", "log in with password %s please"},
		{"a log line", "abcdef0123", "level=info msg=login token=%s user=bob"},
		{"prose", "hunter2", "my password is not shown: password: %s, please"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := fmt.Sprintf(strings.ReplaceAll(strings.ReplaceAll(tt.in, "%", "%%"), "%%s", "%s"), tt.secret)
			got := redact.Text(in)
			if strings.Contains(got, tt.secret) || len(tt.secret) > 8 && strings.Contains(got, tt.secret[len(tt.secret)-6:]) {
				t.Errorf("not hidden: %s", got)
			}
			if again := redact.Text(got); again != got {
				t.Errorf("redacted again: %s\nonce: %s", again, got)
			}
			// What stands around it stays.
			for i, part := range strings.Split(in, tt.secret) {
				part = strings.Trim(part, ` '"\=`)
				if !strings.Contains(got, part) {
					t.Errorf("part %d, %q, is gone from %s", i, part, got)
				}
			}
		})
	}
}
