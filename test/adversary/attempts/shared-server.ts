// Attempts of an editor with a role on the victim's server to block the operator from that server.
import { certifiedKey } from '../../postgres/certificate.ts'
import type { AdversaryStage } from '../adversary-stage.ts'
import { type Attempt, conditionOf, harmless } from '../attempt.ts'

const databases = 5
/** Shorter than the 10 s for which a breaker stays open at least, so a wait for a breaker fails the attempt. */
const soonMs = 9_000
const recoveryMs = 300_000

/** Creates Databases of the attacker with this Secret. */
async function creates(
  stage: AdversaryStage,
  { name, secret, sslMode }: Record<'name' | 'secret' | 'sslMode', string>,
) {
  for (let count = 0; count < databases; count++) {
    const provider = { server: { connectionSecretRef: { name: secret }, sslMode } }
    await stage.tenant.create('db', `${name}-${count}`, { spec: { provider } })
  }
}

/** Waits until one of the attacker's Databases reports this reason. */
async function untilReported(stage: AdversaryStage, name: string, reason: string): Promise<void> {
  await stage.until(`a Database ${name} to report ${reason}`, async () => {
    for (let count = 0; count < databases; count++)
      if (conditionOf(await stage.editor.peek('db', `${name}-${count}`), 'Ready')?.reason === reason) return true
    return false
  })
}

/** Expects that a new Database of the victim on that server becomes Ready during the attack, without a trace of it. */
async function expectServed(stage: AdversaryStage, name: string): Promise<void> {
  const provider = { server: { connectionSecretRef: { name: 'postgres-admin' }, sslMode: 'disable' } }
  await stage.forVictim('Database', name, { provider, deletionPolicy: 'Delete' }, async () => {
    const status = async () => JSON.stringify((await stage.victim.find('db', name))?.status)
    let last = ''
    const isReady = async () => {
      last = await status()
      if (/DependencyUnavailable|terminating connection/.test(last)) throw new Error(`the victim is told: ${last}`)
      return await stage.victimReady('db', name)
    }
    await stage.until(() => `the victim’s Database ${name} to be Ready: ${last}`, isReady, soonMs)
  })
}

/** Runs as the attacker's login: ends every other session of its role, until another session ends this one. */
const endOwnSessions = `DO $$ BEGIN
  FOR count IN 1..60000 LOOP
    PERFORM pg_stat_clear_snapshot();
    PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'limited' AND pid <> pg_backend_pid();
    PERFORM pg_sleep(0.001);
  END LOOP;
END $$`
const endTheLoop = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'limited' AND query LIKE 'DO %'`

export const sharedServerAttempts: readonly Attempt[] = [
  {
    attacker: 'editor',
    does: 'ends the operator’s sessions of its own role in a loop',
    act: async (stage, name) => {
      const loop = stage.sql('limited', endOwnSessions, 'postgres')
      try {
        await creates(stage, { name, secret: 'limited', sslMode: 'disable' })
        await untilReported(stage, name, 'DependencyUnavailable')
        await expectServed(stage, name)
      } finally {
        await stage.postgres.byHand(endTheLoop)
        await loop
      }
      const isOver = () => stage.isReady('db', `${name}-0`)
      await stage.until('the attacker’s Database to be Ready', isOver, recoveryMs)
    },
    outcome: harmless(
      'Only the attacker’s Databases wait; a new Database of the victim on that server is Ready at once.',
      {
        denials: /terminating connection due to administrator command/,
      },
    ),
  },
  {
    attacker: 'editor',
    does: 'names the victim’s server with its own certificate authority, if the server offers no TLS',
    act: async (stage, name) => {
      const { certificate } = certifiedKey(['evil.example'])
      await stage.editor.create('secret', name, stage.credentials.opened('limited', { 'ca.crt': certificate }))
      await creates(stage, { name, secret: name, sslMode: 'verify-full' })
      await untilReported(stage, name, 'TLSVerifyFailed')
      await expectServed(stage, name)
    },
    outcome: harmless(
      'Only the attacker’s Databases wait; a new Database of the victim on that server is Ready at once.',
      {
        reasons: ['TLSVerifyFailed', 'DependencyUnavailable'],
      },
    ),
  },
]
