// Types of mistakes. A mistake is a rejected request; its name continues "refuses ".
import type { Json } from '../../../../src/base/json.ts'
import type { Kind } from '../../kinds.ts'
import type { Ask } from '../../server-under-test.ts'

/** A body that a create rejects. */
export type MistakenBody = readonly [what: string, kind: Kind, body: Json]

/** `path` returns the path of a collection, or of an object in it. */
export type MistakenRequest = readonly [what: string, ask: (path: (kind: Kind, name?: string) => string) => Ask]
