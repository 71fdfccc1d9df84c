package chatlog

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"heddle/graph"
)

// recentSpeakers is how many messages ago a speaker may have written to be recognised
// by nick.
const recentSpeakers = 300

// minInnerNick is the least length of a nick that is recognised in the middle of a
// line.
const minInnerNick = 3

// speakers remembers recent speakers and their nicks. On IRC people address each other
// by nick, which corresponds to a mention on Discord. Nicks occur only in this reader
// of logs.
type speakers struct {
	messages int
	byNick   map[string]speaker // lower case; after an @ displayed names, too
	words    map[string]int     // how often each word was said, except at the beginning of a line
}

type speaker struct {
	user graph.UserID
	nick string
	last int
}

func newSpeakers() *speakers {
	return &speakers{byNick: map[string]speaker{}, words: map[string]int{}}
}

// heard records a speaker with their nick and displayed name.
func (s *speakers) heard(nick, name string, user graph.UserID) {
	s.messages++
	who := speaker{user: user, nick: nick, last: s.messages}
	s.byNick[strings.ToLower(nick)] = who
	s.byNick["@"+strings.ToLower(nick)] = who
	s.byNick["@"+strings.ToLower(name)] = who
}

// mostNameWords is the greatest number of words of a displayed name that is recognised.
const mostNameWords = 4

// marked returns the recent speaker whose name follows an @ at the beginning of a text,
// and the end of the name. If several names match, it takes the longest.
func (s *speakers) marked(text string) (user graph.UserID, end int) {
	words := 0
	for at, r := range text + " " {
		if !unicode.IsSpace(r) {
			continue
		}
		name := strings.TrimRightFunc(strings.TrimSuffix(text[:at], "'s"), isAround)
		if who, ok := s.byNick[strings.ToLower(name)]; ok && s.messages-who.last <= recentSpeakers {
			user, end = who.user, at
		}
		if words++; words == mostNameWords {
			break
		}
	}
	return user, end
}

// address finds the recent speakers that a text names. It returns them, and the text
// with their nicks replaced by mentions as on Discord.
func (s *speakers) address(text string, author graph.UserID) (string, []graph.UserID) {
	var users []graph.UserID
	var out strings.Builder
	rest, first := text, true
	for rest != "" {
		from := strings.TrimLeftFunc(rest, unicode.IsSpace)
		out.WriteString(rest[:len(rest)-len(from)])
		if from == "" {
			break
		}
		if user, end := s.marked(from); from[0] == '@' && end > 0 {
			if user != author {
				users = appendNew(users, user)
			}
			out.WriteString(from[:end])
			rest = from[end:]
			continue
		}
		word := from
		if end := strings.IndexFunc(from, unicode.IsSpace); end >= 0 {
			word = from[:end]
		}
		rest = from[len(word):]
		user, named := s.named(word, first)
		if named && user != author {
			out.WriteByte('@')
			users = appendNew(users, user)
		}
		out.WriteString(word)
		first = first && named
	}
	return out.String(), users
}

// named returns the recent speaker that a word names.
func (s *speakers) named(word string, leading bool) (graph.UserID, bool) {
	bare := strings.TrimFunc(strings.TrimSuffix(word, "'s"), isAround)
	marked := strings.HasPrefix(word, "@") || leading && strings.ContainsAny(lastRune(word), ":,;")
	lower := strings.ToLower(bare)
	who, ok := s.byNick[lower]
	if !ok {
		lower = strings.ToLower(strings.TrimRight(word, ":,;"))
		who, ok = s.byNick[lower]
	}
	if !ok || s.messages-who.last > recentSpeakers {
		if !marked && bare != "" && bare == lower {
			s.words[lower]++
		}
		return 0, false
	}
	if marked {
		return who.user, true
	}
	// In the middle of a line, a nick that is also an ordinary word does not count as a
	// name.
	if utf8.RuneCountInString(bare) < minInnerNick || s.words[lower] > 0 {
		return 0, false
	}
	return who.user, true
}

func lastRune(word string) string {
	_, size := utf8.DecodeLastRuneInString(word)
	return word[len(word)-size:]
}

// isAround reports whether r is punctuation that may surround a nick.
func isAround(r rune) bool { return strings.ContainsRune(":,;.!?()\"'@<>/*", r) }

func appendNew[T comparable](list []T, item T) []T {
	if slices.Contains(list, item) {
		return list
	}
	return append(list, item)
}
