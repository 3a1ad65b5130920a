// Names of the parts of a replication, by its id, so that a repeated call finds them. Pure.
import { EngineError } from '../../engine-error.ts'

/** One name for all parts: publications, subscriptions, slots and logins have separate namespaces. */
export function partName(id: string): string {
  if (!/^[a-z0-9_]{1,40}$/.test(id)) {
    const message = `${JSON.stringify(id)} cannot be the id of a replication: it takes 1 to 40 of a-z, 0-9 and _`
    throw new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
  }
  return `konverge_${id}`
}

/** Temporary slot of the session that creates the slot `name`. */
export function temporarySlot(name: string): string {
  return `${name}_t`
}
