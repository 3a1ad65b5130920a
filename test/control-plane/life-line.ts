// How does a Node program end with the process that started it? It is started with `--import` of this file and a pipe as
// standard input. The pipe carries nothing; the kernel closes it however its other end dies, SIGKILL included. This is
// dieWithParent of kubernetes/main.go for Node.
import process from 'node:process'

process.stdin.on('error', () => undefined) // Closed hard is closed too.
process.stdin.on('close', () => process.exit(1))
process.stdin.resume().unref() // Does not keep alive a program that has nothing left to do.
