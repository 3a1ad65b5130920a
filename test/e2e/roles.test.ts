// Can the operator do its work under exactly the roles that are printed, and does it need all of them, on the server in this process?
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
  // Watches begin with what there is, so nothing is listed; and whoever may set owner references is not asked for finalizers.
  unusable: /^(list |update replicatedkvstores\/finalizers)/,
})
