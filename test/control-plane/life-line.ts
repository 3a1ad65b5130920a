// Lifeline of a Node program: it ends with its parent process. The parent starts it with `--import` of this file and a
// pipe as standard
// input. The pipe carries no data; the kernel closes it when the parent ends, SIGKILL included. The Node counterpart of
// dieWithParent in kubernetes/main.go.
import process from 'node:process'

process.stdin.on('error', () => undefined) // A reset counts as closed.
process.stdin.on('close', () => process.exit(1))
process.stdin.resume().unref() // Does not keep an idle program alive.
