// Frames of PostgreSQL's protocol. The first messages of a client have no type. Source: PostgreSQL, "Message Formats".

export interface Frame {
  /** Letter of the message; `''`: a start-up message or a request in its place. */
  readonly type: string
  /** The complete message, as it is passed on. */
  readonly bytes: Buffer
  /** Bytes after type and length. */
  readonly body: Buffer
}

/** Accepts bytes in any pieces and returns complete messages. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0)
  /** True if messages have a type; the caller sets it. */
  isTyped: boolean

  constructor(isTyped: boolean) {
    this.isTyped = isTyped
  }

  /** One at a time, because a message may change how the next one is parsed. */
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

/** Returns the kind of a message without a type. */
export function requestOf({ body }: Frame): 'cancel' | 'tls' | 'gss' | 'start' {
  return requests[body.readInt32BE(0)] ?? 'start'
}

/** Returns names and values of a start-up message. */
export function parametersOf({ body }: Frame): ReadonlyMap<string, string> {
  const words = body.toString('utf8', 4).split('\0')
  const pairs = Array.from({ length: Math.floor(words.length / 2) }, (_, at) => words.slice(2 * at, 2 * at + 2))
  return new Map(pairs.flatMap(([name = '', value = '']) => (name === '' ? [] : [[name, value] as const])))
}

/** Returns the SQL of a message, if it has any: a simple query, or one with parameters, which follows its name. */
export function statementOf({ type, body }: Frame): string | undefined {
  const words = body.toString('utf8').split('\0')
  return type === 'Q' ? words[0] : type === 'P' ? words[1] : undefined
}
