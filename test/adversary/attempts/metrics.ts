// Attempts of a pod that reaches the operator's metrics port, which serves accounts with the right to get /metrics.
// Executed by protected-metrics.test.ts.
export interface MetricsAttempt {
  readonly attacker: 'neighbour'
  readonly does: string
  readonly sentence: string
  readonly path: string
  /** Headers of the request; `token` belongs to an account without the right. */
  readonly headers: (token: string) => Readonly<Record<string, string>>
  readonly status: number
}

function attempt(does: string, status: number, parts: Partial<MetricsAttempt> = {}): MetricsAttempt {
  const sentence = `The operator returns ${status}.`
  return { attacker: 'neighbour', does, sentence, path: '/metrics', headers: () => ({}), status, ...parts }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export const metricsAttempts: readonly MetricsAttempt[] = [
  attempt('reads /metrics without a token', 401),
  attempt('reads /metrics with a forged token', 401, { headers: () => bearer('forged') }),
  attempt('reads /metrics with a name and a password', 401, { headers: () => ({ authorization: 'Basic YTpi' }) }),
  attempt('reads /metrics with a token in the address', 401, { path: '/metrics?access_token=forged' }),
  attempt('reads /metrics with the token of an account without the right', 403, { headers: bearer }),
  attempt('reads /metrics as system:masters with the header Impersonate-Group', 403, {
    headers: (token) => ({ ...bearer(token), 'impersonate-group': 'system:masters' }),
  }),
  attempt('searches for other pages beside /metrics', 404, { path: '/readyz?verbose', headers: bearer }),
]
