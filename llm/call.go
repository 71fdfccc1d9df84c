package llm

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"heddle/graph/path"
)

// call is a tool call, possibly incomplete.
type call struct {
	index     int // -1 if the provider sends none
	id        string
	name      string
	arguments strings.Builder
	beside    beside
	function  beside
}

// addCall adds a piece of a call.
func (a *assembly) addCall(piece *toolCallDelta) {
	c := a.continued(piece)
	if c == nil {
		c = &call{index: indexOf(piece)}
		a.calls, a.grown = append(a.calls, c), time.Now()
	}
	if c.id == "" {
		c.id = string(piece.ID)
	}
	if c.name == "" {
		c.name = string(piece.Function.Name)
	}
	c.beside.add(piece.raw)
	c.function.add(piece.Function.raw)
	arguments := string(piece.Function.Arguments)
	if arguments == "" || c.isComplete() && arguments == c.arguments.String() { // some send the whole call once more at its end
		return
	}
	a.grown = time.Now()
	c.arguments.WriteString(arguments)
}

// indexOf returns the index of a piece, or -1.
func indexOf(piece *toolCallDelta) int {
	if piece.Index == nil {
		return -1
	}
	return int(*piece.Index)
}

// continued returns the call that a piece belongs to, or nil if the piece begins one. Indexes
// and ids are not reliable: parallel calls may share an index (hermes-agent#62937,
// smolagents#1569) or an id (llama.cpp#27966), and the pieces of one call may have different
// ids (pool#9). So a name begins a call, unless it repeats that of a call that still lacks
// some of its arguments; a piece without a name continues one.
func (a *assembly) continued(piece *toolCallDelta) *call {
	index, id, name := indexOf(piece), string(piece.ID), string(piece.Function.Name)
	last := func(fits func(*call) bool) *call {
		for _, c := range slices.Backward(a.calls) {
			if fits(c) {
				return c
			}
		}
		return nil
	}
	both := last(func(c *call) bool { return id != "" && c.id == id && (index == -1 || c.index == index) })
	indexed := last(func(c *call) bool { return index == -1 || c.index == index })
	c := cmp.Or(both, indexed)
	switch {
	case name == "" && c == nil && id != "":
		return last(func(c *call) bool { return c.id == id })
	case name == "", c == nil, c.name == "":
		return c
	case c.name != name:
		return nil
	case c == both && (!c.isComplete() || piece.Function.Arguments == "" || string(piece.Function.Arguments) == c.arguments.String()):
		return c
	case !c.isComplete() && (c.arguments.Len() > 0 || id == ""):
		return c
	}
	return nil
}

// isComplete reports whether the arguments are whole.
func (c *call) isComplete() bool {
	arguments := strings.TrimRight(c.arguments.String(), spaces)
	return strings.HasSuffix(arguments, "}") && json.Valid([]byte(arguments))
}

// toolCalls returns the calls, each with an id of its own.
func (a *assembly) toolCalls() []path.ToolCall {
	calls := a.calls[:0:0]
	for i, c := range a.calls {
		repeats := func(other *call) bool {
			return other.name == c.name && other.index == c.index && other.arguments.Len() > 0
		}
		if c.arguments.Len() > 0 || c.name != "" && !slices.ContainsFunc(a.calls[:i], repeats) { // else it is the rest of another
			calls = append(calls, c)
		}
	}
	a.calls = calls
	ids := callIDs{model: a.owner.Model()}
	var made []path.ToolCall
	for _, c := range calls {
		one := path.ToolCall{ID: c.id, Name: c.name, Arguments: cmp.Or(c.arguments.String(), "{}")}
		one.ID = ids.own(one)
		made = append(made, one)
	}
	return made
}

// callIDs are the ids of the calls of one request to a model, which accepts them all.
type callIDs struct {
	model string
	used  map[string]bool
	count int
}

// own returns the id of a call that the model made: as the model gave it, unless it is missing
// or an earlier call has it.
func (c *callIDs) own(made path.ToolCall) string {
	if made.ID == "" || c.used[made.ID] {
		return c.another(made)
	}
	return c.use(made.ID)
}

// another returns an id in the place of one that the model would not accept: nine letters and
// digits, as Mistral demands and the others allow (gptel#1203), or in the form of Kimi K2.
func (c *callIDs) another(made path.ToolCall) string {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	isKimi := containsAny(strings.ToLower(c.model), "kimi-k2", "kimi_k2", "kimi k2", "kimik2")
	for n := c.count; ; n++ {
		id := "functions." + made.Name + ":" + strconv.Itoa(n)
		if !isKimi {
			hash := sha256.Sum256([]byte(made.ID + "\x00" + made.Name + "\x00" + made.Arguments + "\x00" + strconv.Itoa(n-c.count)))
			short := hash[:9]
			for i := range short {
				short[i] = alphabet[int(short[i])%len(alphabet)]
			}
			id = string(short)
		}
		if !c.used[id] {
			return c.use(id)
		}
	}
}

func (c *callIDs) use(id string) string {
	if c.used == nil {
		c.used = map[string]bool{}
	}
	c.used[id] = true
	c.count++
	return id
}
