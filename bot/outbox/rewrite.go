package outbox

// rewrite turns what a model wrote into what Discord can show and people may see. Links
// come last, so that nothing that a table becomes hides an address.
type rewrite struct {
	tables tables
	links  links
}

func newRewrite(hosts Hosts) rewrite { return rewrite{links: links{hosts: hosts}} }

// add takes more of the text and returns what can be shown.
func (r *rewrite) add(text string) string { return r.links.add(r.tables.add(text)) }

// rest returns what was held back, at the end of the text.
func (r *rewrite) rest() string { return r.links.add(r.tables.rest()) + r.links.rest() }

// Readable returns what people see of a text that a model wrote: tables as code blocks or
// lists, and the addresses of masked links. Hosts are as in To. Everything that an
// Outbox answers with is rewritten; what is sent in other ways must be before Split.
func Readable(text string, hosts Hosts) string {
	r := newRewrite(hosts)
	return r.add(text) + r.rest()
}
