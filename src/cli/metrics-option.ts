// Option --metrics of `run` and `install`.
export type MetricsKind = (typeof metricsKinds)[number]

export const metricsKinds = ['protected', 'loopback', 'open', 'off'] as const

/** Default port of metrics over HTTPS. */
export const metricsPort = 8443
