import { errors } from 'undici'
import { describe, expect, it } from 'vitest'
import { unreachable } from '../../src/kube/transport-failure.ts'

const failing = (code: string, message = 'low-level words') => Object.assign(new Error(message), { code })
const messageOf = (thrown: unknown) => unreachable({ attempt: 'get Pod a/b', server: 'https://server', thrown }).message

describe('unreachable', () => {
  it.each<[string, unknown]>([
    ['refused the connection', failing('ECONNREFUSED')],
    [
      'refused the connection',
      Object.assign(new AggregateError([failing('ECONNREFUSED')], ''), { code: 'ECONNREFUSED' }),
    ],
    ['refused the connection', new AggregateError([failing('ECONNREFUSED'), failing('ENETUNREACH')])],
    ['refused the connection', new Error('outer', { cause: failing('ECONNREFUSED') })],
    ['cannot be resolved', failing('ENOTFOUND')],
    ['cannot be resolved', failing('EAI_AGAIN')],
    ['is not valid now (low-level words)', failing('CERT_HAS_EXPIRED')],
    ['is not valid now', failing('CERT_NOT_YET_VALID')],
    ['is for another name (low-level words)', failing('ERR_TLS_CERT_ALTNAME_INVALID')],
    ['is not trusted', failing('DEPTH_ZERO_SELF_SIGNED_CERT')],
    ['is not trusted', failing('SELF_SIGNED_CERT_IN_CHAIN')],
    ['is not trusted', failing('UNABLE_TO_VERIFY_LEAF_SIGNATURE')],
    ['is not trusted', failing('UNABLE_TO_GET_ISSUER_CERT_LOCALLY')],
    ['did not accept our client certificate', failing('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED')],
    ['did not accept our client certificate', failing('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA')],
    ['did not accept our client certificate', failing('ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE')],
    ['does not speak TLS', failing('ERR_SSL_WRONG_VERSION_NUMBER')],
    ['cannot be reached', new errors.ConnectTimeoutError()],
    ['cannot be reached', failing('EHOSTUNREACH')],
    ['this process has no file descriptor left', failing('EMFILE')],
    ['this machine has no file descriptor left', failing('ENFILE')],
    ['this machine has no free port', failing('EADDRNOTAVAIL')],
    ['the proxy on the way to https://server failed', failing('UND_ERR_PRX_CONN')],
    ['is closed', new errors.ClientClosedError()],
    ['is closed', new errors.ClientDestroyedError()],
    ['larger than this client accepts', new errors.ResponseExceededMaxSizeError()],
    ['broke; a write may have happened all the same', new errors.SocketError('other side closed')],
    ['broke', failing('ECONNRESET')],
    ['broke', failing('EPIPE')],
    ['broke', failing('HPE_INVALID_CONSTANT')],
    ['no answer came from https://server: odd', new Error('odd')],
    ['no answer came from https://server: odd', 'odd'],
  ])('reports "%s" for %s', (sentence, thrown) => {
    const error = unreachable({ attempt: 'get Pod a/b', server: 'https://server', thrown })
    expect(error).toMatchObject({ code: 'Unreachable', remedy: 'retry', cause: thrown })
    expect(error.message).toMatch(/^get Pod a\/b: /)
    expect(error.message).toContain(sentence)
  })

  it('ends on errors that cause one another', () => {
    const one = new Error('one')
    one.cause = new Error('two', { cause: one })
    expect(messageOf(one)).toBe('get Pod a/b: no answer came from https://server: one')
  })
})
