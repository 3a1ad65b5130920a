// Text with only the prose left, at its position. Everything else is blank, except line breaks.

/** Code in prose: a name in backticks, a path, a URL. */
const code = /`[^`\n]*`|https?:\S+|\{@link [^}]*\}/g

export class Prose {
  readonly #source: string
  readonly #kept: string[]

  constructor(source: string) {
    this.#source = source
    this.#kept = [...blank(source)]
  }

  /**
   * Characters from `start` to before `end`, as offsets in UTF-16 units. Code in them becomes one word of the same
   * length.
   */
  keep(start: number, end: number): void {
    for (let at = start; at < end; at++) this.#kept[at] = this.#source[at] ?? ' '
    for (const { 0: text, index } of this.#source.slice(start, end).matchAll(code))
      this.replace(start + index, start + index + text.length, 'X')
  }

  drop(start: number, end: number): void {
    this.replace(start, end, ' ')
  }

  /** Ends a sentence at `at`, unless it has ended before. */
  end(at: number): void {
    let last = at - 1
    while (last >= 0 && this.#kept[last]?.trim() === '') last--
    if (last >= 0 && !'.?!:;'.includes(this.#kept[last] ?? '')) this.#kept[at] = '.'
  }

  /** Replaces a range by one word. */
  replace(start: number, end: number, char: string): void {
    for (let at = start; at < end; at++) if (this.#kept[at] !== '\n') this.#kept[at] = char
  }

  text(): string {
    return this.#kept.join('').replaceAll(/[^\S\n]+$/gm, '')
  }
}

const blank = (source: string): string => source.replaceAll(/[^\n]/gu, (char) => ' '.repeat(char.length))
