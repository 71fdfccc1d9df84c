package commands

// Named is named, so that tests use commands as Discord would not.
func (c *Commands) Named(name string) *Command { return c.named(name) }
