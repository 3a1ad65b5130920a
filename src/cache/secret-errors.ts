// Errors of functions that read Secrets. Invariant: only an assertion of the runtime is reported, because it names
// fields and indexes, and only if it quotes no value of the Secret.
import { AssertionError } from '../base/assert.ts'
import { messageOf } from '../base/errors.ts'
import { valueTexts } from '../kube/value-texts.ts'

/** True for an assertion without a value of these Secrets in its message. */
export function isAssertionWithout(thrown: unknown, secrets: readonly unknown[]): boolean {
  if (!(thrown instanceof AssertionError)) return false
  const message = messageOf(thrown)
  const texts = secrets.flatMap((secret) => valueTexts(secret, 'Secret')).filter((text) => text !== '')
  return texts.every((text) => !message.includes(text) && !message.includes(JSON.stringify(text).slice(1, -1)))
}
