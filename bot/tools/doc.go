// Package tools lets a model call tools on the way to an answer. Loop asks the model,
// makes its calls, and asks again with the results, within bounds. The package also
// contains heddle's tools, one in each file.
//
// Calls fail in many ways: arguments that are not JSON, endless calls, huge results,
// tools that stall. The model reads a sentence about the failure and goes on. A failing
// tool never ends an answer.
package tools
