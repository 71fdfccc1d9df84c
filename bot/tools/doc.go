// Package tools lets a model do things on the way to an answer: Loop asks it, does
// what it calls for, and asks again with the results, within bounds. The tools that
// heddle has stand here too, one file each.
//
// What a model does may fail in many ways: arguments that are no JSON, calls without
// end, results without measure, tools that stall. The model is told in a sentence,
// and goes on; no failure of a tool ends an answer.
package tools
