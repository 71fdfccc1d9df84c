package phrases

import "fmt"

// FileRefused says that Discord did not take a file, and with what it answered: an HTTP
// status and, unless it is 0, a code of its own.
func FileRefused(status, code int) string {
	if code == 0 {
		return fmt.Sprintf("I made a file, but Discord didn't take it: it answered with error %d.", status)
	}
	return fmt.Sprintf("I made a file, but Discord didn't take it: it answered with error %d, code %d.", status, code)
}
