package path

// Path is the conversation as the model sees it: the system prompt first, then
// turns oldest first, the trigger last.
type Path struct {
	Turns   []Turn
	Tools   []Tool
	Options Options
}

// Hashes returns the path_hash at every turn. The last one is the path's own.
func (p Path) Hashes() []Hash {
	hashes := make([]Hash, len(p.Turns))
	parent := Root(p.Tools, p.Options)
	for i, turn := range p.Turns {
		parent = Extend(parent, turn.Hash())
		hashes[i] = parent
	}
	return hashes
}

// Hash returns the path_hash of the whole path, or its Root if it has no turns.
func (p Path) Hash() Hash {
	d := p.digest()
	return d.hash()
}

// digest is the hashes that make up a path_hash.
type digest struct {
	root    Hash
	prompts []Hash // by turn
}

func (p Path) digest() digest {
	d := digest{Root(p.Tools, p.Options), make([]Hash, len(p.Turns))}
	for i := range p.Turns {
		d.prompts[i] = p.Turns[i].Hash()
	}
	return d
}

// hash returns the path_hash.
func (d *digest) hash() Hash {
	hash := d.root
	for _, prompt := range d.prompts {
		hash = Extend(hash, prompt)
	}
	return hash
}
