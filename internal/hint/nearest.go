package hint

import "strings"

// Nearest finds the known word that a mistyped one was probably meant to be: at
// most two edits, or a third of the word, away, whatever the case; of several the
// one in the same case. "" if none is.
func Nearest(word string, known []string) string {
	best, bestDist, bestCase := "", max(2, len(word)/3)+1, 0
	for _, k := range known {
		d, c := distance(strings.ToLower(word), strings.ToLower(k)), distance(word, k)
		if d < len(k) && (d < bestDist || d == bestDist && best != "" && c < bestCase) {
			best, bestDist, bestCase = k, d, c
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diag := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diag
			if a[i-1] != b[j-1] {
				cost++
			}
			diag = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
