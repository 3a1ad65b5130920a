// Tokens of remote children, derived from a secret of this process. Invariants: an object that could not be created
// keeps its token for the next attempt. No user can guess a token before the object exists.
import { createHmac } from 'node:crypto'
import { identityOf } from '../apply/plan.ts'
import { type ClaimInput, tokenized } from '../apply/remote-children.ts'
import type { SecretSource } from '../base/random.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'

export class InventoryTokens {
  readonly #secrets: SecretSource
  #key: Uint8Array | undefined
  /** One declaration stays one object, because holds after rejections and field fights depend on its identity. */
  readonly #marked = new WeakMap<KubeObject, { readonly token: string; readonly marked: KubeObject }>()

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
        const object = this.#markedWith(desired.object, token)
        const lasting = desired.lasting === desired.object ? object : this.#markedWith(desired.lasting, token)
        return { ...desired, object, lasting }
      },
    }
  }

  #markedWith(object: KubeObject, token: string): KubeObject {
    const known = this.#marked.get(object)
    if (known?.token === token) return known.marked
    const marked = tokenized(object, token)
    this.#marked.set(object, { token, marked })
    return marked
  }
}
