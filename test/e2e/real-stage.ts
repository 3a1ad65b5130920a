// Stage for fault stories on a real control plane with one node; all runs of a test file share it.
import { afterAll, beforeAll } from 'vitest'
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts'
import { RealStoryServer } from './real-story-server.ts'
import type { StoryStageOptions } from './story-stage.ts'

/** Registers the hooks; call it while vitest collects tests, and call the result inside tests. */
export function realStage(): () => StoryStageOptions {
  let cluster: ControlPlane
  let server: RealStoryServer
  beforeAll(async () => {
    cluster = await startControlPlane({ kwok: { nodes: 1 }, auditLog: true })
    server = await RealStoryServer.start(cluster)
  })
  afterAll(async () => await cluster?.stop())
  return () => ({ start: async () => server, lanes: 3 })
}
