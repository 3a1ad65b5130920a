// Which entries of an artifact are restored? All but those that only a superuser may make, which are made before or belong to the server:
// extensions, their comments, event triggers, and the schemas that are there already. Pure, over what `pg_restore --list` prints.
import type { PreparedContents } from '../../logical-engine.ts'

const notOurs =
  /^(EXTENSION|EVENT TRIGGER|PUBLICATION|PUBLICATION TABLE|SUBSCRIPTION|COMMENT - (EXTENSION|EVENT TRIGGER)) /

export function restoreList(printed: string, { schemas }: PreparedContents): string {
  const isThere = (entry: string) => schemas.some((schema) => entry.startsWith(`SCHEMA - ${schema} `))
  return chosen(printed, (entry) => !notOurs.test(entry) && !isThere(entry))
}

/** Privileges, also those on what is to come. */
export function privilegesList(printed: string): string {
  return chosen(printed, (entry) => /^(ACL|DEFAULT ACL) /.test(entry))
}

function chosen(printed: string, isChosen: (entry: string) => boolean): string {
  return printed
    .split('\n')
    .filter((line) => {
      // `6; 2615 16388 SCHEMA - api shop_owner`
      const [, entry] = /^\d+; \d+ \d+ (.*)$/.exec(line) ?? []
      return entry !== undefined && isChosen(entry)
    })
    .join('\n')
}
