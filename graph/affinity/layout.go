package affinity

// Every feature is a block of inputs of the network. A flag has one input. A quantity has
// an input for each of its knots, which are points on its scale. It sets the two knots that
// it lies between, to shares that add up to 1. The network can thus learn any curve that is
// linear between knots. Values outside the scale count as its first or last knot.
const (
	countKnots  = 14 // numbers n, by log₂(1+n) in half steps, up to 90
	paceKnots   = 18 // times t in units of the pace, by log₂ t in whole steps, from 1/64 to 2048
	lengthKnots = 10 // lengths n in characters, by log₂(1+n) in whole steps, up to 511
	softKnots   = 6  // probabilities, in steps of 0.2
	sumKnots    = 7  // sums x of probabilities, by log₂(1+x) in half steps, up to 7
	wordKnots   = 8  // weights of shared words, in bits; see row.pairInputs for the steps
	alikeKnots  = 8  // likenesses of texts, from 0 to 1, by the square root in steps of 1/7
	soon        = 3  // how soon something follows: within 3, 8 or 20 messages
)

// Inputs that belong to the answering message alone.
const (
	ofAnswer           = 0
	answerShape        = ofAnswer
	answerLength       = answerShape + shapes
	answerAddress      = answerLength + lengthKnots      // 4: whom it addresses: nobody, one who speaks in the window, one who does not, several
	answerOwnCount     = answerAddress + 4               // messages since its author's last one
	answerOwnTime      = answerOwnCount + countKnots     // time since then
	answerOwnNone      = answerOwnTime + paceKnots       // its author says nothing before it
	answerGap          = answerOwnNone + 1               // time since the message right before it
	answerInSight      = answerGap + paceKnots           // messages before it in the window
	answerAuthorCount  = answerInSight + countKnots      // messages by its author before it
	answerAuthorWanted = answerAuthorCount + countKnots  // somebody addressed the author since the author's last message
	answerAuthorBot    = answerAuthorWanted + 1          // the author is a bot
	answerFile         = answerAuthorBot + 1             // it has a file
	answerAddressCount = answerFile + 1                  // messages since the person addressed last spoke
	answerAddressNone  = answerAddressCount + countKnots // that person says nothing before it
	answerReplyOutside = answerAddressNone + 1           // it replies to something that is not in the window
	answerLaterCount   = answerReplyOutside + 1          // messages after it in the window
	answerNextOwn      = answerLaterCount + countKnots   // messages until its author speaks again
	answerCalledAfter  = answerNextOwn + countKnots      // somebody addresses its author soon after
	answerCallsAfter   = answerCalledAfter + 1           // its author addresses somebody soon after
	answerPeople       = answerCallsAfter + 1            // people who speak in the thirty messages before it
	answerAddressing   = answerPeople + countKnots       // share of those messages that address somebody
	answerReplying     = answerAddressing + softKnots    // share of those messages that show a reply
	ofCandidate        = answerReplying + softKnots
)

// Inputs that belong to the candidate alone, or to the candidate in its window.
const (
	candidateShape   = ofCandidate
	candidateLength  = candidateShape + shapes
	candidateAddress = candidateLength + lengthKnots // 3: nobody, one, several
	candidateBot     = candidateAddress + 3          // its author is a bot
	candidateFile    = candidateBot + 1              // it has a file
	candidateReply   = candidateFile + 1             // shows a reply of its own
	ofPair           = candidateReply + 1
)

// Inputs that belong to the pair. Its conversation is that of the candidate.
const (
	pairNone              = ofPair                             // the candidate is "none"
	pairCount             = pairNone + 1                       // messages in between
	pairTime              = pairCount + countKnots             // time in between
	pairMaxGap            = pairTime + paceKnots               // the longest gap in between
	pairSameAuthor        = pairMaxGap + paceKnots             // both are by one author
	pairSameRun           = pairSameAuthor + 1                 // and so is everything in between
	pairAnswererBetween   = pairSameRun + 1                    // 4: messages by the author of the answer in between
	pairCandidateBetween  = pairAnswererBetween + 4            // 4: messages by the author of the candidate in between
	pairAuthorsBetween    = pairCandidateBetween + 4           // people who speak in between
	pairAddressesIt       = pairAuthorsBetween + countKnots    // the answer addresses the candidate's author
	pairAddressesOther    = pairAddressesIt + 1                // the answer addresses somebody else
	pairAddressedBack     = pairAddressesOther + 1             // the candidate addresses the answer's author
	pairAddressedOther    = pairAddressedBack + 1              // the candidate addresses somebody else
	pairAddressShared     = pairAddressedOther + 1             // both address the same person
	pairCalledSince       = pairAddressShared + 1              // the candidate's author addressed the answer's author since
	pairCallsSince        = pairCalledSince + 1                // and the other way round
	pairLastAddressed     = pairCallsSince + 1                 // the answer's author last addressed the candidate's author
	pairLastCalled        = pairLastAddressed + 1              // the candidate's author last addressed the answer's author
	pairWords             = pairLastCalled + 1                 // the sum of the weights of the words that both share
	pairRarest            = pairWords + wordKnots              // the highest of these weights
	pairQuestion          = pairRarest + wordKnots             // 4: which of candidate and answer hold a question mark
	pairLengthen          = pairQuestion + 4                   // one author, an open end and then a small letter: one sentence in two messages
	pairSameAuthorCount   = pairLengthen + 1                   // messages in between, if both are by one author
	pairSameAuthorTime    = pairSameAuthorCount + countKnots   // time in between, if both are by one author
	pairAddressedItCount  = pairSameAuthorTime + paceKnots     // messages in between, if the answer addresses the candidate's author
	pairAuthorIn          = pairAddressedItCount + countKnots  // probability that the answer's author speaks in its conversation
	pairAddressedIn       = pairAuthorIn + softKnots           // probability that a person whom the answer addresses speaks in it
	pairLaterInTalk       = pairAddressedIn + softKnots        // messages of its conversation after the candidate
	pairTalkSize          = pairLaterInTalk + sumKnots         // messages of its conversation
	pairAnswered          = pairTalkSize + sumKnots            // answers to the candidate so far
	pairAnsweredByAuthor  = pairAnswered + sumKnots            // those by the answer's author
	pairAnswersAuthor     = pairAnsweredByAuthor + softKnots   // probability that the candidate answers the answer's author
	pairBegins            = pairAnswersAuthor + softKnots      // probability that the candidate answers nothing
	pairTalk              = pairBegins + softKnots             // how often both authors answered each other lately
	pairLastOwnTalk       = pairTalk + sumKnots                // probability that the last message by the answer's author is in its conversation
	pairOtherTalksBetween = pairLastOwnTalk + softKnots        // messages of other conversations in between
	pairTalkWords         = pairOtherTalksBetween + countKnots // the weights of the words that the answer shares with its conversation
	pairTalkIdle          = pairTalkWords + wordKnots          // messages since the last one of its conversation
	pairTalkIdleTime      = pairTalkIdle + countKnots          // time since then
	pairCalledAfter       = pairTalkIdleTime + paceKnots       // 3: how soon after the answer the candidate's author addresses its author
	pairCallsAfter        = pairCalledAfter + soon             // 3: and the other way round
	pairSpeaksAfter       = pairCallsAfter + soon              // 3: how soon the candidate's author speaks again
	pairPartnersIn        = pairSpeaksAfter + soon             // people whom the answer's author talks with after it are in its conversation
	pairAlike             = pairPartnersIn + softKnots         // how alike the texts are
	pairTalkAlike         = pairAlike + alikeKnots             // how alike the answer is to its conversation
	inputs                = pairTalkAlike + alikeKnots
)

// maxActive is the greatest number of inputs that one message, candidate or pair sets.
const maxActive = 112

// Inputs is a sparse list of inputs with their values.
type Inputs struct {
	N     int
	Index [maxActive]uint16
	Value [maxActive]float32
}

func (a *Inputs) set(index int, value float32) {
	a.Index[a.N], a.Value[a.N] = uint16(index), value //nolint:gosec // there are fewer than 65536 inputs
	a.N++
}

// flag sets an input to 1 if it is on. An input that is off has no value.
//
//nolint:revive // whether an input is on is its value, not a choice between two functions
func (a *Inputs) flag(index int, on bool) {
	if on {
		a.set(index, 1)
	}
}

// curve sets the knots of the block at base that x lies between. x is in steps of knots.
func (a *Inputs) curve(base, knots int, x float32) {
	last := float32(knots - 1)
	if !(x > 0) {
		a.set(base, 1)
		return
	}
	if x >= last {
		a.set(base+knots-1, 1)
		return
	}
	k := int(x)
	part := x - float32(k)
	a.set(base+k, 1-part)
	a.set(base+k+1, part)
}

// shape sets an input for each mark of a text.
func (a *Inputs) shape(base int, s shape) {
	for k := range shapes {
		if s&(1<<k) != 0 {
			a.set(base+k, 1)
		}
	}
}
