// Life of stores on a real API server, and the end of the operator at SIGTERM. The audit log shows all writes.
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

it('stops gracefully at SIGTERM', async () => {
  await start()
  const operator = await new OperatorProcess(await operatorKubeconfig(cluster)).ready()
  const exit = await operator.stop()
  expect(exit.code).toBe(0)
  expect(operator.lines.at(-1)?.msg).toBe('stopped')
})
