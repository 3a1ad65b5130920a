// Data of a connection to one API server: its address, its trusted authority, and credentials that may change at run
// time. Invariant: messages never contain credentials (I11).

/** Credentials of a request and the authority that it trusts. The same object means the same credentials. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string | string[]>>
  /** PEM. */
  readonly certificate?: ClientCertificate
  /** PEM of the authorities to trust instead of the system's. */
  readonly authority?: string
}

export interface ClientCertificate {
  readonly certificate: string
  readonly key: string
}

/** Source of credentials: fixed values, files that change, or another program. */
export interface CredentialSource {
  /** Returns the current credentials. Rejects with a ConnectionError, or with the signal's reason on abort. */
  credentials(signal: AbortSignal): Promise<Credentials>
  /**
   * Reports that the server rejected these credentials. If they are still current, the next `credentials` call renews
   * them.
   */
  refuse(credentials: Credentials): void
}

export interface Connection extends CredentialSource {
  /** URL without a slash at the end; may have a path. */
  readonly server: string
  /** Name of the server in messages, as in `https://10.0.0.1:6443 (context "dev")`. */
  readonly description: string
  /** Default namespace. */
  readonly namespace?: string | undefined
  /** Namespace of this pod, if the connection uses the pod's own service account. */
  readonly podNamespace?: string | undefined
  readonly skipTlsVerify: boolean
  /** Name to expect in the server's certificate instead of the host's. */
  readonly serverName?: string | undefined
  /** URL with the scheme `http:`, `https:` or `socks5:`. */
  readonly proxyUrl?: string | undefined
}

/** Returns a source of credentials that never change. */
export function fixedCredentials(credentials: Credentials): CredentialSource {
  return { credentials: () => Promise.resolve(credentials), refuse: () => {} }
}
