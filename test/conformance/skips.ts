// Which behaviours does which server not show, and why? The whole list. What stands here is expected to fail, so that what is
// mended is taken off; suite.test.ts keeps out what is stale otherwise.
import type { ServerName } from './server-under-test.ts'

export interface Skip {
  readonly server: ServerName
  /** The area and the sentence: `lists: answers …`. */
  readonly behaviour: string
  readonly reason: string
  /** The entry of src/apiserver/deviations.yaml that says so; every skip of the embedded server has one. */
  readonly deviation?: string
}

interface Deviation {
  readonly id: string
  readonly reason: string
  readonly behaviours: readonly string[]
}

const deviations: readonly Deviation[] = [
  {
    id: 'history-is-kept',
    reason: 'The log forgets nothing until it is told to.',
    behaviours: ['watches: answers a start that is forgotten with 200 and an ERROR event of 410, and ends'],
  },
  {
    id: 'open-access',
    reason: 'Refusals of impersonation and of escalation are said in other words, and who sends no token is anonymous.',
    behaviours: [
      'documents: lets nobody impersonate who may not',
      'documents: lets nobody give rights that they do not have',
      'refusals: refuses a request of nobody',
    ],
  },
  {
    id: 'open-decoding',
    reason: 'Bodies that cannot be read are refused in other words.',
    behaviours: [
      'creates: takes a body without kind and apiVersion, and refuses those of another kind',
      'refusals: refuses a body that is null',
      'refusals: refuses another kind',
      'refusals: refuses an unknown version',
      'refusals: refuses another group',
      'refusals: refuses a custom body of another kind',
      'refusals: refuses a config map that is too large',
      'refusals: refuses an apply that is no YAML',
      'refusals: refuses delete options that are no object',
      'refusals: refuses an unknown field selector',
    ],
  },
  {
    id: 'open-job-deletion',
    reason: 'A job goes without the warning of its pods.',
    behaviours: ['deletes: deletes the pods of a job with it only where it is told to'],
  },
  {
    id: 'open-job-labels',
    reason: 'The labels of a job come from its template at the second write.',
    behaviours: ['updates: keeps the version of jobs where an update changes nothing'],
  },
  {
    id: 'open-json-patch-index',
    reason: 'Indexes from the end of a list are refused.',
    behaviours: ['patches: adds at an index from the end by a JSON patch'],
  },
  {
    id: 'open-negotiation',
    reason: 'Forms of bodies and answers are refused in other words, and YAML is not written.',
    behaviours: [
      'patches: refuses a patch of no patch type with 415 before it looks at the object',
      'options: refuses a body of more than three mebibytes',
      'documents: answers in YAML where that is accepted',
      'refusals: refuses a content type that is none',
      'refusals: refuses a body in an unknown form',
      'refusals: refuses a custom body in an unknown form',
      'refusals: refuses an answer in an unknown form',
    ],
  },
  {
    id: 'openapi-documents',
    reason: 'OpenAPI documents of custom kinds are not served yet.',
    behaviours: ['documents: publishes the schema of a custom kind'],
  },
  {
    id: 'open-preconditions',
    reason: 'Versions and uids of an update are refused in other words.',
    behaviours: [
      'updates: refuses an update with another uid as a failed precondition',
      'updates: refuses a resourceVersion that is no number',
      'updates: creates by an update even where that carries a resourceVersion',
    ],
  },
  {
    id: 'open-routes',
    reason: 'Wrong paths and methods are refused in other words.',
    behaviours: [
      'creates: takes a creation at the path of a custom object for one in its collection',
      'refusals: refuses an unknown path',
      'refusals: refuses an unknown group',
      'refusals: refuses an unknown custom resource',
      'refusals: refuses a custom creation in all namespaces',
      'refusals: refuses an unknown endpoint of a custom object',
      'refusals: refuses an update of a collection',
      'refusals: refuses an update of a custom collection',
      'refusals: refuses a patch of a collection',
      'refusals: refuses a patch of a custom collection',
      'refusals: refuses a creation in all namespaces',
    ],
  },
  {
    id: 'open-service-account-admission',
    reason: 'Pods are not held against their service account yet.',
    behaviours: ['refusals: refuses a pod of no service account'],
  },
  {
    id: 'rules-compiler-texts',
    reason: 'What is wrong with the text of a rule is said in other words.',
    behaviours: ['refusals: refuses a rule that cannot be read'],
  },
]

export const skips: readonly Skip[] = deviations.flatMap(({ id, reason, behaviours }) =>
  behaviours.map((behaviour): Skip => ({ server: 'embedded', behaviour, reason, deviation: id })),
)
