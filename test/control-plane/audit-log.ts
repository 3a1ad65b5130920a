// Audit log of the API server: requests with users and responses, one JSON event per line.

/**
 * Records every request without bodies. The event at its start is omitted, because the one at its end contains the
 * same.
 */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
}

/** Part of an `audit.k8s.io/v1` Event that tests read. Times are RFC 3339 with microseconds. */
export interface AuditEvent {
  readonly auditID: string
  readonly stage: 'ResponseStarted' | 'ResponseComplete' | 'Panic'
  readonly verb: string
  readonly requestURI: string
  readonly user: { readonly username: string; readonly groups?: readonly string[] }
  readonly userAgent?: string
  readonly objectRef?: {
    readonly resource?: string
    readonly subresource?: string
    readonly namespace?: string
    readonly name?: string
    readonly apiGroup?: string
    readonly apiVersion?: string
  }
  readonly responseStatus?: { readonly code?: number; readonly reason?: string; readonly message?: string }
  readonly requestReceivedTimestamp: string
  readonly stageTimestamp: string
}

/** Returns the completed requests in order of completion. Omits an incomplete last line. */
export function parseAuditLog(text: string): readonly AuditEvent[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line): AuditEvent => JSON.parse(line)) // The API server writes this schema.
    .filter((event) => event.stage === 'ResponseComplete')
}
