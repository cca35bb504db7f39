package shell

import (
	"slices"
	"strings"

	"github.com/fireharp/overseer/internal/effect"
	"github.com/fireharp/overseer/internal/winshell"
)

// otherShell reads a line once more where it is rather one of PowerShell or of cmd.exe,
// in which agents on Windows work without saying so. failed says that bash could not
// read it; it counts no more then.
func (e *eval) otherShell(src string, failed bool) {
	power := false
	switch {
	case e.isPowerShell(src, failed):
		power = true
	case e.isCmd(src, failed):
	default:
		return
	}
	if failed && !e.out.Cut {
		e.out.Incomplete = e.out.Cut
	}
	e.via, e.dir = nil, ""
	if power && strings.HasPrefix(strings.TrimSpace(src), "$") {
		e.forget(func(x effect.Effect) bool { return x.Kind == effect.ExecUnresolved }) // a variable of PowerShell is no program
	}
	if power && !failed {
		var cmdlets []string // are read again
		for _, c := range e.out.Commands {
			if len(c.Via) == 0 && isCmdlet(c.Program) {
				cmdlets = append(cmdlets, strings.ToLower(c.Program))
			}
		}
		e.forget(func(x effect.Effect) bool {
			name, _, _ := strings.Cut(strings.ToLower(x.Program), " ")
			return len(x.Via) == 0 && slices.Contains(cmdlets, name)
		})
	}
	if power {
		e.powershell(effect.Lit(e.readable("powershell", src)))
	} else {
		e.windows(winshell.Cmd(effect.Lit(e.readable("cmd", src))))
	}
}

// forget takes back effects.
func (e *eval) forget(of func(effect.Effect) bool) {
	e.out.Effects = slices.DeleteFunc(e.out.Effects, of)
	clear(e.seen) // they may come again
	for i := range e.out.Commands {
		e.out.Commands[i].Effects = slices.DeleteFunc(e.out.Commands[i].Effects, of)
	}
}

// isPowerShell tells a line of PowerShell by its cmdlets, its types or its variables.
func (e *eval) isPowerShell(src string, failed bool) bool {
	s := strings.TrimSpace(src)
	if isCmdlet(s) || strings.HasPrefix(s, "[") && (strings.Contains(s, "]::") || strings.Contains(s, "].")) || strings.HasPrefix(s, "$env:") || strings.HasPrefix(s, "$PSVersionTable") || strings.HasPrefix(s, "$PROFILE") || strings.HasPrefix(s, "& (") {
		return true
	}
	for _, name := range []string{"iex", "iwr", "irm", "icm"} { // IEX(…)
		if len(s) > 3 && strings.EqualFold(s[:3], name) && (s[3] == '(' || s[3] == ' ') {
			return true
		}
	}
	if name, rest, ok := strings.Cut(strings.TrimPrefix(s, "$"), "="); ok && s[0] == '$' && isName(strings.TrimSpace(name)) && rest != "" {
		return true
	}
	if failed && comparesAsPowerShell(src) {
		return true
	}
	if failed && strings.Contains(src, "-") {
		for i, word := range strings.FieldsFunc(src, func(r rune) bool { return strings.ContainsRune(" \t\n;|&({=)", r) }) {
			if isCmdlet(word) {
				return true
			}
			if i > 1000 {
				break
			}
		}
	}
	for _, c := range e.out.Commands[:min(len(e.out.Commands), 64)] {
		if len(c.Via) > 0 {
			continue
		}
		switch strings.ToLower(c.Program) {
		case "iex", "iwr", "irm", "gci", "gwmi", "saps", "spps", "icm", "nsn", "etsn", "gc", "gcm", "sls", "ri", "ni":
			return true
		}
		if isCmdlet(c.Program) {
			return true
		}
	}
	return false
}

// comparesAsPowerShell reports whether a line that bash cannot read has a condition of
// PowerShell: if ($LASTEXITCODE -eq 0) {
func comparesAsPowerShell(src string) bool {
	if !strings.Contains(src, "if (") && !strings.Contains(src, "while (") && !strings.Contains(src, "foreach (") {
		return false
	}
	for _, mark := range []string{"$LASTEXITCODE", "$env:", "$_.", "$true", "$false", "$null", " -eq ", " -ne ", " -gt ", " -lt ", " -ge ", " -le ", " -like ", " -match ", " -in ", "-not ", " in $"} {
		if strings.Contains(src, mark) {
			return true
		}
	}
	return false
}

// isCmdlet reports whether a text begins with a name as PowerShell gives them: Get-Item.
func isCmdlet(s string) bool {
	verb, noun, ok := strings.Cut(s, "-")
	if !ok || len(verb) < 2 || len(noun) < 2 || verb[0] < 'A' || verb[0] > 'Z' || noun[0] < 'A' || noun[0] > 'Z' || noun[1] < 'a' && noun[1] != 'P' {
		return false
	}
	switch verb {
	case "Get", "Set", "New", "Remove", "Add", "Invoke", "Start", "Stop", "Clear", "Copy", "Move", "Out", "Write", "Read", "Import", "Export",
		"ConvertTo", "ConvertFrom", "Convert", "Select", "Where", "ForEach", "Sort", "Measure", "Test", "Enable", "Disable", "Register", "Unregister",
		"Enter", "Exit", "Restart", "Rename", "Join", "Split", "Resolve", "Update", "Install", "Uninstall", "Save", "Expand", "Compress", "Format",
		"Group", "Compare", "Wait", "Send", "Mount", "Dismount", "Backup", "Restore", "Suspend", "Resume", "Debug", "Trace", "Publish", "Find",
		"Push", "Pop", "Initialize", "Connect", "Disconnect", "Grant", "Revoke", "Checkpoint", "Reset", "Limit", "Show", "Hide", "Protect", "Unprotect",
		"Unblock", "Block", "Receive", "Tee", "Complete", "Use", "Undo", "Optimize", "Repair", "Switch", "Open", "Close", "Lock", "Unlock", "Search":
		return true
	}
	return false
}

// isCmd tells a line of cmd.exe by a program of Windows that is given a path of
// Windows, or by its variables.
func (e *eval) isCmd(src string, failed bool) bool {
	if low := strings.ToLower(strings.TrimSpace(src)); failed && (strings.HasPrefix(low, "if exist ") || strings.HasPrefix(low, "if not exist ") || strings.HasPrefix(low, "if defined ") || strings.HasPrefix(low, "for %") || strings.HasPrefix(low, "for /") || strings.HasPrefix(low, "@echo off")) {
		return true
	}
	if strings.Contains(src, "<<") || !strings.ContainsAny(src, `\%`) {
		return false
	}
	low := strings.ToLower(src)
	for _, v := range []string{"userprofile", "appdata", "localappdata", "temp", "tmp", "programdata", "systemroot", "windir", "systemdrive", "public", "comspec", "homepath", "homedrive", "programfiles"} {
		if strings.Contains(low, "%"+v+"%") {
			return true
		}
	}
	if !strings.Contains(low, `:\`) && !strings.Contains(low, `\\`) && !strings.Contains(low, `hk`) {
		return false
	}
	for _, c := range e.out.Commands[:min(len(e.out.Commands), 64)] {
		if len(c.Via) == 0 && ofWindows(c.Program) {
			return true
		}
	}
	return false
}

// ofWindows reports whether a program is one that only Windows has.
func ofWindows(name string) bool {
	name = strings.ToLower(name)
	if strings.HasSuffix(name, ".exe") {
		return true
	}
	switch name {
	case "del", "erase", "rd", "rmdir", "type", "copy", "xcopy", "move", "robocopy", "reg", "regedit", "net", "net1", "netsh", "schtasks", "wmic", "sc",
		"icacls", "cacls", "takeown", "attrib", "certutil", "bitsadmin", "wevtutil", "bcdedit", "vssadmin", "rundll32", "regsvr32", "regasm", "regsvcs",
		"mshta", "cscript", "wscript", "msiexec", "start", "msbuild", "installutil", "cmdkey", "findstr", "forfiles", "diskpart", "format", "cipher",
		"fsutil", "wbadmin", "psexec", "psexec64", "procdump", "esentutl", "expand", "extrac32", "makecab", "tasklist", "taskkill", "assoc", "ftype",
		"setx", "mklink", "ren", "dir", "call", "if", "for", "powershell", "pwsh", "cmd", "query", "runas", "winrs", "logman", "odbcconf", "cmstp", "pcalua":
		return true
	}
	return false
}
