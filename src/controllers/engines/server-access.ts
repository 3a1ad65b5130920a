// How is a database server reached, and as whom? What a connection Secret says, or what an operator knows of a server it made.
import type { Token } from '../../index.ts'

/**
 * libpq's words. `require` encrypts and believes any certificate, `verify-ca` wants one of a known authority, `verify-full` also
 * the host's name in it.
 */
export type TlsMode = 'disable' | 'require' | 'verify-ca' | 'verify-full'

/** A server and a credential. Two with the same content share their sessions. */
export interface ServerAccess {
  /** The name that the certificate has to show, also where another address is dialled. */
  readonly host: string
  readonly port: number
  /** The address that is dialled instead of host and port: a forwarded port, a pod. */
  readonly dial?: { readonly host: string; readonly port: number }
  /** The file of a socket that is dialled instead: a server of this process' own. Never from what somebody has written. */
  readonly socket?: string
  readonly username: string
  readonly password: string
  /** Where statements run that are about no database in particular; `postgres` by custom. */
  readonly maintenanceDatabase: string
  readonly tls: TlsMode
  /** PEM. Trusted instead of the machine's authorities. */
  readonly ca?: string
}

/** For whom a statement runs; a server's own view of its sessions shows it. */
export interface Caller {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

/** The token with the name of its resource, as it is marked on what is made for it. */
export function signed({ uid, generation }: Token, { kind, namespace, name }: Caller): Token {
  return { uid, generation, holder: `${kind} ${namespace}/${name}` }
}

/** ` but for Database shop/crm`; nothing where the mark, if there is one, does not say. */
export function forWhom(token: Token | undefined): string {
  return token?.holder === undefined ? '' : ` but for ${token.holder}`
}

/** Was it made for another namespace than this one? Then nobody here takes it over, whoever asks. No where the mark does not say. */
export function isOfAnotherNamespace(token: Token | undefined, namespace: string): boolean {
  const of = namespaceOf(token)
  return of !== undefined && of !== namespace
}

/** For which namespace it was made; undefined where the mark does not say. */
export function namespaceOf(token: Token | undefined): string | undefined {
  return token?.holder === undefined ? undefined : /^\S+ ([^/]+)\//.exec(token.holder)?.[1]
}

/** Why it is not taken over, and who can change that. */
export function ofAnotherNamespace(what: string, token: Token | undefined): string {
  return (
    `${what} was made for ${token?.holder}, and is not taken over from another namespace; ` +
    'choose another name, or have its comment on the server removed'
  )
}
