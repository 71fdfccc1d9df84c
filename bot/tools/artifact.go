package tools

import (
	"context"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"heddle/graph"
	heddlepath "heddle/graph/path"
)

// NameArtifact names the tool that makes files.
const NameArtifact = "create_artifact"

// Discord's limits for the files of one message.
const (
	maxFileBytes = 10 << 20 // for all files together
	maxFiles     = 10
	maxTitle     = 200 // characters
)

// Artifact makes a file for the answer.
type Artifact struct{}

// Spec implements Tool.
func (Artifact) Spec() heddlepath.Tool {
	return heddlepath.Tool{
		Name: NameArtifact,
		Description: "Puts a file on your answer: documents, long code, tables, what is asked for as a file. Call it once for each. " +
			"Do not make it again unasked, nor for what fits into the answer.",
		Schema: `{"type":"object","properties":{"title":{"type":"string"},` +
			`"file_name":{"type":"string","description":"With ending, no folders."},"content":{"type":"string"}},` +
			`"required":["title","file_name","content"]}`,
	}
}

// Call implements Tool.
func (Artifact) Call(_ context.Context, call Call) (Result, error) {
	var arguments struct {
		Title   string `json:"title"`
		Name    string `json:"file_name"`
		Content string `json:"content"`
	}
	if err := decode(call.Arguments, &arguments); err != nil {
		return Result{}, err
	}
	if arguments.Content == "" {
		return Result{}, RefusalError("the file is empty; give its whole text as content.")
	}
	file := File{
		Title: graph.OneLine(arguments.Title, maxTitle), Name: fileName(arguments.Name), Type: "text/plain; charset=utf-8", Data: []byte(arguments.Content),
	}
	return Result{
		Text:  file.Name + " is made and will be put on your answer. Do not repeat its content; say in a sentence what it is.",
		Files: []File{file},
		Once:  true, // the file would be missing
	}, nil
}

// add puts files on the answer. It fails with a RefusalError if they do not fit there.
func (r *run) add(files []File) error {
	for _, file := range files {
		size := len(file.Data)
		for _, made := range r.Files {
			size += len(made.Data)
			if strings.EqualFold(made.Name, file.Name) {
				return RefusalError("the answer has a file of this name; give another one.")
			}
		}
		switch {
		case size > maxFileBytes:
			return RefusalError(fmt.Sprintf("the files of one answer may have %d MiB together, and this would be more.", maxFileBytes>>20))
		case len(r.Files) >= maxFiles:
			return RefusalError(fmt.Sprintf("one answer may have %d files, and has them.", maxFiles))
		}
		r.Files = append(r.Files, file)
	}
	return nil
}

// fileName returns a safe file name made of any name. It has no folders, no invisible
// characters, none with a meaning for file systems, no dots at its ends, and at most 80
// characters.
func fileName(name string) string {
	const most = 80 // characters
	name = strings.ToValidUTF8(name, "")
	name = name[strings.LastIndexAny(name, `/\`)+1:]
	name = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`<>:"|?*`+"`", r), unicode.IsSpace(r):
			return '_'
		case !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, name)
	name = strings.Trim(name, "._")
	ending := path.Ext(name)
	if utf8.RuneCountInString(ending) > 16 {
		ending = ""
	}
	stem := []rune(strings.TrimSuffix(name, ending))
	if len(stem) == 0 {
		stem = []rune("file")
	}
	if rest := most - utf8.RuneCountInString(ending); len(stem) > rest {
		stem = stem[:rest]
	}
	if ending == "" {
		ending = ".txt"
	}
	return string(stem) + ending
}
