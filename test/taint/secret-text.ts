// Secret values for fixtures: long, random and different for every name, so that output that contains one is known to give it away.
import { createHash } from 'node:crypto'

/** The same value for the same name, of letters and digits alone. */
export function secretText(name: string): string {
  return `tnt${createHash('sha256').update(name).digest('base64url').replaceAll(/[-_]/g, 'x').slice(0, 29)}`
}
