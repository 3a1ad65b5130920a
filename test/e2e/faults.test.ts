// What does the operator do when the server in this process is not as it should be?
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { installDefinitions } from './stores.ts'
import { describeFaults } from './stories/faults.ts'

describeFaults({
  start: () => EmbeddedStoryServer.start({ hasDefinitions: false }),
  install: installDefinitions,
  stopLimitMs: 10_000,
})
