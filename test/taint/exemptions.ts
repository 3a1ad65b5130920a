// Tests that may output a Secret value, or may use values too short to find, each with a reason.
import type { Leak } from './taint.ts'

export interface Exemption {
  readonly files: RegExp
  readonly reason: string
  /** Values may be too short to find. */
  readonly shortValues?: true
  /** True if this leak is permitted. */
  readonly leaks?: (leak: Leak) => boolean
}

export const exemptions: readonly Exemption[] = [
  {
    files: /^test\/(conformance|apiserver|diff|generate)\//,
    reason: 'These compare API servers and shapes of objects by recorded requests; no operator runs in them.',
    shortValues: true,
  },
  {
    files: /^test\/e2e\/(rewritten-values|ownership-histories)\./,
    reason: 'A Bundle, a kind of these tests, has in its spec the very object that becomes its child, Secrets too.',
    shortValues: true,
    leaks: ({ sink }) => /bundles/.test(sink),
  },
  {
    files: /^test\/controllers\/database-user\/leaks\.postgres\./,
    reason: 'It annotates a Database with a password in base64 on purpose, to show that it looks for that itself.',
    leaks: ({ excerpt }) => excerpt.includes('"note":"cGFzc3dvcmQ9‹value›'),
  },
  {
    files: /^test\/controllers\/database-user\/hostile-users\./,
    reason: 'Its passwords are hostile texts of every length.',
    shortValues: true,
  },
  {
    files: /^test\/e2e\/watches\./,
    reason: 'A badge has the color of a House beside the word of a Secret; the color stands in the spec of the House.',
    shortValues: true,
  },
  {
    files: /^test\/reconcile\/quoted-secrets\./,
    reason:
      'The test sends a Secret value on purpose, and the API server quotes it to the client; from there on it is looked for.',
    leaks: ({ sink }) => sink === 'error Invalid' || /^request PATCH \S*\/services\//.test(sink),
  },
  {
    files: /^test\/adversary\//,
    reason: 'What a template of a spec says beside its placeholders goes into the Secret as it is.',
    leaks: ({ origin }) => /^Secret attacker\/\S+ key stolen$/.test(origin),
  },
  {
    files: /\.real\.test\.ts$/,
    reason: 'kubectl prints a Secret to the test that asks for it; no operator asks kubectl.',
    leaks: ({ sink, excerpt }) => /^standard output of \S*kubectl$/.test(sink) && excerpt.includes('"kind": "Secret"'),
  },
  {
    files: /^test\/(local-node\/workloads\.real|apiserver\/clients\/.*)\.test\.ts$/,
    reason: 'Pods serve what is mounted into them, and kubectl prints what it is asked for; no operator runs in them.',
    shortValues: true,
  },
]
