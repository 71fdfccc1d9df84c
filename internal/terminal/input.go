package terminal

import "fmt"

// InputError is an error that the user can correct, such as a flag that makes no sense or
// a file that is damaged. Its text says what is wrong and what to do instead.
type InputError struct{ err error }

// Error implements error.
func (e *InputError) Error() string { return e.err.Error() }

// Unwrap returns the error that the InputError wraps, or nil.
func (e *InputError) Unwrap() error { return e.err }

// Errorf returns an InputError with a text as of fmt.Errorf.
func Errorf(format string, args ...any) error {
	return &InputError{fmt.Errorf(format, args...)}
}
