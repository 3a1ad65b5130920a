// What does a server store instead of a password? A SCRAM verifier, computed here, so that no clear password is ever sent to a
// server (I11). Source: RFC 5802, RFC 7677 for SHA-256, RFC 4013 for SASLprep, PostgreSQL's `scram_build_secret` for the form.
import { createHash, createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto'

/** PostgreSQL's own. */
const defaultIterations = 4_096

export interface VerifierAsk {
  readonly password: string
  /** 16 random bytes, which the caller draws; with the same salt it is the same verifier. */
  readonly salt: Uint8Array
  readonly iterations?: number
}

/** `SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>` */
export function scramVerifier({ password, salt, iterations = defaultIterations }: VerifierAsk): string {
  const salted = pbkdf2Sync(Buffer.from(prepared(password), 'utf8'), salt, iterations, 32, 'sha256')
  const storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest()
  const serverKey = hmac(salted, 'Server Key')
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
  return `SCRAM-SHA-256$${iterations}:${text(salt)}$${text(storedKey)}:${text(serverKey)}`
}

/** Characters. A Secret holds a megabyte. */
const maxSaltLength = 1_024
const verifierPattern = /^SCRAM-SHA-256\$(\d{1,9}):([A-Za-z0-9+/]+=*)\$([A-Za-z0-9+/]{43}=):([A-Za-z0-9+/]{43}=)$/

/** Is this text a verifier? Anything else would be taken by a server as a clear password. */
export function isScramVerifier(text: string): boolean {
  return verifierPattern.test(text)
}

/** Of a verifier that is compared: a few milliseconds of the event loop. */
const maxIterations = 4 * defaultIterations

/** Is it the verifier of this password, as `scramVerifier` makes them? Those with many more iterations are somebody else's. */
export function verifierMatches(verifier: string, password: string): boolean {
  const [, written, salt] = verifierPattern.exec(verifier) ?? []
  const iterations = Number(written)
  if (salt === undefined || salt.length > maxSaltLength || !(iterations >= 1 && iterations <= maxIterations))
    return false
  const own = scramVerifier({ password, salt: Buffer.from(salt, 'base64'), iterations })
  return own.length === verifier.length && timingSafeEqual(Buffer.from(own), Buffer.from(verifier))
}

/**
 * Why this password cannot be used, in a phrase that does not show it; undefined if it can. Beyond printable ASCII clients and
 * servers disagree about what SASLprep makes of a text, so that some clients could log in and others not.
 */
export function passwordProblem(password: string): string | undefined {
  if (password === '') return 'it is empty'
  if (Buffer.byteLength(password) > maxPasswordBytes) return `it is longer than ${maxPasswordBytes} bytes`
  if (!/^[\x20-\x7e]*$/.test(password)) {
    return 'it contains characters other than printable ASCII, of which clients do not all make the same'
  }
  return undefined
}

/** psql and libpq take no more. */
const maxPasswordBytes = 1_000

function hmac(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** SASLprep of printable ASCII is the text itself, and that is all that is let in. */
function prepared(password: string): string {
  const trouble = passwordProblem(password)
  if (trouble !== undefined) throw new RangeError(`the password cannot be used: ${trouble}`)
  return password
}
