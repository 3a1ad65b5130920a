// Tokens of remote children. They follow from a secret of this process, so that an object that could not be created keeps its
// token until the next attempt, and no user can guess one before the object exists.
import { createHmac } from 'node:crypto'
import { identityOf } from '../apply/plan.ts'
import { type ClaimInput, withToken } from '../apply/remote-children.ts'
import type { SecretSource } from '../base/random.ts'
import type { LiveObject } from '../object/object.ts'
import type { DesiredObject } from '../synth/desired.ts'

export class InventoryTokens {
  readonly #secrets: SecretSource
  #key: Uint8Array | undefined
  /** Equal declarations stay one object, as the applier knows them by identity. */
  readonly #marked = new WeakMap<DesiredObject, { readonly token: string; readonly marked: DesiredObject }>()

  constructor(secrets: SecretSource) {
    this.#secrets = secrets
  }

  of({ metadata: { uid } }: LiveObject): Pick<ClaimInput, 'newToken' | 'withToken'> {
    return {
      newToken: (object) => {
        this.#key ??= this.#secrets.bytes(32)
        return createHmac('sha256', this.#key)
          .update(`${uid} ${identityOf(object)}`)
          .digest('base64url')
      },
      withToken: (desired, token) => {
        const known = this.#marked.get(desired)
        if (known?.token === token) return known.marked
        const marked = withToken(desired, token)
        this.#marked.set(desired, { token, marked })
        return marked
      },
    }
  }
}
