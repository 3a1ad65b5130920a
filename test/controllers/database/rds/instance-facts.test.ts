import { describe, expect, it } from 'vitest'
import { seededSecrets } from '../../../../src/base/random.ts'
import { type RdsFactsInput, rdsFacts } from '../../../../src/controllers/database/rds/instance-facts.ts'
import { secret } from '../databases.ts'
import { observedInstance, rdsProvider } from './instances.ts'

const kept = { username: 'postgres', password: 'MasterPassword1', 'password-id': 'p-1' }
const served = { host: 'crm.example', port: '5432' }

function facts(own: Partial<RdsFactsInput> = {}) {
  const secrets = seededSecrets(1)
  const none = { adminSecret: undefined, awsSecret: undefined, observed: undefined }
  return rdsFacts({ rds: rdsProvider(), ...none, secrets, policy: {}, ...own })
}

describe('the master password', () => {
  it('is generated when none exists, with a mark', () => {
    const { admin } = facts()
    expect(admin.username).toBe('postgres')
    expect(admin.password).toMatch(/^[A-Za-z0-9]{32}$/)
    expect(admin.passwordID).toMatch(/^[A-Za-z0-9]{12}$/)
    expect(admin.password).not.toContain(admin.passwordID)
  })

  it('is the one of the Secret afterwards', () => {
    const { admin } = facts({ adminSecret: secret('crm-postgres-admin', kept) })
    expect(admin).toEqual({ username: 'postgres', password: 'MasterPassword1', passwordID: 'p-1' })
  })

  it('is generated again when its mark is lost, because RDS may have another one', () => {
    const { admin } = facts({ adminSecret: secret('crm-postgres-admin', { ...kept, 'password-id': '' }) })
    expect(admin.password).not.toBe('MasterPassword1')
  })

  it('belongs to the user of an adopted instance', () => {
    const observed = observedInstance({ username: 'root' })
    const { admin } = facts({ adminSecret: secret('crm-postgres-admin', kept), observed })
    expect(admin.username).toBe('root')
  })
})

describe('the endpoint', () => {
  it.each([
    ['as seen', observedInstance(), undefined, { host: 'crm.abc.eu-central-1.rds.amazonaws.com', port: 5432 }],
    ['as kept, where it has not been seen yet', undefined, served, { host: 'crm.example', port: 5432 }],
    ['unknown', undefined, {}, undefined],
  ])('is %s', (_, observed, values, endpoint) => {
    const adminSecret = secret('crm-postgres-admin', { ...kept, ...values })
    expect(facts({ adminSecret, observed }).endpoint).toEqual(endpoint)
  })
})

describe('the credentials for AWS', () => {
  const rds = rdsProvider({ credentials: { secretRef: { name: 'aws' } } })
  const keys = { accessKeyId: 'AKIATEST', secretAccessKey: 'of-aws\n' }

  it('are the operator’s own when no Secret is named', () => {
    expect(facts().credentials).toEqual({ kind: 'ambient' })
  })

  it.each([
    [keys, { kind: 'keys', accessKeyId: 'AKIATEST', secretAccessKey: 'of-aws' }],
    [
      { ...keys, sessionToken: 'of-a-session' },
      { kind: 'keys', accessKeyId: 'AKIATEST', secretAccessKey: 'of-aws', sessionToken: 'of-a-session' },
    ],
  ])('are those of the Secret', (values, credentials) => {
    expect(facts({ rds, awsSecret: secret('aws', values) }).credentials).toEqual(credentials)
  })

  it.each([
    [undefined, 'SecretNotFound', 'Secret aws, with which the operator speaks to AWS, is missing'],
    [
      { secretAccessKey: 'of-aws' },
      'SecretIncomplete',
      'Secret aws, with which the operator speaks to AWS, has no accessKeyId',
    ],
    [
      { accessKeyId: 'AKIATEST' },
      'SecretIncomplete',
      'Secret aws, with which the operator speaks to AWS, has no secretAccessKey',
    ],
  ])('are reported as missing in a sentence (%o)', (values, reason, message) => {
    const awsSecret = values === undefined ? undefined : secret('aws', values)
    expect(facts({ rds, awsSecret })).toMatchObject({ credentials: undefined, problem: { reason, message } })
  })
})
