package main

// typo is how far a name is from the one that was meant, at most.
const typo = 2

// near is the first name of those that are nearest to a word, and how far it is: 0 is the
// word itself; more than typo that none is near, or there is none.
func near(word string, names []string) (nearest string, d int) {
	d = typo + 1
	for _, n := range names {
		if far := distance(n, word); far < d {
			nearest, d = n, far
		}
	}
	return nearest, d
}

// distance is how many letters must be changed, added or taken away to come from one
// word to another.
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range from {
		diagonal := row[0]
		row[0] = i + 1
		for j, y := range to {
			n := diagonal
			if x != y {
				n = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], n
		}
	}
	return row[len(to)]
}
