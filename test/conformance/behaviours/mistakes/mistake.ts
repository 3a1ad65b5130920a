// What is a mistake? A request that is refused, with a name that reads after "refuses ".
import type { Json } from '../../../../src/base/json.ts'
import type { Kind } from '../../kinds.ts'
import type { Ask } from '../../server-under-test.ts'

/** A body that is refused when it is created. */
export type MistakenBody = readonly [what: string, kind: Kind, body: Json]

/** `path` gives the path of a collection, or of an object in it. */
export type MistakenRequest = readonly [what: string, ask: (path: (kind: Kind, name?: string) => string) => Ask]
