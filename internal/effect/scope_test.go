package effect

import "testing"

func TestScopeOf(t *testing.T) {
	t.Parallel()
	for scope, paths := range map[Scope]string{
		Root:        `/ /* /. /.. //  /.* /{*,.*} C:\ c:/ C:\* /mnt/c/ %SystemDrive%\`,
		System:      `/etc /etc/* /etc/nginx/x /usr /usr/* /usr/bin/ls /var /boot/grub /bin /lib64 /dev /opt /System /Library/x C:\Windows C:\Windows\System32 "C:\Program Files\x" %windir% $env:SystemRoot\x /mnt/c/Windows /e* /[ue]*`,
		Home:        `~ ~/ ~/* ~/.* $HOME $HOME/* ${HOME} "$HOME/" /home/ann /home/bob /home/bob/* /home /root /Users/bob ~/.ssh ~/.ssh/id_rsa ~/.gnupg/x ~/.config ~/Documents ~/documents/* ~bob ~root $env:USERPROFILE %USERPROFILE% .. ../.. ~/projects C:\Users\bob C:\Users\bob\Documents /c/Users/bob`,
		Device:      `/dev/sda /dev/sda1 /dev/nvme0n1 \\.\PhysicalDrive0 /dev/mapper/x`,
		Repo:        `a ./a src src/* /home/ann/work/app/src ../app/src .git/hooks/x build/**`,
		RepoRoot:    `. ./ ./* * .git ../app ~/work/app .* /home/ann/work/app`,
		Temp:        `~/.cache/x ~/Library/Caches/x /tmp/x /tmp/x/* /var/tmp/a /dev/shm/a /dev/null /dev/stderr /dev/fd/3 /dev/tcp/h/80 $env:TEMP\x %TEMP%`,
		OutsideRepo: `../x ~/other /home/bob/x /srv/app /var/lib/x /usr/local/bin/x /usr/local/lib/x /tmp D:\x C:\Users\bob\x ~bob/x`,
		Unknown:     `$X $X/a $(pwd)/a`,
	} {
		for _, p := range words(paths) {
			if got := ScopeOf(Lit(p), places); got != scope {
				t.Errorf("ScopeOf(%q) = %s, want %s", p, got, scope)
			}
		}
	}
	if got := ScopeOf(Value{}, places); got != Unknown {
		t.Errorf("ScopeOf(nothing) = %s", got)
	}
}

func TestAbs(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"~": "/home/ann", "~/a/../b": "/home/ann/b", "a": "/home/ann/work/app/a", "/a/./b/": "/a/b", "~bob/x": "~bob/x",
		`C:\x`: `C:\x`, `\\.\PhysicalDrive0`: `\\.\PhysicalDrive0`, `%TEMP%\x`: `%TEMP%\x`, `$env:APPDATA\x`: `$env:APPDATA\x`,
	} {
		if got := places.Abs(in); got != want {
			t.Errorf("Abs(%q) = %q, want %q", in, got, want)
		}
	}
}
