// What Go's parsers and go/types say of files, one JSON object a line: {"siblings": [paths], "name": "x.go", "text": "..."} -> {"errors": [...]}.
// What either parser says, go/parser and the compiler's, begins with "syntax: ". Imports are not read: a package is a name, and what is asked
// of it is not looked at. It is built as a package of the compiler, whose parser is open to those alone.
package main

import (
	"bufio"
	"cmd/compile/internal/syntax"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"regexp"
	"strings"
)

type question struct {
	Siblings []string
	Name     string
	Text     string
}

type names struct{ known map[string]*types.Package }

var version = regexp.MustCompile(`^v[0-9]+$`)

func (n names) Import(at string) (*types.Package, error) {
	if at == "unsafe" {
		return types.Unsafe, nil
	}
	found, ok := n.known[at]
	if !ok {
		name := path.Base(at)
		if version.MatchString(name) && strings.Contains(at, "/") {
			name = path.Base(path.Dir(at))
		}
		found = types.NewPackage(at, name)
		found.MarkComplete()
		n.known[at] = found
	}
	return found, nil
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	files := token.NewFileSet()
	parsed := map[string]*ast.File{}
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var q question
		if err := json.Unmarshal(line, &q); err != nil {
			panic(err)
		}
		errors := []string{}
		note := func(err error) { errors = append(errors, err.Error()) }
		file, err := parser.ParseFile(files, q.Name, q.Text, parser.SkipObjectResolution)
		if err == nil {
			_, err = syntax.Parse(syntax.NewFileBase(q.Name), strings.NewReader(q.Text), nil, nil, 0)
		}
		if err != nil {
			errors = append(errors, "syntax: "+err.Error())
		} else {
			all := []*ast.File{file}
			for _, sibling := range q.Siblings {
				known, ok := parsed[sibling]
				if !ok {
					known, _ = parser.ParseFile(files, sibling, nil, parser.SkipObjectResolution)
					parsed[sibling] = known
				}
				if known != nil && known.Name.Name == file.Name.Name {
					all = append(all, known)
				}
			}
			config := types.Config{FakeImportC: true, Importer: names{map[string]*types.Package{}}, Error: note}
			func() {
				defer func() { recover() }()
				config.Check("p", files, all, nil)
			}()
		}
		if err := out.Encode(map[string][]string{"errors": errors}); err != nil {
			return
		}
	}
}
