// Address and credentials of a database server, from a connection Secret or from the operator that created the server.
// Also writes and reads the owner in ownership markers.
import type { Token } from '../../index.ts'

/**
 * TLS modes of libpq. `require` encrypts and accepts any certificate, `verify-ca` requires one of a trusted authority,
 * `verify-full` also the host's name in it.
 */
export type TlsMode = 'disable' | 'require' | 'verify-ca' | 'verify-full'

/** A server and a credential. Values with the same content share sessions. */
export interface ServerAccess {
  /** Host name; the certificate must contain it, also if `dial` is another address. */
  readonly host: string
  readonly port: number
  /** Address to connect to instead of host and port, e.g. a forwarded port or a pod. */
  readonly dial?: { readonly host: string; readonly port: number }
  /** Socket file to connect to instead, for a server that this process started. Never from user input. */
  readonly socket?: string
  readonly username: string
  readonly password: string
  /** Database for statements that concern the whole server; usually `postgres`. */
  readonly maintenanceDatabase: string
  readonly tls: TlsMode
  /** CA certificates in PEM, trusted instead of the machine's authorities. */
  readonly ca?: string
}

/** Resource for which a statement runs. The server's list of sessions shows it. */
export interface Caller {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** Returns the token with the name of its resource, as ownership markers store it. */
export function signed({ uid, generation }: Token, { kind, namespace, name }: Caller): Token {
  return { uid, generation, holder: `${kind} ${namespace}/${name}` }
}

/** Returns e.g. ` but for Database shop/crm`; empty if the marker is missing or names no owner. */
export function forWhom(token: Token | undefined): string {
  return token?.holder === undefined ? '' : ` but for ${token.holder}`
}

/**
 * Returns whether the marked object belongs to another namespace. No resource of this namespace may then adopt it.
 * False if the marker names no owner.
 */
export function isOfAnotherNamespace(token: Token | undefined, namespace: string): boolean {
  const of = namespaceOf(token)
  return of !== undefined && of !== namespace
}

/** Returns the namespace of the owner in a marker; undefined if the marker names none. */
export function namespaceOf(token: Token | undefined): string | undefined {
  return token?.holder === undefined ? undefined : /^\S+ ([^/]+)\//.exec(token.holder)?.[1]
}

/** Returns the message for an object that is not adopted, with the remedy. */
export function ofAnotherNamespace(what: string, token: Token | undefined): string {
  return (
    `${what} was made for ${token?.holder}, and is not taken over from another namespace; ` +
    'choose another name, or have its comment on the server removed'
  )
}
