// Which files are ours? Those that begin with our header; no other file is ever overwritten or removed.

const mark = 'by `konverge generate`. Do not edit: change the definition and generate again.'

/** The first line of every generated file. `source` is what it was generated from. */
export function header(source: string): string {
  return `// Generated from ${source} ${mark}`
}

/** Does this text begin with our header? */
export function isGenerated(text: string): boolean {
  const [firstLine = ''] = text.split('\n', 1)
  return firstLine.startsWith('// Generated from ') && firstLine.trimEnd().endsWith(mark)
}
