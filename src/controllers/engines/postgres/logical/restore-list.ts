// Which entries of an artifact are restored? All but those that only a superuser may make, which are made before or belong to the server:
// extensions, their comments, event triggers, and the schemas that are there already. Pure, over what `pg_restore --list` prints.
import type { PreparedContents } from '../../logical-engine.ts'

const notOurs =
  /^(EXTENSION|EVENT TRIGGER|PUBLICATION|PUBLICATION TABLE|SUBSCRIPTION|COMMENT - (EXTENSION|EVENT TRIGGER)) /

export function restoreList(printed: string, { schemas }: PreparedContents): string {
  return printed
    .split('\n')
    .filter((line) => {
      // `6; 2615 16388 SCHEMA - api shop_owner`
      const [, entry] = /^\d+; \d+ \d+ (.*)$/.exec(line) ?? []
      if (entry === undefined) return false
      return !notOurs.test(entry) && !schemas.some((schema) => entry.startsWith(`SCHEMA - ${schema} `))
    })
    .join('\n')
}
