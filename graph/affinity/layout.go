package affinity

// Every feature is a block of inputs of the network. A flag has one input; a
// quantity has a row of knots, and turns on the two knots it lies between, so that
// the network can learn any curve of it.
const (
	countKnots  = 14 // log2(1+n) in half steps, up to 90
	paceKnots   = 18 // log2 of a time in units of the pace, from 2^-6 to 2^11
	lengthKnots = 10 // log2 of characters, up to 512
	softKnots   = 6  // probabilities, evenly
	sumKnots    = 7  // sums of probabilities, log2(1+x) in half steps
	wordKnots   = 8  // weight of shared rare words
	alikeKnots  = 8  // of likeness of texts, evenly in the square root
	soon        = 3  // steps of how soon something comes
)

// Inputs that belong to the answering message alone.
const (
	ofAnswer            = 0
	answerShape         = ofAnswer
	answerLength        = answerShape + shapes
	answerAddress       = answerLength + lengthKnots // 4: nobody, one in sight, one out of sight, several
	answerOwnCount      = answerAddress + 4          // messages since its author's last one
	answerOwnTime       = answerOwnCount + countKnots
	answerOwnNone       = answerOwnTime + paceKnots
	answerGap           = answerOwnNone + 1
	answerInSight       = answerGap + paceKnots // how many candidates there are
	answerAuthorCount   = answerInSight + countKnots
	answerAuthorWanted  = answerAuthorCount + countKnots // somebody addressed the author since his last message
	answerAuthorOfficer = answerAuthorWanted + 1         // a bot
	answerFile          = answerAuthorOfficer + 1
	answerAddressCount  = answerFile + 1 // messages since the person addressed last spoke
	answerAddressNone   = answerAddressCount + countKnots
	answerReplyOutside  = answerAddressNone + 1  // replies to something out of sight
	answerLaterCount    = answerReplyOutside + 1 // messages behind it in the window
	answerNextOwn       = answerLaterCount + countKnots
	answerCalledAfter   = answerNextOwn + countKnots   // somebody addresses its author soon after
	answerCallsAfter    = answerCalledAfter + 1        // its author addresses somebody soon after
	answerPeople        = answerCallsAfter + 1         // people who speak in the stretch before it
	answerAddressing    = answerPeople + countKnots    // share of that stretch that addresses somebody
	answerReplying      = answerAddressing + softKnots // share of it that shows a reply
	ofCandidate         = answerReplying + softKnots
)

// Inputs that belong to the candidate alone, or to the candidate in its window.
const (
	candidateShape   = ofCandidate
	candidateLength  = candidateShape + shapes
	candidateAddress = candidateLength + lengthKnots // 3: nobody, one, several
	candidateBot     = candidateAddress + 3
	candidateFile    = candidateBot + 1
	candidateReply   = candidateFile + 1 // shows a reply of its own
	ofPair           = candidateReply + 1
)

// Inputs that belong to the pair.
const (
	pairNone              = ofPair // the candidate is "answers none of them"
	pairCount             = pairNone + 1
	pairTime              = pairCount + countKnots
	pairMaxGap            = pairTime + paceKnots
	pairSameAuthor        = pairMaxGap + paceKnots
	pairSameRun           = pairSameAuthor + 1
	pairAnswererBetween   = pairSameRun + 1         // 4: messages of the answering author between
	pairCandidateBetween  = pairAnswererBetween + 4 // 4: messages of the candidate's author between
	pairAuthorsBetween    = pairCandidateBetween + 4
	pairAddressesIt       = pairAuthorsBetween + countKnots // the answer addresses the candidate's author
	pairAddressesOther    = pairAddressesIt + 1
	pairAddressedBack     = pairAddressesOther + 1 // the candidate addresses the answering author
	pairAddressedOther    = pairAddressedBack + 1
	pairAddressShared     = pairAddressedOther + 1 // both address the same person
	pairCalledSince       = pairAddressShared + 1  // candidate's author addressed the answering author since
	pairCallsSince        = pairCalledSince + 1    // and the other way round
	pairLastAddressed     = pairCallsSince + 1     // the answering author addressed it last
	pairLastCalled        = pairLastAddressed + 1  // the candidate's author last addressed the answering author
	pairWords             = pairLastCalled + 1
	pairRarest            = pairWords + wordKnots
	pairQuestion          = pairRarest + wordKnots // 4: question marks of candidate and answer
	pairLengthen          = pairQuestion + 4       // same author, open end then small letter
	pairSameAuthorCount   = pairLengthen + 1
	pairSameAuthorTime    = pairSameAuthorCount + countKnots
	pairAddressedItCount  = pairSameAuthorTime + paceKnots // count again, where it is addressed
	pairAuthorIn          = pairAddressedItCount + countKnots
	pairAddressedIn       = pairAuthorIn + softKnots
	pairLaterInTalk       = pairAddressedIn + softKnots
	pairTalkSize          = pairLaterInTalk + sumKnots
	pairAnswered          = pairTalkSize + sumKnots
	pairAnsweredByAuthor  = pairAnswered + sumKnots
	pairAnswersAuthor     = pairAnsweredByAuthor + softKnots
	pairBegins            = pairAnswersAuthor + softKnots
	pairTalk              = pairBegins + softKnots
	pairLastOwnTalk       = pairTalk + sumKnots
	pairOtherTalksBetween = pairLastOwnTalk + softKnots
	pairTalkWords         = pairOtherTalksBetween + countKnots
	pairTalkIdle          = pairTalkWords + wordKnots
	pairTalkIdleTime      = pairTalkIdle + countKnots
	pairCalledAfter       = pairTalkIdleTime + paceKnots // 3: how soon after the answer the candidate's author addresses its author
	pairCallsAfter        = pairCalledAfter + soon       // 3: and the other way round
	pairSpeaksAfter       = pairCallsAfter + soon        // 3: how soon the candidate's author speaks again
	pairPartnersIn        = pairSpeaksAfter + soon       // whom the answer's author talks with after it hangs together with the candidate
	pairAlike             = pairPartnersIn + softKnots   // how alike the texts are
	pairTalkAlike         = pairAlike + alikeKnots       // how alike the answer is to what hangs together with the candidate
	inputs                = pairTalkAlike + alikeKnots
)

// maxActive is the most inputs that one message, candidate or pair turns on.
const maxActive = 112

// active is a sparse list of inputs with their values.
type active struct {
	n     int
	index [maxActive]uint16
	value [maxActive]float32
}

func (a *active) set(index int, value float32) {
	a.index[a.n], a.value[a.n] = uint16(index), value //nolint:gosec // there are fewer than 65536 inputs
	a.n++
}

//nolint:revive // whether an input is on is its value, not a choice between two functions
func (a *active) flag(index int, on bool) {
	if on {
		a.set(index, 1)
	}
}

// curve turns on the knots around x, which is in units of knots.
func (a *active) curve(base, knots int, x float32) {
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

func (a *active) shape(base int, s shape) {
	for k := range shapes {
		if s&(1<<k) != 0 {
			a.set(base+k, 1)
		}
	}
}
