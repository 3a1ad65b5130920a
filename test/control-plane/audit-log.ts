// What was asked of the API server, by whom, and with what answer? The audit log has one JSON event a line.

/** Every request, without bodies; the event at its start is left out because the one at its end says the same. */
export const auditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [{ level: 'Metadata' }],
}

/** The part of an `audit.k8s.io/v1` Event that tests look at. Times are RFC 3339 with microseconds. */
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

/** The requests that have ended, in the order of their ends. A last line that is not whole yet is left out. */
export function parseAuditLog(text: string): readonly AuditEvent[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1)
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line): AuditEvent => JSON.parse(line)) // The API server is trusted to write what its schema says.
    .filter((event) => event.stage === 'ResponseComplete')
}
