package program

import (
	"path"
	"slices"
)

// Build tells how a program that runs what stands in a file comes to that file,
// which its words need not name.
type Build struct {
	// Programs are the names of those that do as this says.
	Programs []string
	// Recipes are the names of files in the program's folder that hold what it runs, as
	// text to be read; one that a flag names is read as the first of them is.
	Recipes []string
	// Besides are the names of further files that change what it does.
	Besides []string
	// FileFlags are followed by another file, FolderFlags by another folder.
	FileFlags, FolderFlags []string
}

// Builds are the programs of that sort.
var Builds = []Build{
	{
		Programs:  []string{"make", "gmake"},
		Recipes:   []string{"GNUmakefile", "makefile", "Makefile"},
		FileFlags: []string{"-f", "--file", "--makefile"}, FolderFlags: []string{"-C", "--directory"},
	},
	{Programs: []string{"npm"}, Recipes: []string{"package.json"}, FolderFlags: []string{"--prefix", "-C"}},
	{Programs: []string{"yarn"}, Recipes: []string{"package.json"}, FolderFlags: []string{"--cwd"}},
	{Programs: []string{"pnpm"}, Recipes: []string{"package.json"}, FolderFlags: []string{"-C", "--dir", "--prefix"}},
	{Programs: []string{"bun"}, Recipes: []string{"package.json"}, FolderFlags: []string{"--cwd"}},
	{Programs: []string{"just"},
		Recipes:   []string{"justfile", "Justfile", ".justfile"},
		FileFlags: []string{"-f", "--justfile"}, FolderFlags: []string{"-d", "--working-directory"},
	},
	{Programs: []string{"task"},
		Recipes:   []string{"Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"},
		FileFlags: []string{"-t", "--taskfile"}, FolderFlags: []string{"-d", "--dir"},
	},
	{Programs: []string{"rake"}, Recipes: []string{"Rakefile", "rakefile", "Rakefile.rb"}, FileFlags: []string{"-f", "--rakefile"}},
	{Programs: []string{"tox"}, Recipes: []string{"tox.ini", "pyproject.toml", "setup.cfg"}, FileFlags: []string{"-c", "--conf"}, FolderFlags: []string{"--root"}},
	{Programs: []string{"nox"}, Recipes: []string{"noxfile.py"}, FileFlags: []string{"-f", "--noxfile"}},
	{
		Programs: []string{"pytest", "py.test"},
		Recipes:  []string{"conftest.py"}, Besides: []string{"pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini"},
		FolderFlags: []string{"--rootdir"},
	},
	{Programs: []string{"composer"}, Recipes: []string{"composer.json"}, FolderFlags: []string{"-d", "--working-dir"}},
	{Programs: []string{"invoke", "inv"}, Recipes: []string{"tasks.py"}, FolderFlags: []string{"-r"}},

	{Programs: []string{"cargo"}, Besides: []string{"build.rs", "Cargo.toml"}},
	{Programs: []string{"docker"}, Besides: []string{"Dockerfile", "compose.yaml", "compose.yml", "docker-compose.yml"}}, {Programs: []string{"podman"}, Besides: []string{"Dockerfile", "Containerfile"}},
	{Programs: []string{"docker-compose"}, Besides: []string{"compose.yaml", "compose.yml", "docker-compose.yml"}},
	{Programs: []string{"pip", "pip3"}, Besides: []string{"setup.py", "pyproject.toml"}},
	{Programs: []string{"gradle"}, Besides: []string{"build.gradle", "build.gradle.kts"}}, {Programs: []string{"mvn"}, Besides: []string{"pom.xml"}},
	{Programs: []string{"npx"}, Besides: []string{"package.json"}}, {Programs: []string{"deno"}, Besides: []string{"deno.json"}},
}

// BuildOf is what the program of a name does, nothing for one of another sort.
func BuildOf(program string) Build {
	for _, b := range Builds {
		if slices.Contains(b.Programs, program) {
			return b
		}
	}
	return Build{}
}

// RunsUnasked reports whether a file holds lines of the shell that a project has run
// without being asked for: the variables of direnv, a git hook of husky.
func RunsUnasked(file string) bool {
	return path.Base(file) == ".envrc" || path.Base(path.Dir(file)) == ".husky"
}
