// What should an RDS instance be, and what is it? The values that the wish, the comparison and the driver share. The master
// password is among them, so neither of the two is ever logged or told (I11).
import type { Token } from '../../../index.ts'
import type { InstanceTrouble } from './instance-state.ts'

/** `ambient`: the AWS SDK looks for itself, e.g. for the identity of the operator's pod. */
export type AwsCredentials =
  | {
      readonly kind: 'keys'
      readonly accessKeyId: string
      readonly secretAccessKey: string
      readonly sessionToken?: string
    }
  | { readonly kind: 'ambient' }

/** Where to call, and as whom. */
export interface AwsAccess {
  readonly region: string
  readonly credentials: AwsCredentials
}

export interface DesiredInstance {
  readonly access: AwsAccess
  /** The major version; RDS chooses the minor one. */
  readonly version: string
  readonly instanceClass: string
  /** More is no difference: RDS may have grown it, and nothing shrinks it. */
  readonly allocatedStorageGiB: number
  readonly multiAZ: boolean
  readonly deletionProtection: boolean
  /** Undefined: the account's default, and not looked at. */
  readonly subnetGroupName: string | undefined
  /** Undefined: the VPC's default, and not looked at. */
  readonly securityGroupIDs: readonly string[] | undefined
  readonly admin: InstanceAdmin
  /** `<namespace>/<name>` of the Database, for people who look at the tags. */
  readonly label: string
  /** Where it is removed: the name of the snapshot that has to be there before the instance may be gone. */
  readonly finalSnapshot?: string
  /** The snapshot that it begins with; absent: it begins empty. */
  readonly restoredFrom?: string
}

export interface InstanceAdmin {
  readonly username: string
  readonly password: string
  /** Drawn with the password and marked on the instance, which cannot be asked whether it has this one. No secret. */
  readonly passwordID: string
}

export interface ObservedInstance {
  readonly arn: string
  /** RDS's own word. */
  readonly state: string
  readonly mayModify: boolean
  readonly trouble: InstanceTrouble | undefined
  readonly owner: Token | undefined
  readonly endpoint: { readonly host: string; readonly port: number }
  /** `15.18` */
  readonly engineVersion: string
  // As it is, or will be when the changes are through that RDS has accepted.
  readonly instanceClass: string
  readonly allocatedStorageGiB: number
  readonly multiAZ: boolean
  readonly deletionProtection: boolean
  readonly securityGroupIDs: readonly string[]
  /** An adopted one may have another than we would have given it. */
  readonly username: string
  /** Undefined: the password is not one of ours. */
  readonly passwordID: string | undefined
}

/** `15` of `15.18`. */
export function majorOf(version: string): number {
  return Number.parseInt(version, 10)
}
