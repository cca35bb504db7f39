// Package effect is the vocabulary of what an act would do: typed facts such as
// "deletes a folder and all in it" or "sends a secret away", each with its
// targets. Shell commands, scripts, SQL, file tools and MCP tools all report
// through it, so that one rule covers them all. It is pure data.
package effect

import "slices"

// Effect is one thing that an act would do.
type Effect struct {
	Kind Kind
	// Program is what does it, with its subcommand: "git push". "" for an
	// agent's own tool.
	Program string
	// Targets are what it is done to. An effect without targets has none that
	// could be named.
	Targets []Target
	// Via names what leads to the program, the outermost first: sudo, bash, xargs.
	Via []string
	// Unsure is true where it depends on something that is known only while the
	// command runs.
	Unsure bool
}

// Target is one thing that an effect is done to.
type Target struct {
	// Name is a path, absolute where the folder is known, or the name of what is
	// no file: a host, a table, a bucket.
	Name string
	// Scope says where a file lies, "" for what is no file.
	Scope Scope
}

// Kind is the sort of an effect. Kinds are named group.act; a rule may name a whole
// group as "group.*".
type Kind string

// Info says what a kind means, for documents and error messages.
type Info struct {
	Kind    Kind
	Meaning string
}

// Kinds lists all kinds in the order in which documents show them.
func Kinds() []Info { return slices.Clone(kinds) }

// Known reports whether there is such a kind.
func Known(k Kind) bool {
	return slices.ContainsFunc(kinds, func(i Info) bool { return i.Kind == k })
}

// The kinds that the code itself names; the tables of programs name the others.
const (
	FileRead        Kind = "file.read"
	FileWrite       Kind = "file.write"
	FileDelete      Kind = "file.delete"
	FileEmpty       Kind = "file.empty"
	DeleteRecursive Kind = "delete.recursive"
	DiskOverwrite   Kind = "disk.overwrite"
	ExecDownloaded  Kind = "exec.downloaded"
	ExecDecoded     Kind = "exec.decoded"
	ExecUnresolved  Kind = "exec.unresolved"
	ExecRemoteShell Kind = "exec.remote-shell"
	SecretRead      Kind = "secret.read"
	SecretSend      Kind = "secret.send"
	DataSend        Kind = "data.send"
	ForkBomb        Kind = "system.fork-bomb"
)

var kinds = []Info{
	{FileRead, "reads a file"},
	{FileWrite, "makes, changes or replaces a file"},
	{FileDelete, "deletes single files"},
	{FileEmpty, "empties files, or writes over all that was in them"},
	{DeleteRecursive, "deletes folders with all in them, or whatever matches in a tree"},
	{"delete.kept", "deletes or empties documents, pictures or served data outside of the project, of which there may be no other copy"},
	{"file.move", "moves a file or folder away from where it was"},
	{DiskOverwrite, "writes to a disk itself, formats or wipes it"},
	{"disk.mount", "mounts, unmounts or repartitions"},
	{"permission.widen", "gives others the right to read or change files, or changes their owner, in a whole tree"},

	{"git.discard", "throws away work that is not committed or would be reachable no more"},
	{"git.rewrite-remote", "overwrites or deletes what others have: force push, deleting a remote branch"},
	{"git.send", "pushes a repository to a place named or added just now"},
	{"git.merge", "publishes or merges in the person's name (merge a pull request, cut a release)"},

	{ExecDownloaded, "runs code that was downloaded and that nobody has read"},
	{ExecDecoded, "runs code that was decoded, decrypted or assembled"},
	{ExecUnresolved, "runs something that cannot be known before it runs"},
	{"exec.shell-escape", "makes a program that is no shell start one or run a command in an odd way"},
	{ExecRemoteShell, "gives somebody else a shell on this machine"},
	{"exec.inject", "puts code into a running process or has another program load it"},

	{SecretRead, "reads a key, password, token or another credential"},
	{SecretSend, "sends a secret away"},
	{DataSend, "sends a file or the output of a program to another machine"},
	{"data.capture", "records keys, screen, microphone, clipboard or network traffic"},

	{"persist.startup", "has something run at login, at boot or whenever a shell starts"},
	{"persist.schedule", "has something run later or again and again"},
	{"persist.access", "gives somebody a way in: authorized keys, new accounts, passwords"},
	{"persist.hook", "has something run whenever another program does: git hooks, aliases, editor or agent plug-ins"},

	{"privilege.grant", "gives more power to a user or a program: sudoers, setuid, capabilities, groups"},
	{"privilege.escape", "leaves a container or a namespace, or takes the host's"},
	{"privilege.preload", "has code loaded into other programs: LD_PRELOAD, PYTHONSTARTUP, NODE_OPTIONS"},
	{"privilege.kernel", "changes the running kernel: modules, sysctl, /proc/sys"},

	{"trust.source", "installs from, or trusts from now on, another source of packages"},
	{"trust.tls", "stops checking certificates or signatures, or trusts a new authority"},
	{"trust.proxy", "sends traffic through another machine: proxies, hosts files, DNS"},
	{"trust.build", "changes how software is built or checked: CI, hooks path, build settings"},

	{"trace.wipe", "deletes logs, histories or other traces"},
	{"trace.blind", "switches off what watches the machine: auditing, firewall, antivirus, logging"},

	{"network.tunnel", "opens a tunnel, a forward or a relay"},
	{"network.listen", "offers files or a service to the network"},
	{"network.scan", "scans other machines or tries passwords"},
	{"network.remote", "runs something on another machine by an administrator's way in"},

	{"system.power", "shuts down, reboots or suspends"},
	{"system.service", "stops or disables a service"},
	{"system.package", "removes packages of the system"},
	{"system.account", "changes or deletes accounts"},
	{"system.config", "changes settings of the whole system"},
	{"system.registry", "changes the Windows registry"},
	{"system.backup-delete", "deletes backups, snapshots or restore points"},
	{"process.kill-all", "ends all processes, or all of a kind that the machine needs"},
	{ForkBomb, "fills the machine with processes or its disk with data"},

	{"database.drop", "drops or empties tables, databases, indexes"},
	{"database.delete", "deletes or changes all rows"},
	{"database.reset", "resets a database or rolls its migrations back"},
	{"database.grant", "gives rights or makes accounts in a database"},
	{"database.exec", "has a database run programs or read and write files of its machine"},

	{"infra.destroy", "destroys infrastructure"},
	{"infra.apply", "changes infrastructure without asking"},
	{"infra.expose", "opens what was closed: public buckets, open ports, wide rights"},
	{"cloud.delete", "deletes something in a cloud"},
	{"cluster.delete", "deletes or evicts something in a cluster"},
	{"container.destroy", "deletes containers, images or volumes"},
	{"repo.delete", "deletes or exposes a hosted repository or what belongs to it"},

	{"package.publish", "publishes a package"},
	{"package.unpublish", "takes back what others build on"},

	{"guard.tamper", "switches off, edits or answers for overseer"},
}

// Meaning says in a few words what a kind is, "" for one that there is not.
func Meaning(k Kind) string {
	for _, i := range kinds {
		if i.Kind == k {
			return i.Meaning
		}
	}
	return ""
}
