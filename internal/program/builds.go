package program

// Build tells how a program that runs what stands in a file comes to that file,
// which its words need not name.
type Build struct {
	// Recipes are the names of files in the program's folder that hold what it runs, as
	// text to be read; one that a flag names is read as the first of them is.
	Recipes []string
	// Besides are the names of further files that change what it does.
	Besides []string
	// FileFlags are followed by another file, FolderFlags by another folder.
	FileFlags, FolderFlags []string
}

// Builds are the programs of that sort by their names.
var Builds = map[string]Build{
	"make": makefile, "gmake": makefile,
	"npm":  {Recipes: packageJSON, FolderFlags: []string{"--prefix", "-C"}},
	"yarn": {Recipes: packageJSON, FolderFlags: []string{"--cwd"}},
	"pnpm": {Recipes: packageJSON, FolderFlags: []string{"-C", "--dir", "--prefix"}},
	"bun":  {Recipes: packageJSON, FolderFlags: []string{"--cwd"}},
	"just": {
		Recipes:   []string{"justfile", "Justfile", ".justfile"},
		FileFlags: []string{"-f", "--justfile"}, FolderFlags: []string{"-d", "--working-directory"},
	},
	"task": {
		Recipes:   []string{"Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml"},
		FileFlags: []string{"-t", "--taskfile"}, FolderFlags: []string{"-d", "--dir"},
	},
	"rake":   {Recipes: []string{"Rakefile", "rakefile"}, FileFlags: []string{"-f", "--rakefile"}},
	"tox":    {Recipes: []string{"tox.ini", "pyproject.toml", "setup.cfg"}, FileFlags: []string{"-c", "--conf"}, FolderFlags: []string{"--root"}},
	"nox":    {Recipes: []string{"noxfile.py"}, FileFlags: []string{"-f", "--noxfile"}},
	"pytest": pytest, "py.test": pytest,
	"invoke": tasks, "inv": tasks,

	"cargo":  {Besides: []string{"build.rs", "Cargo.toml"}},
	"docker": {Besides: []string{"Dockerfile", "compose.yaml", "compose.yml", "docker-compose.yml"}}, "podman": {Besides: []string{"Dockerfile", "Containerfile"}},
	"docker-compose": {Besides: []string{"compose.yaml", "compose.yml", "docker-compose.yml"}},
	"pip":            {Besides: []string{"setup.py", "pyproject.toml"}}, "pip3": {Besides: []string{"setup.py", "pyproject.toml"}},
	"gradle": {Besides: []string{"build.gradle", "build.gradle.kts"}}, "mvn": {Besides: []string{"pom.xml"}},
	"npx": {Besides: packageJSON}, "deno": {Besides: []string{"deno.json"}},
}

var (
	packageJSON = []string{"package.json"}
	makefile    = Build{
		Recipes:   []string{"GNUmakefile", "makefile", "Makefile"},
		FileFlags: []string{"-f", "--file", "--makefile"}, FolderFlags: []string{"-C", "--directory"},
	}
	pytest = Build{
		Recipes: []string{"conftest.py"}, Besides: []string{"pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini"},
		FolderFlags: []string{"--rootdir"},
	}
	tasks = Build{Recipes: []string{"tasks.py"}, FolderFlags: []string{"-r"}}
)
