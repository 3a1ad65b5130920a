// External resource `instance` of a Database with provider `rds`: an Amazon RDS instance.
import { databaseServerNames } from '../../../../constructs/index.ts'
import type { DatabaseSpec, DatabaseStatus } from '../../../../imports/wire/database.ts'
import { childNamed, defineExternal, type ExternalContext, Secret } from '../../../index.ts'
import type { InstanceOrigin } from '../restore/snapshot-restore.ts'
import { desiredRdsInstance, instanceRemoval } from './desired-instance.ts'
import { InstanceDriver } from './instance-driver.ts'
import type { RdsFacts } from './instance-facts.ts'
import type { RdsClientLoaderOptions } from './rds-client-loader.ts'

type Context = ExternalContext<
  DatabaseSpec,
  DatabaseStatus,
  { readonly rds?: RdsFacts; readonly restore?: { readonly origin?: InstanceOrigin } }
>

export function rdsInstance(options: RdsClientLoaderOptions = {}) {
  return defineExternal({
    name: 'instance',
    driver: (tools) => new InstanceDriver(tools, options),
    desired: ({ object, facts, children }: Context) => {
      const { adminSecret: name } = databaseServerNames(object.metadata.name)
      const stored = childNamed({ object, children }, Secret, name)
      return desiredRdsInstance(object, facts.rds, { adminSecret: stored?.object, origin: facts.restore?.origin })
    },
    removal: ({ object, facts }) => instanceRemoval(object, facts?.rds),
  })
}
