// Examples that the help of a command ends with. Invariant: each parses by the definition of the program (test/reference).
import type { Command } from 'commander'

/** Lines by the name of the command, without the name of the program. */
export type CommandExamples = Readonly<Record<string, readonly string[]>>

const examples: CommandExamples = {
  run: ['run', 'run --namespaces shop,games', 'run --metrics protected --metrics-port 8443 --log-level debug'],
  install: [
    'install --namespaces shop --image registry.example.com/operator:1.0.0',
    'install --namespaces shop --dry-run | kubectl apply --server-side -f -',
  ],
  dev: ['dev', 'dev --no-samples --persist ./cluster'],
  preview: ['preview -f resource.yaml', 'preview -f - < resource.yaml'],
  diff: ['diff -f resource.yaml', 'diff -f resource.yaml --namespaces shop --context staging'],
  generate: ['generate --crds crds --out imports', 'generate --check'],
}

/** Lines such as `konverge run --namespaces shop`; none for a command without examples. */
export function examplesOf(command: string, program: string, own: CommandExamples = {}): readonly string[] {
  const given = own[command] ?? examples[command] ?? []
  return given.map((line) => `${program} ${line}`)
}

export function addExamples(command: Command, program: string, own: CommandExamples = {}): void {
  const lines = examplesOf(command.name(), program, own)
  if (lines.length > 0) command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`)
}
