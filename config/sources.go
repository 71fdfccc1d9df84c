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

const (
	// dotEnv is the file that settings are read from if it exists.
	dotEnv = ".env"
	// fileSuffix ends the name of a variable that names a file with the value.
	fileSuffix = "_FILE"
)

// settings is what all sources hold together, by variable, and the problems found on
// the way.
type settings struct {
	values   map[string]string
	warnings []Fault // heddle works in spite of them
	faults   []Fault
}

// gather collects the values of all variables: from environ, for those not set there
// from .env, and then from the files that NAME_FILE variables name. An empty value
// counts as unset, so that "NAME=" in .env means the default.
func gather(environ []string, read ReadFile) settings {
	values := make(map[string]string, len(environ))
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			values[name] = strings.TrimSpace(value)
		}
	}
	file, faults := readDotEnv(read)
	all := settings{values: values, faults: faults}
	all.warnings = append(rename(values), rename(file)...)
	all.warnings = append(all.warnings, unknown(values, file)...)
	for _, v := range Variables() {
		addFromDotEnv(values, file, v)
		if v.File {
			all.faults = append(all.faults, resolveFile(values, v, read)...)
		}
	}
	return all
}

// addFromDotEnv takes v from .env unless the environment holds NAME or NAME_FILE:
// both are one setting, and the environment comes first.
func addFromDotEnv(values, file map[string]string, v Variable) {
	names := []string{v.Name}
	if v.File {
		names = append(names, v.Name+fileSuffix)
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

// resolveFile sets NAME to the content of the file that NAME_FILE names, without
// surrounding white space.
func resolveFile(values map[string]string, v Variable, read ReadFile) []Fault {
	nameFile := v.Name + fileSuffix
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
		return nil, []Fault{{dotEnv, "cannot be read (" + plainReason(err) + ")", "make it readable or remove it"}}
	}
	values, err := godotenv.Parse(bytes.NewReader(content))
	if err != nil { // The error quotes the file, secrets included.
		return nil, []Fault{{dotEnv, "cannot be understood from line " + faultyLine(content) + " on", `write NAME=value on each line, values with spaces in "quotes"`}}
	}
	return values, nil
}

// plainReason returns why a file could not be read, without its path.
func plainReason(err error) string {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		return pathError.Err.Error()
	}
	return err.Error()
}

// faultyLine returns the number of the first line that does not parse: the one after
// the longest prefix that does.
func faultyLine(content []byte) string {
	lines := bytes.SplitAfter(content, []byte("\n"))
	for n := len(lines) - 1; n > 0; n-- {
		if _, err := godotenv.Parse(bytes.NewReader(bytes.Join(lines[:n], nil))); err == nil {
			return strconv.Itoa(n + 1)
		}
	}
	return "1"
}
