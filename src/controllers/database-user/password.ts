// Random passwords: letters and digits, or all printable ASCII characters but the space. Only ASCII, because servers
// and clients differ in the preparation of other letters (SASLprep). Pure: the caller passes the source of randomness.
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
