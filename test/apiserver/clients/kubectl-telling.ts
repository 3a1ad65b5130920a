// Runs the same kubectl commands in order on both servers: exit code, standard output and standard error must be equal.
import { expect } from 'vitest'
import type { Command, CommandOutcome } from './kubectl.ts'
import { canonicalOutcome } from './kubectl-output.ts'
import type { TwoServers } from './two-servers.ts'

export async function tellBoth({ real, ours }: TwoServers, namespace: string, commands: readonly Command[]) {
  for (const { args, ...rest } of commands) {
    const command = { ...rest, args: ['--namespace', namespace, ...args] }
    const [theirs, outcome] = await Promise.all([real.kubectl.run(command), ours.kubectl.run(command)])
    const told = (one: CommandOutcome) => (rest.isGradual === true ? lastLineOf(one) : canonicalOutcome(one))
    expect.soft(told(outcome), `kubectl ${args.join(' ')}`).toEqual(told(theirs))
  }
}

function lastLineOf(outcome: CommandOutcome): CommandOutcome {
  const { exitCode, stdout, stderr } = canonicalOutcome(outcome)
  return { exitCode, stdout: stdout.trimEnd().split('\n').at(-1) ?? '', stderr }
}
