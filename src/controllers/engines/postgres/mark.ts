// How is a role or database marked as ours? By its comment, which every reader of the catalogs sees, which survives renames, and
// which goes with what it marks. Everybody who may log in can read it, so that it says no more than a name.
import type { Token } from '../../../index.ts'
import type { Succession } from '../observed-server.ts'

const prefix = 'konverge '
/** Characters: room for a ledger of thousands of roles. A comment of somebody else may have a gigabyte. */
const longestMark = 524_288

/** The text of the comment. */
export function markOf({ uid, generation, holder }: Token, succession?: Succession): string {
  return prefix + JSON.stringify({ uid, generation, holder, succession })
}

/** Undefined for every comment that is not of this form: somebody else's. */
export function tokenIn(comment: string | null | undefined): Token | undefined {
  const value = valueIn(comment)
  if (!isToken(value)) return undefined
  const { uid, generation, holder } = value
  return { uid, generation, ...(typeof holder === 'string' ? { holder } : {}) }
}

/** Of a database or role that was put in the place of another, or where there was none. */
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
    return undefined // Words that only begin like ours.
  }
}

function isToken(value: unknown): value is Token {
  if (typeof value !== 'object' || value === null || !('uid' in value) || !('generation' in value)) return false
  return typeof value.uid === 'string' && value.uid !== '' && Number.isInteger(value.generation)
}
