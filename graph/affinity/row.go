package affinity

import (
	"math"
	"math/bits"
	"slices"
)

// row computes the inputs of one row of links. It walks from the message of the row, the
// answer, back over its candidates, and collects what lies in between.
type row struct {
	w        *window
	j        int // the answer's index
	answer   *entry
	blind    bool      // the row must not depend on messages after the answer
	perPace  float32   // 1 divided by the pace, in seconds
	judged   []bool    // by message: whether it is a candidate
	inputs   Inputs    // memory
	between  []uint16  // by person: messages between candidate and answer
	authors  int       // people who spoke in between
	maxGap   float64   // in between, in seconds
	called   []uint8   // by person: how soon after the answer the person addresses its author, see howSoon; 0 for not soon
	calls    []uint8   // by person: how soon its author addresses the person
	speaks   []uint8   // by person: how soon the person speaks
	partners []int     // people with an entry in called or calls
	nextOwn  int       // index of the next message of the answer's author, 0 for none
	shared   []float32 // by candidate: the weights of the words that the answer shares with its conversation
	alike    []float32 // by candidate: how alike the answer is to that conversation
	callsMe  []bool    // by person: whether the person addressed the answer's author in between
	iCalled  []bool    // by person: whether the answer's author addressed the person in between
}

// newRow returns a row for the messages of a window, one after the other.
func newRow(w *window) row {
	n, people := w.n, len(w.people)
	return row{
		w: w, judged: make([]bool, n), shared: make([]float32, n), alike: make([]float32, n),
		between: make([]uint16, people), callsMe: make([]bool, people), iCalled: make([]bool, people),
		called: make([]uint8, people), calls: make([]uint8, people), speaks: make([]uint8, people),
	}
}

// start prepares for the row of message j.
func (r *row) start(j int) {
	w := r.w
	r.j, r.answer = j, &w.entries[j]
	r.perPace = float32(1 / w.pace[j])
	clear(r.between)
	clear(r.callsMe)
	clear(r.iCalled)
	r.authors, r.maxGap = 0, 0
	r.lookLater()
	r.share()
	r.choose()
}

// The candidates of a message are the earlier messages that it may answer. The probability
// that it answers any other is zero. docs/context-quality.md says what that saves and what
// it misses.
const (
	nearest     = 16   // the newest messages are candidates, whatever they say
	lastOfEach  = 4    // so are this many further ones of its author, of those it addresses, and of those who address its author
	rareEnough  = 5    // and those that share a word of at least this weight, in bits
	alikeEnough = 0.14 // or whose text is at least this much alike, from 0 to 1
)

// choose marks the answer's candidates.
func (r *row) choose() {
	w, j, author := r.w, r.j, r.answer.author
	clear(r.judged)
	near := max(0, j-nearest)
	for i := near; i < j; i++ {
		r.judged[i] = true
	}
	own, addressed, addressing := lastOfEach, lastOfEach, lastOfEach
	for i := near - 1; i >= 0; i-- {
		e, k := &w.entries[i], j*w.n+i
		switch {
		case e.author == author && own > 0:
			own--
		case addressed > 0 && slices.Contains(r.answer.addressed, e.author):
			addressed--
		case addressing > 0 && slices.Contains(e.addressed, author):
			addressing--
		case w.rarest[k] >= rareEnough || w.alike[k] >= alikeEnough:
		default:
			continue
		}
		r.judged[i] = true
	}
}

// horizon is the number of messages after an answer that are searched for the partners of
// its author.
const horizon = 20

// lookLater finds the people with whom the answer's author talks soon after it, as they
// show which conversation the answer belongs to.
func (r *row) lookLater() {
	clear(r.called)
	clear(r.calls)
	clear(r.speaks)
	r.partners = r.partners[:0]
	r.nextOwn = 0
	author := r.answer.author
	for k := r.j + 1; k < min(r.end(), r.j+1+horizon); k++ {
		e := &r.w.entries[k]
		if e.author == author && r.nextOwn == 0 {
			r.nextOwn = k
		}
		if r.speaks[e.author] == 0 {
			r.speaks[e.author] = howSoon(k - r.j)
		}
		for _, other := range e.addressed {
			switch {
			case e.author == author && r.calls[other] == 0:
				r.calls[other] = howSoon(k - r.j)
			case other == author && r.called[e.author] == 0:
				r.called[e.author] = howSoon(k - r.j)
			}
		}
	}
	for p := range r.called {
		if r.called[p] > 0 || r.calls[p] > 0 {
			r.partners = append(r.partners, p)
		}
	}
}

// end returns the index after the last message that the answer's row may depend on.
func (r *row) end() int {
	if r.blind {
		return r.j + 1
	}
	return max(r.j+1, r.w.before)
}

// howSoon returns the step of layout.go, from 1, for a number of messages later.
func howSoon(messages int) uint8 {
	switch {
	case messages <= 3:
		return 1
	case messages <= 8:
		return 2
	}
	return soon
}

// leastAlike is the likeness below which two texts count as not alike at all.
const leastAlike = 0.04

// share computes how much the answer shares with the conversation of each candidate: the
// sum of what it shares with each message, times the probability that this message is
// connected with the candidate.
func (r *row) share() {
	w, j := r.w, r.j
	clear(r.shared)
	clear(r.alike)
	for k := range j {
		if words := w.words[j*w.n+k]; words > 0 {
			addTimes(r.shared[:j], w.together[k*w.n:k*w.n+j], words)
		}
		if alike := w.alike[j*w.n+k]; alike > leastAlike {
			addTimes(r.alike[:j], w.together[k*w.n:k*w.n+j], alike)
		}
	}
}

// pass adds message i to the messages in between.
func (r *row) pass(i int) {
	e := &r.w.entries[i]
	if r.between[e.author] == 0 {
		r.authors++
	}
	r.between[e.author]++
	for _, a := range e.addressed {
		if a == r.answer.author {
			r.callsMe[e.author] = true
		}
		if e.author == r.answer.author {
			r.iCalled[a] = true
		}
	}
	r.maxGap = max(r.maxGap, r.w.times[i+1]-r.w.times[i])
}

// The following functions return values in steps of the knots of their block, see
// countKnots and the constants after it.

func (r *row) inPace(seconds float64) float32 { return log2(float32(seconds)*r.perPace) + 6 }

func countKnot(n int) float32 { return 2 * log2(float32(n+1)) }

func sumKnot(x float32) float32 { return 2 * log2(x+1) }

func alikeKnot(x float32) float32 { return float32(math.Sqrt(float64(x))) * (alikeKnots - 1) }

func softKnot(p float32) float32 { return p * (softKnots - 1) }

// answerInputs sets the inputs of the answer.
func (r *row) answerInputs(a *Inputs) {
	w, e, j := r.w, r.answer, r.j
	a.shape(answerShape, e.features.shape)
	a.curve(answerLength, lengthKnots, e.features.length)
	switch {
	case len(e.addressed) > 1:
		a.set(answerAddress+3, 1)
	case len(e.addressed) == 1:
		a.set(answerAddress+1, 1)
	case e.strangers > 0:
		a.set(answerAddress+2, 1)
	default:
		a.set(answerAddress, 1)
	}
	if len(e.addressed) > 0 {
		if last := w.lastOf[e.addressed[0]]; last >= 0 {
			a.curve(answerAddressCount, countKnots, countKnot(j-last-1))
		} else {
			a.set(answerAddressNone, 1)
		}
	}
	if last := w.lastOf[e.author]; last >= 0 {
		a.curve(answerOwnCount, countKnots, countKnot(j-last-1))
		a.curve(answerOwnTime, paceKnots, r.inPace(w.times[j]-w.times[last]))
	} else {
		a.set(answerOwnNone, 1)
	}
	if j > 0 {
		a.curve(answerGap, paceKnots, r.inPace(w.times[j]-w.times[j-1]))
	}
	a.curve(answerInSight, countKnots, countKnot(j))
	spoken, wanted := 0, false // wanted: somebody waits for an answer by the author
	for i := range j {
		if w.entries[i].author == e.author {
			spoken, wanted = spoken+1, false
		} else {
			wanted = wanted || slices.Contains(w.entries[i].addressed, e.author)
		}
	}
	a.curve(answerAuthorCount, countKnots, countKnot(spoken))
	a.flag(answerAuthorWanted, wanted)
	a.flag(answerAuthorBot, e.bot)
	a.flag(answerFile, e.file)
	a.flag(answerReplyOutside, e.outside)
	r.laterInputs(a)
	r.mannerInputs(a)
}

// laterInputs sets the inputs of the messages after the answer.
func (r *row) laterInputs(a *Inputs) {
	a.curve(answerLaterCount, countKnots, countKnot(r.end()-1-r.j))
	if r.nextOwn > 0 {
		a.curve(answerNextOwn, countKnots, countKnot(r.nextOwn-r.j-1))
	}
	called, calls := false, false
	for _, p := range r.partners {
		called = called || r.called[p] > 0
		calls = calls || r.calls[p] > 0
	}
	a.flag(answerCalledAfter, called)
	a.flag(answerCallsAfter, calls)
}

// lately is the number of messages before an answer that show the manner of a channel.
const lately = 30

// mannerInputs sets the inputs of how many people speak before the answer, and of how often
// they address each other and reply.
func (r *row) mannerInputs(a *Inputs) {
	begin := max(0, r.j-lately)
	people, addressing, replying := 0, 0, 0
	clear(r.between)
	for i := begin; i < r.j; i++ {
		e := &r.w.entries[i]
		if r.between[e.author] == 0 {
			people++
		}
		r.between[e.author] = 1
		if e.certain >= 0 || e.outside {
			replying++
		} else if len(e.addressed)+e.strangers > 0 {
			addressing++
		}
	}
	clear(r.between)
	n := float32(max(1, r.j-begin))
	a.curve(answerPeople, countKnots, countKnot(people))
	a.curve(answerAddressing, softKnots, softKnot(float32(addressing)/n))
	a.curve(answerReplying, softKnots, softKnot(float32(replying)/n))
}

// candidateInputs sets the inputs of a candidate that are the same for every answer.
func (e *entry) candidateInputs(a *Inputs) {
	a.shape(candidateShape, e.features.shape)
	a.curve(candidateLength, lengthKnots, e.features.length)
	a.set(candidateAddress+min(2, len(e.addressed)+e.strangers), 1)
	a.flag(candidateBot, e.bot)
	a.flag(candidateFile, e.file)
	a.flag(candidateReply, e.certain >= 0 || e.outside)
}

// pairInputs sets the inputs of the answer and candidate i. All messages in between must
// be passed before.
func (r *row) pairInputs(a *Inputs, i int) {
	w, j, e, c := r.w, r.j, r.answer, &r.w.entries[i]
	distance := j - i - 1
	seconds := w.times[j] - w.times[i]
	count, time := countKnot(distance), r.inPace(seconds)
	a.curve(pairCount, countKnots, count)
	a.curve(pairTime, paceKnots, time)
	a.curve(pairMaxGap, paceKnots, r.inPace(max(r.maxGap, w.times[i+1]-w.times[i])))
	a.set(pairAnswererBetween+min(3, int(r.between[e.author])), 1)
	a.curve(pairAuthorsBetween, countKnots, countKnot(r.authors))
	if c.author == e.author {
		a.set(pairSameAuthor, 1)
		a.flag(pairSameRun, int(r.between[e.author]) == distance)
		a.curve(pairSameAuthorCount, countKnots, count)
		a.curve(pairSameAuthorTime, paceKnots, time)
		a.flag(pairLengthen, c.features.shape&(shapeOpenEnd|shapeTrailing) != 0 && e.features.shape&shapeLowerStart != 0)
	} else {
		r.otherInputs(a, c)
	}
	r.addressInputs(a, c, count)
	k := j*w.n + i
	if w.words[k] > 0 {
		a.curve(pairWords, wordKnots, w.words[k]/4)
		a.curve(pairRarest, wordKnots, w.rarest[k])
	}
	if w.alike[k] > leastAlike {
		a.curve(pairAlike, alikeKnots, alikeKnot(w.alike[k]))
	}
	if r.alike[i] > leastAlike {
		a.curve(pairTalkAlike, alikeKnots, alikeKnot(r.alike[i]))
	}
	a.set(pairQuestion+2*bits.OnesCount16(uint16(c.features.shape&shapeQuestion))+bits.OnesCount16(uint16(e.features.shape&shapeQuestion)), 1)
	r.talkInputs(a, i, c)
}

// otherInputs sets the inputs of a candidate by somebody else.
func (r *row) otherInputs(a *Inputs, c *entry) {
	w, e := r.w, r.answer
	a.set(pairCandidateBetween+min(3, int(r.between[c.author])), 1)
	a.flag(pairCalledSince, r.callsMe[c.author])
	a.flag(pairCallsSince, r.iCalled[c.author])
	a.flag(pairLastAddressed, w.lastCalled[e.author] == c.author)
	a.flag(pairLastCalled, w.lastCalled[c.author] == e.author)
	if at := r.called[c.author]; at > 0 {
		a.set(pairCalledAfter+int(at)-1, 1)
	}
	if at := r.speaks[c.author]; at > 0 {
		a.set(pairSpeaksAfter+int(at)-1, 1)
	}
	if at := r.calls[c.author]; at > 0 {
		a.set(pairCallsAfter+int(at)-1, 1)
	}
}

// addressInputs sets the inputs of the people whom the answer and a candidate address.
// count is the knot of the number of messages in between.
func (r *row) addressInputs(a *Inputs, c *entry, count float32) {
	e := r.answer
	it, shared := false, false
	for _, called := range e.addressed {
		it = it || called == c.author
		for _, other := range c.addressed {
			shared = shared || other == called
		}
	}
	if it {
		a.set(pairAddressesIt, 1)
		a.curve(pairAddressedItCount, countKnots, count)
	} else {
		a.flag(pairAddressesOther, len(e.addressed)+e.strangers > 0)
	}
	back := false
	for _, called := range c.addressed {
		back = back || called == e.author
	}
	a.flag(pairAddressedBack, back)
	a.flag(pairAddressedOther, !back && len(c.addressed)+c.strangers > 0)
	a.flag(pairAddressShared, shared)
}

// talkInputs sets the inputs of the conversation of candidate i, by the rows computed so
// far.
func (r *row) talkInputs(a *Inputs, i int, c *entry) {
	w, n, author := r.w, r.w.n, r.answer.author
	if w.lastOf[author] >= 0 {
		a.curve(pairAuthorIn, softKnots, softKnot(w.authorIn[author*n+i]))
		a.curve(pairLastOwnTalk, softKnots, softKnot(w.together[w.lastOf[author]*n+i]))
		a.curve(pairAnswersAuthor, softKnots, softKnot(w.answersTo[author*n+i]))
		a.curve(pairAnsweredByAuthor, softKnots, softKnot(w.answersBy[author*n+i]))
	}
	if len(r.answer.addressed) > 0 {
		var in float32
		for _, called := range r.answer.addressed {
			in = max(in, w.authorIn[called*n+i])
		}
		a.curve(pairAddressedIn, softKnots, softKnot(in))
	}
	if len(r.partners) > 0 {
		var in float32
		for _, p := range r.partners {
			in = max(in, w.authorIn[p*n+i])
		}
		a.curve(pairPartnersIn, softKnots, softKnot(in))
	}
	a.curve(pairLaterInTalk, sumKnots, sumKnot(w.later[i]))
	a.curve(pairTalkSize, sumKnots, sumKnot(w.later[i]+w.earlier[i]))
	a.curve(pairAnswered, sumKnots, sumKnot(w.answers[i]))
	a.curve(pairBegins, softKnots, softKnot(w.none[i]))
	if c.author != author {
		a.curve(pairTalk, sumKnots, sumKnot(w.talk[author*len(w.lastOf)+c.author]))
	}
	if shared := r.shared[i]; shared > 0 {
		a.curve(pairTalkWords, wordKnots, log2(1+shared))
	}
	last := w.lastIn[i]
	a.curve(pairTalkIdle, countKnots, countKnot(r.j-last-1))
	a.curve(pairTalkIdleTime, paceKnots, r.inPace(w.times[r.j]-w.times[last]))
	a.curve(pairOtherTalksBetween, countKnots, 2*log2(1+max(0, float32(r.j-i-1)-w.later[i])))
}
