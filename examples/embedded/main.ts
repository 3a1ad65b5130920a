// A web server that contains an operator: `node examples/embedded/main.ts`. `POST /websites/<namespace>/<name>`
// reconciles a website, `GET /websites` lists them, `PUT /websites/<namespace>/<name>?replicas=3` scales one, and
// `DELETE /websites/<namespace>` deletes those with the label preview=true.
import process from 'node:process'
import { startSiteServer } from './site-server.ts'

const { env: environment, stdout: output } = process
const { operator, server } = await startSiteServer({ environment, output }, Number(environment['PORT'] ?? 8081))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void operator.stop())
try {
  await operator.done
} finally {
  server.close()
  server.closeAllConnections()
}
