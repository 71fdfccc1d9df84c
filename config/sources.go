package config

import (
	"bytes"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"github.com/joho/godotenv"
)

// ReadFile reads a whole file, as os.ReadFile does.
type ReadFile func(name string) ([]byte, error)

// dotEnv is the file with settings that is read where it exists.
const dotEnv = ".env"

// gather puts the values of all variables together: the environment, then for
// what is not set there .env, then the files that NAME_FILE variables name.
// An empty value is as good as none, so that "NAME=" in .env means the default.
func gather(environ []string, read ReadFile) (map[string]string, []Fault) {
	values := make(map[string]string, len(environ))
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			values[name] = strings.TrimSpace(value)
		}
	}
	file, faults := readDotEnv(read)
	for _, v := range Variables() {
		addFromDotEnv(values, file, v)
		if v.File {
			faults = append(faults, resolveFile(values, v, read)...)
		}
	}
	return values, faults
}

// addFromDotEnv takes v from .env unless the environment has it in either form:
// NAME and NAME_FILE are one setting, and the environment's stands.
func addFromDotEnv(values, file map[string]string, v Variable) {
	names := []string{v.Name}
	if v.File {
		names = append(names, v.Name+"_FILE")
	}
	for _, name := range names {
		if _, set := values[name]; set {
			return
		}
	}
	for _, name := range names {
		if value, set := file[name]; set {
			values[name] = strings.TrimSpace(value)
		}
	}
}

// resolveFile replaces NAME_FILE by NAME with what the file holds, without the
// newline that editors leave at its end and the spaces that pasting brings.
func resolveFile(values map[string]string, v Variable, read ReadFile) []Fault {
	nameFile := v.Name + "_FILE"
	path := values[nameFile]
	if path == "" {
		return nil
	}
	if values[v.Name] != "" {
		delete(values, v.Name)
		return []Fault{{v.Name, "is set, and " + nameFile + " is set too", "keep one of the two"}}
	}
	content, err := read(path)
	if err != nil {
		return []Fault{{nameFile, "names a file that cannot be read (" + plainReason(err) + ")", "name one that heddle may read"}}
	}
	value := strings.TrimSpace(string(content))
	if value == "" {
		return []Fault{{nameFile, "names an empty file", "put the value into it"}}
	}
	values[v.Name] = value
	return nil
}

func readDotEnv(read ReadFile) (map[string]string, []Fault) {
	content, err := read(dotEnv)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, []Fault{{dotEnv, "cannot be read (" + plainReason(err) + ")", "make it readable or take it away"}}
	}
	values, err := godotenv.Parse(bytes.NewReader(content))
	if err != nil { // The error quotes the file, secrets included.
		return nil, []Fault{{dotEnv, "cannot be understood from line " + faultyLine(content) + " on", `write NAME=value on each line, values with spaces in "quotes"`}}
	}
	return values, nil
}

// plainReason is why a file could not be read, without its path.
func plainReason(err error) string {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err.Error()
	}
	return err.Error()
}

// faultyLine is the line of the first statement that does not parse: the one
// behind the longest beginning that does.
func faultyLine(content []byte) string {
	lines := bytes.SplitAfter(content, []byte("\n"))
	for n := len(lines) - 1; n > 0; n-- {
		if _, err := godotenv.Parse(bytes.NewReader(bytes.Join(lines[:n], nil))); err == nil {
			return strconv.Itoa(n + 1)
		}
	}
	return "1"
}
