// Converts both servers' answers to facts. Null means an empty list or a missing object. Pure.

import type { Token } from '../../../../index.ts'
import type { PublisherFacts, ReplicationSlot, SubscriberFacts } from '../../replication.ts'
import { objectAnswer } from '../json-answer.ts'
import { tokenIn } from '../mark.ts'

type Marked<Part> = Omit<Part, 'token'> & { readonly comment: string | null }

interface PublisherAnswer extends Omit<PublisherFacts, 'tables' | 'sequences' | 'login' | 'publication' | 'slot'> {
  readonly tables: PublisherFacts['tables'] | null
  readonly sequences: PublisherFacts['sequences'] | null
  readonly login: Marked<NonNullable<PublisherFacts['login']>> | null
  readonly publication: Marked<NonNullable<PublisherFacts['publication']>> | null
  readonly slot: (Omit<ReplicationSlot, 'confirmed'> & { readonly confirmed: string | null }) | null
}

interface SubscriberAnswer extends Omit<SubscriberFacts, 'tables' | 'sequences' | 'subscription'> {
  readonly tables: SubscriberFacts['tables'] | null
  readonly sequences: SubscriberFacts['sequences'] | null
  readonly subscription: Marked<NonNullable<SubscriberFacts['subscription']>> | null
}

export function publisherFacts(answer: string): PublisherFacts {
  // Sound: the types are those that the question builds.
  const found = objectAnswer(answer, 'the source of a replication') as PublisherAnswer
  const { slot } = found
  return {
    ...found,
    tables: found.tables ?? [],
    sequences: found.sequences ?? [],
    login: marked(found.login),
    publication: marked(found.publication),
    slot: slot === null || slot === undefined ? undefined : { ...slot, confirmed: slot.confirmed ?? undefined },
  }
}

export function subscriberFacts(answer: string): SubscriberFacts {
  // Sound: the types are those that the question builds.
  const found = objectAnswer(answer, 'the target of a replication') as SubscriberAnswer
  return {
    ...found,
    tables: found.tables ?? [],
    sequences: found.sequences ?? [],
    subscription: marked(found.subscription),
  }
}

function marked<Part extends { readonly comment: string | null }>(
  part: Part | null | undefined,
): (Omit<Part, 'comment'> & { readonly token: Token | undefined }) | undefined {
  // A faulty server may omit it.
  if (part === null || part === undefined) return undefined
  const { comment, ...rest } = part
  return { ...rest, token: tokenIn(comment) }
}
