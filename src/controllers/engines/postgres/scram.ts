// SCRAM verifiers, which a server stores instead of passwords. Computed here, so that no clear-text password is sent to
// a server (I11). Source: RFC 5802, RFC 7677 for SHA-256, RFC 4013 for SASLprep, PostgreSQL's `scram_build_secret` for
// the form.
import { createHash, createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto'

/** PostgreSQL's default. */
const defaultIterations = 4_096

export interface VerifierAsk {
  readonly password: string
  /** 16 random bytes from the caller. The same salt gives the same verifier. */
  readonly salt: Uint8Array
  readonly iterations?: number
}

/** Returns `SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>`. */
export function scramVerifier({ password, salt, iterations = defaultIterations }: VerifierAsk): string {
  const salted = pbkdf2Sync(Buffer.from(prepared(password), 'utf8'), salt, iterations, 32, 'sha256')
  const storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest()
  const serverKey = hmac(salted, 'Server Key')
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')
  return `SCRAM-SHA-256$${iterations}:${text(salt)}$${text(storedKey)}:${text(serverKey)}`
}

/** Characters. A Secret can hold a megabyte. */
const maxSaltLength = 1_024
const verifierPattern = /^SCRAM-SHA-256\$(\d{1,9}):([A-Za-z0-9+/]+=*)\$([A-Za-z0-9+/]{43}=):([A-Za-z0-9+/]{43}=)$/

/** Returns true for a verifier. A server would take any other text for a clear-text password. */
export function isScramVerifier(text: string): boolean {
  return verifierPattern.test(text)
}

/** For a verifier that is compared: a few milliseconds of the event loop. */
const maxIterations = 4 * defaultIterations

/**
 * Returns true for a verifier that `scramVerifier` makes of this password. A verifier with many more iterations never
 * matches, because another client made it.
 */
export function verifierMatches(verifier: string, password: string): boolean {
  const [, written, salt] = verifierPattern.exec(verifier) ?? []
  const iterations = Number(written)
  if (salt === undefined || salt.length > maxSaltLength || !(iterations >= 1 && iterations <= maxIterations))
    return false
  const own = scramVerifier({ password, salt: Buffer.from(salt, 'base64'), iterations })
  return own.length === verifier.length && timingSafeEqual(Buffer.from(own), Buffer.from(verifier))
}

/**
 * Returns why this password cannot be used, in a phrase that does not show it. Undefined if it can. Beyond printable
 * ASCII, clients and servers disagree about SASLprep, so that some clients could not log in.
 */
export function passwordProblem(password: string): string | undefined {
  if (password === '') return 'it is empty'
  if (Buffer.byteLength(password) > maxPasswordBytes) return `it is longer than ${maxPasswordBytes} bytes`
  if (!/^[\x20-\x7e]*$/.test(password)) {
    return 'it contains characters other than printable ASCII, of which clients do not all make the same'
  }
  return undefined
}

/** psql and libpq accept no longer password. */
const maxPasswordBytes = 1_000

function hmac(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** SASLprep of printable ASCII is the text itself, and no other text is accepted. */
function prepared(password: string): string {
  const trouble = passwordProblem(password)
  if (trouble !== undefined) throw new RangeError(`the password cannot be used: ${trouble}`)
  return password
}
