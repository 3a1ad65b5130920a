// Meaning of the RDS states of an instance. No model of the API lists them. Sources: AWS's user guide ("Viewing Amazon
// RDS DB instance status"), and the rds-controller of AWS's own operators. An unknown state counts as work in progress:
// the instance stays unchanged and is observed again.

export type InstanceState =
  /** It serves. `mayModify`: RDS accepts changes; otherwise they wait until the instance is idle. */
  | { readonly kind: 'serving'; readonly mayModify: boolean; readonly trouble?: InstanceProblem }
  /** It does not serve now, and recovers by itself. */
  | { readonly kind: 'working' }
  | { readonly kind: 'deleting' }
  /**
   * It does not serve, and does not recover by itself. `isTerminal`: it has to be restored from a backup or created
   * again.
   */
  | { readonly kind: 'broken'; readonly isTerminal: boolean; readonly trouble: InstanceProblem }

export interface InstanceProblem {
  /** One CamelCase word. */
  readonly reason: string
  /** Remedy, as the rest of a sentence. */
  readonly advice: string
}

const settled: InstanceState = { kind: 'serving', mayModify: true }
const busy: InstanceState = { kind: 'serving', mayModify: false }
const working: InstanceState = { kind: 'working' }
const deleting: InstanceState = { kind: 'deleting' }
const mendable = (reason: string, advice: string): InstanceState => ({
  kind: 'broken',
  isTerminal: false,
  trouble: { reason, advice },
})
const lost = (reason: string, advice: string): InstanceState => ({
  kind: 'broken',
  isTerminal: true,
  trouble: { reason, advice },
})

const states: ReadonlyMap<string, InstanceState> = new Map<string, InstanceState>([
  ['available', settled],
  ['storage-optimization', settled],
  [
    'storage-full',
    {
      kind: 'serving',
      mayModify: true,
      trouble: { reason: 'StorageFull', advice: 'its storage is full; raise spec.provider.rds.allocatedStorageGiB' },
    },
  ],
  ['backing-up', busy],
  ['configuring-activity-stream', busy],
  ['configuring-associated-roles', busy],
  ['configuring-enhanced-monitoring', busy],
  ['configuring-iam-database-auth', busy],
  ['configuring-log-exports', busy],
  ['modifying', busy],
  ['resetting-master-credentials', busy],
  ['storage-config-upgrade', busy],
  ['storage-initialization', busy],
  ['validating-configuration', busy],
  ['backtracking', working],
  ['converting-to-vpc', working],
  ['creating', working],
  ['maintenance', working],
  ['moving-to-vpc', working],
  ['rebooting', working],
  ['renaming', working],
  ['starting', working],
  ['upgrading', working],
  ['delete-precheck', deleting],
  ['deleted', deleting],
  ['deleting', deleting],
  ['automation-paused', mendable('AutomationPaused', 'its automation is paused; resume it in RDS')],
  [
    'inaccessible-encryption-credentials-recoverable',
    mendable('KeyInaccessible', 'RDS may not use the key of its storage; enable the key, then start the instance'),
  ],
  [
    'incompatible-credentials',
    mendable('IncompatibleCredentials', 'RDS may not use its credentials; see its events in RDS'),
  ],
  [
    'incompatible-network',
    lost('IncompatibleNetwork', 'its subnets have no room or are gone; restore it from a backup'),
  ],
  [
    'incompatible-option-group',
    mendable('IncompatibleOptionGroup', 'an option of its group cannot be set; see its events in RDS'),
  ],
  [
    'incompatible-parameters',
    mendable('IncompatibleParameters', 'it cannot start with its parameters; mend its parameter group and reboot it'),
  ],
  [
    'insufficient-capacity',
    mendable('InsufficientCapacity', 'AWS lacks machines of its class; choose another class, or wait and start it'),
  ],
  ['stopped', mendable('Stopped', 'somebody has stopped it; start it in RDS')],
  ['stopping', mendable('Stopped', 'somebody is stopping it; start it in RDS')],
  [
    'unsupported-configuration',
    mendable('UnsupportedConfiguration', 'RDS no longer supports how it is set up; see its events in RDS'),
  ],
  ['failed', lost('Failed', 'RDS could not make or repair it; restore it from a backup, or delete it')],
  [
    'inaccessible-encryption-credentials',
    lost('KeyInaccessible', 'RDS has lost the key of its storage; restore it from a backup'),
  ],
  [
    'incompatible-create',
    lost('IncompatibleCreate', 'RDS cannot make it in this network; delete it and see its events in RDS'),
  ],
  ['incompatible-restore', lost('IncompatibleRestore', 'it cannot be restored to this point; restore it anew')],
  ['restore-error', lost('RestoreError', 'its restoration has failed; restore it anew')],
])

/** Returns `working` for an unknown state. */
export function instanceState(word: string): InstanceState {
  return states.get(word) ?? working
}
