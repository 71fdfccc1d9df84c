package store

// Waiting returns the number of messages that wait.
func (e *Erasing) Waiting() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ids
}
