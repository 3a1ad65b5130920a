// What is a password made of? Letters and digits, or everything on an English keyboard but the space; ASCII only, because servers
// and clients do not agree on how other letters are prepared (SASLprep). Pure: the chance comes in.
import { passwordFrom, type SecretSource } from '../../index.ts'

export interface PasswordShape {
  readonly length: number
  readonly charset: 'Alnum' | 'Printable'
}

/** `!` to `~`. */
const printable = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).join('')

export function drawPassword(secrets: SecretSource, { length, charset }: PasswordShape): string {
  return passwordFrom(secrets, length, charset === 'Alnum' ? undefined : printable)
}
