// Where does one message of PostgreSQL's protocol end and the next begin? The first ones of a client have no type. Source:
// PostgreSQL, "Message Formats".

export interface Frame {
  /** The message's letter; `''`: a start-up message or a request that stands for one. */
  readonly type: string
  /** The message whole, as it is passed on. */
  readonly bytes: Buffer
  /** What comes after type and length. */
  readonly body: Buffer
}

/** Takes bytes as they come and gives back the messages that are whole. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0)
  /** Do messages have a type already? Whoever reads says when. */
  isTyped: boolean

  constructor(isTyped: boolean) {
    this.isTyped = isTyped
  }

  /** One at a time, as what a message says may change how the next is read. */
  *read(chunk: Buffer): Generator<Frame> {
    this.#rest = Buffer.concat([this.#rest, chunk])
    for (;;) {
      const head = this.isTyped ? 1 : 0
      if (this.#rest.length < head + 4) return
      const end = head + this.#rest.readInt32BE(head)
      if (this.#rest.length < end) return
      const bytes = this.#rest.subarray(0, end)
      this.#rest = this.#rest.subarray(end)
      yield { type: bytes.toString('latin1', 0, head), bytes, body: bytes.subarray(head + 4) }
    }
  }
}

const requests: Readonly<Record<number, 'cancel' | 'tls' | 'gss'>> = {
  80877102: 'cancel',
  80877103: 'tls',
  80877104: 'gss',
}

/** What a message without a type is. */
export function requestOf({ body }: Frame): 'cancel' | 'tls' | 'gss' | 'start' {
  return requests[body.readInt32BE(0)] ?? 'start'
}

/** Names and values of a start-up message. */
export function parametersOf({ body }: Frame): ReadonlyMap<string, string> {
  const words = body.toString('utf8', 4).split('\0')
  const pairs = Array.from({ length: Math.floor(words.length / 2) }, (_, at) => words.slice(2 * at, 2 * at + 2))
  return new Map(pairs.flatMap(([name = '', value = '']) => (name === '' ? [] : [[name, value] as const])))
}

/** The SQL in a message, if it brings any: a simple query, or one with parameters, which comes after its name. */
export function statementOf({ type, body }: Frame): string | undefined {
  const words = body.toString('utf8').split('\0')
  return type === 'Q' ? words[0] : type === 'P' ? words[1] : undefined
}
