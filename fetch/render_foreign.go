package fetch

import (
	"strings"
	"unicode"
)

// foreign escapes text that others wrote, so that none of its lines can be taken for
// one that heddle adds: a line that begins with a bracket, or with an escaped one, gets
// a backslash.
func foreign(text string) string {
	text = clean(strings.NewReplacer("\u2028", "\n", "\u2029", "\n").Replace(text))
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		seen := strings.TrimLeftFunc(line, unseen)
		if strings.HasPrefix(seen, `\`) || strings.IndexFunc(seen, bracket) == 0 {
			at := len(line) - len(seen)
			lines[i] = line[:at] + `\` + seen
		}
	}
	return strings.Join(lines, "\n")
}

// bracket reports whether a label could begin with r.
func bracket(r rune) bool {
	return unicode.Is(unicode.Ps, r) && r != '(' && r != '{'
}

// unseen reports whether r is invisible.
func unseen(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.C, unicode.Z, unicode.Mn, unicode.Me, unicode.Other_Default_Ignorable_Code_Point)
}

// noColon returns a name that cannot turn the brackets around it into a label.
func noColon(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(":：︓﹕∶꞉ː˸׃։⁚︰᛬", r) {
			return '_'
		}
		return r
	}, name)
}
