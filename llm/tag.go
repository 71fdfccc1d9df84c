package llm

import "strings"

// tag is a mark with which a model separates its reasoning from its answer.
type tag struct {
	kind tagKind
	name string // equal for the tags that belong together
}

// tagKind is what a tag does.
type tagKind uint8

const (
	opens   tagKind = iota + 1 // reasoning begins
	closes                     // reasoning ends
	answers                    // the answer begins, also if reasoning has not ended; or it ends
	header                     // of a channel of gpt-oss: the name of what follows
	message                    // the header ends
	halts                      // a channel's message ends
)

// literalTag is a tag with its spelling.
type literalTag struct {
	spelling string
	tag      tag
}

// literalTags returns the tags with one spelling, in lower case.
func literalTags() []literalTag {
	return []literalTag{
		{"[think]", tag{opens, "[think]"}},
		{"[/think]", tag{closes, "[think]"}}, // Magistral
		{"◁think▷", tag{opens, "◁think▷"}},
		{"◁/think▷", tag{closes, "◁think▷"}}, // Kimi-VL
		{"<|begin_of_thought|>", tag{opens, "thought|"}},
		{"<|end_of_thought|>", tag{closes, "thought|"}}, // Sky-T1, OpenThinker
		{"<|begin_of_solution|>", tag{answers, ""}},
		{"<|end_of_solution|>", tag{answers, ""}},
		{"<|start_thinking|>", tag{opens, "thinking|"}},
		{"<|end_thinking|>", tag{closes, "thinking|"}}, // Command A
		{"<|start_response|>", tag{answers, ""}},
		{"<|end_response|>", tag{answers, ""}},
		{"<|inner_prefix|>", tag{opens, "inner|"}},
		{"<|inner_suffix|>", tag{closes, "inner|"}}, // Apertus
		{"<|channel>", tag{opens, "channel|"}},
		{"<channel|>", tag{closes, "channel|"}}, // Gemma 4
		{"<|start|>", tag{header, ""}},
		{"<|channel|>", tag{header, ""}},
		{"<|constrain|>", tag{header, ""}},
		{"<|message|>", tag{message, ""}},
		{"<|end|>", tag{halts, ""}},
		{"<|return|>", tag{halts, ""}},
		{"<|call|>", tag{halts, ""}},
	}
}

// elements returns the names of tags that are written like those of XML, and whether they
// stand around reasoning rather than around the answer.
func elements() map[string]bool {
	return map[string]bool{
		"think": true, "thinking": true, "thought": true, "thoughts": true, "reasoning": true, "reflection": true,
		"seed:think": true, "mm:think": true, "antml:thinking": true, "scratchpad": true, "reasoning_scratchpad": true,
		"final": false,
	}
}

// tagAt returns the tag with which text begins, and its length, which is 0 if there is none.
// It reports whether more text may make it one.
func tagAt(text string) (found tag, size int, more bool) {
	for _, t := range literalTags() {
		literal := t.spelling
		switch at := min(len(literal), len(text)); {
		case !strings.EqualFold(literal[:at], text[:at]):
		case at < len(literal):
			more = true
		case literal[0] == '[' && at == len(text):
			return tag{}, 0, true
		case literal[0] != '[' || text[at] != '(': // else it is a link
			return t.tag, at, false
		}
	}
	if more || text[0] != '<' {
		return tag{}, 0, more
	}
	return elementAt(text)
}

// mostAttributes bounds what stands in a tag behind its name, in bytes.
const mostAttributes = 80

// elementAt is tagAt for tags like those of XML, which may have attributes.
func elementAt(text string) (found tag, size int, more bool) {
	inner := strings.TrimPrefix(text[1:], "/")
	end := strings.IndexFunc(inner, func(r rune) bool {
		return r != '_' && r != ':' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if end < 0 {
		for name := range elements() {
			more = more || len(inner) <= len(name) && strings.EqualFold(name[:len(inner)], inner)
		}
		return tag{}, 0, more
	}
	name := strings.ToLower(inner[:end])
	isReasoning, known := elements()[name]
	if !known || !strings.ContainsRune(" \t\n/>", rune(inner[end])) {
		return tag{}, 0, false
	}
	attributes := inner[end:]
	stop := strings.IndexAny(attributes, "<>")
	switch {
	case stop < 0:
		return tag{}, 0, len(attributes) <= mostAttributes
	case stop > mostAttributes || attributes[stop] == '<':
		return tag{}, 0, false
	}
	found = tag{opens, name}
	switch {
	case !isReasoning, strings.HasSuffix(attributes[:stop], "/"): // <think/> holds nothing
		found.kind = answers
	case text[1] == '/':
		found.kind = closes
	}
	return found, len(text) - len(inner) + end + stop + 1, false
}

// phrase is words with which a model begins its reasoning, and those with which it ends.
type phrase struct{ begin, end string }

// phrases returns the words, in lower case, of models whose marks were lost (gpt-oss without
// its special tokens, macprovider#743), or that have none (Granite 3).
func phrases() []phrase {
	return []phrase{
		{"analysis", "assistantfinal"},
		{"here is my thought process:", "here is my response:"},
		{"here's my thought process:", "here's my response:"},
	}
}

// phraseAt returns the phrase with which text begins. It reports whether more text may make
// it one.
func phraseAt(text string) (found phrase, more bool) {
	for _, p := range phrases() {
		at := min(len(text), len(p.begin))
		switch {
		case !strings.EqualFold(text[:at], p.begin[:at]):
		case at == len(text):
			more = true
		case p.begin != "analysis", strings.HasPrefix(text, "analysis") && !strings.ContainsRune(" \t\r\n.,:;!?'\")-*_(/abcdefghijklmnopqrstuvwxyz", rune(text[at])):
			return p, false
		}
	}
	return phrase{}, more
}
