// The operator works under exactly the printed roles and needs all of them, on the embedded server.
import { readFileSync } from 'node:fs'
import { EmbeddedStoryServer } from './embedded-story-server.ts'
import { manifestsIn } from './rights.ts'
import { describeRoles } from './stories/roles.ts'
import { tacitRights } from './tacit-rights.ts'

const printed = readFileSync(new URL('../golden/install.yaml', import.meta.url), 'utf8')

describeRoles({
  start: EmbeddedStoryServer.start,
  manifests: () => manifestsIn(printed),
  tacit: tacitRights,
  // Watches send initial events, so nothing is listed. The server has no admission plugin that checks finalizers of
  // owners.
  unusable: /^(list |update replicatedkvstores\/finalizers)/,
})
