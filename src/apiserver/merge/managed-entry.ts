// What does one entry of managedFields say? Which fields one manager owns, by which operation, in which version, through
// which endpoint. Source: k8s.io/apimachinery/pkg/util/managedfields/internal/managedfields.go.
import type { JsonObject } from '../../base/json.ts'
import { wireJson } from '../../base/wire-json.ts'
import type { FieldSet } from '../../diff/field-set.ts'
import { goJson } from '../field-error.ts'
import type { Owner } from './ownership.ts'

export type Operation = 'Apply' | 'Update'

/** What tells one entry from another. Of an apply the version is not part of it: it may move to another with each. */
export interface EntryIdentity {
  readonly manager: string
  readonly operation: Operation
  readonly apiVersion: string
  /** Empty for the object itself. */
  readonly subresource: string
}

export class ManagedEntry implements Owner, EntryIdentity {
  readonly manager: string
  readonly operation: Operation
  readonly apiVersion: string
  readonly subresource: string
  readonly fields: FieldSet
  /** RFC 3339, whole seconds, UTC. */
  readonly time: string | undefined
  readonly #source: JsonObject | undefined
  #json: JsonObject | undefined

  /** `source` is what the entry was read from. */
  constructor(identity: EntryIdentity, fields: FieldSet, time: string | undefined, source?: JsonObject) {
    this.#source = source
    this.manager = identity.manager
    this.operation = identity.operation
    this.apiVersion = identity.apiVersion
    this.subresource = identity.subresource
    this.fields = fields
    this.time = time
  }

  /** The very same entry if it owns just that. */
  owning(fields: FieldSet): ManagedEntry {
    return fields === this.fields ? this : new ManagedEntry(this, fields, this.time)
  }

  at(time: string | undefined): ManagedEntry {
    return time === this.time ? this : new ManagedEntry(this, this.fields, time)
  }

  /** As it stands in managedFields: what it was read from, if that is how the server writes it. Made once. */
  get json(): JsonObject {
    if (this.#json === undefined) {
      const written = this.#write()
      const source = this.#source
      this.#json = source !== undefined && wireJson(source) === wireJson(written) ? source : written
    }
    return this.#json
  }

  #write(): JsonObject {
    return {
      ...(this.manager === '' ? {} : { manager: this.manager }),
      operation: this.operation,
      apiVersion: this.apiVersion,
      ...(this.time === undefined ? {} : { time: this.time }),
      fieldsType: 'FieldsV1',
      fieldsV1: this.fields.toFieldsV1(),
      ...(this.subresource === '' ? {} : { subresource: this.subresource }),
    }
  }
}

/** A text that two entries share only if they are of the same manager; managers are listed in its order. */
export function identityText({ manager, operation, apiVersion, subresource }: EntryIdentity): string {
  return goJson({
    ...(manager === '' ? {} : { manager }),
    operation,
    ...(operation === 'Apply' ? {} : { apiVersion }),
    ...(subresource === '' ? {} : { subresource }),
  })
}

/** The order of entries in managedFields. */
export function compareEntries(left: ManagedEntry, right: ManagedEntry): number {
  return (
    compareText(left.operation, right.operation) ||
    compareText(left.time ?? epoch, right.time ?? epoch) ||
    compareText(left.manager, right.manager) ||
    compareText(left.apiVersion, right.apiVersion) ||
    compareText(left.subresource, right.subresource)
  )
}

/** When an entry without a time counts as made. */
const epoch = '1970-01-01T00:00:00Z'

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
