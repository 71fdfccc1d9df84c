package config

import (
	"maps"
	"slices"

	"heddle/internal/nearest"
)

// renamed returns the variables that once had another name, by that name. An old
// name works like the new one, with a warning.
func renamed() map[string]string {
	return map[string]string{
		"LAST_WORDS": "SHUTDOWN_FLUSH",
	}
}

// rename moves values from old names to new ones, and returns a warning for each.
func rename(values map[string]string) []Fault {
	var warnings []Fault
	for _, old := range slices.Sorted(maps.Keys(renamed())) {
		for _, suffix := range []string{"", fileSuffix} {
			from, to := old+suffix, renamed()[old]+suffix
			value := values[from]
			delete(values, from)
			switch {
			case value == "":
			case values[to] != "":
				warnings = append(warnings, Fault{from, "is the old name of " + to + ", which is set and counts", "remove it"})
			default:
				values[to] = value
				warnings = append(warnings, Fault{from, "is the old name of " + to, "rename it"})
			}
		}
	}
	return warnings
}

// leastMisspelt is the least length, in bytes, of a name in the environment that is
// compared with the names of variables. Shorter names resemble each other by chance.
const leastMisspelt = 6

// unknown returns a warning for every name in .env that is not a variable's, and for
// every name in the environment that looks like a misspelt one.
func unknown(environ, file map[string]string) []Fault {
	var names []string
	for _, v := range Variables() {
		names = append(names, v.Name)
		if v.File {
			names = append(names, v.Name+fileSuffix)
		}
	}
	var warnings []Fault
	for _, name := range slices.Sorted(maps.Keys(file)) {
		if slices.Contains(names, name) {
			continue
		}
		remedy := `"heddle config" lists all settings`
		if meant := nearest.Of(name, names); meant != "" {
			remedy = "did you mean " + meant + "?"
		}
		warnings = append(warnings, Fault{name, "in " + dotEnv + " is not a setting of heddle and is ignored", remedy})
	}
	for _, name := range slices.Sorted(maps.Keys(environ)) {
		if _, told := file[name]; told || len(name) < leastMisspelt || slices.Contains(names, name) {
			continue
		}
		if meant := nearest.Of(name, names); meant != "" {
			warnings = append(warnings, Fault{name, "is not a setting of heddle and is ignored", "did you mean " + meant + "?"})
		}
	}
	return warnings
}
