// Sends applies of children and contributions. With `fieldValidation: 'Warn'`, fields that the API server does not know
// are left out, and an Event names them. Server-side apply itself rejects them in every mode, so the decision is here.
import type { KubeClient } from '../kube/client.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import type { EventReport } from '../object/event-report.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import type { Resource } from '../object/resource.ts'
import { unknownFieldsEvent } from './unknown-fields.ts'
import { withoutFields } from './without-fields.ts'

/** Handling of unknown fields. `Strict`: an unknown field fails the child. `Warn`: the child is applied without it. */
export type FieldValidation = 'Strict' | 'Warn'

export interface ApplyRunnerOptions {
  readonly client: KubeClient
  readonly fieldValidation: FieldValidation
  readonly resourceOf: (object: KubeObject) => Resource
  /** Records an Event on the parent about facts that its conditions do not show. */
  readonly report: (parent: LiveObject, event: EventReport) => void
}

export interface Apply {
  readonly parent: LiveObject
  readonly body: KubeObject
  readonly fieldManager: string
  readonly force: boolean
}

/** Each response names at least one unknown field, but not always all of them. */
const mostAttempts = 5

export class ApplyRunner {
  readonly #options: ApplyRunnerOptions

  constructor(options: ApplyRunnerOptions) {
    this.#options = options
  }

  /** Rejects with a KubeError, with code `UnknownField` for a field that the API server does not know. */
  async send({ parent, body, fieldManager, force }: Apply, signal: AbortSignal): Promise<LiveObject> {
    const { client, resourceOf, report } = this.#options
    const left: string[] = []
    let known = body
    for (let attempt = 1; ; attempt++) {
      try {
        const live = await client.apply(resourceOf(body), known, { fieldManager, force }, signal)
        if (left.length > 0) report(parent, unknownFieldsEvent(body, left))
        return live
      } catch (thrown) {
        const fields = this.#fieldsToLeaveOut(thrown)
        const next = withoutFields(known, fields)
        if (next === known || attempt === mostAttempts) throw thrown
        left.push(...fields)
        known = next
      }
    }
  }

  #fieldsToLeaveOut(thrown: unknown): readonly string[] {
    if (this.#options.fieldValidation === 'Strict' || !isKubeError(thrown, 'UnknownField')) return []
    return thrown.causes.map(({ field }) => field)
  }
}
