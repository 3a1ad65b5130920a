// Splits a server's bytes into messages of PostgreSQL's protocol. A hostile server can send anything, and pg trusts it.
// A negative length or an error without an end keeps pg busy indefinitely. A SCRAM proof takes as many iterations as
// the server requests. Invariant: only complete messages that pg can read pass, of sizes that fit into memory (I12).
// Pure except for the buffered bytes. Source: PostgreSQL, "Message Formats".

/** The type letter and the length, which counts itself. */
const headBytes = 5
const lengthBytes = 4
/** Enough for a row of a copy. */
export const maxMessageBytes = 64 * 1024 * 1024
/** SCRAM iterations: half a second of a pool thread. PostgreSQL's default is 4096. */
const maxIterations = 1_000_000
/** MaxTupleAttributeNumber: PostgreSQL sends no more. */
const maxColumns = 1_664
/**
 * For an answer with a limit. pg makes an object with all columns for each row, however few of them the row has: 0.2 µs
 * each.
 */
const maxValues = 100_000
/** PostgreSQL's longest has a few hundred: mechanisms, and data of SCRAM. */
const maxAuthenticationBytes = 65_536
/** PostgreSQL has 18 fields. */
const maxFields = 64
/** Least cost of a row, in values. */
const leastOfRow = 8
const [errorLetter, noticeLetter, authenticationLetter, readyLetter] = [0x45, 0x4e, 0x52, 0x5a]
const [columnsLetter, rowLetter] = [0x54, 0x44]
const saslContinue = 11

export interface AnswerLimits {
  /** For all messages until the server is ready again. Default: no limit except that of each message. */
  readonly answerBytes?: number | undefined
}

export class ServerMessages {
  readonly #answerBytes: number
  /** Received bytes of the next message, with room for more. */
  #buffer = noBytes
  #sizeBytes = 0
  #answeredBytes = 0
  #columns = 0
  #values = 0
  /** False until the server is ready for the first time. Earlier messages answer no statement. */
  #isReady = false

  constructor({ answerBytes = Number.POSITIVE_INFINITY }: AnswerLimits = {}) {
    this.#answerBytes = answerBytes
  }

  /** Yields the messages that are complete now. Throws for bytes that are not a message. */
  *read(chunk: Buffer): Generator<Buffer> {
    let rest = this.#joined(chunk)
    let isOurs = this.#sizeBytes > 0
    for (;;) {
      const sizeBytes = this.#sizeOf(rest)
      if (rest.length < sizeBytes) break
      const message = rest.subarray(0, sizeBytes)
      this.#count(message)
      check(message)
      rest = rest.subarray(sizeBytes)
      // Readers keep messages, so that these bytes must not be overwritten.
      isOurs = false
      yield message
    }
    if (!isOurs) this.#buffer = Buffer.from(rest)
    this.#sizeBytes = rest.length
  }

  #count(message: Buffer): void {
    this.#answeredBytes += message.length
    if (this.#answeredBytes > this.#answerBytes) throw this.#tooLong()
    if (message[0] === columnsLetter) this.#columns = columnsOf(message)
    if (message[0] === rowLetter) this.#countRow()
    if (message[0] !== readyLetter) return
    this.#answeredBytes = 0
    this.#values = 0
    this.#isReady = true
  }

  #countRow(): void {
    this.#values += Math.max(this.#columns, leastOfRow)
    if (this.#values > maxValues && Number.isFinite(this.#answerBytes)) throw longerThan(`${maxValues} values`)
  }

  /** Size of the message at the start of these bytes. */
  #sizeOf(bytes: Buffer): number {
    if (bytes.length < headBytes) return headBytes
    const length = bytes.readInt32BE(1)
    if (length < lengthBytes) throw new Error('the server sends what is no message of PostgreSQL’s protocol')
    if (length > maxMessageBytes)
      throw new Error(`the server sends a message of ${length} bytes; ${maxMessageBytes} are taken`)
    if (length > this.#answerBytes) throw this.#tooLong()
    return 1 + length
  }

  #tooLong(): Error {
    if (!this.#isReady)
      return new Error(`the server sends more than ${this.#answerBytes} bytes before it accepts a login`)
    return longerThan(`${this.#answerBytes} bytes`)
  }

  /**
   * Returns the earlier bytes and the chunk. The buffer doubles: bytes that come one by one are copied twice at most.
   */
  #joined(chunk: Buffer): Buffer {
    if (this.#sizeBytes === 0) return chunk
    const sizeBytes = this.#sizeBytes + chunk.length
    if (sizeBytes > this.#buffer.length) {
      const larger = Buffer.alloc(2 * sizeBytes)
      this.#buffer.copy(larger, 0, 0, this.#sizeBytes)
      this.#buffer = larger
    }
    chunk.copy(this.#buffer, this.#sizeBytes)
    return this.#buffer.subarray(0, sizeBytes)
  }
}

const noBytes = Buffer.alloc(0)

/**
 * Code of an answer beyond its limit. The owner of one database can cause it, so that it says nothing about the server.
 */
export const answerTooLong = 'ANSWER_TOO_LONG'

function longerThan(limit: string): Error {
  return Object.assign(new Error(`the server sends an answer of more than ${limit}`), { code: answerTooLong })
}

function columnsOf(message: Buffer): number {
  const columns = message.length < headBytes + 2 ? 0 : message.readUInt16BE(headBytes)
  if (columns > maxColumns) throw new Error(`the server sends ${columns} columns; PostgreSQL has at most ${maxColumns}`)
  return columns
}

function check(message: Buffer): void {
  if (message[0] === errorLetter || message[0] === noticeLetter) checkFields(message)
  if (message[0] !== authenticationLetter) return
  if (message.length > maxAuthenticationBytes)
    throw new Error(
      `the server asks for authentication in ${message.length} bytes; ${maxAuthenticationBytes} are taken`,
    )
  checkIterations(message)
}

/** Expects pairs of a letter and a text that ends with NUL, and a NUL at the end. */
function checkFields(message: Buffer): void {
  let at = headBytes
  let fields = 0
  while (at < message.length && message[at] !== 0 && fields <= maxFields) {
    const end = message.indexOf(0, at + 1)
    at = end < 0 ? message.length : end + 1
    fields += 1
  }
  if (at !== message.length - 1) throw new Error('the server sends an error that is none of PostgreSQL’s protocol')
}

/** Checks every number of iterations that pg may find in the server's first SCRAM message. */
function checkIterations(message: Buffer): void {
  if (message.length < headBytes + 4 || message.readInt32BE(headBytes) !== saslContinue) return
  for (const attribute of message
    .subarray(headBytes + 4)
    .toString('latin1')
    .split(',')) {
    if (attribute.startsWith('i=') && !(Number(attribute.slice(2)) <= maxIterations)) {
      const asked = attribute.slice(2, 22)
      throw new Error(`the server asks for ${asked} iterations of SCRAM; ${maxIterations} are taken`)
    }
  }
}
