package tools

import (
	"context"
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

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
		Description: "Makes a file and puts it on your answer: for documents, code of more than a screen, tables, anything that was asked for as a file. " +
			"Call it once for each file that the last message asks for. Do not make a file again that is among those already made in this conversation, " +
			"unless the last message asks for another version of it. Text that fits into the answer belongs there, not into a file.",
		Schema: schema(
			property{"title", "What the file is, in a few words.", true},
			property{"file_name", "Name with its ending, such as notes.md or chart.svg; no folders.", true},
			property{"content", "The whole text of the file.", true},
		),
	}
}

// Independent implements Tool. The name and size of a file depend on the files before it.
func (Artifact) Independent() bool { return false }

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
	size := len(arguments.Content)
	taken := make(map[string]bool)
	for _, file := range call.Made {
		size += len(file.Data)
		taken[strings.ToLower(file.Name)] = true
	}
	if size > maxFileBytes {
		return Result{}, RefusalError(fmt.Sprintf("the files of one answer may have %d MiB together, and this would be more.", maxFileBytes>>20))
	}
	if len(call.Made) >= maxFiles {
		return Result{}, RefusalError(fmt.Sprintf("one answer may have %d files, and has them.", maxFiles))
	}
	file := File{Title: cleanTitle(arguments.Title), Name: FileName(arguments.Name), Data: []byte(arguments.Content)}
	file.Type = mediaType(file.Name)
	for n := 2; taken[strings.ToLower(file.Name)]; n++ {
		ending := path.Ext(file.Name)
		file.Name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(FileName(arguments.Name), ending), n, ending)
	}
	return Result{
		Text:  file.Name + " is made and will be put on your answer. Do not repeat its content; say in a sentence what it is.",
		Files: []File{file},
		Once:  true, // the file would be missing
	}, nil
}

// FileName returns a safe file name made of any name. It has no folders, no invisible
// characters, none with a meaning for file systems, no dots at its ends, and at most 80
// characters.
func FileName(name string) string {
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

func cleanTitle(title string) string {
	title = strings.Join(strings.Fields(strings.ToValidUTF8(title, "")), " ")
	if runes := []rune(title); len(runes) > maxTitle {
		title = string(runes[:maxTitle-1]) + "…"
	}
	return title
}

// mediaType returns the media type of a text file by the extension of its name. It does
// not depend on the machine's configuration.
func mediaType(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown":
		return "text/markdown; charset=utf-8"
	case ".html", ".htm":
		return "text/html; charset=utf-8"
	case ".csv":
		return "text/csv; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json":
		return "application/json"
	case ".xml":
		return "application/xml"
	case ".svg":
		return "image/svg+xml"
	default:
		return "text/plain; charset=utf-8"
	}
}
