// What a test run knows of Secret values, and of the output that left the program. Invariant: output that was noted is compared with
// every value that is known when it is read, so a leak is found although the value became a Secret only later.
import { PatternIndex } from './pattern-index.ts'
import { isMarkable, secretPatterns } from './secret-patterns.ts'

/** One value that left through a sink. */
export interface Leak {
  /** Where the value left, as `log` or `object databases.data.konverge.dev shop/orders`. */
  readonly sink: string
  /** Where the value belongs, as `Secret shop/server key password`. */
  readonly origin: string
  /** How it was encoded there. */
  readonly form: string
  /** The output around it, without the value. */
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
  /** Values that are too short to be found, by their origins. */
  readonly #unmarkable = new Set<string>()
  #outputs: Output[] = []
  #characters = 0
  #leaks: Leak[] = []

  /** A value that only Secrets may hold. */
  add(value: string, origin: string): void {
    if (value === '' || this.#known.has(value)) return
    this.#known.add(value)
    if (!isMarkable(value)) this.#unmarkable.add(`${origin} (${value.length} characters)`)
    else for (const { form, text } of secretPatterns(value)) this.#index.add(text, { origin, form })
  }

  /** Text that left the program, or may leave it. */
  note(sink: string, text: string): void {
    this.#outputs.push({ sink, text })
    this.#characters += text.length
    if (this.#characters > keptCharacters) this.#read()
  }

  /** The leaks since the last call. */
  takeLeaks(): readonly Leak[] {
    this.#read()
    const leaks = this.#leaks
    this.#leaks = []
    return leaks
  }

  /** Origins of values that cannot be found in output, since the last call. */
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
