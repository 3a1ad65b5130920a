// Canonical form of kubectl's output: replaces values that must differ between two servers. Pure.
// These are uids, times, ages, versions, addresses and names of temporary files.
import type { CommandOutcome } from './kubectl.ts'

const renamings: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uid>'],
  [/\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z| \+0000)/g, '<time>'],
  [/[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} \+0000/g, '<time>'],
  [/(resourceVersion: |"resourceVersion": )"\d+"/g, '$1<version>'],
  [/(Resource Version: +)\d+/g, '$1<version>'],
  [/https:\/\/127\.0\.0\.1:\d+/g, '<server>'],
  [/\b10\.\d+\.\d+\.\d+\b/g, '<address>'],
  [/\S*\/(LIVE|MERGED)-\d+/g, '<folder>/$1'],
  [/[^\s"]*\/kubectl-edit-\d+/g, '<folder>/kubectl-edit'],
  [/(?<= )(?:<invalid>|(?:\d+[dhms])+)(?= |$)/gm, '<age>'],
  [/^(?:\d+[dhms])+(?= )/gm, '<age>'],
  [/\b(?:\d+[dhms])+ ago\b/g, '<age> ago'],
  // Generated names; for a ReplicaSet the last part is a hash.
  [/-[bcdfghjklmnpqrstvwxz2456789]{6,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '-<hash>-<suffix>'],
  [/(?<=(?:web|\.apps\/[a-z]+))-[bcdfghjklmnpqrstvwxz2456789]{6,10}\b/g, '-<hash>'],
  [/(pod-template-hash[=:] *)\S+?(?=[, \n])/g, '$1<hash>'],
  // The width of a column depends on its content.
  [/ {2,}/g, '  '],
  [/ +$/gm, ''],
]

/** Returns the outcome in a form that is equal for servers that behave alike. */
export function canonicalOutcome({ exitCode, stdout, stderr }: CommandOutcome): CommandOutcome {
  return { exitCode, stdout: canonicalText(stdout), stderr: canonicalText(stderr) }
}

export function canonicalText(text: string): string {
  return renamings.reduce((renamed, [pattern, name]) => renamed.replace(pattern, name), text)
}
