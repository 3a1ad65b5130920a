// Ownership tags of an instance: the token of its Database, and the id of its last password.
import type { Tag } from '@aws-sdk/client-rds'
import type { Token } from '../../../index.ts'
import type { DesiredInstance } from './instance.ts'

const uidTag = 'konverge.dev/uid'
const generationTag = 'konverge.dev/generation'
const databaseTag = 'konverge.dev/database'
const passwordTag = 'konverge.dev/password-id'

export function tagsOf(token: Token, desired: Pick<DesiredInstance, 'label' | 'admin'>): Tag[] {
  return [...ownerTags(token, desired), { Key: passwordTag, Value: desired.admin.passwordID }]
}

/** Tags without a password id, for an instance whose password is not set yet. */
export function ownerTags(token: Token, { label }: Pick<DesiredInstance, 'label'>): Tag[] {
  return [
    { Key: uidTag, Value: token.uid },
    { Key: generationTag, Value: String(token.generation) },
    { Key: databaseTag, Value: label },
  ]
}

export function ownerIn(tags: readonly Tag[] | undefined): Token | undefined {
  const uid = valueUnder(tags, uidTag)
  return uid === undefined ? undefined : { uid, generation: Number(valueUnder(tags, generationTag) ?? 0) }
}

export function passwordIDIn(tags: readonly Tag[] | undefined): string | undefined {
  return valueUnder(tags, passwordTag)
}

function valueUnder(tags: readonly Tag[] | undefined, key: string): string | undefined {
  return tags?.find(({ Key }) => Key === key)?.Value
}
