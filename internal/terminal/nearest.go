package terminal

import "strings"

// Nearest corrects a typing error: it returns the candidate with the smallest edit distance from word, the first of
// several. Case does not count. It returns "" if every candidate is further away than
// a third of word's length or two bytes, whichever is more.
func Nearest(word string, candidates []string) string {
	best, bestDistance := "", max(2, len(word)/3)+1
	for _, candidate := range candidates {
		if d := distance(strings.ToLower(word), strings.ToLower(candidate)); d < bestDistance && d < len(candidate) {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// distance returns the Levenshtein distance between a and b in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j]+1, row[j+1]+1, cost)
		}
	}
	return row[len(b)]
}
