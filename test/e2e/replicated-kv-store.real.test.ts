// Does the operator do its work on a real cluster, and end when it is told to? The audit log is the witness of what was written.
import { expect, it } from 'vitest'
import { attachToControlPlane } from '../control-plane/attach.ts'
import { operatorKubeconfig } from './operator-account.ts'
import { OperatorProcess } from './operator-process.ts'
import { RealStoryServer } from './real-story-server.ts'
import { describeManyStores, describeOneStore } from './stories/kv-store.ts'

const cluster = attachToControlPlane()
const start = () => RealStoryServer.start(cluster)

describeManyStores(start, 200)
describeOneStore(start)

it('ends in order at SIGTERM', async () => {
  await start()
  const operator = await new OperatorProcess(await operatorKubeconfig(cluster)).ready()
  const exit = await operator.stop()
  expect(exit.code).toBe(0)
  expect(operator.lines.at(-1)?.msg).toBe('stopped')
})
