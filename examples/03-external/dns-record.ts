// Controller of an external resource: a DnsRecord is a record in a zone. docs/external-resources.md explains it.
import {
  type Controller,
  defineController,
  defineExternal,
  defineResource,
  type ExternalContext,
  reportOf,
  type StatusWithConditions,
} from '../../src/index.ts'
import type { Zone } from './zone.ts'
import { type Address, ZoneDriver } from './zone-driver.ts'

export interface DnsRecordSpec {
  /** Immutable by a rule of the definition. */
  readonly hostname: string
  readonly address: string
  readonly deletionPolicy: 'Delete' | 'Retain'
}

export interface DnsRecordStatus extends StatusWithConditions {
  /** Address in the zone. */
  readonly address?: string
}

export const DnsRecord = defineResource<DnsRecordSpec, DnsRecordStatus>({
  group: 'example.com',
  version: 'v1',
  kind: 'DnsRecord',
  plural: 'dnsrecords',
  scope: 'Namespaced',
})

type Context = ExternalContext<DnsRecordSpec, DnsRecordStatus, undefined>

const entryIn = (zone: Zone) =>
  defineExternal({
    name: 'entry',
    cadenceMs: 60_000,
    driver: (tools) => new ZoneDriver(zone, tools),
    desired: ({ object: { spec } }: Context) => ({
      kind: 'wanted',
      externalName: spec.hostname,
      desired: { address: spec.address },
    }),
    removal: ({ object: { spec } }) =>
      spec.deletionPolicy === 'Retain'
        ? { kind: 'keep', note: `${spec.hostname} stays in the zone; delete it when no client resolves it` }
        : { kind: 'remove', externalName: spec.hostname, desired: { address: spec.address } },
  })

/** Returns the controller of the records in this zone. */
export function dnsRecordController(zone: Zone): Controller {
  const entry = entryIn(zone)
  return defineController<DnsRecordSpec, DnsRecordStatus>(DnsRecord, {
    owns: [],
    desired: () => {},
    external: [entry],
    status: ({ externals }) => {
      const seen: Partial<Address> = reportOf(entry, externals)?.observed ?? {}
      return { fields: seen, conditions: [] }
    },
  })
}
