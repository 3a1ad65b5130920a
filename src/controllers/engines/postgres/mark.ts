// How is a role or database marked as ours? By its comment, which every reader of the catalogs sees, which survives renames, and
// which goes with what it marks. Everybody who may log in can read it, so that it says no more than a name.
import type { Token } from '../../../index.ts'

const prefix = 'konverge '

/** The text of the comment. */
export function markOf({ uid, generation, holder }: Token): string {
  return prefix + JSON.stringify({ uid, generation, holder })
}

/** Undefined for every comment that is not of this form: somebody else's. */
export function tokenIn(comment: string | null | undefined): Token | undefined {
  if (!comment?.startsWith(prefix)) return undefined
  try {
    const value: unknown = JSON.parse(comment.slice(prefix.length))
    if (!isToken(value)) return undefined
    const { uid, generation, holder } = value
    return { uid, generation, ...(typeof holder === 'string' ? { holder } : {}) }
  } catch {
    return undefined // Words that only begin like ours.
  }
}

function isToken(value: unknown): value is Token {
  if (typeof value !== 'object' || value === null || !('uid' in value) || !('generation' in value)) return false
  return typeof value.uid === 'string' && value.uid !== '' && Number.isInteger(value.generation)
}
