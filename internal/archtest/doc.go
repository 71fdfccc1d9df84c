// Package archtest tests the shape of the program: which package may import which and
// why, where the environment is read, how wide a type may grow, who waits for a
// goroutine, and that the documents name what exists. To change a rule, change it here
// together with its reason.
package archtest
