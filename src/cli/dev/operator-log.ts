// What does the operator's log tell its starter? Where its metrics are, and why it ended. Each line is a JSON object, but
// a program that cannot go on writes plain text. Pure.

/** The address of /metrics, once the operator serves it. */
export function metricsUrlOf(log: string): string | undefined {
  const serving = linesOf(log).find(({ fields }) => fields['msg'] === 'serving health and metrics')
  return serving === undefined ? undefined : `http://${serving.fields['host']}:${serving.fields['port']}/metrics`
}

/** The last error in the log. Plain text comes first: it is what a program ends with, and what it logged is older. */
export function lastErrorOf(log: string): string | undefined {
  const lines = linesOf(log)
  const plain = lines.findLast(({ text }) => /^(konverge:|\w*Error\b)/.test(text))
  const logged = lines.findLast(({ fields }) => fields['level'] === 'error')
  return plain?.text ?? (logged === undefined ? undefined : String(logged.fields['msg']))
}

interface Line {
  readonly text: string
  /** Empty if the line is plain text, or JSON that is not all written yet. */
  readonly fields: Readonly<Record<string, unknown>>
}

function linesOf(log: string): readonly Line[] {
  return log.split('\n').map((text) => ({ text, fields: fieldsOf(text) }))
}

function fieldsOf(text: string): Line['fields'] {
  if (!text.startsWith('{')) return {}
  try {
    return JSON.parse(text) as Line['fields'] // What begins with a brace is an object or no JSON.
  } catch {
    return {}
  }
}
