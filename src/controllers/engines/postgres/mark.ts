// Ownership marker of a role or database, in its comment. Every reader of the catalogs sees it, it survives renames,
// and it is dropped with the object. Every login can read it, so it contains no more than a name.
import type { Token } from '../../../index.ts'
import type { Succession } from '../observed-server.ts'

const prefix = 'konverge '
/** Characters. Enough for a ledger of thousands of roles. Comments of other clients can have a gigabyte. */
const longestMark = 524_288

/** Returns the text of the comment. */
export function markOf({ uid, generation, holder }: Token, succession?: Succession): string {
  return prefix + JSON.stringify({ uid, generation, holder, succession })
}

/** Returns the token in a comment. Undefined for a comment of another form, which belongs to another client. */
export function tokenIn(comment: string | null | undefined): Token | undefined {
  const value = valueIn(comment)
  if (!isToken(value)) return undefined
  const { uid, generation, holder } = value
  return { uid, generation, ...(typeof holder === 'string' ? { holder } : {}) }
}

/** Returns the succession of a database or role that replaced another, or took a free name. */
export function successionIn(comment: string | null | undefined): Succession | undefined {
  const value = valueIn(comment)
  if (!isToken(value) || !('succession' in value)) return undefined
  const { succession } = value
  if (typeof succession !== 'object' || succession === null || !('request' in succession)) return undefined
  const { request } = succession
  const replaced = 'replaced' in succession ? succession.replaced : undefined
  if (typeof request !== 'string') return undefined
  return { request, ...(typeof replaced === 'string' ? { replaced } : {}) }
}

function valueIn(comment: string | null | undefined): unknown {
  if (typeof comment !== 'string' || comment.length > longestMark || !comment.startsWith(prefix)) return undefined
  try {
    return JSON.parse(comment.slice(prefix.length))
  } catch {
    return undefined // The comment has the prefix but not the form.
  }
}

function isToken(value: unknown): value is Token {
  if (typeof value !== 'object' || value === null || !('uid' in value) || !('generation' in value)) return false
  return typeof value.uid === 'string' && value.uid !== '' && Number.isInteger(value.generation)
}
