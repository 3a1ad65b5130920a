// Secret values of a test run, and the output that left the program. Invariant: the run compares output with every
// value that it knows when it reads the output. So it finds a value that became a Secret later.
import { PatternIndex } from './pattern-index.ts'
import { isMarkable, secretPatterns } from './secret-patterns.ts'

/** A value that left through a sink. */
export interface Leak {
  /** Place of the leak, for example `log` or `object databases.data.konverge.dev shop/orders`. */
  readonly sink: string
  /** Owner of the value, for example `Secret shop/server key password`. */
  readonly origin: string
  /** Encoding of the value. */
  readonly form: string
  /** Output around the value, without the value. */
  readonly excerpt: string
}

interface Output {
  readonly sink: string
  readonly text: string
}

interface Owner {
  readonly origin: string
  readonly form: string
}

const keptCharacters = 32 * 1024 * 1024
const mostLeaks = 20
const excerptReach = 160

export class Taint {
  readonly #index = new PatternIndex<Owner>()
  readonly #known = new Set<string>()
  /** Origins of values that are too short to find. */
  readonly #unmarkable = new Set<string>()
  #outputs: Output[] = []
  #characters = 0
  #leaks: Leak[] = []

  /** Adds a value that only Secrets may contain. */
  add(value: string, origin: string): void {
    if (value === '' || this.#known.has(value)) return
    this.#known.add(value)
    if (!isMarkable(value)) this.#unmarkable.add(`${origin} (${value.length} characters)`)
    else for (const { form, text } of secretPatterns(value)) this.#index.add(text, { origin, form })
  }

  /** Notes text that left the program, or may leave it. */
  note(sink: string, text: string): void {
    this.#outputs.push({ sink, text })
    this.#characters += text.length
    if (this.#characters > keptCharacters) this.#read()
  }

  /** Returns the leaks since the last call. */
  takeLeaks(): readonly Leak[] {
    this.#read()
    const leaks = this.#leaks
    this.#leaks = []
    return leaks
  }

  /** Returns origins of values that cannot be found in output, since the last call. */
  takeUnmarkable(): readonly string[] {
    const origins = [...this.#unmarkable]
    this.#unmarkable.clear()
    return origins
  }

  #read(): void {
    const outputs = this.#outputs
    this.#outputs = []
    this.#characters = 0
    if (this.#index.isEmpty) return
    for (const { sink, text } of outputs) {
      const [match] = this.#leaks.length < mostLeaks ? this.#index.matches(text) : []
      if (match === undefined) continue
      const { index, pattern, owner } = match
      const before = text.slice(Math.max(0, index - excerptReach), index)
      const after = text.slice(index + pattern.length, index + pattern.length + excerptReach)
      this.#leaks.push({ sink, ...owner, excerpt: `${before}‹value›${after}` })
    }
  }
}
