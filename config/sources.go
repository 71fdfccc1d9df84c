package config

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/joho/godotenv"

	"heddle/internal/terminal"
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
	used     []string // names that are no settings and need no warning, as a file uses them or a fault names them
}

// gather collects the values of all variables: from environ, for those not set there
// from .env, and then from the files that NAME_FILE variables name. An empty value
// counts as unset, so that "NAME=" in .env means the default.
func gather(environ []string, read ReadFile) settings {
	set := make(map[string]string, len(environ))
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			set[name] = strings.TrimSpace(value)
		}
	}
	file, faults := readDotEnv(read)
	all := settings{values: make(map[string]string), faults: faults}
	for _, v := range Variables() {
		from := set // NAME and NAME_FILE are one setting, and the environment comes first
		_, named := set[v.Name]
		if _, filed := set[v.Name+fileSuffix]; !named && (!filed || !v.File) {
			from = file
		}
		value, path := strings.TrimSpace(from[v.Name]), strings.TrimSpace(from[v.Name+fileSuffix])
		if v.File && path != "" {
			content, fault := fileOf(v.Name, value, path, read)
			if fault != nil {
				all.faults = append(all.faults, *fault)
			}
			value = content
		}
		if v.field.Type == reflect.TypeFor[[]Server]() {
			value = all.servers(v.Name, value, read, func(name string) string { return cmp.Or(set[name], file[name]) })
		}
		if value != "" {
			all.values[v.Name] = value
		}
	}
	all.refuseRemoved(set, file)
	all.checkNames(set, file)
	return all
}

// replacements returns, for each setting or value of one that was removed, what heddle does
// instead, as a clause.
func replacements() map[string]string {
	return map[string]string{
		"CLAIM_LEASE":    "a mention of a process that died is answered by another after 20s",
		"CONFIDENCE=raw": "CONFIDENCE=rank compares an answer with the last 200 of its model",
		"EDITED_TTL":     "the old version of an edited message is always kept for 10m",
		"LLM_PATIENCE":   "people are told that the model is slow after an eighth of LLM_TIMEOUT",
		"SHUTDOWN_GRACE": "heddle always takes at most 10s to stop",
	}
}

// refuseRemoved adds a fault for each removed setting that is in use.
func (s *settings) refuseRemoved(environ, file map[string]string) {
	for _, setting := range slices.Sorted(maps.Keys(replacements())) {
		name, value, isValue := strings.Cut(setting, "=")
		if used := cmp.Or(environ[name], file[name]); used == "" || isValue && used != value {
			continue
		}
		s.faults = append(s.faults, Fault{setting, "is no longer a setting", "remove it: " + replacements()[setting]})
		s.used = append(s.used, name)
		delete(s.values, name)
	}
}

// servers returns the content of the file that a variable names, with what that takes from the
// environment, or else the value itself.
func (s *settings) servers(name, value string, read ReadFile, lookup func(string) string) string {
	if isServerFile(value) {
		content, err := read(value)
		if err != nil {
			s.faults = append(s.faults, Fault{name, "names a file that cannot be read (" + plainReason(err) + ")", "name one that heddle may read"})
			return ""
		}
		if value = string(content); !isJSON(value) {
			s.faults = append(s.faults, Fault{name, "names a file that holds no object of JSON", "put mcpServers into it"})
			return ""
		}
	}
	if isJSON(value) {
		value, s.used = expand(value, lookup)
	}
	return value
}

// checkNames warns of names of settings, in the environment and in .env, that are none. Of
// the environment's it warns only if they look like misspelt ones, as most names there are
// not heddle's.
func (s *settings) checkNames(environ, file map[string]string) {
	var known []string
	for _, v := range Variables() {
		known = append(known, v.Name)
		if v.File {
			known = append(known, v.Name+fileSuffix)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(file)) {
		remedy := `"heddle config" lists all settings`
		if meant := terminal.Nearest(name, known); meant != "" {
			remedy = "did you mean " + meant + "?"
		}
		if !slices.Contains(known, name) && !slices.Contains(s.used, name) {
			s.warnings = append(s.warnings, Fault{name, "in " + dotEnv + " is not a setting of heddle and is ignored", remedy})
		}
	}
	const short = 6 // bytes; shorter names resemble each other by chance
	for _, name := range slices.Sorted(maps.Keys(environ)) {
		if _, told := file[name]; told || len(name) < short || slices.Contains(known, name) || slices.Contains(s.used, name) {
			continue
		}
		if meant := terminal.Nearest(name, known); meant != "" {
			s.warnings = append(s.warnings, Fault{name, "is not a setting of heddle and is ignored", "did you mean " + meant + "?"})
		}
	}
}

// fileOf returns the content of the file that NAME_FILE names, without surrounding white
// space, or what is wrong with it. value is what is set beside it.
func fileOf(name, value, path string, read ReadFile) (string, *Fault) {
	if value != "" {
		return "", &Fault{name, "is set, and " + name + fileSuffix + " is set too", "keep one of the two"}
	}
	content, err := read(path)
	if err != nil {
		return "", &Fault{name + fileSuffix, "names a file that cannot be read (" + plainReason(err) + ")", "name one that heddle may read"}
	}
	if value = strings.TrimSpace(string(content)); value == "" {
		return "", &Fault{name + fileSuffix, "names an empty file", "put the value into it"}
	}
	return value, nil
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
		err = pathError.Err
	}
	return err.Error()
}

// faultyLine returns the number of the first line that does not parse: the one after
// the longest prefix that does.
func faultyLine(content []byte) string {
	lines := bytes.SplitAfter(content, []byte("\n"))
	n := len(lines) - 1
	for n > 0 {
		if _, err := godotenv.Parse(bytes.NewReader(bytes.Join(lines[:n], nil))); err == nil {
			break
		}
		n--
	}
	return strconv.Itoa(max(n, 0) + 1)
}
