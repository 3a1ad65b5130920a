// Source of randomness. Invariant: only this file draws random numbers. Every other part receives a Random, so that a
// seed replays a run, or a SecretSource for values that must not be guessable.
import { randomBytes, randomUUID } from 'node:crypto'

/** Port to random numbers. */
export interface Random {
  /** A number in [0, 1). */
  next(): number
  /** A version 4 UUID. */
  uuid(): string
}

/** The machine's own randomness. */
export const systemRandom: Random = { next: () => Math.random(), uuid: () => randomUUID() }

/**
 * Returns the same sequence for the same seed (Mulberry32): good enough for jitter and schedules, unfit for secrets.
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const hex = (digits: number): string =>
    Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join('')
  return {
    next,
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'.charAt(Math.floor(next() * 4))}${hex(3)}-${hex(12)}`,
  }
}

/** Port to unguessable random bytes: for passwords, keys, salts. */
export interface SecretSource {
  /** Returns `count` uniform random bytes. */
  bytes(count: number): Uint8Array
}

/** The machine's cryptographic randomness. */
export const systemSecrets: SecretSource = { bytes: (count) => new Uint8Array(randomBytes(count)) }

/** Returns the same "secrets" for the same seed: for tests. */
export function seededSecrets(seed: number): SecretSource {
  const random = seededRandom(seed)
  return { bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(random.next() * 256)) }
}

const passwordLetters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Returns a random password of letters and digits, which needs no quotes in shells, URLs and connection strings: 5.9
 * bits per character. Or of other `letters`, at most 256.
 *
 * @example passwordFrom(secrets, 32)
 */
export function passwordFrom(secrets: SecretSource, length: number, letters: string = passwordLetters): string {
  // Drops bytes beyond the last whole multiple of the alphabet, which would favour its first letters.
  const fair = 256 - (256 % letters.length)
  let password = ''
  while (password.length < length) {
    for (const byte of secrets.bytes(length)) {
      if (byte < fair && password.length < length) password += letters.charAt(byte % letters.length)
    }
  }
  return password
}
