package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"heddle/graph"
)

// Server is an MCP server.
type Server struct {
	Name    string
	At      []Secret          // its address, and perhaps a key, or the words of the command that runs it
	For     IDs               // guilds, roles and people that may use it; empty: everybody
	Env     []Secret          // what the command gets beside heddle's environment, as NAME=value
	Dir     string            // in which the command runs; "": heddle's
	Headers map[string]Secret // of requests to the address
	Legacy  bool              // the address speaks the older way, with one stream of events
}

// IsRemote reports whether the server has an address.
func (s Server) IsRemote() bool { return strings.Contains(s.At[0].Reveal(), "://") }

// longestServer bounds the name of a server, which begins those of its tools.
const longestServer = 20

// readServers reads servers: a list in one line, or the content of a file in the usual form.
func readServers(text string) ([]Server, error) {
	if isJSON(text) {
		return readServerFile(text)
	}
	var all []Server
	for _, part := range splitOutsideQuotes(text, func(r rune) bool { return r == ';' }) {
		s, err := readServer(part)
		if err == nil && slices.ContainsFunc(all, func(other Server) bool { return other.Name == s.Name }) {
			err = errors.New("names two servers alike")
		}
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// splitOutsideQuotes splits a text at separators. Between a pair of quotes there is none.
func splitOutsideQuotes(text string, separates func(rune) bool) (parts []string) {
	begin, quoted := 0, 0
	for i, r := range text {
		switch {
		case i < quoted:
		case r == '"' || r == '\'':
			if end := strings.IndexRune(text[i+1:], r); end >= 0 {
				quoted = i + 1 + end + 1
			}
		case separates(r):
			parts = append(parts, text[begin:i])
			begin = i + 1
		}
	}
	return append(parts, text[begin:])
}

// readServer reads a name, for whom the server is, and an address or a command.
func readServer(text string) (s Server, err error) {
	head, at, _ := strings.Cut(text, ":")
	s.Name, head, _ = strings.Cut(strings.TrimSpace(head), " ")
	for _, word := range splitOutsideQuotes(at, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }) {
		for _, quote := range []string{`"`, "'"} {
			if inner, ok := strings.CutPrefix(word, quote); ok && strings.HasSuffix(inner, quote) {
				word = strings.TrimSuffix(inner, quote)
				break
			}
		}
		if word != "" {
			s.At = append(s.At, Secret(word))
		}
	}
	ids, restricted := strings.CutPrefix(strings.TrimSpace(head), "for ")
	if restricted {
		s.For, err = readIDs[uint64](ids)
	}
	odd := strings.Trim(s.Name, "abcdefghijklmnopqrstuvwxyz0123456789-") != ""
	switch {
	case s.Name == "" || odd || len(s.Name) > longestServer:
		return s, errors.New("has a name that is not 1 to 20 of a-z, 0-9 and hyphens")
	case err != nil || !restricted && head != "" || restricted && len(s.For) == 0:
		return s, errors.New("names for whom a server is, but not by ids")
	case len(s.At) == 0:
		return s, errors.New("has a server without an address or a command")
	case !s.IsRemote():
		return s, nil
	case len(s.At) > 2:
		return s, errors.New("has more than a key behind an address")
	}
	if _, err := readURL(s.At[0].Reveal()); err != nil {
		return s, errors.New("has an address that " + err.Error())
	}
	return s, nil
}

// isServerFile reports whether a value is the path of a file with servers.
func isServerFile(value string) bool {
	begins := func(prefix string) bool { return strings.HasPrefix(value, prefix) }
	return begins("/") || begins("./") || begins("../") ||
		!strings.Contains(value, ":") && (strings.HasSuffix(value, ".json") || strings.HasSuffix(value, ".jsonc"))
}

// isJSON reports whether a text is an object of JSON, with or without comments.
func isJSON(text string) bool {
	return strings.HasPrefix(strings.TrimSpace(string(plainJSON(text))), "{")
}

// reference is where a file takes a value from the environment: ${NAME}, ${env:NAME} or
// ${NAME:-otherwise}.
var reference = regexp.MustCompile(`\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}"\\]*))?\}`)

// expand fills in what a file takes from the environment, which stands within strings of JSON. What
// is not set stays as it is. It returns the names, too.
func expand(text string, lookup func(name string) string) (expanded string, names []string) {
	expanded = reference.ReplaceAllStringFunc(text, func(found string) string {
		parts := reference.FindStringSubmatch(found)
		names = append(names, parts[1])
		value := lookup(parts[1])
		switch {
		case value == "" && strings.Contains(found, ":-"):
			value = parts[2]
		case value == "":
			return found
		}
		within, _ := json.Marshal(value) // a string can always be encoded
		return strings.Trim(string(within), `"`)
	})
	return expanded, names
}

// severalError is all that is wrong with a value.
type severalError []string

func (e severalError) Error() string { return strings.Join(e, "; it ") }

// listedServer is a server in a file, with what Claude Desktop, Cursor, VS Code, Windsurf and
// Gemini write. Other fields are for these programs alone.
type listedServer struct {
	Command words             `json:"command"`
	Args    words             `json:"args"`
	Env     map[string]scalar `json:"env"`
	Dir     string            `json:"cwd"`
	URL     string            `json:"url"`
	URLs    string            `json:"serverUrl"`
	HTTP    string            `json:"httpUrl"`
	Headers map[string]scalar `json:"headers"`
	Type    string            `json:"type"`
	Way     string            `json:"transport"`
	Roles   words             `json:"roles"`
	People  words             `json:"people"`
	Guilds  words             `json:"guilds"`
}

// scalar is a text, a number or a truth value.
type scalar string

// UnmarshalJSON implements json.Unmarshaler.
func (s *scalar) UnmarshalJSON(raw []byte) error {
	var text string
	switch {
	case raw[0] == '{' || raw[0] == '[':
		return errWrong
	case string(raw) == "null":
	case raw[0] != '"':
		text = string(raw)
	default:
		if err := json.Unmarshal(raw, &text); err != nil {
			return errWrong
		}
	}
	*s = scalar(text)
	return nil
}

// words is one text or several.
type words []scalar

// UnmarshalJSON implements json.Unmarshaler.
func (w *words) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		return nil
	}
	if raw[0] != '[' {
		raw = slices.Concat([]byte("["), raw, []byte("]"))
	}
	var all []scalar
	if err := json.Unmarshal(raw, &all); err != nil {
		return errWrong
	}
	*w = all
	return nil
}

// readServerFile reads the content of a file. Its error names all that is wrong, each with the
// server, and no values.
func readServerFile(text string) ([]Server, error) {
	var file struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
		VSCode  map[string]json.RawMessage `json:"servers"`
	}
	if err := json.Unmarshal(plainJSON(text), &file); err != nil {
		if at, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fmt.Errorf("holds no JSON: look at line %d", 1+strings.Count(text[:min(int(at.Offset), len(text))], "\n"))
		}
		return nil, errors.New("has mcpServers that are no object of servers")
	}
	listed := file.Servers
	if listed == nil {
		listed = file.VSCode
	}
	if listed == nil {
		return nil, errors.New("has neither mcpServers nor servers")
	}
	var all []Server
	var wrong severalError
	for _, name := range slices.Sorted(maps.Keys(listed)) {
		s, on, problems := readListed(listed[name])
		s.Name = free(name, all)
		for _, problem := range problems {
			wrong = append(wrong, fmt.Sprintf("has the server %s, %s", graph.OneLine(name, 100), problem))
		}
		if on {
			all = append(all, s)
		}
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	return all, nil
}

// plainJSON returns JSON without comments and commas at the end of lists, which other programs
// allow (copilot-cli#4323). Lines stay where they are.
func plainJSON(text string) []byte {
	const parts = `"(?:[^"\\]|\\.)*"|//[^\n]*|/\*(?s:.*?)\*/`
	text = regexp.MustCompile(parts).ReplaceAllStringFunc(text, func(found string) string {
		if found[0] == '"' {
			return found
		}
		return strings.Repeat("\n", strings.Count(found, "\n"))
	})
	text = strings.TrimPrefix(text, "\uFEFF")
	return []byte(regexp.MustCompile(`"(?:[^"\\]|\\.)*"|,\s*[}\]]`).ReplaceAllStringFunc(text, func(found string) string {
		return strings.TrimPrefix(found, ",")
	}))
}

// free returns the name under which heddle knows a server: a-z, 0-9 and hyphens, unlike those of
// the others.
func free(name string, others []Server) string {
	odd := func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	plain := strings.Join(strings.FieldsFunc(strings.ToLower(name), odd), "-")
	if plain == "" {
		plain = "server"
	}
	given := plain[:min(len(plain), longestServer)]
	for n := 2; slices.ContainsFunc(others, func(s Server) bool { return s.Name == given }); n++ {
		suffix := fmt.Sprintf("-%d", n)
		given = plain[:min(len(plain), longestServer-len(suffix))] + suffix
	}
	return given
}

// readListed reads a server in a file. It reports whether the server is on, and what is wrong with
// it, each as a clause about it. What is off may be wrong.
func readListed(raw json.RawMessage) (s Server, on bool, problems []string) {
	var state struct {
		Disabled bool  `json:"disabled"`
		Enabled  *bool `json:"enabled"`
	}
	_ = json.Unmarshal(raw, &state) // a field of another kind says nothing
	if state.Disabled || state.Enabled != nil && !*state.Enabled {
		return s, false, nil
	}
	var listed listedServer
	if err := json.Unmarshal(raw, &listed); err != nil {
		if field, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && field.Field != "" {
			return s, false, []string{"whose " + field.Field + " is of another kind than it should be"}
		}
		return s, false, []string{"which is not described as it should be: texts, lists of texts, and objects of texts in env and headers"}
	}
	address := listed.URL + listed.URLs + listed.HTTP
	s.Dir, s.Legacy = listed.Dir, strings.EqualFold(listed.Type, "sse") || strings.EqualFold(listed.Way, "sse")
	problems = reach(&s, listed, address)
	for field, ids := range map[string]words{"roles": listed.Roles, "people": listed.People, "guilds": listed.Guilds} {
		read, err := readIDs[uint64](joined(ids))
		if err != nil || ids != nil && len(read) == 0 {
			problems = append(problems, "whose "+field+" are not ids of Discord")
		}
		s.For = append(s.For, read...)
	}
	slices.Sort(s.For)
	for _, missing := range slices.Compact(slices.Sorted(slices.Values(unset.FindAllString(string(raw), -1)))) {
		problems = append(problems, "which uses "+missing+", and no variable of that name is set")
	}
	slices.Sort(problems)
	return s, true, problems
}

// unset finds what was not filled in.
var unset = regexp.MustCompile(`\$\{[A-Za-z_][\w:.-]{0,60}\}`)

func joined(w words) string {
	var b strings.Builder
	for _, word := range w {
		b.WriteString(string(word) + " ")
	}
	return b.String()
}

// reach takes over how a server is reached. It returns what is wrong with that.
func reach(s *Server, listed listedServer, address string) (problems []string) {
	for _, word := range slices.Concat(listed.Command, listed.Args) {
		s.At = append(s.At, Secret(word))
	}
	for _, name := range slices.Sorted(maps.Keys(listed.Env)) {
		s.Env = append(s.Env, Secret(name+"="+string(listed.Env[name])))
	}
	for name, value := range listed.Headers {
		if s.Headers == nil {
			s.Headers = make(map[string]Secret)
		}
		if strings.ContainsAny(name+string(value), "\r\n") || name == "" {
			problems = append(problems, "whose headers hold a line break or have no name")
		}
		s.Headers[name] = Secret(value)
	}
	remote, err := url.Parse(address)
	switch {
	case address == "" && (len(listed.Command) == 0 || listed.Command[0] == ""):
		return append(problems, "which has neither a command nor a url")
	case address != "" && len(listed.Command) > 0:
		return append(problems, "which has both a command and a url")
	case address == "" && strings.Contains(string(listed.Command[0]), "://"):
		return append(problems, "whose command is an address, which belongs in url")
	case address == "":
		return problems
	case !strings.Contains(address, "${") && (err != nil || remote.Scheme != "http" && remote.Scheme != "https" || remote.Host == ""):
		return append(problems, "whose url does not start with http:// or https:// and a host")
	}
	s.At = []Secret{Secret(address)}
	return problems
}
