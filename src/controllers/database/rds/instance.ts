// Desired and observed RDS instance, shared by desired state, comparison and driver. Both may contain the master
// password, so neither is ever logged or reported (I11).
import type { Token } from '../../../index.ts'
import type { InstanceProblem } from './instance-state.ts'

/** `ambient`: the AWS SDK finds credentials itself, e.g. those of the operator's pod. */
export type AwsCredentials =
  | {
      readonly kind: 'keys'
      readonly accessKeyId: string
      readonly secretAccessKey: string
      readonly sessionToken?: string
    }
  | { readonly kind: 'ambient' }

/** Region and credentials. */
export interface AwsAccess {
  readonly region: string
  readonly credentials: AwsCredentials
}

export interface DesiredInstance {
  readonly access: AwsAccess
  /** Major version. RDS chooses the minor one. */
  readonly version: string
  readonly instanceClass: string
  /** A larger volume is no difference: RDS may have grown it, and it cannot shrink. */
  readonly allocatedStorageGiB: number
  readonly multiAZ: boolean
  readonly deletionProtection: boolean
  /** Undefined: the account's default, not compared. */
  readonly subnetGroupName: string | undefined
  /** Undefined: the VPC's default, not compared. */
  readonly securityGroupIDs: readonly string[] | undefined
  readonly admin: InstanceAdmin
  /** `<namespace>/<name>` of the Database, for readers of the tags. */
  readonly label: string
  /** For removal: name of the snapshot that has to exist before the instance counts as deleted. */
  readonly finalSnapshot?: string
  /** Snapshot from which it is created. Absent: it starts empty. */
  readonly restoredFrom?: string
}

export interface InstanceAdmin {
  readonly username: string
  readonly password: string
  /** Id generated with the password and stored in a tag, because RDS does not reveal the password. Not a secret. */
  readonly passwordID: string
}

export interface ObservedInstance {
  readonly arn: string
  /** State as reported by RDS. */
  readonly state: string
  readonly mayModify: boolean
  readonly trouble: InstanceProblem | undefined
  readonly owner: Token | undefined
  readonly endpoint: { readonly host: string; readonly port: number }
  /** Example: `15.18`. */
  readonly engineVersion: string
  // Current values, including accepted modifications.
  readonly instanceClass: string
  readonly allocatedStorageGiB: number
  readonly multiAZ: boolean
  readonly deletionProtection: boolean
  readonly securityGroupIDs: readonly string[]
  /** An adopted instance may have another name than the operator's default. */
  readonly username: string
  /** Undefined: the password is not the operator's. */
  readonly passwordID: string | undefined
}

/** Returns e.g. `15` for `15.18`. */
export function majorOf(version: string): number {
  return Number.parseInt(version, 10)
}
