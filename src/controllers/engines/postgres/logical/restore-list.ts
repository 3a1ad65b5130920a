// Selection of the entries of an artifact to restore. Excludes entries that need a superuser and are created beforehand
// or belong to the server: extensions and their comments, event triggers, existing schemas. Pure, over the output of
// `pg_restore --list`.
import type { PreparedContents } from '../../logical-engine.ts'

const notOurs =
  /^(EXTENSION|EVENT TRIGGER|PUBLICATION|PUBLICATION TABLE|SUBSCRIPTION|COMMENT - (EXTENSION|EVENT TRIGGER)) /

export function restoreList(printed: string, { schemas }: PreparedContents): string {
  const isThere = (entry: string) => schemas.some((schema) => entry.startsWith(`SCHEMA - ${schema} `))
  return chosen(printed, (entry) => !notOurs.test(entry) && !isThere(entry))
}

/** Returns only the entries of privileges and default privileges. */
export function privilegesList(printed: string): string {
  return chosen(printed, (entry) => /^(ACL|DEFAULT ACL) /.test(entry))
}

function chosen(printed: string, isChosen: (entry: string) => boolean): string {
  return printed
    .split('\n')
    .filter((line) => {
      // Example: `6; 2615 16388 SCHEMA - api shop_owner`.
      const [, entry] = /^\d+; \d+ \d+ (.*)$/.exec(line) ?? []
      return entry !== undefined && isChosen(entry)
    })
    .join('\n')
}
