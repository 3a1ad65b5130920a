// What is needed to reach one API server? Its address, whom to trust, and credentials that may change while we run.
// Credentials are secrets: nothing here puts them into a message (I11).

/** What a request carries to say who we are, and whom it trusts. The same object means the same credentials. */
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

/** Where credentials come from: written down, read from a file again and again, or issued by another program. */
export interface CredentialSource {
  /** The credentials to use now. Rejects with a ConnectionError, or with the signal's reason when aborted. */
  credentials(signal: AbortSignal): Promise<Credentials>
  /** The server did not accept these; if they are still the current ones, the next call asks for others. */
  refuse(credentials: Credentials): void
}

export interface Connection extends CredentialSource {
  /** Without a slash at the end; may have a path. */
  readonly server: string
  /** Names the server in messages, as in `https://10.0.0.1:6443 (context "dev")`. */
  readonly description: string
  /** The namespace to use where none is given. */
  readonly namespace?: string | undefined
  /** The namespace of the pod this is, where we are one and use its own service account. */
  readonly podNamespace?: string | undefined
  readonly skipTlsVerify: boolean
  /** The name to expect in the server's certificate instead of the host's. */
  readonly serverName?: string | undefined
  /** `http:`, `https:` or `socks5:`. */
  readonly proxyUrl?: string | undefined
}

/** Credentials that never change. */
export function fixedCredentials(credentials: Credentials): CredentialSource {
  return { credentials: () => Promise.resolve(credentials), refuse: () => {} }
}
