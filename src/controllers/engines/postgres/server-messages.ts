// Are these bytes messages of PostgreSQL's protocol? Whoever answers at an address can send anything, and pg trusts it: a length below
// zero and an error without an end keep it busy for ever. Only whole messages that it can read go on, of a size that fits into memory
// (I12). Pure but for what has come so far. Source: PostgreSQL, "Message Formats".

/** The letter and the length, which counts itself. */
const headBytes = 5
const lengthBytes = 4
/** An answer about a database with a hundred thousand objects is a tenth of it. */
export const maxMessageBytes = 64 * 1024 * 1024
const [errorLetter, noticeLetter] = [0x45, 0x4e]

export class ServerMessages {
  #chunks: Buffer[] = []
  #sizeBytes = 0
  #wantedBytes = headBytes;

  /** The messages that are whole now, each by itself. Throws for what is none. */
  *read(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk)
    this.#sizeBytes += chunk.length
    if (this.#sizeBytes < this.#wantedBytes) return
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
    for (;;) {
      this.#wantedBytes = sizeOf(rest)
      if (rest.length < this.#wantedBytes) break
      const message = rest.subarray(0, this.#wantedBytes)
      if (message[0] === errorLetter || message[0] === noticeLetter) checkFields(message)
      rest = rest.subarray(this.#wantedBytes)
      yield message
    }
    this.#chunks = [rest]
    this.#sizeBytes = rest.length
  }
}

/** Of the message that these bytes begin with. */
function sizeOf(bytes: Buffer): number {
  if (bytes.length < headBytes) return headBytes
  const length = bytes.readInt32BE(1)
  if (length < lengthBytes) throw new Error('the server sends what is no message of PostgreSQL’s protocol')
  if (length > maxMessageBytes)
    throw new Error(`the server sends a message of ${length} bytes; ${maxMessageBytes} are taken`)
  return 1 + length
}

/** A letter and a text that ends with NUL, again and again, and a NUL at the end. */
function checkFields(message: Buffer): void {
  let at = headBytes
  while (at < message.length && message[at] !== 0) {
    const end = message.indexOf(0, at + 1)
    at = end < 0 ? message.length : end + 1
  }
  if (at !== message.length - 1) throw new Error('the server sends an error that is none of PostgreSQL’s protocol')
}
