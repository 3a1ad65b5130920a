// Reader of a watch, event by event. It parses lines as they arrive; every wait has a limit, so that a silent watch
// fails its test with a
// message.
import type { Json, JsonObject } from '../../src/base/json.ts'
import { isJsonObject } from '../../src/base/json.ts'
import { parseWireJson } from '../../src/base/wire-json.ts'

export interface WatchEvent {
  readonly type: string
  readonly object: JsonObject
}

const waitLimitMs = 5_000

export class WatchReader {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #close: () => void
  readonly #utf8 = new TextDecoder()
  #text = ''
  #hasEnded = false

  constructor(options: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly chunks: AsyncIterator<Uint8Array>
    readonly close: () => void
  }) {
    this.status = options.status
    this.headers = options.headers
    this.#chunks = options.chunks
    this.#close = options.close
  }

  /** Returns the next event; undefined if the server ended the watch. Throws after the limit. */
  async next(limitMs = waitLimitMs): Promise<WatchEvent | undefined> {
    const line = await this.#line(limitMs)
    if (line === undefined) return undefined
    const { value } = parseWireJson(line)
    if (!isJsonObject(value) || typeof value['type'] !== 'string' || !isJsonObject(value['object']))
      throw new Error(`This is no watch event: ${line}`)
    return { type: value['type'], object: value['object'] }
  }

  /** Returns the next `count` events; fewer if the server ended the watch. */
  async take(count: number): Promise<WatchEvent[]> {
    const events: WatchEvent[] = []
    while (events.length < count) {
      const event = await this.next()
      if (event === undefined) break
      events.push(event)
    }
    return events
  }

  /** Returns all events up to and including the first for which `isLast` holds. */
  async until(isLast: (event: WatchEvent) => boolean): Promise<WatchEvent[]> {
    const events: WatchEvent[] = []
    for (;;) {
      const event = await this.next()
      if (event === undefined) throw new Error(`The watch ended after ${events.length} events.`)
      events.push(event)
      if (isLast(event)) return events
    }
  }

  /** Returns all remaining events until the server ends the watch. */
  async rest(limitMs = waitLimitMs): Promise<WatchEvent[]> {
    const events: WatchEvent[] = []
    for (let event = await this.next(limitMs); event !== undefined; event = await this.next(limitMs)) events.push(event)
    return events
  }

  /** Returns the whole body as one value, for a rejected watch. */
  async body(): Promise<Json> {
    while (await this.#read(waitLimitMs));
    return parseWireJson(this.#text).value
  }

  close(): void {
    this.#close()
  }

  async #line(limitMs: number): Promise<string | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n')
      if (end >= 0) {
        const line = this.#text.slice(0, end)
        this.#text = this.#text.slice(end + 1)
        return line
      }
      if (!(await this.#read(limitMs))) {
        if (this.#text !== '') throw new Error(`The watch ended within a line: ${this.#text}`)
        return undefined
      }
    }
  }

  async #read(limitMs: number): Promise<boolean> {
    if (this.#hasEnded) return false
    const { promise: limit, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error(`The watch said nothing for ${limitMs} ms.`)), limitMs)
    try {
      const { done, value } = await Promise.race([this.#chunks.next(), limit])
      if (done) this.#hasEnded = true
      else this.#text += this.#utf8.decode(value, { stream: true })
      return !done
    } finally {
      clearTimeout(timer)
    }
  }
}
