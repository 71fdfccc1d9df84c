package commands

// Find is find, so that tests use commands as Discord would not.
func (c *Commands) Find(use *Use) *Command { return c.find(use) }
