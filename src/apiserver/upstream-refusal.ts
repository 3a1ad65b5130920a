// Errors for a failed request to a server behind the API server.
// For known codes the backend's text is passed on, for others the meaning of the code is stated.
// Source: k8s.io/apimachinery/pkg/api/errors/errors.go, NewGenericServerResponse;
// k8s.io/apiserver/pkg/registry/generic/rest/response_checker.go.
import { goQuoted } from './field-error.ts'
import { badRequest, type GroupResource, groupResourceText, internalError, StatusError } from './status-error.ts'

export interface BackendError {
  readonly status: number
  readonly text: string
}

type Meaning = readonly [reason: string, message: string]

const meanings: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  [401, ['Unauthorized', 'the server has asked for the client to provide credentials']],
  [404, ['NotFound', 'the server could not find the requested resource']],
  [405, ['MethodNotAllowed', 'the server does not allow this method on the requested resource']],
  [409, ['Conflict', 'the server reported a conflict']],
  [422, ['Invalid', 'the server rejected our request due to an error in our request']],
  [429, ['TooManyRequests', 'the server has received too many requests and has asked us to try again later']],
  [503, ['ServiceUnavailable', 'the server is currently unable to handle the request']],
  [
    504,
    [
      'Timeout',
      'the server was unable to return a response in the time allotted, but may still be processing the request',
    ],
  ],
])

/** Returns the error; `of` and `name` identify the object of the request to this server. */
export function upstreamRefusal({ status, text }: BackendError, of: GroupResource, name: string): StatusError {
  if (status === 500) return internalError(text)
  if (status === 400) return badRequest(text)
  const [reason, message] = meaningOf(status, text)
  return new StatusError({
    code: status,
    ...(reason === '' ? {} : { reason }),
    message: `${message} ( ${groupResourceText(of)} ${name})`,
    details: { name, group: of.group, kind: of.resource },
  })
}

function meaningOf(status: number, text: string): Meaning {
  const known = meanings.get(status)
  if (known !== undefined) return known
  if (status === 403) return ['Forbidden', text]
  if (status === 415) return ['UnsupportedMediaType', text]
  if (status === 406)
    return [
      'NotAcceptable',
      text === '' || text === 'unknown'
        ? 'the server was unable to respond with a content type that the client supports'
        : text,
    ]
  return status > 500
    ? ['InternalError', `an error on the server (${goQuoted(text)}) has prevented the request from succeeding`]
    : ['', `the server responded with the status code ${status} but did not return more information`]
}
