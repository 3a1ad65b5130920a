// Parsers of the response headers `Retry-After` and `Warning`. Pure.

/** Seconds of a `Retry-After` header. Undefined if the header is absent or a date: the API server sends seconds. */
export function retryAfterSecondsOf(header: string | string[] | undefined): number | undefined {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

/** Texts of `Warning: 299 - "…"` headers. Source: RFC 7234 §5.5 and Kubernetes' "warning" package. */
export function warningsOf(header: string | string[] | undefined): readonly string[] {
  const lines = header === undefined ? [] : [header].flat()
  return lines.flatMap((line) =>
    [...line.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = '']) => quoted.replace(/\\(.)/g, '$1')),
  )
}
