// How are the parts of a replication called? By its id, so that whoever repeats a call finds them. Pure.
import { EngineError } from '../../engine-error.ts'

/** One for all: publication, subscription, slot and login are names of different sorts. */
export function partName(id: string): string {
  if (!/^[a-z0-9_]{1,40}$/.test(id)) {
    const message = `${JSON.stringify(id)} cannot be the id of a replication: it takes 1 to 40 of a-z, 0-9 and _`
    throw new EngineError({ code: 'StatementFailed', message, remedy: 'stop' })
  }
  return `konverge_${id}`
}

/** Of the session that makes the slot `name`. */
export function temporarySlot(name: string): string {
  return `${name}_t`
}
