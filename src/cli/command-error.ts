// What does a command say when it cannot do what was asked? One sentence on standard error and an exit code: 2 when the
// input is at fault, 1 when something else is.

export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2) {
    super(message)
    this.exitCode = exitCode
  }
}
