// Verification with a tool that is newer than the server. Tools since 17 begin each session with a setting that servers
// before 17 do not know.
// This machine has no such tool: a script prints its messages and calls the installed tool.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/base/clock.ts'
import { makeBackup } from '../../../src/controllers/backup/backup-worker.ts'
import { verifyBackup } from '../../../src/controllers/backup/verification-worker.ts'
import type { LogicalEngine } from '../../../src/controllers/engines/logical-engine.ts'
import { postgresLogicalEngine } from '../../../src/controllers/engines/postgres/logical/logical-driver.ts'
import { onPostgresOf } from '../../postgres/on-each-postgres.ts'
import { never } from '../stores/contents.ts'
import { backupStage, makeDatabase, order, verification } from './backup-stage.ts'

/** Behaves as pg_restore 18.4 did with a server of 15. */
const newerTool = `#!/bin/sh
own=/usr/lib/postgresql/15/bin/pg_restore
case " $* " in
*' --version '*) echo 'pg_restore (PostgreSQL) 18.4'; exit 0 ;;
*' --list '*) exec $own "$@" ;;
esac
complain() {
  echo 'pg_restore: error: could not execute query: ERROR:  unrecognized configuration parameter "transaction_timeout"' >&2
  echo 'Command was: SET transaction_timeout = 0;' >&2
}
complain
case " $* " in *' --exit-on-error '*) exit 1 ;; esac
case " $* " in *' --jobs=4 '*) complain; complain; complain; complain; complain ;; esac
$own "$@"
case $? in 0) ignored=1 ;; *) ignored=2 ;; esac
echo "pg_restore: warning: errors ignored on restore: $ignored" >&2
exit 1
`

async function newerEngine(): Promise<LogicalEngine> {
  const folder = await mkdtemp(join(tmpdir(), 'konverge-newer-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'pg_restore'), newerTool, { mode: 0o755 })
  const places = { versions: join(folder, 'none'), folders: [folder] }
  return postgresLogicalEngine({ clock: systemClock, places, workFolder: folder })
}

onPostgresOf(
  (major) => major === 15,
  'a tool that is newer than its server',
  (server) => {
    it.each([1, 4])('a newer tool restores the backup with %i jobs', async (jobs) => {
      await makeDatabase(server())
      const stage = await backupStage(server().access())
      await makeBackup(order, stage.backupTools(), never)
      const tools = stage.verificationTools({ logical: await newerEngine() })
      const { contents } = await verifyBackup({ ...verification, jobs }, tools, never)
      expect(contents.tables).toHaveLength(5)
    })

    it("a newer tool's other errors are reported", async () => {
      await makeDatabase(server())
      // The role no longer exists when the restore creates its policy.
      await server().byHand('CREATE ROLE somebody')
      await server().byHand('CREATE POLICY own ON orders TO somebody', { database: 'crm' })
      const stage = await backupStage(server().access())
      await makeBackup(order, stage.backupTools(), never)
      await server().byHand('DROP POLICY own ON orders', { database: 'crm' })
      await server().byHand('DROP ROLE somebody')
      const verify = verifyBackup(verification, stage.verificationTools({ logical: await newerEngine() }), never)
      await expect(verify).rejects.toMatchObject({
        ...{ code: 'RestoreFailed', remedy: 'stop' },
        message: expect.stringMatching(/could not execute query: ERROR: {2}role "somebody" does not exist$/),
      })
    })
  },
)
