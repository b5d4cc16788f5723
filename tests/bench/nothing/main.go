// Nothing does nothing: what a Go program costs before it does anything.
package main

func main() {}
