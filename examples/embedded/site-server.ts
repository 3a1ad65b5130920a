// A web server that contains an operator: the program starts the operator, enqueues resources, uses its client, and
// stops it. Outside this repository the second import reads: from 'konverge'.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  healthText,
  isKubeError,
  type Location,
  type OperatorHandle,
  type RunOperatorOptions,
  startOperator,
} from '../../src/index.ts'
import { Website, website } from '../01-minimal/website.ts'
import { report } from './report.ts'

/** Resolves when the server answers requests. `port` 0 takes any free one. */
export async function startSiteServer(
  options: Pick<RunOperatorOptions, 'environment' | 'output' | 'kubeconfig'>,
  port: number,
): Promise<{ readonly operator: OperatorHandle; readonly server: ReturnType<typeof createServer> }> {
  const operator = await startOperator({
    ...options,
    name: 'sites',
    controllers: [website],
    runnables: [report],
    userAgent: 'sites/1.0.0',
    http: 'off',
  })
  const server = createServer((request, response) => {
    answer(operator, request, response).catch(() => response.writeHead(502).end())
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return { operator, server }
}

async function answer(operator: OperatorHandle, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '', 'http://localhost')
  const [, page = '', namespace = '', name = ''] = url.pathname.split('/')
  switch (`${request.method} /${page}`) {
    case 'POST /websites':
      operator.enqueue(Website, { namespace, name })
      response.writeHead(202).end()
      break
    case 'GET /websites':
      response.end(JSON.stringify(await websitesOf(operator)))
      break
    case 'PUT /websites':
      await scale(operator, { namespace, name }, Number(url.searchParams.get('replicas')))
      response.writeHead(204).end()
      break
    case 'DELETE /websites':
      await operator.client.deleteCollection(Website, { namespace, labelSelector: 'preview=true' })
      response.writeHead(204).end()
      break
    case 'GET /readyz': {
      const report = operator.readyz()
      response.writeHead(report.isOk ? 200 : 503).end(healthText(report, { isVerbose: false }))
      break
    }
    case 'GET /metrics':
      response.setHeader('content-type', operator.metrics.contentType).end(await operator.metrics.text())
      break
    default:
      response.writeHead(404).end()
  }
}

/** Reads again after a conflict with another writer. */
async function scale({ client }: OperatorHandle, at: Location, replicas: number): Promise<void> {
  for (;;) {
    const site = await client.get(Website, at)
    try {
      await client.update(Website, { ...site, spec: { ...site.spec, replicas } })
      return
    } catch (thrown) {
      if (!isKubeError(thrown, 'Conflict')) throw thrown
    }
  }
}

async function websitesOf({ client }: OperatorHandle): Promise<Readonly<Record<string, number>>> {
  const replicas: Record<string, number> = {}
  for await (const { items } of client.pages(Website)) {
    for (const { metadata, spec } of items) replicas[`${metadata.namespace}/${metadata.name}`] = spec.replicas
  }
  return replicas
}
