// Parser of the operator's log: the metrics address, and the last error. Each line is a JSON object, except when a
// program that cannot continue prints plain text. Pure.

/** Returns the address of /metrics; undefined until the operator serves it. */
export function metricsUrlOf(log: string): string | undefined {
  const serving = linesOf(log).find(({ fields }) => fields['msg'] === 'serving health and metrics')
  return serving === undefined ? undefined : `http://${serving.fields['host']}:${serving.fields['port']}/metrics`
}

/** Returns the last error. Plain text wins, because a program prints it when it ends, after its log. */
export function lastErrorOf(log: string): string | undefined {
  const lines = linesOf(log)
  const plain = lines.findLast(({ text }) => /^(konverge:|\w*Error\b)/.test(text))
  const logged = lines.findLast(({ fields }) => fields['level'] === 'error')
  return plain?.text ?? (logged === undefined ? undefined : String(logged.fields['msg']))
}

interface Line {
  readonly text: string
  /** Empty if the line is plain text or incomplete JSON. */
  readonly fields: Readonly<Record<string, unknown>>
}

function linesOf(log: string): readonly Line[] {
  return log.split('\n').map((text) => ({ text, fields: fieldsOf(text) }))
}

function fieldsOf(text: string): Line['fields'] {
  if (!text.startsWith('{')) return {}
  try {
    return JSON.parse(text) as Line['fields'] // Sound: text that begins with a brace is an object or invalid JSON.
  } catch {
    return {}
  }
}
