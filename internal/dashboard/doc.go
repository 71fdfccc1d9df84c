// Package dashboard shows an operator the latest answers of a running heddle, each with
// its graph and the request, and heddle's counters.
//
// The dashboard does not keep what people wrote. A drawing contains lengths in place of
// texts, and numbers in place of names. If the operator allows texts, the page shows
// those that heddle's history still holds at that moment, so deleted messages disappear
// here as well.
//
// Without a token the pages are served only on loopback addresses and only for requests
// to a loopback host, which prevents DNS rebinding. With a token, every request must
// carry it as the password of HTTP basic authentication.
package dashboard
