// The option --metrics, which `run` and `install` share.
export type MetricsKind = (typeof metricsKinds)[number]

export const metricsKinds = ['protected', 'loopback', 'open', 'off'] as const

/** Where metrics by HTTPS are, unless --metrics-port says otherwise. */
export const metricsPort = 8443
