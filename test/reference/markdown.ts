// Markdown of generated pages. Invariant: text from the code shows as it is written, in paragraphs and in cells of
// tables.

/** Escapes text so that Markdown shows it unchanged. */
export function plain(text: string): string {
  return text
    .replaceAll(/[\\*[\]`|]/g, '\\$&')
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
}

/** Returns a code span for a cell, where a bar needs a backslash. */
export function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`'
  const padding = text.startsWith('`') || text.endsWith('`') ? ' ' : ''
  return `${fence}${padding}${text}${padding}${fence}`.replaceAll('|', '\\|')
}

/** Returns a table with a header; leaves out a column whose cells are all empty. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = header.flatMap((_, at) => (at === 0 || rows.some((row) => row[at] !== '') ? [at] : []))
  const line = (cells: readonly string[]) => `|${columns.map((at) => (cells[at] ? ` ${cells[at]} ` : ' ')).join('|')}|`
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Anchors of the headings of one page, as GitHub makes them. */
export class Anchors {
  readonly #counts = new Map<string, number>()

  /** Returns the anchor of a heading. Call it for each heading in the order of the page. */
  anchorOf(heading: string): string {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
    const count = this.#counts.get(slug) ?? 0
    this.#counts.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  }
}

/** Returns the lines at the top of a generated page. */
export function head(title: string, source: string): string {
  return `# ${title}\n\n<!-- Generated from ${source} by \`npm run reference\`. Do not edit. -->`
}
