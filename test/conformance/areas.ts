// Which areas does the suite have?
import type { Area } from './area.ts'
import { lists } from './behaviours/lists.ts'
import { watches } from './behaviours/watches.ts'

export const areas: readonly Area[] = [lists, watches]
