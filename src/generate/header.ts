// Header of generated files. Invariant: the generator overwrites and removes only files with this header.

const mark = 'by `konverge generate`. Do not edit: change the definition and generate again.'

/** Returns the first line of a generated file. `source` is its source. */
export function header(source: string): string {
  return `// Generated from ${source} ${mark}`
}

/** True if the text begins with the header. */
export function isGenerated(text: string): boolean {
  const [firstLine = ''] = text.split('\n', 1)
  return firstLine.startsWith('// Generated from ') && firstLine.trimEnd().endsWith(mark)
}
