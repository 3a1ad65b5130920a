// Secret values for fixtures: long, random, and different for every name, so that any occurrence in output is a leak.
import { createHash } from 'node:crypto'

/** Returns the same value for the same name, with letters and digits only. */
export function secretText(name: string): string {
  return `tnt${createHash('sha256').update(name).digest('base64url').replaceAll(/[-_]/g, 'x').slice(0, 29)}`
}
