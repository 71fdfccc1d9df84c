package answer

import (
	"sync"

	"heddle/graph"
	"heddle/graph/path"
	"heddle/internal/wait"
	"heddle/store"
)

// mostNews bounds the news that wait to be taken. The oldest are dropped.
const mostNews = 200

// Recent holds what the latest answers were made from until a page takes it. It holds what people
// wrote, so whoever makes a Recent takes its news as they come. A nil Recent holds nothing. Its
// methods may be called from any goroutine, and never wait.
//
// mu guards news.
type Recent struct {
	Changed wait.Signal // there is news; one goroutine receives from it

	mu   sync.Mutex
	news []News // oldest first
}

// News is what an answer is made from, or the response that messages show. Receivers may keep
// it, but must not change it.
type News struct {
	To       graph.MessageID  // the message that an answer replies to which begins; otherwise zero
	Response store.ResponseID // zero while an answer begins
	Graph    *graph.Graph     // what it is made from; nil for news of messages
	Built    path.Built
	Tail     string
	Messages []graph.MessageID // that are about to show the response
}

// NewRecent returns a Recent without news.
func NewRecent() *Recent { return &Recent{Changed: wait.NewSignal()} }

// Take returns the news since it was called last, oldest first.
func (r *Recent) Take() []News {
	r.mu.Lock()
	defer r.mu.Unlock()
	news := r.news
	r.news = nil
	return news
}

// Begins notes the graph and the path of an answer before it starts, and the message that it
// replies to.
func (r *Recent) Begins(to graph.MessageID, g *graph.Graph, built path.Built) {
	r.add(News{To: to, Graph: g, Built: built})
}

// Made notes the graph and the path that a response was made from. It must be called before any
// message shows the response, so that a page that learns of the message finds it.
func (r *Recent) Made(response *store.Response, g *graph.Graph, built path.Built) {
	r.add(News{Response: response.ID, Graph: g, Built: built, Tail: response.Tail})
}

// Shows notes the response that messages are about to show.
func (r *Recent) Shows(messages []graph.MessageID, response store.ResponseID) {
	r.add(News{Response: response, Messages: messages})
}

func (r *Recent) add(n News) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.news = append(r.news, n)
	r.news = r.news[max(0, len(r.news)-mostNews):]
	r.Changed.Set()
}
