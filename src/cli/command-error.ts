// Failure of a command: one sentence for standard error, and an exit code. Code 2: the input is invalid. Code 1: any
// other failure.

export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2) {
    super(message)
    this.exitCode = exitCode
  }
}
