package winshell

import "strings"

// aliases are PowerShell's own short names (Get-Alias of Windows PowerShell 5.1).
func alias(name string) string {
	switch name {
	case "rm", "del", "rd", "ri", "rmdir", "erase":
		return "remove-item"
	case "rp":
		return "remove-itemproperty"
	case "iex":
		return "invoke-expression"
	case "iwr", "curl", "wget":
		return "invoke-webrequest"
	case "irm":
		return "invoke-restmethod"
	case "gc", "cat", "type":
		return "get-content"
	case "sc":
		return "set-content"
	case "ac":
		return "add-content"
	case "clc":
		return "clear-content"
	case "cli":
		return "clear-item"
	case "cp", "copy", "cpi":
		return "copy-item"
	case "mv", "move", "mi":
		return "move-item"
	case "ren", "rni":
		return "rename-item"
	case "ls", "dir", "gci":
		return "get-childitem"
	case "gi":
		return "get-item"
	case "gp":
		return "get-itemproperty"
	case "gpv":
		return "get-itempropertyvalue"
	case "sp":
		return "set-itemproperty"
	case "si":
		return "set-item"
	case "ni", "mkdir", "md":
		return "new-item"
	case "%", "foreach":
		return "foreach-object"
	case "?", "where":
		return "where-object"
	case "start", "saps":
		return "start-process"
	case "kill", "spps":
		return "stop-process"
	case "ps", "gps":
		return "get-process"
	case "gsv":
		return "get-service"
	case "sasv":
		return "start-service"
	case "spsv":
		return "stop-service"
	case "icm":
		return "invoke-command"
	case "etsn":
		return "enter-pssession"
	case "nsn":
		return "new-pssession"
	case "sajb":
		return "start-job"
	case "sal":
		return "set-alias"
	case "nal":
		return "new-alias"
	case "gwmi":
		return "get-wmiobject"
	case "iwmi":
		return "invoke-wmimethod"
	case "rwmi":
		return "remove-wmiobject"
	case "swmi":
		return "set-wmiinstance"
	case "gcim":
		return "get-ciminstance"
	case "icim":
		return "invoke-cimmethod"
	case "ncim":
		return "new-ciminstance"
	case "rcim":
		return "remove-ciminstance"
	case "sls":
		return "select-string"
	case "echo", "write":
		return "write-output"
	case "select":
		return "select-object"
	case "sort":
		return "sort-object"
	case "group":
		return "group-object"
	case "measure":
		return "measure-object"
	case "tee":
		return "tee-object"
	case "diff", "compare":
		return "compare-object"
	case "ft":
		return "format-table"
	case "fl":
		return "format-list"
	case "gm":
		return "get-member"
	case "gcm":
		return "get-command"
	case "gal":
		return "get-alias"
	case "gv":
		return "get-variable"
	case "sv", "set":
		return "set-variable"
	case "nv":
		return "new-variable"
	case "rv":
		return "remove-variable"
	case "cd", "chdir", "sl", "set-location":
		return "cd"
	case "pushd", "push-location":
		return "pushd"
	case "popd", "pop-location":
		return "popd"
	case "pwd", "gl":
		return "get-location"
	case "sleep":
		return "start-sleep"
	case "ii":
		return "invoke-item"
	case "ihy":
		return "invoke-history"
	case "clhy":
		return "clear-history"
	case "h", "history", "ghy":
		return "get-history"
	case "ipmo":
		return "import-module"
	case "gcb":
		return "get-clipboard"
	case "scb":
		return "set-clipboard"
	case "rvpa":
		return "resolve-path"
	case "gu":
		return "get-unique"
	case "oh":
		return "out-host"
	case "lp":
		return "out-printer"
	case "cls", "clear":
		return "clear-host"
	case "man", "help":
		return "get-help"
	case "gin":
		return "get-computerinfo"
	case "stz":
		return "set-timezone"
	}
	return name
}

// native are aliases that mean the program of this name where the words are in its
// own style: PowerShell on Linux and macOS has no alias for them.
func native(name string, words []string) bool {
	switch name {
	case "rm", "curl", "wget", "cp", "mv", "ls", "cat", "ps", "kill", "sort", "tee", "diff", "mkdir", "rmdir", "start", "type", "sleep", "man", "clear":
	default:
		return false
	}
	for _, w := range words {
		switch {
		case len(w) < 2 || w[0] != '-':
		case strings.HasPrefix(w, "--"):
			return true
		case name == "rm" && (strings.EqualFold(w, "-rf") || strings.EqualFold(w, "-fr") || w == "-R" || w == "-rfv" || w == "-vrf"):
			return true
		case name == "curl" && (len(w) == 2 || strings.HasPrefix(w, "-f") || strings.HasPrefix(w, "-s") || strings.HasPrefix(w, "-L") || strings.HasPrefix(w, "-k")) && !strings.HasPrefix(strings.ToLower(w), "-se") && !strings.HasPrefix(strings.ToLower(w), "-sk") && !strings.HasPrefix(strings.ToLower(w), "-head"):
			return true
		case name == "wget" && (len(w) == 2 || strings.HasPrefix(w, "-q") || strings.HasPrefix(w, "-O-") || strings.HasPrefix(w, "-nv")):
			return true
		case (name == "cp" || name == "mv" || name == "ls" || name == "ps" || name == "kill" || name == "mkdir") && (len(w) == 2 && w != "-r" || len(w) == 3 && w != "-re" && w != "-fo" && w != "-id" && w != "-na") && w[1] != ':':
			return true
		}
	}
	return false
}

// ofCmd reports whether the words of an alias are those of cmd.exe's command or
// program of the same name.
func ofCmd(name string, words []string) bool {
	switch name {
	case "rd", "rmdir", "del", "erase", "copy", "move", "type", "dir", "ren", "sort", "start":
		for _, w := range words {
			if len(w) == 2 && w[0] == '/' {
				return true
			}
		}
	case "sc":
		if len(words) == 0 {
			return false
		}
		switch strings.ToLower(words[0]) {
		case "create", "config", "delete", "stop", "start", "query", "failure", "sdset", "qc", "queryex", "sdshow":
			return true
		}
		return strings.HasPrefix(words[0], "//")
	}
	return false
}
