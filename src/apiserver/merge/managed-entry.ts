// Entry of managedFields: the fields of one manager, with operation, API version and endpoint.
// Source: k8s.io/apimachinery/pkg/util/managedfields/internal/managedfields.go.
import type { JsonObject } from '../../base/json.ts'
import { wireJson } from '../../base/wire-json.ts'
import type { FieldSet } from '../../diff/field-set.ts'
import { goJson } from '../field-error.ts'
import type { Owner } from './ownership.ts'

export type Operation = 'Apply' | 'Update'

/** Identity of an entry. For an apply, the version is not part of it, because each apply may change it. */
export interface EntryIdentity {
  readonly manager: string
  readonly operation: Operation
  readonly apiVersion: string
  /** '' for the object itself. */
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

  /** `source` is the JSON of the entry, if it was read. */
  constructor(identity: EntryIdentity, fields: FieldSet, time: string | undefined, source?: JsonObject) {
    this.#source = source
    this.manager = identity.manager
    this.operation = identity.operation
    this.apiVersion = identity.apiVersion
    this.subresource = identity.subresource
    this.fields = fields
    this.time = time
  }

  /** Returns the entry with other fields; the same reference if they are identical. */
  owning(fields: FieldSet): ManagedEntry {
    return fields === this.fields ? this : new ManagedEntry(this, fields, this.time)
  }

  at(time: string | undefined): ManagedEntry {
    return time === this.time ? this : new ManagedEntry(this, this.fields, time)
  }

  /** JSON of the entry in managedFields; the source if it has upstream's form. Built once. */
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

/** Returns a text that identifies the manager of an entry. Managers are listed in its order. */
export function identityText({ manager, operation, apiVersion, subresource }: EntryIdentity): string {
  return goJson({
    ...(manager === '' ? {} : { manager }),
    operation,
    ...(operation === 'Apply' ? {} : { apiVersion }),
    ...(subresource === '' ? {} : { subresource }),
  })
}

/** Compares entries in the order of managedFields. */
export function compareEntries(left: ManagedEntry, right: ManagedEntry): number {
  return (
    compareText(left.operation, right.operation) ||
    compareText(left.time ?? epoch, right.time ?? epoch) ||
    compareText(left.manager, right.manager) ||
    compareText(left.apiVersion, right.apiVersion) ||
    compareText(left.subresource, right.subresource)
  )
}

/** Time of an entry without one. */
const epoch = '1970-01-01T00:00:00Z'

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
