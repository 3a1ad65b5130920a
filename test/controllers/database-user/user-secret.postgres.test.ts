// Secret of a DatabaseUser. Invariant: it holds only what a spec may request; a spec sets neither usage consent nor an
// oversized Secret.
import { expect, it } from 'vitest'
import { consentLabel, secretRejection } from '../../../src/controllers/references/reference-policy.ts'
import { Secret } from '../../../src/index.ts'
import { onNewestPostgres } from '../../postgres/on-each-postgres.ts'
import { admitReservedKeys } from '../older-definitions.ts'
import { home } from '../postgres-stage.ts'
import { UserStage } from './user-stage.ts'

const databases = [{ name: 'shop', access: 'ReadOnly' as const }]
const label = consentLabel('Backup')

onNewestPostgres('the Secret of a user', (server) => {
  it('a Secret gets no usage label from a spec that is older than the rule, and keeps the label that a user sets', async () => {
    const stage = await UserStage.start(server(), 'shop')
    await admitReservedKeys(stage.cluster)
    await stage.create('web', { databases, secret: { labels: { [label]: 'true' } } })
    const message = await stage.becomes('web', 'Ready', 'False ReservedKey')
    expect(message).toContain(`spec.secret.labels has ${label}`)
    expect(await stage.becomes('web', 'SecretReady', 'False ReservedKey')).toBe(message)
    expect(await stage.keys('web')).toBeUndefined()

    await stage.patch('web', { secret: { labels: { [label]: null, team: 'shop' } } })
    await stage.becomes('web', 'Ready', 'True InSync')
    await stage.cluster.patch(Secret, `${home}/web-db`, { metadata: { labels: { [label]: 'true' } } })
    await stage.look('web')
    const secret = await stage.cluster.find(Secret, `${home}/web-db`)
    expect(secret?.metadata.labels).toMatchObject({ team: 'shop', [label]: 'true' })
    expect(secret && secretRejection(secret, 'Backup', {})).toBeUndefined()
  })

  it('a Secret stays unchanged when its template would exceed the size limit', async () => {
    const stage = await UserStage.start(server(), 'shop')
    const certificate = `-----BEGIN CERTIFICATE-----${'A'.repeat(5_000)}`
    await stage.secret('server', stage.connection({ 'ca.crt': certificate }))
    await stage.create('web', { databases, secret: { template: { few: '{{ca.crt}}' } } })
    await stage.becomes('web', 'Ready', 'True InSync')
    const before = await stage.keys('web')
    expect(before?.['few']).toBe(certificate)
    const template = { few: '{{ca.crt}}'.repeat(409) }
    await stage.patch('web', { secret: { template } })
    const message = await stage.becomes('web', 'Ready', 'False SecretTooLarge')
    expect(message).toContain('few alone would have')
    expect(await stage.keys('web')).toEqual(before)
    expect(await stage.app('web', 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    await stage.patch('web', { secret: { template: { few: '{{uri}}' } } })
    await stage.becomes('web', 'Ready', 'True InSync')
    expect((await stage.keys('web'))?.['few']).toBe(before?.['uri'])
  })
})
